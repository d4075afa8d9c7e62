# SPDX-License-Identifier: Apache-2.0
"""Plimsoll: records PyTorch training steps on fake tensors as graphs whose bytes are exact, plans them, and applies plans to models."""

from . import ddp, trunk
from .common.graph_rows import TraceError
from .isolation.fakes import building
from .measure.measure import measure
from .planning.command import NoPlan
from .planning.fit import Fitted, fit
from .planning.plan import Plan, Prediction, plan
from .record.tracing import trace
from .runtime.checkpoint.apply import Handle, PlanMismatch, apply, remove
from .runtime.compiled_step.runner import StepError, compile_step
from .version import VERSION as __version__

__all__ = [
    "Fitted", "Handle", "NoPlan", "Plan", "PlanMismatch", "Prediction", "StepError", "TraceError", "__version__", "apply", "building", "compile_step",
    "ddp", "fit", "measure", "plan", "remove", "trace", "trunk",
]  # fmt: skip
