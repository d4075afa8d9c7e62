# SPDX-License-Identifier: Apache-2.0
"""What a compiled step really did with memory: every execution, and the bytes alive while it ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional

import torch

from ...common.graph_rows import BACKWARD
from ...common.tensors import tensors_in
from ...record.checks import curve
from ...record.storages import StorageTable
from ...record.stream import CUDA_GRANULE
from .first_step import separated
from .program import Program
from .schedule import Execution


@dataclass
class StepStream:
    """`ops`: (target, op that it recomputes or -1). Curves: bytes alive on the step's device while each execution runs, memory from before
    the step included. `lives`: (bytes, execution that allocated or -1, execution after which it was freed or None)."""

    ops: list[tuple[str, int]]
    curve: list[int]
    curve_rounded512: list[int]
    backward_start: int
    lives: list[tuple[int, int, Optional[int]]]

    def as_json(self) -> dict[str, Any]:
        """In the form that tests/integration/loop/closed_loop_check.cpp reads."""
        return dict(vars(self))


class StreamObserver:
    """Called by a program's observed function; follows storages by weak references, so that it prolongs no lifetime."""

    def __init__(self, program: Program, executions: list[Execution], older: Iterable[torch.Tensor]):
        self.geometry = {row: (key.shape, key.strides, key.offset) for row, key in enumerate(program.tensors)}
        self._program = program
        self._executions = executions
        self._now: Optional[int] = None
        self._touched: tuple = ()
        self._storages = StorageTable(lambda: self._now, "" if program.device == "cpu" else "cpu")
        for tensor in older:
            self._storages.add(tensor, -1)

    def before(self, step: int, touched: tuple) -> None:
        self._touched = touched

    def after(self, step: int, made: Any) -> Any:
        self._now = step
        if made is not None:
            made, _ = separated(self._program, self._executions[step].op, made, self._touched)
        self._touched = ()
        for tensor in tensors_in(made):
            self._storages.add(tensor, step)
        return made

    def finish(self) -> StepStream:
        """To be called while the step's results are alive."""
        self._storages.stop_watching()
        rows, count = [row for row in self._storages.rows if not row.host], len(self._executions)
        ops = self._program.ops
        forward = sum(op.phase < BACKWARD for op in ops)
        return StepStream(
            ops=[(ops[e.op].target, e.op if e.recomputed else -1) for e in self._executions],
            curve=curve(rows, count),
            curve_rounded512=curve(rows, count, CUDA_GRANULE),
            backward_start=max((i + 1 for i, e in enumerate(self._executions) if not e.recomputed and e.op < forward), default=count),
            lives=[(row.nbytes, row.alloc, row.free) for row in rows],
        )
