# SPDX-License-Identifier: Apache-2.0
"""Results of ops on fakes where torch's fake kernels differ from the real ones or don't exist."""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_map_only

from . import cpu_results, cuda_recurrent, packed_sequences
from .cpu_results import HALF

aten = torch.ops.aten

_EFFICIENT_ATTENTION = aten._scaled_dot_product_efficient_attention.default
_SEED_AND_OFFSET = (2, 3)
_DROPOUT = 5


def _contiguous_gradient(_: Any, result: Any) -> Any:
    """layer norm's fake kernel returns its input's strides, whereas the real one returns contiguous memory."""
    if result[0] is None or result[0].is_contiguous():
        return result
    return (torch.empty_like(result[0], memory_format=torch.contiguous_format), *result[1:])


def _contiguous(_: Any, result: Any) -> Any:
    """Gradients that kernels make contiguous, whatever the order of their input's dimensions."""
    return result if result.is_contiguous() else torch.empty_like(result, memory_format=torch.contiguous_format)


def _unreduced_memory(args: Any, result: Any) -> Any:
    """Losses whose kernels compute the unreduced loss first and then resize it to one number: all of its memory stays allocated."""
    count = math.prod(torch.broadcast_shapes(args[0].shape, args[1].shape))
    return result if result.dim() or count <= 1 else result.new_empty((count,)).as_strided((), ())


def _unfolded_memory(args: Any, result: Any) -> Any:
    """Folding allocates a tensor as large as its input first, and resizes it."""
    if args[0].numel() <= result.numel():
        return result
    return result.new_empty((args[0].numel(),)).as_strided(result.shape, result.stride())


def _no_buffer(_: Any, result: Any) -> Any:
    """The CPU's log sigmoid keeps a buffer for backward, CUDA's doesn't."""
    return (result[0], result[1].new_empty((0,)))


def _single(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.new_empty_strided(tensor.shape, tensor.stride(), dtype=torch.float32)


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return _single(tensor) if tensor.dtype in HALF else tensor


def _ordered_as(result: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    strides = other.stride()
    return result if strides == result.stride() else result.new_empty_strided(result.shape, strides)


def _strides_of_product(*positions: int) -> Callable[[Any, Any], Any]:
    """Of dimensions: the real kernel orders them like a product of these two or three arguments, the fake one like one argument."""

    def corrected(args: Any, result: Any) -> Any:
        if any(p >= len(args) or not isinstance(args[p], torch.Tensor) for p in positions):
            return result
        product = aten.mul.Tensor if len(positions) == 2 else aten.addcmul.default
        return _ordered_as(result, product(*(_wide(args[p]) for p in positions)))

    return corrected


def _half_elementwise(func: Any, args: Any, kwargs: Any, result: Any, target: str) -> Any:
    """Real kernels order a result's dimensions as all operands together suggest; fake ones convert operands of half precision first, which
    loses the order of expanded ones. A real CPU does so, too, for operands that differ in dtype."""
    if torch.Tag.pointwise not in func.tags or func._schema.is_mutable or not isinstance(result, torch.Tensor) or result.dim() < 2:
        return result
    operands = [a for a in args if isinstance(a, torch.Tensor)]
    dtypes = {t.dtype for t in operands if t.is_floating_point()}
    if len(operands) < 2 or not dtypes & HALF or (len(dtypes) > 1 and target == "cpu") or all(t.is_contiguous() for t in operands):
        return result
    return _ordered_as(result, run(func, tree_map_only(torch.Tensor, _wide, args), kwargs, target))


def _gradient_of_group_norm(args: Any, result: Any) -> Any:
    """The gradient has the input's dtype, whereas the fake kernel uses that of the single-precision statistics."""
    if result[0] is None or result[0].dtype == args[1].dtype:
        return result
    return (result[0].to(args[1].dtype), *result[1:])


def _wanted_gradient(args: Any, result: Any) -> Any:
    """batch norm's fake kernel computes the gradient of its input even if the mask doesn't ask for it."""
    return result if args[9][0] else (None, *result[1:])


def _wide_statistics(args: Any, result: Any) -> Any:
    """CUDA's layer norm and batch norm (cuDNN's, too) keep mean and deviation in float32, whereas the CPU's keep them in the input's half
    precision."""
    if args[0].dtype not in HALF:
        return result
    return (result[0], *(_single(t) if t.numel() else t for t in result[1:]))


_ON_CUDA: dict[Any, Callable] = {
    aten.native_layer_norm.default: _wide_statistics,
    aten.native_batch_norm.default: _wide_statistics,
    aten.cudnn_batch_norm.default: _wide_statistics,
    aten.log_sigmoid_forward.default: _no_buffer,
}
_CORRECTED: dict[Any, Callable] = {
    aten.native_layer_norm_backward.default: _contiguous_gradient,
    aten.native_group_norm.default: cpu_results.wide_statistics(slice(1, 3)),
    aten.native_group_norm_backward.default: _gradient_of_group_norm,
    aten.native_batch_norm_backward.default: _wanted_gradient,
    aten.mse_loss.default: _unreduced_memory,
    aten.smooth_l1_loss.default: _unreduced_memory,
    aten.soft_margin_loss.default: _unreduced_memory,
    aten.binary_cross_entropy.default: _unreduced_memory,
    aten._log_softmax_backward_data.default: _contiguous,
    aten.mse_loss_backward.default: _contiguous,
    aten.smooth_l1_loss_backward.default: _contiguous,
    aten.huber_loss_backward.default: _contiguous,
    aten.col2im.default: _unfolded_memory,
    aten.xlogy.Tensor: _strides_of_product(0, 1),
    aten.hardswish_backward.default: _strides_of_product(0, 1),
    aten.hardsigmoid_backward.default: _strides_of_product(0, 1),
    aten.hardtanh_backward.default: _strides_of_product(0, 1),
    aten.softplus_backward.default: _strides_of_product(0, 1),
    aten.elu_backward.default: _strides_of_product(0, 5),
    aten.mish_backward.default: _strides_of_product(0, 1),
    aten.threshold_backward.default: _strides_of_product(1, 0),
    aten.leaky_relu_backward.default: _strides_of_product(1, 0),
    aten.logit_backward.default: _strides_of_product(0, 1),
    aten.logaddexp.default: _strides_of_product(0, 1),
    aten.copysign.Tensor: _strides_of_product(0, 1),
    aten.floor_divide.default: _strides_of_product(0, 1),
    aten.div.Tensor_mode: _strides_of_product(0, 1),
    aten.heaviside.default: _strides_of_product(0, 1),
    aten.clamp.Tensor: _strides_of_product(0, 1, 2),
    aten.rrelu_with_noise_backward.default: _strides_of_product(2, 0),
}
_MADE: dict[Any, Callable] = {
    aten._cudnn_rnn.default: cuda_recurrent.fake_forward,
    aten._cudnn_rnn_backward.default: cuda_recurrent.fake_backward,
}


def run(func: Any, args: Any, kwargs: Any, target: str) -> Any:
    """Runs the call; results that are fakes get the memory of the results of the target's real kernels ("cpu", "cuda")."""
    if not args or not isinstance(args[0], FakeTensor):
        return func(*args, **kwargs)
    made = _MADE.get(func)
    if made is not None:
        return made(args)
    result = _half_elementwise(func, args, kwargs, func(*args, **kwargs), target)
    for table in (_CORRECTED, cpu_results.CORRECTED if target == "cpu" else _ON_CUDA):
        corrected = table.get(func)
        result = result if corrected is None else corrected(args, result)
    return result


def on_host(func: Any, args: Any) -> tuple[int, ...]:
    """Which results are in host memory in a CUDA run: seed and offset of the memory-efficient kernel's dropout (without dropout they are
    allocated on the GPU, unused), lengths of packed sequences."""
    if func is _EFFICIENT_ATTENTION:
        return _SEED_AND_OFFSET if len(args) > _DROPOUT and args[_DROPOUT] else ()
    return packed_sequences.on_host(func)
