# SPDX-License-Identifier: Apache-2.0
"""Finds every functools.lru_cache of the process, and clears those that hold fakes: otherwise a real step would get them."""

from __future__ import annotations

import contextlib
import functools
import gc
import sys
import weakref
from typing import Any, Iterator, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from ..common.tensors import below_transforms, contents
from .preserve import with_all_objects

_TYPE = type(functools.lru_cache(lambda: None))
# What each cache refers to: its type, and the type of what cache_info() returns.
_COUNTED = (_TYPE, type(functools.lru_cache(lambda: None).cache_info()))


def _list_caches() -> list[Any]:
    """Since Python 3.10 objects refer to their type, so there is no need to list all objects."""
    some = functools.lru_cache(lambda: None)
    things = gc.get_referrers(_TYPE) if _TYPE in gc.get_referents(some) else gc.get_objects()
    return [thing for thing in things if type(thing) is _TYPE and thing is not some]


def _references() -> list[int]:
    return [sys.getrefcount(kind) for kind in _COUNTED]


class _Caches:
    """All caches, remembered from one trace to the next: listing them visits every object of the process, which takes longer than a
    small model's trace. Each refers to two types, whose reference counts tell whether one came along: who else holds one of them, and lets
    it go when a cache comes, doesn't hold the other."""

    def __init__(self) -> None:
        self._known: list[weakref.ref[Any]] = []
        self._others: Optional[list[int]] = None  # references to the types that aren't a cache's

    def all(self) -> list[Any]:
        known = [cache for reference in self._known if (cache := reference()) is not None]
        if self._others is not None and self._counts() and _references() == [others + len(known) for others in self._others]:
            return known
        known = with_all_objects(_list_caches)
        self._known = [weakref.ref(cache) for cache in known]
        others = [count - len(known) for count in _references()]
        self._others = others if self._others is None else [min(pair) for pair in zip(others, self._others)]
        return known

    @staticmethod
    def _counts() -> bool:
        """Whether a cache refers to them in a way that is counted: before Python 3.10 and without the interpreter lock none does."""
        before = _references()
        some = functools.lru_cache(lambda: None)
        return _references() == [count + 1 for count in before] and some is not None


_caches = _Caches()


def _holds_fakes(cache: Any, mode: FakeTensorMode) -> bool:
    """Whether containers in it hold fakes of this mode. Each is visited once: what programs cache may be large, shared and cyclic."""
    seen: dict[int, Any] = {}  # held, so that identities stay valid
    waiting: list[Any] = gc.get_referents(cache)
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, torch.Tensor):
            thing = below_transforms(thing)
            if isinstance(thing, FakeTensor) and thing.fake_mode is mode:
                return True
        elif (inside := contents(thing)) and id(thing) not in seen:
            seen[id(thing)] = thing
            waiting += inside
    return False


@contextlib.contextmanager
def without_fakes(mode: FakeTensorMode) -> Iterator[None]:
    """Clears every functools.lru_cache that has received fakes of this mode."""
    try:
        yield
    finally:
        for cache in _caches.all():
            if cache.cache_info().currsize and _holds_fakes(cache, mode):
                cache.cache_clear()
