# SPDX-License-Identifier: Apache-2.0
"""Plimsoll: records PyTorch training steps on fake tensors as graphs whose bytes are exact, and applies plans to models."""

from . import ddp, trunk
from .applying.apply import Handle, PlanMismatch, apply, remove
from .base.kinds import TraceError
from .job.fakes import building
from .measuring.measure import measure
from .recording.tracing import trace
from .stepping.step_runner import StepError, compile_step
from .version import VERSION as __version__

__all__ = [
    "Handle", "PlanMismatch", "StepError", "TraceError", "__version__", "apply", "building", "compile_step", "ddp", "measure", "remove", "trace", "trunk",
]  # fmt: skip
