# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of a model, split into tensors and everything else, and rebuilt with other tensors."""

from __future__ import annotations

import collections
import dataclasses
import gc
import types
from typing import Any, Optional, Union

import torch

from ..common.arguments import PLAIN, is_named_tuple, is_numpy_number
from ..common.graph_rows import TraceError
from ..common.objects import is_open


@dataclasses.dataclass(frozen=True)
class _Tensor:
    index: int


@dataclasses.dataclass(frozen=True)
class _Leaf:
    index: int


@dataclasses.dataclass(frozen=True)
class _Container:
    kind: Any
    keys: tuple
    items: tuple


_Spec = Union[_Tensor, _Leaf, _Container]


class Structure:
    """`tensors`: the distinct tensors in order of appearance. `leaves`: everything else that isn't a container.

    `takes_objects`: also split plain Python objects by their attributes. Check is_held() before rebuilding them.
    """

    def __init__(self, value: Any, takes_objects: bool = False):
        self.tensors: list[torch.Tensor] = []
        self.leaves: list[Any] = []
        self.objects: list[Any] = []
        self._containers: list[Any] = []
        self._takes_objects = takes_objects
        self._around: list[Any] = []  # the containers that the value is in
        self._spec = self._flatten(value)

    def key(self) -> tuple:
        """Equal for values that differ only in their tensors. Objects that aren't plain values must be identical."""
        leaves = tuple((type(v), repr(v)) if _is_plain(v) else (type(v), id(v)) for v in self.leaves)
        return self._spec, leaves

    def opaque(self) -> list[Any]:
        """Objects with unknown contents."""
        return [leaf for leaf in self.leaves if not _is_plain(leaf) and not isinstance(leaf, type)]

    def is_held(self) -> bool:
        """Whether something outside the value refers to one of its objects, so that a new object can't replace it."""
        if not self.objects:
            return False
        parts = [*self.objects, *self._containers]
        inside = {id(self.objects), id(self._containers), *map(id, parts), *(id(vars(part)) for part in parts if hasattr(part, "__dict__"))}
        inside.add(id(parts))
        gc.collect()  # so that unreachable objects don't count
        return any(id(other) not in inside and not isinstance(other, types.FrameType) for other in gc.get_referrers(*self.objects))

    def build(self, tensors: Any) -> Any:
        """The value with other tensors in place of its own."""
        return self._build(self._spec, tensors)

    def without_tensors(self) -> "Structure":
        made = object.__new__(Structure)
        made.tensors, made.leaves, made._spec, made.objects, made._containers = [], self.leaves, self._spec, [], []
        return made

    def _flatten(self, value: Any) -> _Spec:
        if isinstance(value, torch.Tensor):
            for index, known in enumerate(self.tensors):
                if known is value:
                    return _Tensor(index)
            self.tensors.append(value)
            return _Tensor(len(self.tensors) - 1)
        made = self._flatten_container(value)
        if made is not None:
            return made
        self.leaves.append(value)
        return _Leaf(len(self.leaves) - 1)

    def _flatten_container(self, value: Any) -> Optional[_Container]:
        if any(value is known for known in self.objects):
            return None
        if any(value is outer for outer in self._around):
            raise TraceError(f"a {type(value).__name__} among the model's arguments or results holds itself: it can't be built anew with other tensors")
        self._around.append(value)
        try:
            return self._split(value)
        finally:
            self._around.pop()

    def _split(self, value: Any) -> Optional[_Container]:
        self._containers.append(value)
        kind = type(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type) and not _holds_items(value):
            names = tuple(field.name for field in dataclasses.fields(value))
            return _Container(kind, names, tuple(self._flatten(getattr(value, name, None)) for name in names))
        if kind in (dict, collections.OrderedDict) or _holds_items(value):
            return _Container(kind, tuple(value), tuple(self._flatten(item) for item in value.values()))
        if kind in (tuple, list) or is_named_tuple(kind):
            return _Container(kind, (), tuple(map(self._flatten, value)))
        self._containers.pop()
        if self._takes_objects and is_open(kind):
            self.objects.append(value)
            return _Container(kind, tuple(vars(value)), tuple(self._flatten(item) for item in vars(value).values()))
        return None

    def _build(self, spec: _Spec, tensors: Any) -> Any:
        if isinstance(spec, _Tensor):
            return tensors[spec.index]
        if isinstance(spec, _Leaf):
            return self.leaves[spec.index]
        items = [self._build(item, tensors) for item in spec.items]
        if issubclass(spec.kind, dict):
            pairs = dict(zip(spec.keys, items))
            return spec.kind(**pairs) if dataclasses.is_dataclass(spec.kind) else spec.kind(pairs)
        if dataclasses.is_dataclass(spec.kind):
            made = object.__new__(spec.kind)
            for name, item in zip(spec.keys, items):
                object.__setattr__(made, name, item)
            return made
        if not issubclass(spec.kind, (tuple, list)):
            made = object.__new__(spec.kind)
            vars(made).update(zip(spec.keys, items))
            return made
        return spec.kind(*items) if is_named_tuple(spec.kind) else spec.kind(items)


def _is_plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or is_numpy_number(value)


def _holds_items(value: Any) -> bool:
    """Whether it is a dataclass that is also a dict of its fields (outputs of transformers)."""
    return isinstance(value, dict) and dataclasses.is_dataclass(value)
