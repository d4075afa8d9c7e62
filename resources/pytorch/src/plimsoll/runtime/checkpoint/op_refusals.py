# SPDX-License-Identifier: Apache-2.0
"""Refuses forwards that do something that code made of their aten calls would lose, each with a sentence."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Optional

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, UnsupportedOperatorException

from ...common.arguments import PLAIN
from ...common.module_hooks import has_hooks
from ...common.plan_mismatch import PlanMismatch
from ...common.source_lines import user_line
from ...isolation.watch import Watch

_FAKES = (NotImplementedError, UnsupportedOperatorException, DataDependentOutputException, DynamicOutputShapeException)


def is_about_fakes(error: BaseException) -> bool:
    """Whether an op refused fake tensors, rather than its arguments."""
    return isinstance(error, _FAKES) or "no fake impl" in str(error)


def saved_tensor_hooks() -> Any:
    """The hooks with which autograd packs saved tensors; None if there are none. Checkpointing uses them, too."""
    top = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)
    return top(False) if top is not None else None


def check_state(place: Callable[[], str], hooks: Any) -> None:
    """Called before each op. `hooks`: those active when the forward began."""
    if torch._C._current_graph_task_id() != -1:
        raise PlanMismatch(f"{place()}: gradients are computed inside of the forward, which an op plan can't reproduce.")
    if torch.is_inference_mode_enabled():
        raise PlanMismatch(f"{place()}: the forward runs in inference mode, which an op plan can't reproduce: use torch.no_grad().")
    now = saved_tensor_hooks()
    if now is not hooks and now != hooks:
        raise PlanMismatch(
            f"{place()}: the model checkpoints a part of itself or uses saved_tensors_hooks; an op plan would lose that: turn it off "
            "and trace again."
        )


def check_modules(model: torch.nn.Module) -> None:
    for path, module in model.named_modules():
        if path and has_hooks(module):
            raise PlanMismatch(
                f"The module '{path}' has hooks, which an op plan wouldn't run: remove them, or use a plan of module regions."
            )


def check_tensors(tensors: Iterable[torch.Tensor]) -> None:
    for tensor in tensors:
        if not tensor.is_leaf and (tensor._backward_hooks or tensor.retains_grad):
            raise PlanMismatch(
                "The model's forward waits for the gradient of a tensor (register_hook or retain_grad), which an op plan would lose."
            )


@contextlib.contextmanager
def no_functions() -> Iterator[None]:
    """Refuses custom autograd functions in this thread, since only the aten calls of their forward would remain."""
    own, mine = vars(torch.autograd.Function)["apply"], threading.get_ident()

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() != mine:
            return own.__get__(None, cls)(*args, **kwargs)
        if cls.__module__ == "torch.utils.checkpoint":
            raise PlanMismatch(f"{user_line()}: the model checkpoints a part of itself; an op plan would lose that: turn it off and trace again.")
        if torch.is_grad_enabled():
            raise PlanMismatch(
                f"{user_line()}: the model calls the custom autograd function {cls.__name__}, whose backward an op plan would lose: use "
                "a plan of module regions."
            )
        return own.__get__(None, cls)(*args, **kwargs)

    torch.autograd.Function.apply = classmethod(apply)  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        torch.autograd.Function.apply = own  # type: ignore[method-assign]


_ABSENT = object()


@dataclass(frozen=True)
class Setting:
    """A plain value written by a forward, `name` in the attributes (or dict) `table`."""

    table: dict
    name: Any
    before: Any
    value: Any

    def make(self) -> None:
        self.table[self.name] = self.value

    def undo(self) -> None:
        if self.before is _ABSENT:
            del self.table[self.name]
        else:
            self.table[self.name] = self.before


class PythonState:
    """The objects of a model: a forward that changes them does more than its aten calls."""

    def __init__(self, model: torch.nn.Module):
        self._model = model
        self._before = self._watch()
        self.generators = self._before.generators
        self._tables = [(table, dict(table)) for table in self._before.tables]

    def settings(self) -> list[Setting]:
        """The plain values written since. Raises PlanMismatch if anything else has changed."""
        changed = self._changed()
        if changed is None:
            return []
        found = [
            Setting(table, name, before.get(name, _ABSENT), value)
            for table, before in self._tables
            for name, value in table.items()
            if isinstance(value, PLAIN) and value is not before.get(name, _ABSENT) and _is_plain(before.get(name, _ABSENT))
        ]
        for setting in found:
            setting.undo()
        rest = self._changed()
        for setting in found:
            setting.make()
        if rest is not None:
            raise changing(rest)
        return found

    def _changed(self) -> Optional[str]:
        return self._before.key.difference(self._watch().key)

    def _watch(self) -> Watch:
        return Watch((("", self._model),), same_tensors=True)


def _is_plain(value: Any) -> bool:
    return value is _ABSENT or isinstance(value, PLAIN)


def changing(name: Any) -> PlanMismatch:
    return PlanMismatch(
        f"The model's forward changes its attribute {name!r}, which code made from its aten calls would not: use a plan of module regions."
    )
