# SPDX-License-Identifier: Apache-2.0
"""Copies of older memory that a compiled step overwrites, kept while it runs, so that a step that fails can restore it."""

from __future__ import annotations

import contextlib
from typing import Iterator

import torch

from .accumulating import GRADIENTS
from .generators import SavedStates
from .program import Program

_MOST = 1 << 22  # copied in every step: more would take time and memory unknown to a plan


class Undo:
    """For one program: running statistics, arguments that are written, gradients that are added to."""

    def __init__(self, program: Program):
        written = {program.storage(row) for op in program.ops for row in op.writes}
        older = {s for s in written if program.storages[s].alloc < 0}
        gradients = {program.storage(bound.row) for bound in program.bound if bound.kind == GRADIENTS}
        places: dict[int, int] = {}  # by storage: index among the step's tensors
        for number, bound in enumerate(program.bound):
            places.setdefault(program.storage(bound.row), number)
        self._all = sorted(places[s] for s in older if s in places)
        small = sum(program.storages[s].nbytes for s in older - gradients) <= _MOST
        self._cheap = sorted(places[s] for s in older - gradients if s in places) if small else []
        held = {program.storage(row): c.held for row, c in program.constants.items() if c.held is not None}
        self._constants = [held[s] for s in sorted(older) if s in held]
        self._cheap_constants = self._constants if small else []
        self._generators = program.generators

    @contextlib.contextmanager
    def on_error(self, tensors: list[torch.Tensor], everything: bool) -> Iterator[None]:
        """While entered, an exception restores memory and random numbers to their state on entry. Without `everything`, gradients and more
        than 4 MiB of other memory aren't restored."""
        written = [tensors[number] for number in (self._all if everything else self._cheap)]
        written += self._constants if everything else self._cheap_constants
        before = [(tensor, _copy(tensor, at_once=everything)) for tensor in written]
        states = SavedStates(self._generators)
        try:
            yield
        except BaseException:
            states.restore()
            for tensor, content in before:
                tensor.untyped_storage().copy_(content)
            raise


def _copy(tensor: torch.Tensor, at_once: bool) -> torch.UntypedStorage:
    """The memory's content, in host memory. A GPU's is copied without waiting for it unless `at_once`: pinned memory is scarce."""
    storage = tensor.untyped_storage()
    if tensor.device.type == "cpu":
        return storage.clone()
    if at_once:
        return storage.cpu()
    copy = torch.empty(storage.nbytes(), dtype=torch.uint8, pin_memory=True).untyped_storage()
    return copy.copy_(storage, non_blocking=True)

