# SPDX-License-Identifier: Apache-2.0
"""Saved sets and frozen statistics: what the recomputation of a region skips."""

from __future__ import annotations

import contextlib
from typing import Any, Optional, Sequence

import torch
import torch.utils.checkpoint as torch_checkpoint

from ...common.frozen_statistics import FrozenStatistics, counters_of
from ...common.op_schema import is_counted, is_random, is_view, overload_of
from ...common.plan_mismatch import PlanMismatch
from ...common.source_lines import function_on_stack
from ...kernels.in_place import Noting, Unnoticed

def is_of_checkpoint(func: Any) -> bool:
    """Whether checkpoint() itself makes a call, rather than an op of the region: up to torch 2.6 it creates an empty tensor."""
    name = "_checkpoint_without_reentrant_generator"
    return func is torch.ops.aten.empty.memory_format and function_on_stack(name, "torch/utils/checkpoint")


def check_supported() -> None:
    """Raises where this torch has no selective checkpointing."""
    if not hasattr(torch_checkpoint, "create_selective_checkpoint_contexts"):
        raise PlanMismatch(
            f"The plan saves results inside of regions, which takes selective checkpointing (torch 2.4); this is torch {torch.__version__}."
        )


def _makes_views(target: str) -> bool:
    try:
        return is_view(overload_of(target))
    except (AttributeError, RuntimeError, ValueError):  # no op's name
        return False


def _makes_nothing(what: str) -> PlanMismatch:
    return PlanMismatch(f"The plan saves {what}, which makes no tensor of its own: save the op that allocates the memory.")


class _Policy:
    """Tells by an op's number in the region whether its result is kept. Forward and recomputation have separate counters, since some
    versions of torch ask in both. Views aren't counted: a run on fakes has some that others lack (looks.py). `expected`: ordinals and
    targets of the other ops; if the ops `vary` with values, nothing is kept from the first that differs, but for random numbers."""

    def __init__(self, saved: frozenset, expected: Sequence[tuple[int, str]], varies: bool):
        self._saved = saved
        self._expected = expected
        self._varies = varies
        self._differs = {False: False, True: False}
        self._counts = {False: 0, True: 0}
        self._drawn: Optional[str] = None

    def __call__(self, context: Any, func: Any, *args: Any, **_: Any) -> Any:
        policy = torch_checkpoint.CheckpointPolicy
        if not is_counted(func) or is_view(func) or is_of_checkpoint(func):
            return policy.MUST_RECOMPUTE
        number = self._counts[context.is_recompute]
        self._counts[context.is_recompute] += 1
        ordinal, wanted = self._expected[number] if number < len(self._expected) else (None, "nothing more in this region")
        differs = self._differs[context.is_recompute] = self._differs[context.is_recompute] or str(func) != wanted
        draws_again = is_random(func) and self._drawn is not None
        if differs and self._varies and not (draws_again and func._schema.is_mutable):
            return policy.MUST_SAVE if draws_again else policy.MUST_RECOMPUTE
        if differs:
            op = "An op" if ordinal is None else f"Op {ordinal}"
            raise PlanMismatch(f"{op} of the model's forward is {func}, but the plan was made for {wanted}.")
        keeps = ordinal in self._saved
        self._check(f"op {ordinal} ({func})", func, keeps)
        return policy.MUST_SAVE if keeps else policy.MUST_RECOMPUTE

    def _check(self, what: str, func: Any, keeps: bool) -> None:
        if keeps and (func._schema.is_mutable or any(r.alias_info is not None for r in func._schema.returns)):
            raise _makes_nothing(what)
        if is_random(func):
            if not keeps and self._drawn is not None:
                raise PlanMismatch(
                    f"The plan saves {self._drawn}, which draws random numbers, but not {what}, which draws after it and would draw "
                    "other ones in the recomputation: save both or neither."
                )
            self._drawn = what if keeps else self._drawn


class _Unnoticed:
    """Dispatch modes under which ops run as if there were none. Keeps the modes, and what they save, as long as checkpoint() keeps it."""

    def __init__(self, *modes: Any):
        self._modes = (Noting(), *modes, Unnoticed())
        self._entered = contextlib.ExitStack()

    def __enter__(self) -> None:
        for mode in self._modes:
            self._entered.enter_context(mode)

    def __exit__(self, *error: Any) -> None:
        self._entered.close()


class Contexts:
    """`context_fn` of checkpoint() for a region whose ops, from ordinal `first` on, have the targets `expected`: those in `saved` are kept.
    `model`: the model whose statistics stay frozen, or None; `varies`: whether which ops run depends on values."""

    def __init__(
        self, saved: Sequence[int], expected: Sequence[str], first: int, model: Optional[torch.nn.Module], varies: bool = False
    ):
        self._saved = frozenset(saved)
        self._varies = varies
        ops = list(enumerate(expected, first))
        views = {target for target in set(expected) if _makes_views(target)} if saved else set()
        self._expected = tuple((ordinal, target) for ordinal, target in ops if target not in views)
        for ordinal, target in ops:
            if ordinal in self._saved and target in views:
                raise _makes_nothing(f"op {ordinal} ({target})")
        self._model = model

    def __call__(self) -> tuple[Any, Any]:
        forward: list[Any] = []
        recomputation: list[Any] = []
        if self._model is not None:
            recomputation.append(FrozenStatistics(counters_of(self._model)))
        if self._saved:
            policy = _Policy(self._saved, self._expected, self._varies)
            for modes, mode in zip((forward, recomputation), torch_checkpoint.create_selective_checkpoint_contexts(policy)):
                modes.append(mode)
        return tuple(_Unnoticed(*modes) if modes else contextlib.nullcontext() for modes in (forward, recomputation))


def contexts_for(
    saved: Sequence[int], expected: Sequence[str], first: int, model: Optional[torch.nn.Module], varies: bool = False
) -> Optional[Contexts]:
    """None if a plain checkpoint() suffices."""
    return Contexts(saved, expected, first, model, varies) if saved or model is not None else None
