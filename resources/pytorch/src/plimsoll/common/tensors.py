# SPDX-License-Identifier: Apache-2.0
"""Tensors of nested containers."""

from __future__ import annotations

import dataclasses
from typing import Any, Iterator

import torch

from .stand_in import StandIn


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of nested containers in order; stand-ins have no memory and are left out."""
    if isinstance(value, torch.Tensor):
        if not isinstance(value, StandIn):
            yield below_transforms(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from tensors_in(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for item in dataclasses.fields(value):
            yield from tensors_in(getattr(value, item.name, None))


def geometry(tensor: torch.Tensor) -> tuple:
    """All properties of a tensor except its data: shape, strides and offset in elements, dtype, device, bits."""
    if torch.nn.parameter.is_lazy(tensor):
        return (type(tensor),)
    if tensor.layout is not torch.strided:
        return (tuple(tensor.shape), tensor.layout, tensor.dtype, tensor.device, tensor.requires_grad)
    return (
        tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), tensor.dtype, tensor.device, tensor.requires_grad,
        tensor.is_conj(), tensor.is_neg(),
    )  # fmt: skip


def below_transforms(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor wrapped by torch.func's vmap or grad; the wrapper has no memory of its own."""
    functorch = getattr(torch._C, "_functorch", None)  # private; if missing, such tensors are refused
    wraps, inner = getattr(functorch, "is_functorch_wrapped_tensor", None), getattr(functorch, "get_unwrapped", None)
    while wraps is not None and inner is not None and wraps(tensor):
        tensor = inner(tensor)
    return tensor
