# SPDX-License-Identifier: Apache-2.0
"""Python source of a forward: its aten calls in sequence, regions as functions under torch.utils.checkpoint.

Every value is deleted right after its last use, on which a plan's bytes rely: only the code's own variables and autograd hold values. A
region's function stands before the one that calls it, not inside it, since Python limits nesting to about a hundred levels.
"""

from __future__ import annotations

import keyword
import linecache
import math
import re
from typing import Any, Callable, Iterator

import torch
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.checkpoint import checkpoint

from ...common.plan_mismatch import PlanMismatch
from ...isolation import data_dependent
from .op_regions import Part, passes
from .op_trace import Forward, Ref, Statement, operands

_INDENT = "    "
_ALLOWED = (torch.dtype, torch.layout, torch.memory_format)


class Code:
    """`source` and the function made from it. `forward(tensors)` takes the model's distinct tensors, returns a tuple of results."""

    def __init__(self, model: torch.nn.Module, recorded: Forward, whole: Part, contexts: Callable[[Any], Any], title: str):
        writer = _Writer(model, recorded, contexts)
        lines = [f"# {title}", ""]
        lines += writer.function(whole, "forward")
        self.source = "\n".join(lines) + "\n"
        self.file = f"<plimsoll forward of {type(model).__name__} {id(self):x}>"
        linecache.cache[self.file] = (len(self.source), None, self.source.splitlines(True), self.file)
        exec(compile(self.source, self.file, "exec"), writer.names)  # noqa: S102 - our own text
        self.forward: Callable[..., tuple] = writer.names["forward"]

    def __del__(self) -> None:
        linecache.cache.pop(getattr(self, "file", ""), None)


class _Constant:
    """A tensor made of numbers in the model's code. Each use gets its own memory, whose allocation isn't recorded."""

    def __init__(self, tensor: torch.Tensor):
        self._tensor = tensor

    def __call__(self) -> torch.Tensor:
        with _disable_current_modes():
            return self._tensor.clone()


def answered(tensor: torch.Tensor, expected: Any, place: str) -> None:
    """Queries the value of a tensor on which the model's code decided when it was retraced (None: it only read the value)."""
    with data_dependent.given(0 if expected is None else expected):
        value = torch.ops.aten._local_scalar_dense.default(tensor)
    if expected is not None and value != expected:
        raise PlanMismatch(f"The model decides by the value of a tensor ({place}), which was {expected} when it was retraced and is {value} now.")


class _Writer:
    def __init__(self, model: torch.nn.Module, recorded: Forward, contexts: Callable[[Any], Any]):
        self.recorded = recorded
        self.contexts = contexts
        self.names: dict[str, Any] = {
            "torch": torch, "aten": torch.ops.aten, "ops": torch.ops, "inf": math.inf, "nan": math.nan, "checkpoint": checkpoint,
            "answered": answered,
        }  # fmt: skip
        self._model = model
        self._modules: dict[str, str] = {}
        self._value_names = self._name_values()

    def _name_values(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for i, statement in enumerate(self.recorded.statements):
            made = [r for r in statement.results if r is not None and r not in names and self.recorded.values[r].leaf is None]
            stem = f"v{statement.ordinal}" if statement.ordinal >= 0 else f"d{i}"
            for position, result in enumerate(made):
                names[result] = stem if len(made) == 1 else f"{stem}_{position}"
        for index, value in enumerate(self.recorded.values):
            if type(value.leaf) is int:
                names[index] = f"x{value.leaf}"
        return names

    # ---- expressions ----

    def value(self, index: int) -> str:
        leaf = self.recorded.values[index].leaf
        if isinstance(leaf, tuple):
            path, name = leaf
            module = self.module(path)
            return f"{module}.{name}" if name.isidentifier() else f"getattr({module}, {name!r})"
        if isinstance(leaf, torch.Tensor):
            name = f"constant_{index}"
            self.names[name] = _Constant(leaf)
            return f"{name}()"
        return self._value_names[index]

    def module(self, path: str) -> str:
        known = self._modules.get(path)
        if known is None:
            stem = "model" if not path else "m_" + re.sub(r"\W", "_", path)
            known = stem if stem not in self.names else f"{stem}_{len(self._modules)}"
            self._modules[path] = known
            self.names[known] = self._model.get_submodule(path)
        return known

    def literal(self, value: Any) -> str:
        if isinstance(value, Ref):
            return self.value(value.value)
        if isinstance(value, (list, tuple)):
            inner = ", ".join(map(self.literal, value))
            return f"[{inner}]" if isinstance(value, list) else f"({inner},)"
        if isinstance(value, _ALLOWED) or value is None or isinstance(value, (bool, str)):
            return repr(value)
        if isinstance(value, (int, float)):
            return repr(int(value) if isinstance(value, int) else float(value))
        if isinstance(value, complex):
            return f"complex({value.real!r}, {value.imag!r})"
        if isinstance(value, torch.device):
            return f'torch.device("{value}")'
        raise PlanMismatch(f"An op of the model takes a {type(value).__name__}, which code can't hold: use a plan of module regions.")

    def call(self, statement: Statement) -> str:
        args = [self.literal(value) for value in statement.args]
        plain = {k: v for k, v in statement.kwargs.items() if not keyword.iskeyword(k)}
        args += [f"{name}={self.literal(value)}" for name, value in plain.items()]
        args += [f"**{{{name!r}: {self.literal(v)}}}" for name, v in statement.kwargs.items() if name not in plain]
        func = str(statement.func)
        text = f"{func if statement.func.namespace == 'aten' else 'ops.' + func}({', '.join(args)})"
        if statement.func is torch.ops.aten._local_scalar_dense.default:
            return f"answered({self.value(statement.args[0].value)}, {statement.answer!r}, {statement.place!r})"
        return text

    # ---- statements ----

    def line(self, statement: Statement) -> str:
        made = [r for r in statement.results if r is not None and self._is_new(statement, r)]
        if not made:
            return self.call(statement)
        if not statement.listed:
            return f"{self._value_names[made[0]]} = {self.call(statement)}"
        targets = [self._value_names[r] if r in made else "_" for r in statement.results]
        return f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = {self.call(statement)}"

    def _is_new(self, statement: Statement, value: int) -> bool:
        """Ops in place return their argument, which already has a name."""
        return self.recorded.values[value].leaf is None and value not in set(operands(statement))

    def function(self, part: Part, name: str) -> list[str]:
        """Writes the function of a part, after those of its regions."""
        beside, body = [], []
        last = self._last_items(part)
        grad, module = True, None
        for position, item in enumerate(part.items):
            if isinstance(item, Part):
                beside += [*self.function(item, item.region.name), "", ""]
                line, here = self.checkpoint(item), True
            else:
                statement = self.recorded.statements[item]
                if statement.by_autograd:
                    continue
                line, here = self.line(statement), statement.gradients
                if statement.module != module:
                    module = statement.module
                    body.append(f"{_INDENT}# {statement.place}")
            if here is not grad and not here:
                body.append(f"{_INDENT}with torch.no_grad():")
            grad = here
            gone = [self._value_names[v] for v in last.get(position, ())]
            body.append(_INDENT * (1 if here else 2) + line + (f"; del {', '.join(gone)}" if gone else ""))
        results = ", ".join(self.value(v) for v in part.results)
        body.append(f"{_INDENT}return {results}{',' if len(part.results) == 1 else ''}" if results else f"{_INDENT}return ()")
        arguments = ", ".join(self._value_names[v] for v in part.arguments)
        return [*beside, f"def {name}({arguments}):", *body]

    def checkpoint(self, part: Part) -> str:
        results = ", ".join(self._value_names[v] for v in part.results)
        name = part.region.name
        arguments = ", ".join([name, *(self._value_names[v] for v in part.arguments)])
        options = "use_reentrant=False, preserve_rng_state=True"
        contexts = self.contexts(part)
        if contexts is not None:
            self.names[f"contexts_{name}"] = contexts
            options += f", context_fn=contexts_{name}"
        call = f"checkpoint({arguments}, {options})"
        return f"{results}{',' if len(part.results) == 1 else ''} = {call}" if results else call

    # ---- lifetimes ----

    def _last_items(self, part: Part) -> dict[int, list[int]]:
        """Item of a part -> the values that its function deletes after it."""
        last: dict[int, int] = {}
        for position, item in enumerate(part.items):
            for value in self._touched(item):
                if passes(self.recorded, value):
                    last[value] = position
        for value in part.results:
            last.pop(value, None)
        dropped: dict[int, list[int]] = {}
        for value, position in last.items():
            dropped.setdefault(position, []).append(value)
        return dropped

    def _touched(self, item: Any) -> Iterator[int]:
        if isinstance(item, Part):
            yield from item.arguments
            yield from item.results
            return
        statement = self.recorded.statements[item]
        if statement.by_autograd:
            return
        yield from operands(statement)
        yield from (r for r in statement.results if r is not None)
