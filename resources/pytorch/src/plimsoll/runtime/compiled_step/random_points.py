# SPDX-License-Identifier: Apache-2.0
"""Random number states that a step saves and restores (as a checkpoint inside the model does). They aren't ops: recorded here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import torch

from ...common.graph_rows import TraceError
from ...common.source_lines import user_line

SAVE, LOAD = "save", "load"


@dataclass(frozen=True)
class RandomPoint:
    """Before op `before`, the state of the CPU's generator is saved as, or set to, state number `state`."""

    before: int
    what: str
    state: int


class RandomPoints:
    """While entered, records every save and restore of the state of the CPU's generator; seeding is refused."""

    def __init__(self, position: Callable[[], int]):
        self.points: list[RandomPoint] = []
        self._position = position
        self._known: dict[int, tuple[int, Any]] = {}  # by identity; holds the states, so that identities stay valid
        self._undo: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> "RandomPoints":
        for module in (torch, torch.random):
            self._replace(module, "get_rng_state", self._saving(module.get_rng_state))
            self._replace(module, "set_rng_state", self._loading(module.set_rng_state))
            self._replace(module, "manual_seed", _seeding)
            self._replace(module, "seed", _seeding)
        return self

    def __exit__(self, *_: Any) -> None:
        for module, name, original in reversed(self._undo):
            setattr(module, name, original)

    def _replace(self, module: Any, name: str, new: Any) -> None:
        self._undo.append((module, name, getattr(module, name)))
        setattr(module, name, new)

    def _saving(self, original: Callable) -> Callable:
        def get_rng_state(*args: Any, **kwargs: Any) -> Any:
            state = original(*args, **kwargs)
            number, _ = self._known[id(state)] = (len(self._known), state)
            self.points.append(RandomPoint(self._position(), SAVE, number))
            return state

        return get_rng_state

    def _loading(self, original: Callable) -> Callable:
        def set_rng_state(state: Any, *args: Any, **kwargs: Any) -> Any:
            known = self._known.get(id(state))
            if known is None:
                _seeding()
            self.points.append(RandomPoint(self._position(), LOAD, known[0]))
            return original(state, *args, **kwargs)

        return set_rng_state


def _seeding(*_: Any, **__: Any) -> Any:
    raise TraceError(
        f"{user_line() or 'the step itself'}: it sets the state of the random numbers, which a compiled step can't reproduce: seed before "
        "the training loop instead"
    )
