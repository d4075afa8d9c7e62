# SPDX-License-Identifier: Apache-2.0
"""Plans exported as a graph ("execution": "step" in the graph format): their recompute steps, and whether they belong to this step."""

from __future__ import annotations

from typing import Any

from ...common.graph_rows import OPTIMIZER, REPETITION
from ...common.op_schema import statistics_arguments
from ...common.plan_mismatch import PlanMismatch
from .program import Program
from .schedule import Execution, schedule

GRAPH = "written_out"  # key of a plan's content
_ALLOC = 2  # column of storages
_TARGET, _PHASE, _READS, _WRITES, _OUTPUTS, _FLAGS, _RECOMPUTE_OF = 0, 1, 5, 6, 7, 8, 15  # columns of ops
_RETRACE = "Trace the step as it is now (model, shapes, loss), plan it and export that plan."


def is_graph(content: Any) -> bool:
    return isinstance(content, dict) and content.get("format") == "plimsoll-graph"


def plan_of(graph: dict[str, Any]) -> dict[str, Any]:
    """The graph as a plan's content. Raises PlanMismatch if the graph isn't an exported plan."""
    if graph.get("execution") != "step":
        raise PlanMismatch("This graph is a step as it was traced, no plan: plan it (plimsoll-cli plan --export), and give the plan.")
    try:
        ops = [row for row in graph["ops"] if row[_PHASE] < OPTIMIZER]
        own = [row[_TARGET] for row in ops if not row[_FLAGS] & REPETITION]
        sequence = {"targets": graph["targets"], "ops": own}
        recompute_steps = _recompute_steps(ops)
    except (KeyError, IndexError, TypeError) as error:
        raise _damaged(error) from error
    named = {key: graph.get(key) for key in ("model", "model_class", "torch", "target")}
    return {
        "format": "plimsoll-plan", "version": graph.get("version"), "runtime": "step", "graph": named,
        "schedule": {"again": recompute_steps}, "sequence": sequence, GRAPH: graph,
    }  # fmt: skip


def _recompute_steps(ops: list[Any]) -> list[list[Any]]:
    """Rows [before, ops], numbered in the recorded ops. An op before which others are recomputed may itself be moved, so the ops of a row
    need not rise."""
    recorded: list[int] = []  # by row: its recorded op
    rows: list[list[Any]] = []
    count, waiting = 0, []
    for row in ops:
        if row[_FLAGS] & REPETITION:
            recorded.append(recorded[row[_RECOMPUTE_OF]])
            waiting.append(recorded[-1])
            continue
        if waiting:
            rows.append([count, waiting])
        recorded.append(count)
        count, waiting = count + 1, []
    if waiting:
        raise IndexError("recomputations behind the last op")
    return rows


def read_written(program: Program, plan: dict[str, Any]) -> list[tuple[int, list[int]]]:
    """The rows of a plan of plan_of(), after checking that every op of the graph reads and makes what this step's does; raises
    PlanMismatch."""
    recompute_steps = [(before, list(ops)) for before, ops in plan["schedule"]["again"]]
    graph = plan[GRAPH]
    try:
        _Uses(program, graph).compare(schedule(program, recompute_steps))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise _damaged(error) from error
    return recompute_steps


class _Uses:
    """Walks executions and the graph's ops in parallel: which storage of the graph is the newest instance of which of the program's."""

    def __init__(self, program: Program, graph: dict[str, Any]):
        self._program = program
        self._graph = graph
        self._storage = [row[0] for row in graph["tensors"]]
        self._now: dict[int, int] = {}
        self._owner: dict[int, int] = {}

    def compare(self, executions: list[Execution]) -> None:
        for step, (execution, row) in enumerate(zip(executions, self._graph["ops"])):
            for storage in self._program.allocates(execution.op):
                self._now.pop(storage, None)
            mine = self._uses(execution)
            its = [self._storage[t] for t in (*row[_READS], *row[_WRITES], *row[_OUTPUTS])]
            if len(mine) != len(its) or not all(self._is(storage, other, step) for storage, other in zip(mine, its)):
                target = self._graph["targets"][row[_TARGET]]
                raise PlanMismatch(
                    f"The graph was written for another step: its op {step} ({target}) takes or makes other values than "
                    f"{self._program.place(execution.op)} here. {_RETRACE}"
                )
        self._compare_gradients()

    def _uses(self, execution: Execution) -> list[int]:
        op = self._program.ops[execution.op]
        without = statistics_arguments(op.target, op.args) if execution.recomputed else ()
        left_out = {op.args[i]["t"] for i in without if op.args[i] is not None}
        return [self._program.storage(t) for t in (*op.reads, *op.writes, *op.outputs) if t not in left_out]

    def _is(self, storage: int, other: int, step: int) -> bool:
        """Whether the graph's storage is that instance in the program; a new one is made by the op or existed before the step."""
        is_new = storage not in self._now
        made = self._graph["storages"][other][_ALLOC]
        if is_new and made != (step if self._program.storages[storage].alloc >= 0 else -1):
            return False
        return self._now.setdefault(storage, other) == other and self._owner.setdefault(other, storage) == storage

    def _compare_gradients(self) -> None:
        for name, _, gradient, _ in self._graph["params"]:
            row = self._program.gradients.get(name)
            if row is not None and self._now.get(self._program.storage(row)) != gradient:
                raise PlanMismatch(f"The graph was written for another step: the gradient of '{name}' is another value there. {_RETRACE}")


def _damaged(error: Exception) -> PlanMismatch:
    return PlanMismatch(f"The graph is damaged: its tables can't be read ({error!r}).")
