# SPDX-License-Identifier: Apache-2.0
"""Steps on another device."""

from __future__ import annotations

import functools
from typing import Any

import torch


def on(device: str, value: Any) -> Any:
    """The same arguments on a device; a loss keeps its targets as arguments of a partial."""
    if isinstance(value, (torch.Tensor, torch.nn.Module)):
        return value.to(device)
    if isinstance(value, dict):
        moved = {id(v): on(device, v) for v in value.values()}  # one tensor given twice stays one
        return {k: moved[id(v)] for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(on(device, v) for v in value)
    if isinstance(value, functools.partial) and isinstance(value.func, type(on)):
        return functools.partial(value.func, *on(device, value.args), **on(device, value.keywords))
    if getattr(value, "__defaults__", None):
        value.__defaults__ = on(device, value.__defaults__)
    return value
