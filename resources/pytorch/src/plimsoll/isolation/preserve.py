# SPDX-License-Identifier: Apache-2.0
"""Restores the user's objects and random numbers: fakes kept by a step must not outlive the trace."""

from __future__ import annotations

import contextlib
import functools
import gc
import logging
import random
import sys
from typing import Any, Callable, Iterable, Iterator

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from ..common.tensors import below_transforms, contents
from .places import Place

_CACHE = type(functools.lru_cache(lambda: None))
_spared = False  # whether older_objects_spared() has frozen objects: counting them would take as long as visiting each


@contextlib.contextmanager
def older_objects_spared() -> Iterator[None]:
    """Freezes existing objects: each recording begins with a full collection, which would otherwise dominate a small step's time."""
    global _spared
    mine = not _spared and gc.get_freeze_count() == 0
    if mine:
        gc.freeze()
        _spared = True
    try:
        yield
    finally:
        if mine:
            _spared = False
            gc.unfreeze()


@contextlib.contextmanager
def log() -> Iterator[None]:
    """Silences the log of fake tensors' errors, which torch also raises."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def python_numbers(generators: Iterable[Place] = ()) -> Any:
    """A value that stays equal as long as nothing draws from random, numpy.random or these generators."""
    numpy: Any = sys.modules.get("numpy")
    general = [random.getstate(), numpy.random.get_state() if numpy is not None else None]
    return _comparable([general, *(generator.read() for generator in generators)])


def _comparable(state: Any) -> Any:
    """A generator's state with numpy's arrays as bytes."""
    if isinstance(state, dict):
        return {name: _comparable(value) for name, value in state.items()}
    if isinstance(state, (list, tuple)):
        return [_comparable(value) for value in state]
    return state.tobytes() if hasattr(state, "tobytes") else state


@contextlib.contextmanager
def random_state() -> Iterator[None]:
    numpy: Any = sys.modules.get("numpy")
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    before = random.getstate(), numpy.random.get_state() if numpy is not None else None
    with torch.random.fork_rng(devices=list(devices)):
        try:
            yield
        finally:
            random.setstate(before[0])
            if numpy is not None:
                numpy.random.set_state(before[1])


def _all_caches() -> list[Any]:
    """Every functools.lru_cache. Since Python 3.10 objects refer to their type, so there is no need to list all objects."""
    some = functools.lru_cache(lambda: None)
    things = gc.get_referrers(_CACHE) if _CACHE in gc.get_referents(some) else gc.get_objects()
    return [thing for thing in things if type(thing) is _CACHE and thing.cache_info().currsize]


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
def caches(mode: FakeTensorMode) -> Iterator[None]:
    """Clears every functools.lru_cache that has received fakes of this mode: otherwise a real step would get them."""
    try:
        yield
    finally:
        frozen = _spared or gc.get_freeze_count() > 0  # frozen objects aren't listed
        if frozen:
            gc.unfreeze()
        for cache in _all_caches():
            if _holds_fakes(cache, mode):
                cache.cache_clear()
        if frozen:
            gc.freeze()


def _autocast(device: str) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    def put(state: tuple[bool, torch.dtype]) -> None:
        torch.set_autocast_enabled(device, state[0])
        torch.set_autocast_dtype(device, state[1])

    return lambda: (torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)), put


def _deterministic() -> tuple[bool, bool]:
    return torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()


def _of(thing: Any, name: str) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    return lambda: getattr(thing, name), lambda value: setattr(thing, name, value)


_MODES: tuple[tuple[Callable[[], Any], Callable[[Any], Any]], ...] = (
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (_deterministic, lambda state: torch.use_deterministic_algorithms(state[0], warn_only=state[1])),
    (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    (torch.is_anomaly_enabled, torch.set_anomaly_enabled),
    (torch.get_num_threads, torch.set_num_threads),
    _autocast("cpu"),
    _autocast("cuda"),
    *(_of(torch.backends.cudnn, name) for name in ("enabled", "benchmark", "deterministic")),
)


@contextlib.contextmanager
def modes() -> Iterator[None]:
    """torch's global modes: gradients, autocast, default dtype, deterministic and exact kernels, threads."""
    before = [get() for get, _ in _MODES]
    try:
        yield
    finally:
        for (get, put), value in zip(_MODES, before):
            if get() != value:
                put(value)
