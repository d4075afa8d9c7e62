# SPDX-License-Identifier: Apache-2.0
"""Everything about a call except its tensors: containers, numbers, names, identities of objects; equal if a fused region may run both."""

from __future__ import annotations

import hashlib
import json
import weakref
from typing import Any, Callable, Iterator

import torch

from ..common.arguments import is_named_tuple, is_numpy_number
from ..common.stand_in import StandIn
from ..common.tensors import below_transforms, tensors_in
from .encode import encode

_LONGEST_TEXT = 120
_ENCODED = (bool, int, float, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format)


class _Identities:
    """Numbers objects in order of first appearance, without keeping them alive."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, weakref.ref]] = {}
        self._count = 0

    def number(self, thing: Any) -> int:
        known = self._known.get(id(thing))
        if known is not None:
            return known[0]
        number, address = self._count, id(thing)
        self._count += 1
        try:
            self._known[address] = (number, weakref.ref(thing, lambda _: self._known.pop(address, None)))
        except TypeError:  # can't be recognised later: gets a new number each time
            pass
        return number


class Structures:
    """The rows of the table `structures`. `tensor_row` is a tensor's row in `tensors`, `on_host` whether that row's memory is the host's and
    thus not in the file; `place` as for encode()."""

    def __init__(self, tensor_row: Callable[[torch.Tensor], int], on_host: Callable[[int], bool], place: str = ""):
        self.rows: list[list[Any]] = []
        self._rows_of: dict[str, int] = {}
        self._tensor_row = tensor_row
        self._on_host = on_host
        self._place = place
        self._objects = _Identities()
        self._tensors: dict[int, _Identities] = {}
        self._entered: list[Any] = []  # the containers around the value

    def of_call(self, args: tuple, kwargs: dict) -> int:
        slot = [0]
        values = [self._value(value, slot) for value in args]
        return self._row([values, [[name, self._value(value, slot)] for name, value in kwargs.items()], list(_modes(self._place))])

    def of_result(self, result: Any) -> int:
        return self._row([[self._value(result, [0])], [], []])

    def _row(self, structure: list[Any]) -> int:
        row = self._rows_of.setdefault(json.dumps(structure), len(self.rows))
        if row == len(self.rows):
            self.rows.append(structure)
        return row

    def _value(self, value: Any, slot: list[int]) -> Any:
        value = value.item() if is_numpy_number(value) else value
        kind = type(value)
        if isinstance(value, torch.Tensor) and not isinstance(value, StandIn):
            if self._on_host(self._tensor_row(below_transforms(value))):
                return self._object(value)
            slot[0] += 1
            return self._tensor(below_transforms(value), slot[0] - 1)
        if kind is int and not -(2**63) <= value < 2**63:
            return {"int": str(value)}
        if kind in _ENCODED:
            return encode(value, self._tensor_row, self._place)
        if kind in (str, bytes):
            return _text(value)
        if (kind in (list, tuple, dict) or is_named_tuple(kind)) and all(value is not outer for outer in self._entered):
            self._entered.append(value)
            try:
                return self._container(value, slot)
            finally:
                self._entered.pop()
        if kind not in (list, tuple, dict):  # a container inside of itself has been counted
            slot[0] += sum(1 for _ in tensors_in(value))  # not slots: they can't be replaced by others
        return self._object(value)

    def _container(self, value: Any, slot: list[int]) -> Any:
        if isinstance(value, dict):
            return {"dict": [[self._value(key, slot), self._value(item, slot)] for key, item in value.items()]}
        items = [self._value(item, slot) for item in value]
        if isinstance(value, list):
            return items
        return {"tuple": items, "class": self._object(type(value))} if is_named_tuple(type(value)) else {"tuple": items}

    def _tensor(self, tensor: torch.Tensor, slot: int) -> dict[str, Any]:
        """Python may have several objects for one tensor (detach, .data), which differ for autograd."""
        alias = self._tensors.setdefault(self._tensor_row(tensor), _Identities()).number(tensor)
        value: dict[str, Any] = {"t": slot, "alias": alias} if alias else {"t": slot}
        if not tensor.is_leaf and (tensor._backward_hooks or tensor.retains_grad):
            value["hooks"] = True  # a hook on its gradient needs the tensor itself
        return value

    def _object(self, value: Any) -> dict[str, Any]:
        return {"object": [type(value).__name__, self._objects.number(value)]}


def _text(value: Any) -> Any:
    content = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    if isinstance(value, str) and len(value) <= _LONGEST_TEXT:
        return value
    return {"digest": [type(value).__name__, hashlib.sha256(content).hexdigest()]}


def _modes(place: str) -> Iterator[str]:
    if not torch.is_grad_enabled():
        yield "no_grad"
    if torch.is_inference_mode_enabled():
        yield "inference_mode"
    for device in ("cpu", "cuda"):
        if torch.is_autocast_enabled(device):
            yield f"autocast {place or device} {str(torch.get_autocast_dtype(device)).removeprefix('torch.')}"
