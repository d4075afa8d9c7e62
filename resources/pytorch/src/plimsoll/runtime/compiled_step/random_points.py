# SPDX-License-Identifier: Apache-2.0
"""Random number states that a step saves and restores (as a checkpoint inside the model does). They aren't ops: recorded here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import torch

from ...common.source_lines import user_line
from .refusals import refusal

SAVE, LOAD = "save", "load"
_SEEDING = {torch: ("manual_seed", "seed"), torch.random: ("manual_seed", "seed")}
_SEEDING_CUDA = ("manual_seed", "manual_seed_all", "seed", "seed_all")


@dataclass(frozen=True)
class RandomPoint:
    """Before op `before`, the state of the generator of `device` is saved as, or set to, state number `state`."""

    before: int
    what: str
    state: int
    device: str


class RandomPoints:
    """While entered, records every save and restore of a generator's state; seeding is refused."""

    def __init__(self, position: Callable[[], int]):
        self.points: list[RandomPoint] = []
        self._position = position
        self._known: dict[int, tuple[int, Any]] = {}  # by identity; holds the states, so that identities stay valid
        self._undo: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> "RandomPoints":
        for module in (torch, torch.random):
            self._replace(module, "get_rng_state", self._saving(module.get_rng_state, lambda: "cpu"))
            self._replace(module, "set_rng_state", self._loading(module.set_rng_state, lambda: "cpu"))
        for module in (torch.cuda, torch.cuda.random):
            self._replace(module, "get_rng_state", self._saving(module.get_rng_state, _gpu))
            self._replace(module, "set_rng_state", self._loading(_nothing, _gpu))  # fakes draw no numbers
        for module, names in (*_SEEDING.items(), (torch.cuda, _SEEDING_CUDA), (torch.cuda.random, _SEEDING_CUDA)):
            for name in names:
                self._replace(module, name, _seeding)
        return self

    def __exit__(self, *_: Any) -> None:
        for module, name, original in reversed(self._undo):
            setattr(module, name, original)

    def _replace(self, module: Any, name: str, new: Any) -> None:
        self._undo.append((module, name, getattr(module, name)))
        setattr(module, name, new)

    def _saving(self, original: Callable, device_of: Callable[..., str]) -> Callable:
        def get_rng_state(*args: Any, **kwargs: Any) -> Any:
            state = original(*args, **kwargs)
            number, _ = self._known[id(state)] = (len(self._known), state)
            self.points.append(RandomPoint(self._position(), SAVE, number, device_of(*args, **kwargs)))
            return state

        return get_rng_state

    def _loading(self, original: Callable, device_of: Callable[..., str]) -> Callable:
        def set_rng_state(new_state: Any, *args: Any, **kwargs: Any) -> Any:
            known = self._known.get(id(new_state))
            if known is None:
                _seeding()
            self.points.append(RandomPoint(self._position(), LOAD, known[0], device_of(*args, **kwargs)))
            return original(new_state, *args, **kwargs)

        return set_rng_state


def _gpu(device: Any = "cuda") -> str:
    """The device that the functions of torch.cuda mean; which one is current may change within a step."""
    number = device if isinstance(device, int) else torch.device(device).index
    return f"cuda:{torch.cuda.current_device() if number is None else number}"


def _nothing(*_: Any, **__: Any) -> None:
    """Takes the place of a function that changes a real generator."""


def _seeding(*_: Any, **__: Any) -> Any:
    raise refusal("seeding", line=user_line() or "the step itself")
