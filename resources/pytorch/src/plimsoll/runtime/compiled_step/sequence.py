# SPDX-License-Identifier: Apache-2.0
"""Compares the op sequence for which a plan was made with the one about to run."""

from __future__ import annotations

from typing import Any, Sequence

import torch

from ...common.plan_mismatch import PlanMismatch
from .program import Program, overload_of

_RETRACE = "trace the step as it is now (model, shapes, loss) and make a new plan."


def check_sequence(program: Program, plan: dict[str, Any], model: torch.nn.Module) -> None:
    """Raises PlanMismatch naming the first difference: ordinal, both targets, module; and what may have changed in the model."""
    sequence = plan.get("sequence")
    try:
        planned = [sequence["targets"][index] for index in sequence["ops"]]
    except (TypeError, KeyError, IndexError) as error:
        raise PlanMismatch(f'The plan is damaged: its "sequence" can\'t be read ({error!r}).') from error
    here = [op.target for op in program.ops]
    if planned == here:
        return
    difference = f"it has {len(planned)} ops, this one {len(here)}"
    for ordinal, (target, mine) in enumerate(zip(planned, here)):
        if target != mine:
            difference = f"op {ordinal} is {target} in the plan, but {program.place(ordinal)} here"
            break
    raise PlanMismatch(f"The plan was made for another step: {difference}. {_way_out(program, plan, planned, here, model)}")


def _way_out(program: Program, plan: dict[str, Any], planned: Sequence[str], here: Sequence[str], model: torch.nn.Module) -> str:
    devices = {str(op.kwargs["device"]["device"]) for op in program.ops if isinstance(op.kwargs.get("device"), dict)}
    if (plan.get("graph") or {}).get("target") == "cuda" and not any(device.startswith("cuda") for device in devices):
        return "The plan was made from a trace of CUDA's kernels; for a step on the CPU trace with target=\"cpu\"."
    if not model.training:
        return "The model is in eval mode, and plans are made for training: call model.train(), or compile_step() without a plan."
    still = next((path for path, module in model.named_modules() if not module.training), None)
    if still is not None:
        return f"'{still}' is in eval mode, which it may not have been when the step was traced: call train() on it. Else: {_RETRACE}"
    drawn, draws = _random(planned), _random(here)
    if drawn != draws:
        return (
            f"{drawn} ops of the plan draw random numbers, {draws} of this step do: did the p of a dropout change (at 0 it draws none)? "
            f"If so, {_RETRACE}"
        )
    return _RETRACE.capitalize()


def _random(targets: Sequence[str]) -> int:
    """Ops that draw random numbers; ops unknown here draw none."""
    count = 0
    for target in targets:
        try:
            count += torch.Tag.nondeterministic_seeded in overload_of(target).tags
        except (AttributeError, RuntimeError, ValueError):
            continue
    return count
