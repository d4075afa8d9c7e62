# SPDX-License-Identifier: Apache-2.0
"""What a step is called with: the tensors in order, and everything else that decides which ops run."""

from __future__ import annotations

import functools
from typing import Any, Callable, Hashable, Iterator, Optional

import torch

from .executable import bound_tensors
from .step import Step
from .structures import _PLAIN as PLAIN


def with_targets(loss: Callable, targets: tuple) -> Callable:
    """A loss of the model's output alone; the targets are tensors that it brings along."""
    return functools.partial(_loss_of, loss=loss, targets=targets)


def _loss_of(output: Any, *, loss: Callable, targets: tuple) -> Any:
    return loss(output, *targets)


def geometry(tensor: torch.Tensor) -> tuple:
    """Everything about a tensor but its data: shape, strides and offset in elements, dtype, device, bits."""
    return (
        tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), tensor.dtype, tensor.device, tensor.requires_grad,
        tensor.is_conj(), tensor.is_neg(),
    )  # fmt: skip


class Batch:
    """One call of a step: `tensors` in the order of a program's `bound`, `key` equal where the same ops run."""

    def __init__(self, model: torch.nn.Module, args: tuple, kwargs: dict, loss: Optional[Callable], targets: tuple):
        self.step = Step(model, args, kwargs, with_targets(loss, targets) if loss is not None and targets else loss, None, "train")
        self.tensors = [tensor for _, _, tensor in bound_tensors(self.step)]
        self.held: list[Any] = list(model.modules())  # objects that the key knows by identity
        self.key = (
            tuple((id(module), module.training) for module in model.modules()),
            tuple(geometry(tensor) for tensor in self.tensors),
            self._aliases(),
            self._plain((args, targets, kwargs)),
            tuple(_modes()),
        )

    def _aliases(self) -> tuple[int, ...]:
        """For every tensor the first one in the same memory."""
        first: dict[int, int] = {}
        return tuple(first.setdefault(t.untyped_storage()._cdata, i) for i, t in enumerate(self.tensors))

    def _plain(self, value: Any) -> Hashable:
        """Containers and values without their tensors."""
        kind = type(value)
        if isinstance(value, torch.Tensor):
            return "tensor"
        if isinstance(value, dict):
            return (kind, tuple((key, self._plain(item)) for key, item in value.items()))
        if isinstance(value, (list, tuple)):
            return (kind, tuple(map(self._plain, value)))
        if kind in PLAIN or kind is str:
            return (kind, repr(value))
        self.held.append(value)
        return (kind, id(value))


def _modes() -> Iterator[Hashable]:
    for device in ("cpu", "cuda"):
        yield torch.is_autocast_enabled(device) and torch.get_autocast_dtype(device)
    yield torch.get_default_dtype()
    yield torch.are_deterministic_algorithms_enabled()
