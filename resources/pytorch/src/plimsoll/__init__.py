# SPDX-License-Identifier: Apache-2.0
"""Plimsoll: records PyTorch training steps on fake tensors as graphs whose bytes are exact, and applies plans to models."""

from .apply import Handle, PlanMismatch, apply, remove
from .fakes import building
from .kinds import TraceError
from .measure import measure
from .step_runner import StepError, compile_step
from .tracing import trace
from .version import VERSION as __version__

__all__ = [
    "Handle", "PlanMismatch", "StepError", "TraceError", "__version__", "apply", "building", "compile_step", "measure", "remove", "trace",
]  # fmt: skip
