# SPDX-License-Identifier: Apache-2.0
"""Answers to questions about values, which fake tensors don't have."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional

import torch

from .kinds import OPTIMIZER, TraceError
from .sources import function_on_stack, line_of, user_line

PACKED_SEQUENCES = "transformers asks whether several sequences are packed into one row: answered with no"
# The recorded step is the second one, so a step counter has been raised twice.
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


def answer(tensor: torch.Tensor, phase: int, assumed: list[str]) -> Any:
    """The value that the step is told; an error naming the user's line when nobody can know it."""
    if _given:
        return _given[-1]
    if function_on_stack("find_packed_sequence_indices", "transformers/"):
        if PACKED_SEQUENCES not in assumed:
            assumed.append(PACKED_SEQUENCES)
        return True
    if phase == OPTIMIZER and tensor.dim() == 0:
        return STEP_NUMBER
    raise TraceError(
        f"{user_line() or 'the step itself'}: it depends on the value of a tensor (.item(), bool() or indexing by a mask), "
        "which is not known when a step is traced without data; let shapes or arguments decide there"
    )


def translate(error: Exception) -> Optional[TraceError]:
    """A sentence in the place of what torch says about fakes; None for an error that is the user's own."""
    text, where = str(error), line_of(error) or "the step itself"
    if type(error).__name__ == "FakeTensorDeviceMismatchError" or "FakeTensor Device Propagation" in text:
        return TraceError(
            f"{where}: tensors of different devices meet; a step is traced on the CPU, also for a GPU: take the device from a "
            "tensor (device=x.device) instead of naming one"
        )
    if ".numpy()" in text and "tensor subclasses" in text:
        return TraceError(f"{where}: .numpy() asks for the values of a tensor, which are not known when a step is traced without data")
    return None


def explain(func: Any, error: Exception, line: Optional[str]) -> TraceError:
    where = line or "the step itself"
    name = type(error).__name__
    if name in ("DataDependentOutputException", "DynamicOutputShapeException"):
        return TraceError(f"{where}: the result of {func} depends on values, which are not known when a step is traced without data")
    return TraceError(f"{where}: {func} has no implementation for fake tensors; register one with torch.library.register_fake ({error})")
