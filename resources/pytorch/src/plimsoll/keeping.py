# SPDX-License-Identifier: Apache-2.0
"""Real training steps that leave no trace: values of parameters, buffers, gradients and optimizer as they were before."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import torch

from .tensors import tensors_in


def _copies(tensors: list[torch.Tensor]) -> dict[int, tuple[torch.Tensor, Any]]:
    """Each storage once, copied to the host, where it doesn't count among the device's memory."""
    held: dict[int, tuple[torch.Tensor, Any]] = {}
    for tensor in tensors:
        storage = tensor.untyped_storage()
        if storage._cdata not in held:
            held[storage._cdata] = tensor, storage.clone().cpu()
    return held


@contextlib.contextmanager
def kept(model: torch.nn.Module, optimizer: Any) -> Iterator[None]:
    """Objects and values are as before afterwards; inside there are no gradients to begin with."""
    gradients = [(p, p.grad) for p in model.parameters()]
    states = {} if optimizer is None else {p: dict(values) for p, values in optimizer.state.items()}
    groups = [] if optimizer is None else [(group, dict(group)) for group in optimizer.param_groups]
    state_tensors = [t for values in states.values() for value in values.values() for t in tensors_in(value)]
    copies = _copies([*model.parameters(), *model.buffers(), *state_tensors])
    for parameter, _ in gradients:
        parameter.grad = None
    try:
        yield
    finally:
        for tensor, content in copies.values():
            tensor.untyped_storage().copy_(content)
        for parameter, gradient in gradients:
            parameter.grad = gradient
        for group, content in groups:
            group.clear()
            group.update(content)
        if optimizer is not None:
            optimizer.state.clear()
            optimizer.state.update(states)

