# SPDX-License-Identifier: Apache-2.0
"""Tensors with which a step can't be recorded; they are refused before anything of the step runs."""

from __future__ import annotations

from typing import Iterable, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ..common.graph_rows import TraceError
from ..common.sharded import is_dtensor, sharded_in
from ..isolation.refused_ops import WITHOUT_QUANTIZATION

_WHEN_MOVED = ("to", "cpu", "cuda", "__torch_function__")  # methods in which quantized parameters pack their values


def refuse_sharded(model: torch.nn.Module) -> None:
    """Raises TraceError if several processes hold the model in parts."""
    sharded = sharded_in(model)
    if sharded is not None:
        raise TraceError(
            f"{sharded}: trace, measure or compile the model as it is before that, and apply the plan before fully_shard() or "
            "parallelize_module(); plimsoll-cli plan --ddp world=N --zero 3 plans for one of N processes"
        )


def refuse_tensors(tensors: Iterable[tuple[str, torch.Tensor]], fake: bool) -> None:
    """Raises TraceError for the first tensor with which no step can be recorded. `fake`: the step runs on fakes of them."""
    for name, tensor in tensors:
        reason = _reason(tensor, fake)
        if reason is not None:
            raise TraceError(f"{name or 'a tensor of the step'} is {reason}")


def _reason(tensor: torch.Tensor, fake: bool) -> Optional[str]:
    kind = type(tensor).__name__
    if isinstance(tensor, FakeTensor):
        return None
    if is_dtensor(tensor):
        return "a DTensor, of which each process holds a part: trace one process's step on plain tensors (DTensor.to_local())"
    if tensor.is_nested:
        return "a nested tensor, whose sizes are values: pad it to one length (torch.nested.to_padded_tensor) and trace with that"
    if tensor.is_quantized:
        return f"quantized ({str(tensor.dtype).removeprefix('torch.')}), for which there are no fake tensors: {WITHOUT_QUANTIZATION}"
    if hasattr(type(tensor), "__tensor_flatten__"):
        return f"a {kind}, made of other tensors, so its memory isn't that of its shape: use plain tensors, or {WITHOUT_QUANTIZATION}"
    if fake and _packs_itself(type(tensor)):
        return f"a {kind}, which packs its values in a form of its own: {WITHOUT_QUANTIZATION}"
    return None


def _packs_itself(kind: type) -> bool:
    """Whether it is a class of parameters of another package, as bitsandbytes' 4-bit and 8-bit ones."""
    foreign = (base for base in kind.__mro__ if base.__module__.partition(".")[0] not in ("torch", "builtins"))
    return issubclass(kind, torch.nn.Parameter) and any(name in vars(base) for base in foreign for name in _WHEN_MOVED)
