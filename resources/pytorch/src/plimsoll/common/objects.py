# SPDX-License-Identifier: Apache-2.0
"""Plain Python objects that a model returns: their contents are their attributes."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Optional

import torch

from .arguments import PLAIN
from .tensors import contents, tensors_in

_MADE_IN_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_SPECIAL = ("__new__", "__del__", "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__")


def is_open(kind: type) -> bool:
    """Whether the attributes of a class's objects are their whole state: a plain Python class that defines neither copying nor deletion."""
    classes = kind.__mro__[:-1]
    if issubclass(kind, (torch.nn.Module, *PLAIN, type)) or not all(c.__flags__ & _MADE_IN_PYTHON for c in classes):
        return False
    special = [name for c in classes for name in _SPECIAL if name in vars(c)]
    return not special and kind.__dictoffset__ != 0 and not any(vars(c).get("__slots__") for c in classes)


def tensors_in_objects(value: Any, seen: Optional[set[int]] = None) -> Iterator[torch.Tensor]:
    """Tensors in attributes of the open objects in nested containers, which tensors_in() doesn't find."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    inside: Iterable[Any] = () if isinstance(value, (set, frozenset)) else contents(value)
    if not inside and is_open(type(value)):
        inside = list(vars(value).values())
        yield from tensors_in(inside)
    if inside:
        seen.add(id(value))
    for item in inside:
        yield from tensors_in_objects(item, seen)
