# SPDX-License-Identifier: Apache-2.0
"""States of the random number generators from which a step draws: the CPU's and that of its GPU."""

from __future__ import annotations

from typing import Any, Iterable

import torch


class Generators:
    """Devices are named as in torch.device; "cuda" is the current one."""

    @staticmethod
    def save(device: str) -> torch.Tensor:
        return torch.get_rng_state() if device == "cpu" else torch.cuda.get_rng_state(device)

    @staticmethod
    def load(device: str, state: torch.Tensor) -> None:
        if device == "cpu":
            torch.set_rng_state(state)
        else:
            torch.cuda.set_rng_state(state, device)


class NoGenerators:
    """Fakes draw no numbers."""

    @staticmethod
    def save(device: str) -> None:
        return None

    @staticmethod
    def load(device: str, state: Any) -> None:
        return None


class SavedStates:
    """The states of the generators of some devices, to be restored later."""

    def __init__(self, devices: Iterable[str]):
        self._states = [(device, Generators.save(device)) for device in devices]

    def restore(self) -> None:
        for device, state in self._states:
            Generators.load(device, state)
