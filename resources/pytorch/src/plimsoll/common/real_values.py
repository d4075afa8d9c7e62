# SPDX-License-Identifier: Apache-2.0
"""Answers that real steps gave to questions about values: trace(values="real").

A traced step runs the same code, so what an op returned at a line of the user's, the first time, the second time and so on, is what it returns
there when it is traced. The first traced step, which only warms up, is answered as the first real one; all others as the second.
"""

from __future__ import annotations

import collections
import contextlib
import copy
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from .source_lines import user_line

aten = torch.ops.aten
NUMBER = "aten._local_scalar_dense.default"
LIST = "tolist"
_MASKS = (torch.bool, torch.uint8)
_traced: list[Optional[RealValues]] = []


def depends_on_values(func: Any, args: Any) -> bool:
    """Whether the shape of the op's result, or a number that it returns, depends on values. Of ops that aren't PyTorch's nothing is known."""
    if func is aten.index.Tensor:
        return any(index is not None and index.dtype in _MASKS for index in args[1])
    if func.namespace != "aten" or func is aten._pack_padded_sequence.default:
        return True
    return torch.Tag.dynamic_output_shape in func.tags or torch.Tag.data_dependent_output in func.tags


@dataclass(frozen=True)
class Returned:
    """A tensor that an op returned in a real step: the value, of which floating-point ones have the shape only, and its memory, of which a
    result may be a part."""

    value: torch.Tensor  # on the CPU, or on "meta"
    strides: tuple[int, ...]
    offset: int  # elements
    nbytes: int  # of the storage


def _returned(tensor: torch.Tensor) -> Returned:
    is_whole = not (tensor.is_floating_point() or tensor.is_complex())
    value = tensor.detach().to("cpu", copy=True) if is_whole else torch.empty(tensor.shape, dtype=tensor.dtype, device="meta")
    return Returned(value, tensor.stride(), tensor.storage_offset(), tensor.untyped_storage().nbytes())


class RealValues:
    """What ops that depend on values returned in real steps, by the user's line and the op, in order."""

    def __init__(self, on_cpu: bool) -> None:
        self.on_cpu = on_cpu  # where the real steps ran
        self._steps: list[dict[tuple[str, str], list[Any]]] = []
        self._step = -1  # that answers now
        self._asked: collections.Counter[tuple[str, str]] = collections.Counter()
        self._lines: dict[str, None] = {}

    def begin(self) -> None:
        """The next real step begins."""
        self._steps.append({})

    def add(self, line: str, op: str, result: Any) -> None:
        self._steps[-1].setdefault((line, op), []).append(tree_map_only(torch.Tensor, _returned, result))

    def answer_next(self) -> None:
        """The next traced step begins; after the last real step, that one answers again."""
        self._step = min(self._step + 1, len(self._steps) - 1)
        self._asked.clear()

    def next(self, line: str, op: str, decides: bool = True) -> Optional[Any]:
        """What this op returned next at this line, tensors as Returned; None if the real step ran it there fewer times. `decides`: whether the
        answer matters to the step, so that its line is told."""
        key = (line, op)
        returned, number = self._steps[self._step].get(key, ()), self._asked[key]
        self._asked[key] += 1
        if number >= len(returned):
            return None
        if decides:
            self._lines[line] = None
        return returned[number]

    def assumed(self) -> list[str]:
        """What the trace took for granted, for its file."""
        return [f"{line}: what depends on values there is taken as a real step on the given tensors had it" for line in self._lines]


class Watching(TorchDispatchMode):
    """Notes how real steps answer questions about values. Each step begins when it is entered."""

    def __init__(self, on_cpu: bool, on_op: Callable[[], None]):
        super().__init__()
        self.values = RealValues(on_cpu)
        self._on_op = on_op
        self._lists = contextlib.ExitStack()

    def __enter__(self) -> Any:
        self.values.begin()
        # Reads memory past all ops; function modes don't see it in backward.
        self._lists.enter_context(mock.patch.object(torch.Tensor, "tolist", self._list))
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._lists.close()

    @property
    def _list(self) -> Callable[[torch.Tensor], Any]:
        def listed(tensor: torch.Tensor) -> Any:
            result = _list_of_real(tensor)
            if not isinstance(tensor, FakeTensor):
                self.values.add(user_line(), LIST, result)
            return result

        return listed

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._on_op()
        result = func(*args, **(kwargs or {}))
        if depends_on_values(func, args):
            self.values.add(user_line(), str(func), result)
        return result


_list_of_real = torch._C.TensorBase.tolist
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
    """While entered, questions of traced steps are answered as the real steps answered them; None: there were none."""
    patched = mock.patch.multiple(FakeTensor, tolist=_list, __format__=_formatted) if values is not None else contextlib.nullcontext()
    _traced.append(values)
    try:
        with patched:
            yield
    finally:
        _traced.pop()


def without_real_step() -> bool:
    """Whether trace() is at work and has run no real step."""
    return bool(_traced) and _traced[-1] is None


def with_real_step() -> bool:
    return bool(_traced) and _traced[-1] is not None


def begin_step() -> None:
    """To be called before each run of the step that is traced."""
    if _traced and _traced[-1] is not None:
        _traced[-1].answer_next()


def real_answer(line: str, op: str, decides: bool = True) -> Optional[Any]:
    """RealValues.next() of the step that answers now; None if there is none."""
    return _traced[-1].next(line, op, decides) if _traced and _traced[-1] is not None else None


def skip_numbers_of_cpu(count: int) -> None:
    """Passes over numbers for which only kernels of the CPU ask at the user's line."""
    if _traced and _traced[-1] is not None and _traced[-1].on_cpu:
        for _ in range(count):
            _traced[-1].next(user_line(), NUMBER, False)
