# SPDX-License-Identifier: Apache-2.0
"""What fake kernels get wrong about the memory of their results, put right: each rule was seen on real tensors."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._prims_common import suggest_memory_format
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.utils._pytree import tree_map_only

aten = torch.ops.aten


def _reformed(result: Any, memory_format: torch.memory_format) -> Any:
    first = result[0]
    if first is None or first.is_contiguous(memory_format=memory_format):
        return result
    return (torch.empty_like(first, memory_format=memory_format), *result[1:])


def _layer_norm_backward(args: Any, result: Any) -> Any:
    """Contiguous, where the fake kernel hands on the strides of the incoming gradient."""
    return _reformed(result, torch.contiguous_format)


def _batch_norm(args: Any, result: Any) -> Any:
    """Contiguous or channels-last as the input suggests, where the fake kernel keeps any order of dimensions."""
    return _reformed(result, suggest_memory_format(args[0]))


def _batch_norm_backward(args: Any, result: Any) -> Any:
    return _reformed(result, suggest_memory_format(args[1]))


_workspaces: dict[str, int] = {}  # bytes by what the call is given, tensors as their geometry


def _rnn_layer(args: Any, result: Any) -> Any:
    """Nobody but oneDNN knows the size of its workspace: one real call on zeros tells it, once per geometry."""
    geometry = tree_map_only(torch.Tensor, lambda t: (t.dtype, tuple(t.shape), t.stride()), args)
    key = repr((geometry, torch.is_grad_enabled()))
    if key not in _workspaces:
        with unset_fake_temporarily():
            zeros = lambda t: torch.empty_strided(t.shape, t.stride(), dtype=t.dtype).zero_()  # noqa: E731
            _workspaces[key] = aten.mkldnn_rnn_layer.default(*tree_map_only(torch.Tensor, zeros, args))[3].numel()
    return (*result[:3], torch.empty(_workspaces[key], dtype=torch.uint8))


_EVERYWHERE: dict[str, Callable[[Any, Any], Any]] = {
    "aten.native_layer_norm_backward.default": _layer_norm_backward,
}
_ON_CPU: dict[str, Callable[[Any, Any], Any]] = {
    "aten.native_batch_norm.default": _batch_norm,
    "aten.native_batch_norm_backward.default": _batch_norm_backward,
    "aten.mkldnn_rnn_layer.default": _rnn_layer,
}


def corrected(func: Any, args: Any, result: Any, target: str) -> Any:
    """The result with the memory that the real kernel of the target ("cpu", "cuda") gives it."""
    name = str(func)
    rule = _EVERYWHERE.get(name) or (_ON_CPU.get(name) if target == "cpu" else None)
    if rule is None or not isinstance(args[0], FakeTensor):
        return result
    return rule(args, result)
