# SPDX-License-Identifier: Apache-2.0
"""Writes a schedule as straight-line Python: one line per op, `del` where memory is freed, views rebuilt by geometry.

Variables: t5 is tensor row 5 of the program, r7 the random number state before op 7, s0 such a state that the step's own code keeps. The
function takes the tensors to which the program is bound, in order, and returns (results, gradients in order).
"""

from __future__ import annotations

import itertools
import linecache
from typing import Any, Callable, Optional

import torch

from ...common.graph_rows import GRAD_MODE, VIEW
from ...common.op_schema import overload_of, statistics_arguments
from .program import Program, changes_geometry
from .random_points import SAVE
from .schedule import Execution

_count = itertools.count()
ASK = "aten._local_scalar_dense.default"
_LIFT = "aten.lift_fresh.default"


def callable_of(target: str) -> Callable:
    overload = overload_of(target)
    return getattr(overload, "_op", overload)  # private: the builtin below, without a Python call around it


class StepWriter:
    """`observed`: calls `seen` before and after every execution, and reads geometry from a table that `seen` may correct."""

    def __init__(self, program: Program, executions: list[Execution], observed: bool):
        self._program = program
        self._executions = executions
        self._observed = observed
        self._lines: list[str] = []
        self._names: dict[str, Any] = {}
        self._defined: dict[int, dict[int, None]] = {}  # rows with a variable, by storage
        self._grad: Optional[bool] = None
        self._last_recomputation = {e.op: step for step, e in enumerate(executions) if e.recomputed}
        self._written = {program.storage(row) for op in program.ops for row in op.writes}
        self._random_by_op: dict[int, list[Any]] = {}
        for point in program.random:
            self._random_by_op.setdefault(point.before, []).append(point)

    # ---- the whole function ----

    def compile(self, name: str, seen: Any = None, geometry: Any = None) -> tuple[Callable, str]:
        """The function and its source."""
        program = self._program
        self._line("def step(given, grad, random_state, guard, seen=seen, geometry=geometry):")
        for number, bound in enumerate(program.bound):
            row = bound.row
            if row not in self._rows(row):
                self._line(f"    t{row} = given[{number}]  # {bound.kind} {bound.name}")
                self._define(row)
        for number, (row, constant) in enumerate(program.constants.items()):
            self._names[f"c{number}"] = constant.held if constant.data is None else constant.data
            self._line(f"    t{row} = c{number}{'' if constant.data is None or not self._is_written(row) else '.clone()'}")
            self._define(row)
        for step, execution in enumerate(self._executions):
            self._execution(step, execution)
        gradients = "".join(f"{self._use(row)}, " for row in program.gradients.values())
        outputs = "".join(f"{self._use(row)}, " for row in program.outputs)
        self._line(f"    return ({outputs}), ({gradients})")
        source = "\n".join(self._lines) + "\n"
        filename = f"<plimsoll step {next(_count)}: {name}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        names = {**self._names, "seen": seen, "geometry": geometry, "rebuilt": rebuilt, "inf": float("inf"), "nan": float("nan")}
        exec(compile(source, filename, "exec"), names)
        return names["step"], source

    def _line(self, text: str) -> None:
        self._lines.append(text)

    # ---- variables ----

    def _rows(self, row: int) -> dict[int, None]:
        return self._defined.setdefault(self._program.storage(row), {})

    def _define(self, row: int) -> None:
        self._rows(row)[row] = None

    def _is_written(self, row: int) -> bool:
        return self._program.storage(row) in self._written

    def _use(self, row: int) -> str:
        """The variable of a tensor, after a line that rebuilds it if it has none."""
        rows = self._rows(row)
        if row not in rows:
            self._rebuild(row, rows)
        return f"t{row}"

    def _rebuild(self, row: int, rows: dict[int, None]) -> None:
        key, tensors = self._program.tensors[row], self._program.tensors
        like = lambda other: (other.dtype, other.conj, other.neg)  # noqa: E731
        base = next((r for r in rows if like(tensors[r]) == like(key)), None)
        geometry = f"*geometry[{row}]" if self._observed else f"{key.shape}, {key.strides}, {key.offset}"
        if base is not None:
            function = self._function("aten.as_strided.default")
            self._line(f"    t{row} = {function}(t{base}, {geometry})")
        else:
            base = next(iter(rows))
            dtype = self._constant(key.dtype, getattr(torch, key.dtype))
            self._line(f"    t{row} = rebuilt(t{base}, {dtype}, {key.conj}, {key.neg}, {geometry})")
        self._define(row)

    # ---- one execution ----

    def _execution(self, step: int, execution: Execution) -> None:
        program, op = self._program, self._program.ops[execution.op]
        if not execution.recomputed:
            for point in self._random_by_op.get(execution.op, ()):
                self._random_point(point)
        for storage in program.allocates(execution.op):
            self._defined[storage] = {}
        device = program.generator(execution.op) if execution.op in self._last_recomputation else None
        if device is not None and execution.recomputed:
            self._line(f"    now = random_state.save({device!r})")
            self._line(f"    random_state.load({device!r}, r{execution.op})")
        elif device is not None:
            self._line(f"    r{execution.op} = random_state.save({device!r})")
        self._call(step, execution)
        if device is not None and execution.recomputed:
            self._line(f"    random_state.load({device!r}, now)")
            if self._last_recomputation[execution.op] == step:
                self._line(f"    del now, r{execution.op}")
        freed = [f"t{row}" for storage in execution.frees for row in self._defined.pop(storage, ())]
        if freed:
            self._line(f"    del {', '.join(freed)}")

    def _random_point(self, point: Any) -> None:
        if point.what == SAVE:
            self._line(f"    s{point.state} = random_state.save({point.device!r})")
        else:
            self._line(f"    random_state.load({point.device!r}, s{point.state})")

    def _call(self, step: int, execution: Execution) -> None:
        op = self._program.ops[execution.op]
        place = self._program.modules[op.module] if op.module >= 0 else ""
        words = (execution.op, "recomputed" if execution.recomputed else "", place, op.source)
        comment = "  # " + " ".join(str(word) for word in words if word != "")
        if op.target == ASK:
            self._line(f"    guard({execution.op}, {self._function(op.target)}, {self._value(op.args[0])}){comment}")
            self._tell(step)
            return
        new = [row for row in dict.fromkeys(op.outputs) if row not in self._rows(row)]
        rebuilt_only = op.target == _LIFT or changes_geometry(op.target)
        if rebuilt_only or (not new and op.flags & VIEW and not self._observed):
            for row in new:
                self._use(row)
            self._tell(step)
            return
        call = f"{self._function(op.target)}({self._arguments(execution)})"
        self._gradient_mode(bool(op.flags & GRAD_MODE))
        if self._observed:
            touched = "".join(f"{self._use(row)}, " for row in dict.fromkeys((*op.reads, *op.writes)))
            self._line(f"    seen.before({step}, ({touched}))")
            self._line(f"    made = {call}{comment}")
            self._line(f"    made = seen.after({step}, made)")
            pattern = self._pattern(op.result, set(new))
            if pattern is not None:
                self._line(f"    {pattern} = made")
            self._line("    made = _ = None")
        else:
            pattern = self._pattern(op.result, set(new))
            self._line(f"    {pattern + ' = ' if pattern is not None else ''}{call}{comment}")
            if pattern is not None and len(op.outputs) > len(new):
                self._line("    _ = None")  # it may hold a second name of memory
        for row in new:
            self._define(row)
            if row in self._program.copied and not self._observed:
                self._line(f"    t{row} = t{row}.clone()")

    def _tell(self, step: int) -> None:
        if self._observed:
            self._line(f"    seen.after({step}, None)")

    def _gradient_mode(self, on: bool) -> None:
        if on != self._grad:
            self._line(f"    grad({on})")
            self._grad = on

    def _pattern(self, result: Any, new: set[int]) -> Optional[str]:
        """The target of the assignment of an op's result; None if nothing in it is new. Takes each new row once."""
        if isinstance(result, dict) and "t" in result:
            if result["t"] not in new:
                return None
            new.remove(result["t"])
            return f"t{result['t']}"
        if not isinstance(result, list) or not result:
            return None
        parts = [self._pattern(item, new) for item in result]
        if all(part is None for part in parts):
            return None
        return "(" + "".join(f"{part or '_'}, " for part in parts) + ")"

    # ---- arguments ----

    def _function(self, target: str) -> str:
        name = target.replace(".", "_")
        if name not in self._names:
            self._names[name] = callable_of(target)
        return name

    def _constant(self, name: str, value: Any) -> str:
        name = "".join(c if c.isalnum() else "_" for c in name)
        self._names[name] = value
        return name

    def _arguments(self, execution: Execution) -> str:
        op = self._program.ops[execution.op]
        without = statistics_arguments(op.target, op.args) if execution.recomputed else ()
        parts = ["None" if i in without else self._value(value) for i, value in enumerate(op.args)]
        parts += [f"{name}={self._value(value)}" for name, value in op.kwargs.items()]
        return ", ".join(parts)

    def _value(self, value: Any) -> str:
        if isinstance(value, list):
            return f"[{', '.join(map(self._value, value))}]"
        if not isinstance(value, dict):
            return repr(value)
        (kind, content), = value.items()
        if kind == "t":
            return self._use(content)
        if kind == "float":
            return f"float({content!r})"
        if kind == "complex":
            return f"complex({self._value(content[0])}, {self._value(content[1])})"
        if kind == "device":
            return self._constant(f"device_{content}", torch.device(content))
        return self._constant(content, getattr(torch, content))  # dtype, layout, memory_format


def rebuilt(
    base: torch.Tensor, dtype: torch.dtype, conj: bool, neg: bool, shape: tuple, strides: tuple, offset: int
) -> torch.Tensor:
    """A view of the base's memory with another dtype or other conjugate and negative bits; strides and offset in elements."""
    if base.is_conj():
        base = base.conj()
    if base.is_neg():
        base = torch._neg_view(base)
    if base.dtype != dtype:
        count = base.untyped_storage().nbytes() // base.element_size()
        base = base.as_strided((count,), (1,), 0).view(dtype)
    view = base.as_strided(shape, strides, offset)
    view = torch._neg_view(view) if neg else view
    return view.conj() if conj else view
