# SPDX-License-Identifier: Apache-2.0
"""The arguments of a call as JSON values; tensors become {"t": row}."""

from __future__ import annotations

import math
from typing import Any, Callable

import torch


def _number(value: float) -> Any:
    if math.isnan(value):
        return {"float": "nan"}
    if math.isinf(value):
        return {"float": "inf" if value > 0 else "-inf"}
    return value


def encode(value: Any, tensor_row: Callable[[torch.Tensor], int], place: str = "") -> Any:
    """`place` is the device for which the fakes' CPU stands."""
    if isinstance(value, torch.Tensor):
        return {"t": tensor_row(value)}
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return [encode(item, tensor_row, place) for item in value]
    if isinstance(value, dict):
        return {str(key): encode(item, tensor_row, place) for key, item in value.items()}
    if isinstance(value, complex):
        return {"complex": [_number(value.real), _number(value.imag)]}
    for kind, name in ((torch.dtype, "dtype"), (torch.layout, "layout"), (torch.memory_format, "memory_format")):
        if isinstance(value, kind):
            return {name: str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": place or str(value)}
    return {"other": type(value).__name__}
