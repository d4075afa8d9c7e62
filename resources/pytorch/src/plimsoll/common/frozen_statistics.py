# SPDX-License-Identifier: Apache-2.0
"""Recomputations that leave batch norm's running statistics unchanged."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .op_schema import statistics_arguments, written_arguments
from .tensors import tensors_in


class FrozenStatistics(TorchDispatchMode):
    """While entered, batch norm doesn't update its running statistics and counters; used for the recomputation of a region.

    `counters`: buffers that count batches, by storage address."""

    def __init__(self, counters: frozenset):
        super().__init__()
        self._counters = counters

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        statistics = statistics_arguments(str(func), args)
        if statistics:
            args = tuple(None if i in statistics else value for i, value in enumerate(args))
        elif self._counters and func._schema.is_mutable:
            written, _ = written_arguments(func, args, kwargs)
            target = next(tensors_in(written), None)
            if target is not None and target.untyped_storage()._cdata in self._counters:
                return target
        return func(*args, **kwargs)


def counters_of(model: torch.nn.Module) -> frozenset:
    """Addresses of the storages in which batch norm counts batches."""
    tensors = (m._buffers.get("num_batches_tracked") for m in model.modules())
    return frozenset(t.untyped_storage()._cdata for t in tensors if t is not None)
