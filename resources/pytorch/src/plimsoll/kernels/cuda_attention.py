# SPDX-License-Identifier: Apache-2.0
"""Which kernel scaled_dot_product_attention chooses on CUDA, by PyTorch's own rules, and the ops that it then runs.

The rules are those of torch 2.15 (aten/src/ATen/native/transformers: attention.cpp, sdp_utils_cpp.h, cuda/sdp_utils.cpp) for a GPU of
compute capability 8.x, in the default order: flash, memory-efficient, separate operators.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

import torch
import torch.nn.functional as F

aten = torch.ops.aten
_HALF = (torch.float16, torch.bfloat16)
_MAX_FLASH_HEAD = 256
_FLASH_ALIGNMENT = 8  # elements of a head
_MASK_ALIGNMENT = 8  # elements of a row
EFFICIENT_GROUPS = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 15)  # known of 2.15; before, separate operators

FLASH = (
    "attention in half precision runs as the flash kernel; on GPUs of compute capability 9.0 and 10.x PyTorch takes cuDNN's kernel, "
    "which keeps as many bytes"
)
EFFICIENT = "attention for which the flash kernel is not eligible runs as the memory-efficient kernel"
MATH = "attention runs as separate operators, which keep a matrix of queries by keys, because "


@dataclass
class Call:
    """One call of scaled_dot_product_attention. q, k, v: normally (batch, heads, length, head size)."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    mask: Optional[torch.Tensor]
    dropout: float
    causal: bool
    scale: Optional[float]
    grouped: bool

    def needs_gradient(self) -> bool:
        return torch.is_grad_enabled() and any(t.requires_grad for t in (self.q, self.k, self.v))


def grouping(grouped: bool) -> dict[str, bool]:
    """The argument for grouped heads, which torch 2.4 lacks."""
    return {"enable_gqa": True} if grouped else {}


def _shared_objection(call: Call) -> str:
    q, k, v = call.q, call.k, call.v
    if not q.dim() == k.dim() == v.dim() == 4:
        return f"query, key and value must have 4 dimensions, not {q.dim()}, {k.dim()} and {v.dim()}"
    if not q.dtype == k.dtype == v.dtype:
        return "query, key and value have different dtypes"
    if not q.size(0) == k.size(0) == v.size(0):
        return "query, key and value have different batch sizes"
    heads = q.size(1), k.size(1), v.size(1)
    if call.grouped and (heads[1] != heads[2] or heads[0] % heads[1]):
        return f"the heads of key and value ({heads[1]}, {heads[2]}) don't divide those of the query ({heads[0]})"
    if not call.grouped and not heads[0] == heads[1] == heads[2]:
        return "query, key and value have different numbers of heads"
    if q.size(2) == 0 or k.size(2) == 0:
        return "a sequence is empty"
    return ""


def _has_plain_rows(call: Call, ignore_single: bool) -> bool:
    rows = all(t.stride(-1) == 1 for t in (call.q, call.k, call.v)) or (ignore_single and call.q.size(-1) == 1)
    return rows and (call.mask is None or call.mask.stride(-1) == 1)


def flash_objection(call: Call) -> str:
    """Why the flash kernel can't run; "" if it can."""
    q, k, v = call.q, call.k, call.v
    shared = _shared_objection(call)
    if shared:
        return shared
    if q.dtype not in _HALF:
        return f"the dtype is {str(q.dtype).removeprefix('torch.')}"
    if call.mask is not None:
        return "there is a mask"
    if not q.size(-1) == k.size(-1) == v.size(-1) or q.size(-1) > _MAX_FLASH_HEAD:
        return f"the head size must be the same for query, key and value and at most {_MAX_FLASH_HEAD}"
    if call.causal and q.size(2) != k.size(2):
        return "it is causal over a query and a key of different lengths"
    return "" if _has_plain_rows(call, True) else "the elements of a head don't lie next to each other"


def efficient_objection(call: Call) -> str:
    """Why the memory-efficient kernel can't run; "" if it can."""
    q, k, v = call.q, call.k, call.v
    shared = _shared_objection(call)
    if shared:
        return shared
    if call.grouped and q.size(1) != k.size(1) and not EFFICIENT_GROUPS:
        return "this version of torch has no memory-efficient kernel for grouped heads"
    if q.dtype not in (*_HALF, torch.float32):
        return f"the dtype is {str(q.dtype).removeprefix('torch.')}"
    alignment = 8 if q.dtype in _HALF else 4  # 16 bytes, the load width of tensor cores
    if q.size(-1) != k.size(-1) or any(t.size(-1) == 0 or t.size(-1) % alignment for t in (q, v)):
        return f"the head size ({q.size(-1)}) is no multiple of {alignment}"
    if any(t.numel() and t.storage_offset() % alignment for t in (q, k, v)):
        return f"query, key or value begin at no multiple of {alignment} elements in their memory"
    return "" if _has_plain_rows(call, False) else "the elements of a head, or of the mask's rows, don't lie next to each other"


def _run_flash(call: Call) -> torch.Tensor:
    head = call.q.size(-1)
    scale = 1.0 / math.sqrt(head) if call.scale is None else call.scale
    q, k, v = (
        F.pad(t, (0, _FLASH_ALIGNMENT - head % _FLASH_ALIGNMENT)) if head % _FLASH_ALIGNMENT else t for t in (call.q, call.k, call.v)
    )
    results = aten._scaled_dot_product_flash_attention(q, k, v, call.dropout, call.causal, False, scale=scale)
    # The other results live until the slice is taken, as in C++.
    return aten.slice.Tensor(results[0], -1, 0, head) if head % _FLASH_ALIGNMENT else results[0]


def _added(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """An additive mask: a boolean one becomes 0 where it is true and minus infinity elsewhere."""
    if mask.dtype != torch.bool:
        return mask
    return torch.where(mask.logical_not(), -math.inf, torch.scalar_tensor(0.0, dtype=dtype, device=mask.device))


def _run_efficient(call: Call) -> torch.Tensor:
    bias = call.mask
    if bias is not None:
        bias = _added(bias, call.q.dtype)
        if any(stride % _MASK_ALIGNMENT for stride in bias.stride()[:-1]) or bias.stride(-1) != 1:
            width = bias.size(-1)
            bias = aten.slice.Tensor(F.pad(bias, (0, _MASK_ALIGNMENT - width % _MASK_ALIGNMENT)), -1, 0, width)
        bias = bias.expand(call.q.size(0), call.q.size(1), call.q.size(2), call.k.size(2))
    return aten._scaled_dot_product_efficient_attention(
        call.q, call.k, call.v, bias, call.needs_gradient(), call.dropout, call.causal, scale=call.scale
    )[0]


def attend(call: Call, kernels: Any) -> torch.Tensor:
    """Runs the ops of the kernel that CUDA would choose, and records it in `kernels`."""
    allowed = torch.backends.cuda
    flash = flash_objection(call) if allowed.flash_sdp_enabled() else "the flash kernel is switched off"
    if not flash:
        kernels.take("attention", "flash", FLASH)
        return _run_flash(call)
    efficient = efficient_objection(call) if allowed.mem_efficient_sdp_enabled() else "the memory-efficient kernel is switched off"
    if not efficient:
        kernels.take("attention", "efficient", EFFICIENT)
        return _run_efficient(call)
    kernels.take("attention", "math", MATH + efficient)
    mask = None if call.mask is None else _added(call.mask, call.q.dtype)
    given = (call.q, call.k, call.v, mask, call.dropout, call.causal, None)
    return aten._scaled_dot_product_attention_math(*given, scale=call.scale, **grouping(call.grouped))[0]
