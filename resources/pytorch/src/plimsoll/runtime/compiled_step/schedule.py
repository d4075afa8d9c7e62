# SPDX-License-Identifier: Apache-2.0
"""Applies a plan of runtime "step" to a program: the executions in order, and after which of them each memory is freed.

An instance of a storage begins with an execution of the op that allocates it and ends with its last use before the next instance begins.
A recomputation must read every storage in the version (number of writes) that the op read when it was recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable

from ...common.graph_rows import BACKWARD, COLLECTIVE, RANDOM
from ...common.op_schema import statistics_arguments
from ...common.plan_mismatch import PlanMismatch
from .program import ENGINE_STORES, Program


@dataclass
class Execution:
    """One execution of an op; `frees`: storages whose newest instance ends after it."""

    op: int
    recomputed: bool
    frees: list[int] = field(default_factory=list)


def read_recompute_steps(program: Program, plan: Any) -> list[tuple[int, list[int]]]:
    """The plan's rows [before, ops], validated; raises PlanMismatch."""
    try:
        rows = [(before, list(ops)) for before, ops in plan["schedule"]["again"]]
    except (KeyError, TypeError, ValueError) as error:
        raise PlanMismatch(f'The plan is damaged: its "schedule" can\'t be read ({error!r}).') from error
    last = -1
    for before, ops in rows:
        rising = all(type(op) is int for op in (before, *ops)) and all(a < b for a, b in zip([-1, *ops], ops))
        if not rising or before in ops or not last < before < len(program.ops) or ops[-1:] >= [len(program.ops)]:
            raise PlanMismatch(f"The plan is damaged: it recomputes {ops} before op {before}, which must be rising numbers of ops.")
        last = before
    return rows


def schedule(program: Program, recompute_steps: Iterable[tuple[int, list[int]]] = ()) -> list[Execution]:
    """Every op once in recorded order; `recompute_steps` are rows (before, ops), whose ops are recomputed immediately before op `before`.
    An op that hasn't run by then runs there for the first time, and no longer at its place."""
    rows = dict(recompute_steps)
    executions: list[Execution] = []
    run: set[int] = set()
    for ordinal in range(len(program.ops)):
        for op in rows.get(ordinal, ()):
            executions.append(Execution(op, op in run))
            run.add(op)
        if ordinal not in run:
            executions.append(Execution(ordinal, False))
            run.add(ordinal)
    _check_order(program, [execution.op for execution in executions if not execution.recomputed])
    _check_versions(program, executions)
    _plan_frees(program, executions)
    return executions


def _check_order(program: Program, order: list[int]) -> None:
    """Checks that backward begins with its first op, after forward and loss, and that random numbers are drawn as recorded."""
    forward = sum(op.phase < BACKWARD for op in program.ops)
    if set(order[:forward]) != set(range(forward)) or order[forward : forward + 1] not in ([], [forward]):
        raise PlanMismatch("The plan is damaged: it executes ops of backward before its first op.")
    before_random = {point.before for point in program.random}
    ordered = [op for op in order if program.ops[op].flags & (RANDOM | COLLECTIVE) or op in before_random]
    if ordered != sorted(ordered):
        raise PlanMismatch("The plan executes ops that draw random numbers, or collectives, in another order than the step does.")


def storages_used(program: Program, execution: Execution) -> set[int]:
    """Storages that an execution reads or writes: a recomputed batch norm runs without its running statistics."""
    op = program.ops[execution.op]
    rows = {*op.reads, *op.writes, *op.outputs}
    if execution.recomputed:
        rows -= {op.args[i]["t"] for i in statistics_arguments(op.target, op.args) if op.args[i] is not None}
    return {program.storage(row) for row in rows}


def _plan_frees(program: Program, executions: list[Execution]) -> None:
    last: dict[int, int] = {}
    for step, execution in enumerate(executions):
        for storage in program.allocates(execution.op):
            if storage in last:
                executions[last[storage]].frees.append(storage)
        last.update(dict.fromkeys(storages_used(program, execution), step))
    kept = {program.storage(row) for row in (*program.outputs, *program.gradients.values())}
    for storage, step in last.items():
        if program.storages[storage].alloc >= 0 and storage not in kept:
            executions[step].frees.append(storage)
    for execution in executions:
        execution.frees.sort()


class _Versions:
    """Numbers of writes: those that each op found when it was recorded, and those of the newest instances now."""

    def __init__(self, program: Program):
        self._program = program
        self._now = [0] * len(program.storages)
        self._met: list[dict[int, int]] = []
        count = [0] * len(program.storages)
        for ordinal, op in enumerate(program.ops):
            self._met.append({s: count[s] for s in storages_used(program, Execution(ordinal, False))})
            for storage in {program.storage(row) for row in op.writes}:
                count[storage] += 1
        self._last = count

    def check_outcomes(self) -> None:
        """Checks that results and gradients are returned as they were recorded."""
        for row in (*self._program.outputs, *self._program.gradients.values()):
            storage = self._program.storage(row)
            if self._now[storage] != self._last[storage]:
                raise PlanMismatch(
                    f"The plan hands out {_named(self._program, storage)} when it was written {self._now[storage]} times instead of "
                    f"{self._last[storage]}: recompute every op that wrote it."
                )

    def execute(self, execution: Execution) -> None:
        program, op = self._program, self._program.ops[execution.op]
        fresh = program.allocates(execution.op)
        used = storages_used(program, execution)
        written = used & {program.storage(row) for row in op.writes}
        for storage in sorted(written):
            if execution.recomputed and program.storages[storage].alloc < 0:
                raise PlanMismatch(
                    f"The plan recomputes {program.place(execution.op)}, which writes {_named(program, storage)}, memory older than the step."
                )
        for storage in sorted(used.difference(fresh)):
            if self._now[storage] != self._met[execution.op][storage]:
                self._refuse(execution, storage)
        for storage in fresh:
            self._now[storage] = 0
        for storage in written:
            self._now[storage] += 1

    def _refuse(self, execution: Execution, storage: int) -> None:
        what = "recomputes" if execution.recomputed else "executes"
        raise PlanMismatch(
            f"The plan {what} {self._program.place(execution.op)} when {_named(self._program, storage)} was written "
            f"{self._now[storage]} times instead of {self._met[execution.op][storage]}: recompute every op that wrote it."
        )


def _named(program: Program, storage: int) -> str:
    names, alloc = program.storages[storage].names, program.storages[storage].alloc
    return f"'{names[0]}'" if names else f"the result of {program.place(alloc)}" if alloc >= 0 else "a constant"


def _check_versions(program: Program, executions: list[Execution]) -> None:
    versions = _Versions(program)
    for execution in executions:
        op = program.ops[execution.op]
        if execution.recomputed and op.flags & COLLECTIVE:
            raise PlanMismatch(f"The plan recomputes {program.place(execution.op)}, a collective: other processes don't recompute it.")
        if execution.recomputed and op.node == ENGINE_STORES:
            raise PlanMismatch(
                f"The plan recomputes {program.place(execution.op)}, which stores a gradient: in a step that finds one there it would add twice."
            )
        versions.execute(execution)
    versions.check_outcomes()
