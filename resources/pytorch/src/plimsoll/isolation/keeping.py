# SPDX-License-Identifier: Apache-2.0
"""Runs real training steps and then restores the contents of all tensors."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import torch

from ..common.graph_rows import TraceError
from .reach import Reach

# Private; without it, graphs made earlier that still wait for backward() are lost.
_SAME_VERSION: Any = getattr(torch.autograd.grad_mode, "_unsafe_preserve_version_counter", None)
_MOST = 1 << 31  # bytes of copies of what is neither trained, a buffer nor the optimizer's


class _Memory:
    """The contents of the storages of all tensors that are reached, each copied once to the host, where they don't count as device memory.
    `others` are too large to copy: (path, tensor, version counter)."""

    def __init__(self, reach: Reach):
        self._copies: dict[int, tuple[torch.Tensor, Any]] = {}
        self._others: list[tuple[str, torch.Tensor, int]] = []
        taken = 0
        for path, tensor in reach.tensors:
            if not _has_memory(tensor) or tensor.untyped_storage()._cdata in self._copies:
                continue
            storage = tensor.untyped_storage()
            if not reach.is_state(path, tensor):
                taken += storage.nbytes()
            if taken <= _MOST or reach.is_state(path, tensor):
                self._copies[storage._cdata] = tensor.detach(), storage.clone().cpu()
            elif not tensor.is_inference():
                self._others.append((path, tensor, tensor._version))

    def kept(self, reach: Reach) -> Iterator[torch.Tensor]:
        """The tensors whose values will be restored."""
        tensors = (tensor for _, tensor in reach.tensors if _has_memory(tensor) and not tensor.is_inference())
        return (tensor for tensor in tensors if tensor.untyped_storage()._cdata in self._copies)

    def restore(self) -> None:
        for tensor, content in self._copies.values():
            storage = tensor.untyped_storage()
            # Unchanged memory may be a read-only mapped file.
            if tensor.device.type != "cpu" or not torch.equal(_bytes(storage), _bytes(content)):
                storage.copy_(content)

    def refuse(self) -> None:
        for path, tensor, version in self._others:
            if tensor._version != version:
                size = tensor.untyped_storage().nbytes() >> 20
                raise TraceError(
                    f"the step has overwritten {path}, {size} MiB, of which no copy was kept: it is not as before; make it a buffer"
                )


def _bytes(storage: Any) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8).set_(storage)


@contextlib.contextmanager
def contents(reach: Reach) -> Iterator[None]:
    """Restores the values of all tensors that are reached; inside, there are no gradients to begin with."""
    places = [(tensor, tensor.detach()) for _, tensor in reach.tensors]
    memory = _Memory(reach)
    for tensor, _ in places:
        if tensor.is_leaf:
            tensor.grad = None
    counters = contextlib.ExitStack()  # restores version counters, by which autograd checks saved tensors
    for tensor in memory.kept(reach) if _SAME_VERSION is not None else ():
        counters.enter_context(_SAME_VERSION(tensor))
    try:
        yield
    finally:
        memory.restore()
        counters.close()
        for tensor, before in places:
            if _place(tensor) != _place(before):
                tensor.data = before
    memory.refuse()


def _has_memory(tensor: torch.Tensor) -> bool:
    """Whether its values are a single piece of memory, unlike those of sparse and nested tensors."""
    return tensor.layout is torch.strided and not tensor.is_nested and tensor.device.type != "meta"


def _place(tensor: torch.Tensor) -> tuple:
    """The memory of a tensor's values."""
    if not _has_memory(tensor):
        return ()
    return tensor.untyped_storage()._cdata, tensor.shape, tensor.stride(), tensor.storage_offset(), tensor.dtype
