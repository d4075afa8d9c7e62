# SPDX-License-Identifier: Apache-2.0
"""Tensors that a step would train or overwrite although they belong neither to the model nor to the step's arguments."""

from __future__ import annotations

import gc
from typing import Any, Iterable, Mapping, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ..common.graph_rows import TraceError
from ..common.op_schema import written_arguments
from ..common.source_lines import user_line
from ..common.tensors import tensors_in


class ForeignTensors:
    """Checked before each op of a step. `known`: parameters and buffers of the model, and the step's arguments; `names`: names of others,
    by identity, as far as they have been found."""

    def __init__(self, known: Iterable[torch.Tensor], names: Mapping[int, str]):
        self._names = names
        self._held = list(known)  # so that their addresses stay valid
        # Addresses of these tensors and of results of ops. A leaf may be created from a result (detach().requires_grad_()), and a tensor
        # from before the step never gets the address of one that the step has allocated and freed.
        self._own = {_address(tensor) for tensor in self._held}

    def refuse(self, args: Any, kwargs: Any) -> None:
        """Raises TraceError if an op reads a leaf of autograd's graph that is older than the step and not known."""
        if not torch.is_grad_enabled():
            return
        for tensor in tensors_in((args, kwargs)):
            if tensor.requires_grad and tensor.is_leaf and _address(tensor) not in self._own:
                raise TraceError(_sentence(tensor, self._names.get(id(tensor))))

    def note(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        """Called after each op: its results belong to the step, except views of older memory."""
        numbers = func is torch.ops.aten.lift_fresh.default  # of the code itself (torch.tensor), just made
        given = set() if numbers else {_address(tensor) for tensor in tensors_in((args, kwargs))}
        self._own.update({_address(tensor) for tensor in tensors_in(result)} - given)


def refuse_real_writes(func: Any, args: Any, kwargs: Any) -> None:
    """Called before each op of a step on fakes. Raises TraceError if the op would write into a tensor that has no fake."""
    written, _ = written_arguments(func, args, kwargs)
    for tensor in tensors_in(written):
        if not isinstance(tensor, FakeTensor):
            shape = "x".join(map(str, tensor.shape)) or "1"
            raise TraceError(
                f"{user_line(3) or 'the step itself'}: {func} writes into a tensor of shape {shape} that was made before the step and is "
                "held where nobody finds it (an iterator, a C++ object, a variable of an installed package): make it a buffer of the model "
                "(register_buffer)"
            )


def _address(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata if tensor.layout is torch.strided else id(tensor)


def _sentence(tensor: torch.Tensor, name: Optional[str]) -> str:
    shape, named = "x".join(map(str, tensor.shape)) or "1", f"'{name}'" if name else _named(tensor)
    return (
        f"{user_line(3) or 'the step itself'}: the step would train {named} of shape {shape}, which is no parameter of the model: "
        "put the model and what the loss uses into one module (register tensors with nn.Parameter), or freeze it (requires_grad_(False))"
    )


def _named(tensor: torch.Tensor) -> str:
    """Names a tensor by the module that holds it, searching all objects; only done for an error message, since it takes time."""
    for thing in gc.get_objects():
        if not issubclass(type(thing), torch.nn.Module):
            continue
        for name, parameter in (vars(thing).get("_parameters") or {}).items():
            if parameter is tensor:
                return f"the parameter '{name}' of a {type(thing).__name__}"
        for name, value in vars(thing).items():
            if value is tensor:
                return f"the tensor '{name}' of a {type(thing).__name__}"
    return "a tensor"
