# SPDX-License-Identifier: Apache-2.0
"""Which kernels batch norm and RMS norm use on CUDA, by PyTorch's own rules (ATen/native/Normalization.cpp, torch 2.15)."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._subclasses.fake_tensor import FakeTensor

aten = torch.ops.aten
_CUDNN_ELEMENTS = 2**31 - 1  # of a batch norm's input
_CUDNN_BATCH = {True: 880_801, False: 65_535}  # largest batch of a batch norm, in training and not
_CUDNN_EPSILON = 1e-5

# cuDNN 9.26 gives 0 as the reserve size of batch norm alone, for every layout and dtype.
CUDNN = "batch norm runs as cuDNN's kernel, which keeps no reserve memory"
NATIVE = "batch norm for which cuDNN is not eligible (bfloat16, 2-d input or no weight) runs as PyTorch's own kernel"
RMS_NORM = "RMS norm runs as CUDA's fused kernel"


def _takes_cudnn(x: torch.Tensor, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, eps: float) -> bool:
    if weight is None or bias is None or torch.bfloat16 in (x.dtype, weight.dtype):
        return False
    if x.dtype == torch.float16 and weight.dtype != torch.float32:
        return False
    both, none = mean is not None and variance is not None, mean is None and variance is None
    sized = x.dim() >= 3 and x.size(0) <= _CUDNN_BATCH[training] and 0 < x.numel() < _CUDNN_ELEMENTS
    return (both or (none and training)) and sized and eps >= _CUDNN_EPSILON and torch.backends.cudnn.enabled


def _layout(x: torch.Tensor) -> torch.memory_format:
    for dimensions, layout in ((4, torch.channels_last), (5, torch.channels_last_3d)):
        if x.dim() == dimensions and x.is_contiguous(memory_format=layout) and not x.is_contiguous():
            return layout
    return torch.contiguous_format


def batch_norm(kernels: Any) -> Callable:
    def run(
        input: torch.Tensor, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float,
        eps: float, cudnn_enabled: bool,
    ) -> torch.Tensor:  # fmt: skip
        given = (weight, bias, running_mean, running_var, training)
        if isinstance(input, FakeTensor) and _takes_cudnn(input, *given, eps):
            kernels.take("batch_norm", "cudnn", CUDNN)
            return aten.cudnn_batch_norm(input.contiguous(memory_format=_layout(input)), *given, momentum, eps)[0]
        if isinstance(input, FakeTensor):
            kernels.take("batch_norm", "native", NATIVE)
        return aten.batch_norm.default.decompose(input, *given, momentum, eps, cudnn_enabled)

    return run


class FusedRmsNorm(torch.autograd.Function):
    """The fused op under autograd, which PyTorch provides for CUDA tensors only."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, shape: list[int], weight: Any, eps: Any) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            result, scale = aten._fused_rms_norm(x, shape, weight, eps)
        ctx.save_for_backward(x, weight, scale)
        ctx.shape = shape
        ctx.mark_non_differentiable(scale)
        return result, scale

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, _: Any) -> Any:
        x, weight, scale = ctx.saved_tensors
        wanted = [ctx.needs_input_grad[0], ctx.needs_input_grad[2]]
        with torch._C._AutoDispatchBelowAutograd():
            dx, dweight = aten._fused_rms_norm_backward(gradient, x, ctx.shape, scale, weight, wanted)
        return dx, None, dweight, None


def rms_norm(kernels: Any) -> Callable:
    def run(input: torch.Tensor, normalized_shape: list[int], weight: Any, eps: Any) -> Any:
        if not isinstance(input, FakeTensor):
            return aten._fused_rms_norm.default.decompose(input, normalized_shape, weight, eps)
        kernels.take("rms_norm", "fused", RMS_NORM)
        return FusedRmsNorm.apply(input, list(normalized_shape), weight, eps)

    return run


def install(library: Any, kernels: Any, key: str) -> None:
    library.impl("batch_norm", batch_norm(kernels), key)
    if hasattr(aten, "_fused_rms_norm"):  # newer than 2.8
        library.impl("_fused_rms_norm", rms_norm(kernels), key)
