# SPDX-License-Identifier: Apache-2.0
"""Tensors of nested containers."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any, Iterator

import torch

from .stand_in import StandIn


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of nested containers in order; stand-ins have no memory and are left out. A container inside of itself is left out."""
    if isinstance(value, torch.Tensor):
        if not isinstance(value, StandIn):
            yield below_transforms(value)
        return
    entered: list[tuple[int, Iterator[Any]]] = [(id(value), iter(contents(value)))]
    while entered:
        for item in entered[-1][1]:
            if isinstance(item, torch.Tensor):
                if not isinstance(item, StandIn):
                    yield below_transforms(item)
            elif (inside := contents(item)) and all(id(item) != outer for outer, _ in entered):
                entered.append((id(item), iter(inside)))
                break
        else:
            entered.pop()


def contents(value: Any) -> Collection[Any]:
    """What a container holds; nothing for any other object."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, item.name, None) for item in dataclasses.fields(value)]
    return ()


def geometry(tensor: torch.Tensor) -> tuple:
    """All properties of a tensor except its data: shape, strides and offset in elements, dtype, device, bits."""
    if torch.nn.parameter.is_lazy(tensor):
        return (type(tensor),)
    if tensor.is_nested:  # its sizes are values
        return (type(tensor), tensor.layout, tensor.dtype, tensor.device, tensor.requires_grad)
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
