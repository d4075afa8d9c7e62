# SPDX-License-Identifier: Apache-2.0
"""Memory of results where CPU kernels differ from their fakes: each rule was observed on real tensors."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._prims_common import suggest_memory_format
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils._pytree import tree_map_only

from ..common.graph_rows import TraceError
from ..common.source_lines import user_line

aten = torch.ops.aten
HALF = {torch.float16, torch.bfloat16}


def _reformed(result: Any, memory_format: torch.memory_format) -> Any:
    first = result[0]
    if first is None or first.is_contiguous(memory_format=memory_format):
        return result
    return (torch.empty_like(first, memory_format=memory_format), *result[1:])


def wide_statistics(parameters: slice) -> Callable[[Any, Any], Any]:
    """Norms of half precision with parameters (positions among the arguments) in single precision, as under autocast, keep mean and
    deviation in single precision, whereas the fake kernels keep them in the input's."""

    def corrected(args: Any, result: Any) -> Any:
        wide = args[0].dtype in HALF and any(p is not None and p.dtype == torch.float32 for p in args[parameters])
        return (result[0], *(t.to(torch.float32) for t in result[1:])) if wide else result

    return corrected


def _batch_norm(args: Any, result: Any) -> Any:
    """Contiguous or channels-last as the input suggests, whereas the fake kernel keeps any order of dimensions."""
    return _reformed(_batch_norm_statistics(args, result), suggest_memory_format(args[0]))


def _batch_norm_backward(args: Any, result: Any) -> Any:
    return _reformed(result, suggest_memory_format(args[1]))


_workspaces: dict[str, int] = {}  # bytes by arguments, with tensors as their geometry


def _rnn_layer(args: Any, result: Any) -> Any:
    """Only oneDNN knows the size of its workspace: one real call on zeros tells it, once per geometry."""
    geometry = tree_map_only(torch.Tensor, lambda t: (t.dtype, tuple(t.shape), t.stride()), args)
    key = repr((geometry, torch.is_grad_enabled()))
    if key not in _workspaces:
        with unset_fake_temporarily():
            zeros = lambda t: torch.empty_strided(t.shape, t.stride(), dtype=t.dtype).zero_()  # noqa: E731
            try:
                _workspaces[key] = aten.mkldnn_rnn_layer.default(*tree_map_only(torch.Tensor, zeros, args))[3].numel()
            except RuntimeError as error:
                dtype = str(args[0].dtype).removeprefix("torch.")
                raise TraceError(f"{user_line()}: this CPU has no kernel for the recurrent layer in {dtype}, in a real run neither: {error}") from error
    return (*result[:3], torch.empty(_workspaces[key], dtype=torch.uint8))


def _embedding_bag(args: Any, result: Any) -> Any:
    """The bag of each index: the kernel allocates one extra element and then shrinks it; sums in bfloat16 need none, as in other types. The
    size of each bag: the kernel makes one for each offset, even for the last, which begins none."""
    sizes, offsets = result[2], args[2]
    if 0 < sizes.numel() < offsets.numel():
        result = (*result[:2], torch.empty(offsets.numel(), dtype=sizes.dtype)[: sizes.numel()], *result[3:])
    weight, mode, padding = args[0], args[4] if len(args) > 4 else 0, args[8] if len(args) > 8 else -1
    bags = result[1]
    if weight.dtype == torch.bfloat16 and mode == 0 and weight.stride(1) == 1 and padding < 0:
        return (result[0], bags.new_empty((0,)), *result[2:])
    return (result[0], torch.empty(bags.numel() + 1, dtype=bags.dtype)[:-1], *result[2:]) if bags.numel() else result


def _contiguous(_: Any, result: Any) -> Any:
    return tree_map_only(torch.Tensor, lambda t: torch.empty_like(t, memory_format=torch.contiguous_format), result)


def _as_suggested_by(position: int) -> Callable[[Any, Any], Any]:
    """Contiguous or channels-last as that argument suggests."""
    return lambda args, result: torch.empty_like(result, memory_format=suggest_memory_format(args[position]))


_batch_norm_statistics = wide_statistics(slice(1, 5))  # weight, bias and running statistics

CORRECTED: dict[Any, Callable[[Any, Any], Any]] = {
    aten.native_batch_norm.default: _batch_norm,
    aten.native_batch_norm_backward.default: _batch_norm_backward,
    aten.native_layer_norm.default: wide_statistics(slice(2, 4)),
    aten.mkldnn_rnn_layer.default: _rnn_layer,
    aten._embedding_bag.default: _embedding_bag,
    aten.log_sigmoid_forward.default: _contiguous,
    aten.log_sigmoid_backward.default: lambda args, _: torch.empty_like(args[0]),
    aten.rrelu_with_noise.default: _contiguous,
    aten.glu_backward.default: _contiguous,
    aten.channel_shuffle.default: _as_suggested_by(0),
    aten.roll.default: _as_suggested_by(0),
    aten.reflection_pad3d.default: _as_suggested_by(0),
    aten.replication_pad3d.default: _as_suggested_by(0),
    aten.reflection_pad2d_backward.default: _as_suggested_by(1),
    aten.replication_pad2d_backward.default: _as_suggested_by(1),
    aten.reflection_pad3d_backward.default: _as_suggested_by(1),
    aten.replication_pad3d_backward.default: _as_suggested_by(1),
}
