# SPDX-License-Identifier: Apache-2.0
"""Does the op sequence that a plan was made for equal the one that is about to run?"""

from __future__ import annotations

from typing import Any

from ..base.apply_values import PlanMismatch
from .executable import Program


def check_sequence(program: Program, plan: dict[str, Any]) -> None:
    """Raises PlanMismatch naming the first difference: ordinal, both targets, module."""
    sequence = plan.get("sequence")
    try:
        planned = [sequence["targets"][index] for index in sequence["ops"]]
    except (TypeError, KeyError, IndexError) as error:
        raise PlanMismatch(f'The plan is damaged: its "sequence" can\'t be read ({error!r}).') from error
    hint = ""
    devices = {str(op.kwargs["device"]["device"]) for op in program.ops if isinstance(op.kwargs.get("device"), dict)}
    if (plan.get("graph") or {}).get("target") == "cuda" and not any(device.startswith("cuda") for device in devices):
        hint = " The plan was made from a trace of CUDA's kernels; for a step on the CPU trace with target=\"cpu\"."
    for ordinal, (target, op) in enumerate(zip(planned, program.ops)):
        if target != op.target:
            raise PlanMismatch(
                f"The plan was made for another step: op {ordinal} is {target} in the plan, but {program.place(ordinal)} here.{hint}"
            )
    if len(planned) != len(program.ops):
        raise PlanMismatch(f"The plan was made for another step: it has {len(planned)} ops, this one {len(program.ops)}.{hint}")
