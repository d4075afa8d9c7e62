# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations of an op, by PyTorch's own formulas."""

from __future__ import annotations

from typing import Any

from torch.utils.flop_counter import flop_registry


def flops_of(func: Any, args: tuple, kwargs: dict, result: Any) -> int:
    formula = flop_registry.get(func._overloadpacket)
    return int(formula(*args, **kwargs, out_val=result)) if formula is not None else 0
