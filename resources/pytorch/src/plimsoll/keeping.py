# SPDX-License-Identifier: Apache-2.0
"""Real training steps that leave no trace in memory: what tensors hold is as it was before."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import torch

from .reach import Reach

_MOST_PLAIN = 1 << 30  # bytes of a tensor that is neither a parameter, a buffer nor an argument


def _copies(reach: Reach) -> list[tuple[torch.Tensor, Any]]:
    """Each storage once, copied to the host, where it doesn't count among the device's memory."""
    held: dict[int, tuple[torch.Tensor, Any]] = {}
    for number, (_, tensor) in enumerate(reach.tensors):
        if not _has_memory(tensor):
            continue
        storage = tensor.untyped_storage()
        if storage._cdata not in held and (storage.nbytes() <= _MOST_PLAIN or not reach.is_plain(number)):
            held[storage._cdata] = tensor.detach(), storage.clone().cpu()
    return list(held.values())


@contextlib.contextmanager
def contents(reach: Reach) -> Iterator[None]:
    """Values of all tensors that are reached are as before afterwards; inside there are no gradients to begin with."""
    memory = [(tensor, tensor.detach()) for _, tensor in reach.tensors]
    copies = _copies(reach)
    for tensor, _ in memory:
        if tensor.is_leaf:
            tensor.grad = None
    try:
        yield
    finally:
        for tensor, content in copies:
            tensor.untyped_storage().copy_(content)
        for tensor, before in memory:
            if _place(tensor) != _place(before):
                tensor.data = before


def _has_memory(tensor: torch.Tensor) -> bool:
    """Whether its values lie in one piece of memory, as those of sparse and nested tensors don't."""
    return tensor.layout is torch.strided and not tensor.is_nested and tensor.device.type != "meta"


def _place(tensor: torch.Tensor) -> tuple:
    """Where a tensor's values lie."""
    if not _has_memory(tensor):
        return ()
    return tensor.untyped_storage()._cdata, tensor.shape, tensor.stride(), tensor.storage_offset(), tensor.dtype
