# SPDX-License-Identifier: Apache-2.0
"""Plimsoll: records a PyTorch training step on fake tensors as a graph whose bytes are exact."""

from .apply import apply
from .apply_runtime import PlanMismatch
from .fakes import building
from .kinds import VERSION as __version__
from .kinds import TraceError
from .tracing import trace

__all__ = ["PlanMismatch", "TraceError", "__version__", "apply", "building", "trace"]
