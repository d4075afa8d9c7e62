# SPDX-License-Identifier: Apache-2.0
"""Restores the user's objects and random numbers: fakes kept by a step must not outlive the trace."""

from __future__ import annotations

import contextlib
import gc
import logging
import random
import sys
from typing import Any, Callable, Iterable, Iterator

import torch

from .places import Place

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


def with_all_objects(look: Callable[[], Any]) -> Any:
    """Calls a function that lists the process's objects: frozen ones aren't listed."""
    frozen = _spared or gc.get_freeze_count() > 0
    if frozen:
        gc.unfreeze()
    try:
        return look()
    finally:
        if frozen:
            gc.freeze()


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
