# SPDX-License-Identifier: Apache-2.0
"""Answers to questions about values, which fake tensors don't have."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, Iterator, Optional, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ..common.graph_rows import OPTIMIZER, TraceError
from ..common.real_values import NUMBER, Returned, depends_on_values, real_answer, with_real_step
from ..common.source_lines import function_on_stack, line_of, user_line
from .answers import assumed_at
from .known_values import Values, values_of
from .refused_ops import WITHOUT_QUANTIZATION, refusal_in, unknown, without_values

aten = torch.ops.aten

# Functions that ask, the files that they are in, the default answer, and how the graph file words that assumption.
_PACKED = "transformers asks whether several sequences are packed into one row: answered with no"
_MASKED = "transformers asks whether the attention mask leaves tokens out: answered with no"
_VARIANCE = "gaussian_nll_loss asks whether a variance is negative, and would raise: answered with no"
_CHECKS = ("_look_at_classes", "plimsoll/kernels/eager_paths")
_ASSUMED = (
    (*_CHECKS, 0, ""),
    ("gaussian_nll_loss", "torch/nn/functional", False, _VARIANCE),
    ("find_packed_sequence_indices", "transformers/", True, _PACKED),
    ("_ignore_causal_mask_sdpa", "transformers/", True, _MASKED),
    ("_ignore_bidirectional_mask_sdpa", "transformers/", True, _MASKED),
    ("_prepare_4d_attention_mask_for_sdpa", "transformers/", True, _MASKED),  # versions before 4.53
)
# The recorded step is the second one, so a step counter has been incremented twice.
STEP_NUMBER = 2.0


_given: list[Any] = []


@contextlib.contextmanager
def given(value: Any) -> Iterator[None]:
    """While entered, questions are answered with this value."""
    _given.append(value)
    try:
        yield
    finally:
        _given.pop()


def decides() -> bool:
    """Whether the answer decides how the step continues, rather than only validating its arguments."""
    return not function_on_stack(*_CHECKS)


def _note(assumed: list[str], sentence: str) -> None:
    if sentence and sentence not in assumed:
        assumed.append(sentence)


def answer(tensor: torch.Tensor, phase: int, assumed: list[str]) -> Any:
    """The answer given to the step; raises an error naming the user's line if it can't be known."""
    if _given:
        return _given[-1]
    line = user_line(3)
    real = real_answer(line, NUMBER, decides())
    if real is not None:
        return real
    values = values_of(tensor.fake_mode) if isinstance(tensor, FakeTensor) else None
    known = values.number(tensor) if values is not None else None
    if known is not None:
        if values.is_given(tensor):
            _note(assumed, f"{line} asks for a value: answered with {known}, as the tensors given to trace() have it")
        return known
    for function, file, value, sentence in _ASSUMED:
        if function_on_stack(function, file):
            _note(assumed, sentence)
            return value
    told = assumed_at(line)
    if told is not None:
        _note(assumed, f"{line} asks for a value: answered with {told}, as assume says")
        return told
    if phase == OPTIMIZER and tensor.dim() == 0:
        return STEP_NUMBER
    raise TraceError(
        f"{line or 'the step itself'}: it depends on the value of a tensor (.item(), bool() or indexing by a mask), "
        f"{unknown('is')}: {without_values()}. "
        f"Or give the answer, which trace() takes for granted: assume={{{line!r}: ...}}"
    )


def real_result(func: Any, args: Any) -> Any:
    """What the op returned in a real step, for result(); to be called for each op, so that none is skipped."""
    return real_answer(user_line(3), str(func)) if with_real_step() and depends_on_values(func, args) else None


def result(func: Any, args: Any, kwargs: Any, assumed: list[str], real: Any = None, on_host: Sequence[int] = ()) -> Any:
    """The result of an op whose shape depends on values; None if those are unknown. `real`: see real_result(); `on_host`: which of several
    results are on the CPU, whatever device the arguments are on."""
    asked = next((a for a in args if isinstance(a, FakeTensor)), None)
    if asked is None:
        return None
    mode = asked.fake_mode
    values = values_of(mode)

    def fake(value: Any, place: int = 0) -> Any:
        device = "cpu" if place in on_host else asked.device
        if isinstance(value, Returned):
            real, count = value.value, -(-value.nbytes // value.value.element_size())
            with mode:
                made = torch.empty((count,), dtype=real.dtype, device=device).as_strided(real.shape, value.strides, value.offset)
        elif isinstance(value, torch.Tensor):
            real = value
            with mode:
                made = torch.empty_strided(real.shape, real.stride(), dtype=real.dtype, device=device)
        else:
            return value
        values.give(made, real)
        return made

    def all_fake(values: Any) -> Any:
        return tuple(map(fake, values, itertools.count())) if isinstance(values, (tuple, list)) else fake(values)

    line = user_line(3)
    if real is not None:
        return all_fake(real)
    real = values.computed(func, args, kwargs)
    if real is not None:
        made = all_fake(real)
    elif func is aten.index.Tensor:
        made = _indexed(args[0], args[1], values, fake)
    else:
        return None
    if made is not None:
        _note(assumed, f"{line}: the result of {func} depends on values: taken as the tensors given to trace() have it")
    return made


def _indexed(tensor: torch.Tensor, indices: Any, values: Values, fake: Any) -> Optional[torch.Tensor]:
    """Indexing by masks of known values, performed by positions."""
    positions: list[Any] = []
    for index in indices:
        if index is None or index.dtype not in (torch.bool, torch.uint8):
            positions.append(index)
            continue
        places = values.computed(aten.nonzero.default, (index,), {})
        if places is None:
            return None
        positions += map(fake, places.unbind(1))
    return aten.index.Tensor(tensor, positions)


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turns torch's errors about what can't be recorded into TraceError; other errors stay as they are."""
    try:
        yield
    except (RuntimeError, NotImplementedError, AssertionError) as error:
        told = translate(error)
        if told is None:
            raise
        raise told from error


def translate(error: Exception) -> Optional[TraceError]:
    """Replaces torch's message about fakes by a sentence; None for an error of the user's own."""
    text, where = str(error), line_of(error) or "the step itself"
    if type(error).__name__ == "FakeTensorDeviceMismatchError" or "FakeTensor Device Propagation" in text:
        return TraceError(
            f"{where}: tensors of different devices meet; a step is traced on the CPU, also for a GPU: take the device from a "
            "tensor (device=x.device) instead of naming one"
        )
    if "its data is not allocated yet" in text:
        return TraceError(f"{where}: PyTorch reads the values of a tensor there, {unknown()}: {without_values()}")
    if ".numpy()" in text and "tensor subclasses" in text:
        return TraceError(f"{where}: .numpy() asks for the values of a tensor, {unknown()}: {without_values()}")
    refused = refusal_in(text)
    return TraceError(f"{where}: {refused}") if refused is not None else None


def explain(func: Any, error: Exception, line: Optional[str]) -> TraceError:
    where = line or "the step itself"
    name = type(error).__name__
    if name in ("DataDependentOutputException", "DynamicOutputShapeException"):
        return TraceError(f"{where}: the result of {func} depends on values, {unknown()}: {without_values()}")
    if func.namespace == "quantized":
        return TraceError(f"{where}: {func} works on quantized values, for which there are no fake tensors: {WITHOUT_QUANTIZATION}")
    return TraceError(f"{where}: {func} has no implementation for fake tensors; register one with torch.library.register_fake ({error})")
