# SPDX-License-Identifier: Apache-2.0
"""Applies a plan file to a model: its regions run under torch.utils.checkpoint."""

from __future__ import annotations

from typing import Any, Optional

import torch

from ...common.plan_mismatch import PlanMismatch
from ...training_step.wrappers import data_parallel_in
from ..plan_file import PlanLike, freezes_stats, read_plan
from .apply_regions import Handle, apply_regions, remove
from .model_checks import check_model
from .op_apply import OpPlan, apply_ops
from .op_regions import check_saved, read_regions, read_saved
from .saved_sets import check_supported, contexts_for

__all__ = ["Handle", "PlanMismatch", "apply", "remove"]


def apply(model: torch.nn.Module, plan: PlanLike, *, freeze_stats: Optional[bool] = None) -> Handle:
    """Makes a model's training step recompute what the plan says; returns a handle whose `remove()` restores the model.

    Plans of module regions match modules by path, class and call; plans of op regions match the forward's aten calls one by one. Neither
    depends on shapes, so both apply to any batch that makes the same calls. A plan with `freeze_stats` doesn't update the running
    statistics of batch norm in recomputations, so buffers equal those of the model without a plan. Otherwise they are updated a second
    time, as by PyTorch's checkpoint.

    Args:
        model (torch.nn.Module): The model for which the plan was made, before fully_shard(), DistributedDataParallel or torch.compile.
        plan (str, Path or dict): A plan file (plimsoll-cli plan --export), or its content.
        freeze_stats (bool, optional): The value that the caller expects in the plan. Default: any.

    Raises:
        PlanMismatch: Plan and model don't fit, or the plan has the other `freeze_stats`; one sentence names the first difference, and
            nothing is changed. A difference that shows only during a forward is raised by that forward.
        FileNotFoundError: The plan's file doesn't exist (this is a PlanMismatch, too).

    Example::

        >>> model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
        >>> region = {"members": [{"path": "0", "class": "Linear", "call": 0}], "nested": []}
        >>> plan = {"format": "plimsoll-plan", "version": 1, "runtime": "checkpoint", "regions": [region]}
        >>> plimsoll.apply(model, plan)
        <plan with 1 region, applied to Sequential>
    """
    plan = read_plan(plan, "checkpoint", 'plimsoll.compile_step() runs plans of runtime "step"')
    wrapper = data_parallel_in(model) if isinstance(model, torch.nn.Module) else None
    if wrapper is not None:
        raise PlanMismatch(
            f"DataParallel wraps {wrapper}, and runs copies that don't take a plan along: apply the plan to the module inside (its "
            ".module) and run that on one GPU, or in DistributedDataParallel."
        )
    try:
        return _apply(model, plan, _freezes(plan, freeze_stats))
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise PlanMismatch(f"The plan is damaged: {error!r}.") from error


def _freezes(plan: dict, wanted: Optional[bool]) -> bool:
    """The plan's `freeze_stats`, which can't be overridden: the plan's numbers assume it."""
    said = freezes_stats(plan)
    if wanted is not None and wanted is not said:
        does, other = ("leave batch norm's statistics", "off") if said else ("update batch norm's statistics again", "on")
        raise PlanMismatch(
            f"freeze_stats={wanted} contradicts the plan, whose recomputations {does}, which its numbers are of: make the plan "
            f"with plimsoll-cli plan --freeze-stats {other}."
        )
    return said


def _apply(model: torch.nn.Module, plan: dict, freeze_stats: bool) -> Handle:
    graph = plan.get("graph") or {}
    granularity = plan.get("granularity", "module")
    if granularity == "module":
        return apply_regions(model, plan["regions"], graph.get("model_class"), _ModuleOptions(model, plan, freeze_stats))
    if granularity != "op":
        raise PlanMismatch(f'The plan\'s granularity is {granularity!r}; this package knows "module" and "op".')
    check_model(model, graph.get("model_class"))
    regions = read_regions(plan["regions"])
    if any(region.save for outermost in regions for region in outermost.all()):
        check_supported()
    targets = _targets(plan)
    count = graph.get("forward_ops", len(targets))  # including those of the loss
    if type(count) is not int or not 0 <= count <= len(targets):
        raise PlanMismatch(f"The plan is damaged: {count!r} is no number of ops.")
    return apply_ops(model, OpPlan(regions, targets[:count], graph.get("target") == "cuda", freeze_stats))


class _ModuleOptions:
    """Further arguments of checkpoint() for module regions: saved sets and frozen statistics."""

    def __init__(self, model: torch.nn.Module, plan: dict, freeze_stats: bool):
        self._model = model if freeze_stats else None
        self._plan = plan

    def __call__(self, region: dict) -> dict[str, Any]:
        saved, first, targets = read_saved(region), 0, []
        if saved:
            check_supported()
            first, last = region["first"], region["last"]
            sequence = _targets(self._plan)
            if type(first) is not int or type(last) is not int or not 0 <= first <= last < len(sequence):
                raise PlanMismatch(f"The plan is damaged: a region goes from op {first!r} to op {last!r}.")
            check_saved(saved, first, last, [(nested["first"], nested["last"]) for nested in region.get("nested", ())])
            targets = sequence[first : last + 1]
        contexts = contexts_for(saved, targets, first, self._model, (self._plan.get("graph") or {}).get("values") == "real")
        return {} if contexts is None else {"context_fn": contexts}


def _targets(plan: dict) -> list[str]:
    """Targets of the ops of forward, loss and backward, in order."""
    sequence = plan.get("sequence")
    if not isinstance(sequence, dict):
        raise PlanMismatch('The plan speaks of ops, but has no "sequence" to check them against.')
    targets, ops = sequence["targets"], sequence["ops"]
    if any(not isinstance(target, str) for target in targets):
        raise PlanMismatch("The plan is damaged: a target in its sequence is no text.")
    if any(type(op) is not int or not 0 <= op < len(targets) for op in ops):
        raise PlanMismatch("The plan is damaged: its sequence points beyond its targets.")
    return [targets[op] for op in ops]
