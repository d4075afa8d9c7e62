# SPDX-License-Identifier: Apache-2.0
"""Applies a plan file to a model: its regions run under torch.utils.checkpoint."""

from __future__ import annotations

import torch

from .apply_runtime import Handle, PlanMismatch, apply_regions, remove
from .modules import data_parallel_in
from .plan_file import PlanLike, read_plan

__all__ = ["Handle", "PlanMismatch", "apply", "remove"]


def apply(model: torch.nn.Module, plan: PlanLike) -> Handle:
    """Makes a model's training step recompute what the plan says; returns a handle whose `remove()` restores the model.

    `plan` is the path of a plan file (`plimsoll-cli plan --export`) or its content. Modules are matched by path, class and
    call, never by shapes, so the plan holds at any batch. Raises PlanMismatch, naming the first difference, and changes
    nothing when plan and model don't fit; a difference that only a forward can show is raised by that forward.
    """
    plan = read_plan(plan, "checkpoint", 'plimsoll.compile_step() runs plans of runtime "step"')
    wrapper = data_parallel_in(model) if isinstance(model, torch.nn.Module) else None
    if wrapper is not None:
        raise PlanMismatch(
            f"DataParallel wraps {wrapper}, and runs copies that don't take a plan along: apply the plan to the module inside (its "
            ".module) and run that on one GPU, or in DistributedDataParallel."
        )
    try:
        return apply_regions(model, plan["regions"], (plan.get("graph") or {}).get("model_class"))
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise PlanMismatch(f"The plan is damaged: {error!r}.") from error
