# SPDX-License-Identifier: Apache-2.0
"""What a step is called with: the tensors in order, and everything else that decides which ops run.

A model's part is looked at closely only when something about it has changed: models have hundreds of tensors, and a step
must not take longer for them.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Hashable, Iterator, Optional

import torch

from .apply_values import is_numpy_number
from .step import Step
from .step_refusals import refuse_devices, refuse_hooks
from .structures import PLAIN


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


def _address(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def marks_of(model: torch.nn.Module) -> list[Any]:
    """Equal as long as the model has the same modules in the same modes, and the same tensors in the same memory."""
    marks: list[Any] = []
    stack, seen = [model], set()
    while stack:
        module = stack.pop()
        if module is None or id(module) in seen:
            continue
        seen.add(id(module))
        content = vars(module)
        marks += (id(module), content["training"])
        for table in (content["_parameters"], content["_buffers"]):
            for tensor in table.values():
                if tensor is not None:
                    hooks = (tensor._backward_hooks, getattr(tensor, "_post_accumulate_grad_hooks", None))
                    marks += (id(tensor), _address(tensor), tensor.shape, tensor.requires_grad, any(hooks))
        stack.extend(content["_modules"].values())
    return marks


class ModelState:
    """The model's part of a batch, valid while `marks` are."""

    def __init__(self, model: torch.nn.Module):
        self.marks = marks_of(model)
        self.parameters = dict(model.named_parameters())
        for name, parameter in self.parameters.items():
            refuse_hooks(name, parameter)
        self.tensors = [*self.parameters.values(), *(buffer for _, buffer in model.named_buffers())]
        self.modules = list(model.modules())  # held, because the key knows them by identity
        self.first: dict[int, int] = {}  # by memory: number of the first tensor in it
        aliases = tuple(self.first.setdefault(_address(t), number) for number, t in enumerate(self.tensors))
        modes = tuple((id(module), module.training) for module in self.modules)
        self.key = (modes, tuple(map(geometry, self.tensors)), aliases)


class Batch:
    """One call of a step: `tensors` in the order of a program's `bound`, `key` equal where the same ops run."""

    def __init__(self, model: torch.nn.Module, state: ModelState, args: tuple, kwargs: dict, loss: Optional[Callable], targets: tuple):
        whole_loss = with_targets(loss, targets) if loss is not None and targets else loss
        self.step = Step(model, args, kwargs, whole_loss, None, "train")
        self.parameters = state.parameters
        inputs = [tensor for _, tensor in self.step.inputs()]
        self.tensors = state.tensors + inputs
        refuse_devices(self.tensors)
        self.held: list[Any] = list(state.modules)
        first: dict[int, int] = {}
        aliases = []
        for number, tensor in enumerate(inputs, len(state.tensors)):
            address = _address(tensor)
            aliases.append(state.first.get(address, first.setdefault(address, number)))
        self.key = (
            state.key, tuple(map(geometry, inputs)), tuple(aliases), self._plain((args, targets, kwargs)), tuple(_modes()),
        )  # fmt: skip

    def _plain(self, value: Any) -> Hashable:
        """Containers and values without their tensors."""
        kind = type(value)
        if isinstance(value, torch.Tensor):
            return "tensor"
        if isinstance(value, dict):
            return (kind, tuple((key, self._plain(item)) for key, item in value.items()))
        if isinstance(value, (list, tuple)):
            return (kind, tuple(map(self._plain, value)))
        if kind in PLAIN or kind is str or is_numpy_number(value):
            return (kind, repr(value))
        self.held.append(value)
        return (kind, id(value))


def _modes() -> Iterator[Hashable]:
    for device in ("cpu", "cuda"):
        yield torch.is_autocast_enabled(device) and (torch.get_autocast_dtype(device), torch.is_autocast_cache_enabled())
    yield torch.get_default_dtype()
    yield torch.are_deterministic_algorithms_enabled()
