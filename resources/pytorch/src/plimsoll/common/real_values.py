# SPDX-License-Identifier: Apache-2.0
"""Answers that a real step gave to questions about values: trace(values="real").

The same code asks the same questions in the same order, so what a real step answered at a line is what a traced one is told there.
"""

from __future__ import annotations

import collections
import contextlib
import copy
from typing import Any, Callable, Iterator, Optional
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from .source_lines import user_line

aten = torch.ops.aten
NUMBER = "aten._local_scalar_dense.default"
LIST = "tolist"
_MASKS = (torch.bool, torch.uint8)
_by_step: list[Optional[RealValues]] = []


def _depends_on_values(func: Any, args: Any) -> bool:
    """Whether the shape of the op's result, or a number that it returns, depends on values. Of ops that aren't PyTorch's nothing is known."""
    if func is aten.index.Tensor:
        return any(index is not None and index.dtype in _MASKS for index in args[1])
    if func.namespace != "aten" or func is aten._pack_padded_sequence.default:
        return True
    return torch.Tag.dynamic_output_shape in func.tags or torch.Tag.data_dependent_output in func.tags


def _kept(tensor: torch.Tensor) -> torch.Tensor:
    """Of floating-point tensors nobody asks more than the shape."""
    if tensor.is_floating_point() or tensor.is_complex():
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
    return tensor.detach().to("cpu", copy=True)


class RealValues:
    """What ops that depend on values returned in a real step, by the user's line and the op, in order."""

    def __init__(self) -> None:
        self._returned: dict[tuple[str, str], list[Any]] = {}
        self._asked: collections.Counter[tuple[str, str]] = collections.Counter()
        self._lines: dict[str, None] = {}

    def add(self, line: str, op: str, result: Any) -> None:
        self._returned.setdefault((line, op), []).append(tree_map_only(torch.Tensor, _kept, result))

    def rewind(self) -> None:
        """The step is run again from its beginning."""
        self._asked.clear()

    def next(self, line: str, op: str) -> Optional[Any]:
        """What this op returned next at this line; None if the real step didn't run it there so often."""
        key = (line, op)
        returned, number = self._returned.get(key, ()), self._asked[key]
        self._asked[key] += 1
        if number >= len(returned):
            return None
        self._lines[line] = None
        return returned[number]

    def assumed(self) -> list[str]:
        """What the trace took for granted, for its file."""
        return [f"{line}: what depends on values there is taken as a real step with these arguments had it" for line in self._lines]


class _Functions(TorchFunctionMode):
    """Functions that ask a fake otherwise than a real tensor: what the fake will be asked is noted."""

    def __init__(self, watching: Watching, target: str):
        super().__init__()
        self._watching = watching
        self._target = target

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.Tensor.tolist:  # reads memory, past all ops
            result = func(*args, **kwargs)
            self._watching.values.add(user_line(), LIST, result)
            return result
        if func is torch._C._nn.one_hot:  # as eager_paths.py has it
            with self._watching.paused():
                result = func(*args, **kwargs)
            classes = args[1] if len(args) > 1 else kwargs.get("num_classes", -1)
            indices = args[0] if args else kwargs["input"]
            if classes == -1:
                self._add(torch.stack(torch.aminmax(indices)) if self._target == "cpu" else indices.max().reshape(1))
            return result
        return func(*args, **kwargs)

    def _add(self, numbers: torch.Tensor) -> None:
        line = user_line(3)
        with self._watching.paused():
            for number in numbers.tolist():
                self._watching.values.add(line, NUMBER, number)


class Watching(TorchDispatchMode):
    """Notes what a real step returns to questions about values, for a step that is traced for `target`. `asks`: whether a question is one of
    the step's own."""

    def __init__(self, target: str, asks: Callable[[], bool], on_op: Callable[[], None]):
        super().__init__()
        self.values = RealValues()
        self._asks = asks
        self._on_op = on_op
        self._is_paused = False
        self._functions = _Functions(self, target)

    def __enter__(self) -> Any:
        self._functions.__enter__()
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._functions.__exit__(*error)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        before, self._is_paused = self._is_paused, True
        try:
            yield
        finally:
            self._is_paused = before

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._on_op()
        result = func(*args, **(kwargs or {}))
        if not self._is_paused and _depends_on_values(func, args) and self._asks():
            self.values.add(user_line(), str(func), result)
        return result


_list_of_fake = FakeTensor.tolist


def _list(fake: FakeTensor) -> Any:
    """FakeTensor.tolist() runs ops that a real tensor doesn't."""
    real = real_answer(user_line(), LIST)
    return _list_of_fake(fake) if real is None else copy.deepcopy(real)


_formatted_fake = FakeTensor.__format__


def _formatted(fake: FakeTensor, spec: str) -> str:
    """f"expert_{number}" of a real tensor with one number shows the number."""
    return fake.item().__format__(spec) if fake.dim() == 0 else _formatted_fake(fake, spec)


@contextlib.contextmanager
def answering(values: Optional[RealValues]) -> Iterator[None]:
    """While entered, questions of a traced step are answered as the real step answered them; None: as without one."""
    patched = mock.patch.multiple(FakeTensor, tolist=_list, __format__=_formatted) if values is not None else contextlib.nullcontext()
    _by_step.append(values)
    try:
        with patched:
            yield
    finally:
        _by_step.pop()


def could_answer() -> bool:
    """Whether a step is being traced for which no real one was run."""
    return bool(_by_step) and _by_step[-1] is None


def rewind() -> None:
    """To be called before each run of the step."""
    if _by_step and _by_step[-1] is not None:
        _by_step[-1].rewind()


def real_answer(line: str, op: str) -> Optional[Any]:
    """What the real step got there, with real tensors; None if there was none, or it didn't ask."""
    return _by_step[-1].next(line, op) if _by_step and _by_step[-1] is not None else None
