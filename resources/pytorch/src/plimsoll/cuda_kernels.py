# SPDX-License-Identifier: Apache-2.0
"""CUDA's kernels on fake CPU tensors: dropout and attention keep other tensors there than CPU kernels do.

Active through backward, too: a recomputation must meet the same functions.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any, Iterator, Optional

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn.attention import SDPBackend, sdpa_kernel

aten = torch.ops.aten
_HALF = (torch.float16, torch.bfloat16)
_MAX_FLASH_HEAD = 256

DROPOUT = "dropout runs as CUDA's native_dropout with a mask of bool"
FLASH = "attention in half precision runs as CUDA's flash attention kernel"
EFFICIENT = "attention runs as CUDA's memory-efficient kernel"
MATH = "attention for which no fused CUDA kernel is eligible runs as separate operators"
AUTOCAST = "autocast casts for the ops of the CPU's list, which differs from CUDA's in few ops"
BATCH_NORM = "batch norm runs as native_batch_norm: cuDNN's reserve memory is taken as empty"


def _noted(assumed: list[str], sentence: str) -> None:
    if sentence not in assumed:
        assumed.append(sentence)


def _dense(*tensors: torch.Tensor) -> bool:
    return all(t.dim() == 4 and t.stride(-1) == 1 for t in tensors)


def _flash_fits(q: Any, k: Any, v: Any, mask: Any, causal: bool) -> bool:
    heads = q.size(-1) == k.size(-1) == v.size(-1) and q.size(-1) <= _MAX_FLASH_HEAD
    square = not causal or q.size(-2) == k.size(-2)
    return q.dtype in _HALF and mask is None and heads and square and _dense(q, k, v)


def _efficient_fits(q: Any, k: Any, v: Any, mask: Any, grouped: bool) -> bool:
    alignment = 8 if q.dtype in _HALF else 4  # 16 bytes
    heads = q.size(-1) == k.size(-1) and q.size(-1) % alignment == 0 and v.size(-1) % alignment == 0
    same = q.dtype == k.dtype == v.dtype and q.dtype in (*_HALF, torch.float32)
    free_mask = mask is None or not mask.requires_grad
    return same and heads and free_mask and not grouped and _dense(q, k, v)


def _bias(mask: torch.Tensor, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """A mask as the kernel wants it: floating, rows padded to 16 elements, expanded to all heads."""
    if mask.dtype == torch.bool:
        mask = torch.zeros_like(mask, dtype=q.dtype).masked_fill_(mask.logical_not(), -math.inf)
    width = mask.size(-1)
    if width % 16:
        mask = F.pad(mask, (0, 16 - width % 16))[..., :width]
    return mask.expand(q.size(0), q.size(1), q.size(2), k.size(2))


def _attention(assumed: list[str], original: Any) -> Any:
    def scaled_dot_product_attention(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: Optional[torch.Tensor] = None,
        dropout_p: float = 0.0, is_causal: bool = False, scale: Optional[float] = None, enable_gqa: bool = False,
    ) -> torch.Tensor:  # fmt: skip
        if not isinstance(query, FakeTensor):
            return original(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
        if torch.is_autocast_enabled("cpu"):
            lower = torch.get_autocast_dtype("cpu")
            query, key, value = (t.to(lower) if t.is_floating_point() else t for t in (query, key, value))
        if query.dim() == 4 and _flash_fits(query, key, value, attn_mask, is_causal):
            _noted(assumed, FLASH)
            return _flash(query, key, value, dropout_p, is_causal, scale)
        grouped = enable_gqa and query.size(-3) != key.size(-3)
        if query.dim() == 4 and _efficient_fits(query, key, value, attn_mask, grouped):
            _noted(assumed, EFFICIENT)
            keeps = torch.is_grad_enabled() and any(t.requires_grad for t in (query, key, value))
            bias = None if attn_mask is None else _bias(attn_mask, query, key)
            return aten._scaled_dot_product_efficient_attention(
                query, key, value, bias, keeps, dropout_p, is_causal, scale=scale
            )[0]
        _noted(assumed, MATH)
        with sdpa_kernel(SDPBackend.MATH):
            return original(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)

    return scaled_dot_product_attention


def _flash(q: Any, k: Any, v: Any, dropout: float, causal: bool, scale: Optional[float]) -> torch.Tensor:
    head = q.size(-1)
    scale = 1.0 / math.sqrt(head) if scale is None else scale
    if head % 8:
        q, k, v = (F.pad(t, (0, 8 - head % 8)) for t in (q, k, v))
    result = aten._scaled_dot_product_flash_attention(q, k, v, dropout, causal, False, scale=scale)[0]
    return result[..., :head] if head % 8 else result


def _dropout(assumed: list[str], original: Any) -> Any:
    def dropout(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
        fused = isinstance(input, FakeTensor) and training and 0.0 < p < 1.0 and not inplace and input.numel() > 0
        if not fused:
            return original(input, p, training, inplace)
        _noted(assumed, DROPOUT)
        return torch.native_dropout(input, p, True)[0]

    return dropout


def _batch_norm(assumed: list[str], original: Any) -> Any:
    def batch_norm(*args: Any, **kwargs: Any) -> torch.Tensor:
        _noted(assumed, BATCH_NORM)
        return original(*args, **kwargs)

    return batch_norm


def _autocast(assumed: list[str], original: Any) -> Any:
    def init(self: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: Any = None) -> None:
        if device_type == "cuda":
            _noted(assumed, AUTOCAST)
            device_type, dtype = "cpu", dtype or torch.float16
        original(self, device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    return init


@contextlib.contextmanager
def cuda_kernels(assumed: list[str]) -> Iterator[None]:
    """Replaces the functions; `assumed` gets a sentence for each kernel that is taken for granted."""
    replaced = {
        "scaled_dot_product_attention": _attention,
        "dropout": _dropout,
        "batch_norm": _batch_norm,
    }
    originals = {name: getattr(F, name) for name in replaced}
    autocast = torch.autocast.__init__
    try:
        torch.autocast.__init__ = _autocast(assumed, autocast)
        for name, make in replaced.items():
            setattr(F, name, make(assumed, originals[name]))
        yield
    finally:
        torch.autocast.__init__ = autocast
        for name, original in originals.items():
            setattr(F, name, original)
