# SPDX-License-Identifier: Apache-2.0
"""Softmax of half precision into float32 on CUDA: one kernel converts on its way (ATen/native/SoftMax.cpp, torch 2.15). A CPU converts first."""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor

aten = torch.ops.aten


def _converting(op: Any, kernel: Any) -> Callable:
    def run(input: torch.Tensor, dim: int, dtype: Optional[torch.dtype] = None) -> torch.Tensor:
        if isinstance(input, FakeTensor) and input.dtype == torch.float16 and dtype == torch.float32:
            return kernel(input, dim, True)
        return op.decompose(input, dim, dtype)

    return run


def install(library: Any, key: str) -> None:
    library.impl("softmax.int", _converting(aten.softmax.int, aten._softmax.default), key)
    library.impl("log_softmax.int", _converting(aten.log_softmax.int, aten._log_softmax.default), key)
