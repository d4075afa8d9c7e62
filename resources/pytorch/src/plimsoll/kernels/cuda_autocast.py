# SPDX-License-Identifier: Apache-2.0
"""torch.autocast("cuda") on CPU tensors: the CPU's autocast with CUDA's lists of ops.

The dispatcher tells which ops autocast knows; what it does with each of CUDA's is in PyTorch's lists (ATen/autocast_mode.h). Ops with
the same policy on both devices keep the CPU's kernels and their cache of cast weights. The cache of the others is kept here, so a weight
used by both kinds of ops is cast twice.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterable, Iterator

import torch

from ..common.graph_rows import TraceError
from ..common.source_lines import user_line

_CUDA, _CPU = "AutocastCUDA", "AutocastCPU"

# Cast to the lower precision on CUDA, unknown to the CPU's autocast.
_LOWER = {
    "_convolution", "convolution", "addmv", "addr", "mv", "einsum", "chain_matmul", "linalg_multi_dot", "_cudnn_rnn",
    "_thnn_fused_lstm_cell", "_thnn_fused_gru_cell", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell",
    "_scaled_dot_product_flash_attention",
}  # fmt: skip
# Compute in float32 by their own argument `dtype`.
_SET_DTYPE = {
    "prod", "prod.dim_int", "softmax.int", "log_softmax.int", "cumprod", "cumsum", "linalg_vector_norm", "linalg_matrix_norm",
    "linalg_matrix_norm.str_ord", "sum", "sum.dim_IntList", "norm.Scalar", "norm.ScalarOpt_dim",
}  # fmt: skip
# Take the widest dtype among their arguments.
_PROMOTE = {
    "addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "vdot", "grid_sampler", "index_put", "tensordot", "scatter_add",
}  # fmt: skip
_BANNED = "binary_cross_entropy"
_OTHER_ON_CPU = {"grid_sampler", "prod", "prod.dim_int", _BANNED}  # known to both, with different policies
_NORM_EXPONENT = 2  # without one given


def _without_autocast(key: str = _CPU) -> Any:
    return torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key)))


def _eligible(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.dtype != torch.float64


class Casts:
    """Casts tensors. As in autocast of `device`, weights are cast once per block: leaves in single precision that require gradients."""

    def __init__(self, device: str = "cpu") -> None:
        self._device = device
        self._weights: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # by identity: the weight and its cast

    def clear(self) -> None:
        self._weights.clear()

    def __call__(self, value: Any, dtype: torch.dtype) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(self(item, dtype) for item in value)
        if not _eligible(value) or value.dtype == dtype:
            return value
        if not self._keeps(value, dtype):
            return value.to(dtype)
        if id(value) not in self._weights:
            self._weights[id(value)] = (value, value.to(dtype))
        return self._weights[id(value)][1]

    def _keeps(self, tensor: torch.Tensor, dtype: torch.dtype) -> bool:
        weight = tensor.dtype == torch.float32 and tensor.requires_grad and tensor.is_leaf and not tensor._is_view()
        return weight and dtype == torch.get_autocast_dtype(self._device) and torch.is_autocast_cache_enabled()


def _flat(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value


def _casting(op: Any, casts: Casts, dtype_of: Callable[[Any], torch.dtype], key: str = _CPU) -> Callable:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        dtype = dtype_of(args)
        with _without_autocast(key):
            return op(*casts(args, dtype), **{name: casts(value, dtype) for name, value in kwargs.items()})

    return kernel


def _setting_dtype(op: Any) -> Callable:
    names = [argument.name for argument in op._schema.arguments]

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with _without_autocast():
            if not _eligible(args[0]):
                return op(*args, **kwargs)
            if "dtype" in names:
                given = dict(zip(names, args)) | kwargs
                given["dtype"] = given.get("dtype") or torch.float32
                return op(**given)
            # norm: the overload with a dtype is a separate op
            given = dict(zip(names, args)) | kwargs
            exponent, dim, keep = given.get("p", _NORM_EXPONENT), given.get("dim", []), given.get("keepdim", False)
            return torch.ops.aten.norm.ScalarOpt_dim_dtype(given["self"], exponent, dim, keep, dtype=torch.float32)

    return kernel


def _widest(args: Any) -> torch.dtype:
    wide = any(_eligible(value) and value.dtype == torch.float32 for value in _flat(args))
    return torch.float32 if wide else torch.get_autocast_dtype("cpu")


def _banned(*_: Any, **__: Any) -> Any:
    raise TraceError(
        f"{user_line()}: binary_cross_entropy raises under CUDA's autocast, as its gradients don't fit into half precision: use "
        "binary_cross_entropy_with_logits"
    )


def _policy(name: str, op: Any, casts: Casts) -> Callable:
    if name == _BANNED:
        return _banned
    if name in _LOWER:
        return _casting(op, casts, lambda _: torch.get_autocast_dtype("cpu"))
    if name in _SET_DTYPE:
        return _setting_dtype(op)
    return _casting(op, casts, _widest if name in _PROMOTE else lambda _: torch.float32)


def _registered(key: str) -> set[str]:
    names = torch._C._dispatch_get_registrations_for_dispatch_key(key)
    return {name.partition("::")[2] for name in names if name.startswith("aten::")}


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def install(library: Any, casts: Casts) -> None:
    """Gives the CPU's autocast CUDA's lists until `library` (torch.library.Library) is destroyed. Clear `casts` together with autocast's
    own cache."""
    cuda, cpu = _registered(_CUDA), _registered(_CPU)
    for name in cpu - cuda:
        library.impl(name, torch.library.fallthrough_kernel, _CPU)
    for name in cuda - cpu | cuda & _OTHER_ON_CPU:
        if name.startswith(("cudnn_", "miopen_")):
            continue  # nothing calls them here
        library.impl(name, _policy(name, _overload(name), casts), _CPU)


def install_recurrent(library: Any, casts: Casts) -> None:
    """For fakes on a GPU: the same casts for recurrent layers as where CUDA's autocast is emulated."""
    op = torch.ops.aten._cudnn_rnn.default
    library.impl("_cudnn_rnn", _casting(op, casts, lambda _: torch.get_autocast_dtype("cuda"), _CUDA), _CUDA)


@contextlib.contextmanager
def cleared_with_autocast(casts: Casts) -> Iterator[None]:
    """While entered, `casts` lets go of its weights when autocast does."""
    clear_cache = torch.clear_autocast_cache

    def clear_caches() -> None:
        casts.clear()
        clear_cache()

    torch.clear_autocast_cache = clear_caches
    try:
        yield
    finally:
        torch.clear_autocast_cache = clear_cache
