# SPDX-License-Identifier: Apache-2.0
"""Plimsoll: records PyTorch training steps on fake tensors as graphs whose bytes are exact, and applies plans to models."""

from .apply import PlanMismatch, apply, remove
from .fakes import building
from .kinds import VERSION as __version__
from .kinds import TraceError
from .tracing import trace

__all__ = ["PlanMismatch", "TraceError", "__version__", "apply", "building", "remove", "trace"]
