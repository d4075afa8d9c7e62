# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of a model, taken apart into tensors and the rest, and put together again with other tensors."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any, Hashable, Union

import torch

from ..base.apply_values import PLAIN, is_numpy_number


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
    """`tensors`: the distinct tensors, in the order in which they are met. `leaves`: everything else that is no container."""

    def __init__(self, value: Any):
        self.tensors: list[torch.Tensor] = []
        self.leaves: list[Any] = []
        self._spec = self._flatten(value)

    def key(self) -> tuple:
        """Equal for values that differ in their tensors only. Objects that are no plain values must be the same ones."""
        leaves = tuple((type(v), repr(v)) if _is_plain(v) else (type(v), id(v)) for v in self.leaves)
        return self._spec, leaves

    def opaque(self) -> list[Any]:
        """Objects whose inside is unknown."""
        return [leaf for leaf in self.leaves if not _is_plain(leaf)]

    def build(self, tensors: Any) -> Any:
        """The value with these in the place of its own tensors."""
        return self._build(self._spec, tensors)

    def without_tensors(self) -> "Structure":
        made = object.__new__(Structure)
        made.tensors, made.leaves, made._spec = [], self.leaves, self._spec
        return made

    def _flatten(self, value: Any) -> _Spec:
        if isinstance(value, torch.Tensor):
            for index, known in enumerate(self.tensors):
                if known is value:
                    return _Tensor(index)
            self.tensors.append(value)
            return _Tensor(len(self.tensors) - 1)
        kind = type(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type) and not _holds_items(value):
            names = tuple(field.name for field in dataclasses.fields(value))
            return _Container(kind, names, tuple(self._flatten(getattr(value, name, None)) for name in names))
        if kind in (dict, collections.OrderedDict) or _holds_items(value):
            return _Container(kind, tuple(value), tuple(self._flatten(item) for item in value.values()))
        if kind in (tuple, list) or _is_named(kind):
            return _Container(kind, (), tuple(map(self._flatten, value)))
        self.leaves.append(value)
        return _Leaf(len(self.leaves) - 1)

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
        return spec.kind(*items) if _is_named(spec.kind) else spec.kind(items)


def surroundings() -> tuple[Hashable, ...]:
    """What decides beside model and arguments which ops run."""
    casts = (
        torch.is_autocast_enabled(device) and (torch.get_autocast_dtype(device), torch.is_autocast_cache_enabled())
        for device in ("cpu", "cuda")
    )
    return (torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled(), *casts)


def _is_plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or is_numpy_number(value)


def _is_named(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def _holds_items(value: Any) -> bool:
    """A dataclass that is a dict of its fields, too (outputs of transformers)."""
    return isinstance(value, dict) and dataclasses.is_dataclass(value)
