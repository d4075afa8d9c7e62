# SPDX-License-Identifier: Apache-2.0
"""What a compiled step overwrites of memory older than itself, kept aside while it runs: a step that fails puts it back."""

from __future__ import annotations

import contextlib
from typing import Iterator

import torch

from .accumulating import GRADIENTS
from .program import Program

_MOST = 1 << 22  # bytes that every step copies: more would take time and memory that a plan doesn't know of


class Undo:
    """Of one program: running statistics, arguments that are written, gradients that are added to."""

    def __init__(self, program: Program):
        written = {program.storage(row) for op in program.ops for row in op.writes}
        older = {s for s in written if program.storages[s].alloc < 0}
        gradients = {program.storage(bound.row) for bound in program.bound if bound.kind == GRADIENTS}
        places: dict[int, int] = {}  # by storage: where among the tensors that a step is given
        for number, bound in enumerate(program.bound):
            places.setdefault(program.storage(bound.row), number)
        self._all = sorted(places[s] for s in older if s in places)
        small = sum(program.storages[s].nbytes for s in older - gradients) <= _MOST
        self._cheap = sorted(places[s] for s in older - gradients if s in places) if small else []
        held = {program.storage(row): c.held for row, c in program.constants.items() if c.held is not None}
        self._constants = [held[s] for s in sorted(older) if s in held]
        self._cheap_constants = self._constants if small else []

    @contextlib.contextmanager
    def on_error(self, tensors: list[torch.Tensor], everything: bool) -> Iterator[None]:
        """While entered, whatever is raised leaves memory and random numbers as they were on entry. Without `everything` gradients
        stay as they are, and more than 4 MiB of other memory."""
        written = [tensors[number] for number in (self._all if everything else self._cheap)]
        written += self._constants if everything else self._cheap_constants
        before = [(tensor, tensor.untyped_storage().clone()) for tensor in written]
        state = torch.get_rng_state()
        try:
            yield
        except BaseException:
            torch.set_rng_state(state)
            for tensor, content in before:
                tensor.untyped_storage().copy_(content)
            raise

