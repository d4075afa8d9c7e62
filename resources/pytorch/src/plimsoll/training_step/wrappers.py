# SPDX-License-Identifier: Apache-2.0
"""Wrappers of PyTorch that a model may be in or contain, and that neither a trace nor a plan supports."""

from __future__ import annotations

from typing import Callable, Optional

import torch


def data_parallel_in(model: torch.nn.Module) -> Optional[str]:
    """The part of the model that is wrapped in DataParallel, as sentences name it; None if there is none."""
    return _first(model, lambda module: isinstance(module, torch.nn.DataParallel))


def distributed_in(model: torch.nn.Module) -> Optional[str]:
    """The same for DistributedDataParallel, replicate() and FullyShardedDataParallel, whose reducers work on the real parameters."""
    names = ("DistributedDataParallel", "FullyShardedDataParallel", "DDP", "ReplicateModule")
    return _first(model, lambda module: any(c.__name__ in names and c.__module__.startswith("torch.") for c in type(module).__mro__))


def compiled_in(model: torch.nn.Module) -> Optional[str]:
    """The same for torch.compile."""
    return _first(model, lambda m: type(m).__name__ == "OptimizedModule" or getattr(m, "_compiled_call_impl", None) is not None)


def _first(model: torch.nn.Module, meant: Callable[[torch.nn.Module], bool]) -> Optional[str]:
    for path, module in model.named_modules():
        if meant(module):
            return f"'{path}'" if path else "the model"
    return None
