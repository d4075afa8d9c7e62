# SPDX-License-Identifier: Apache-2.0
"""The arguments of a step: the tensors in order, and everything else that decides which ops run.

Model and loss are examined closely only if they have changed: models have hundreds of tensors, and examining them must not slow a step
down.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Hashable, Optional

import torch

from ...common.arguments import PLAIN, is_numpy_number
from ...common.tensors import geometry
from ...isolation.watch import Watch
from ...training_step.step import Step
from ..global_settings import global_settings
from .refusals import device_of, refusal, refuse_hooks, refuse_model


def with_targets(loss: Callable, targets: tuple) -> Callable:
    """A loss of the model's output alone, bound to the targets."""
    return functools.partial(_loss_of, loss=loss, targets=targets)


def _loss_of(output: Any, *, loss: Callable, targets: tuple) -> Any:
    return loss(output, *targets)


def _address(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


class ModelState:
    """What a step knows of model and loss before it gets a batch."""

    def __init__(self, model: torch.nn.Module, loss: Optional[Callable], mode: str):
        self._model, self._loss, self._trains = model, loss, mode == "train"
        self._watch: Optional[Watch] = None

    def update(self) -> bool:
        """Updates whatever has changed; returns whether the model has."""
        changed = self._watch is None or not self._watch.unchanged()
        if changed:
            self._look()
        if changed or not self._beside.unchanged():
            self._look_at_loss()
        return changed

    def _look(self) -> None:
        model = self._model
        refuse_model(model)
        self._watch = Watch((("", model),), with_made=False)
        self.parameters = dict(model.named_parameters())
        buffers = dict(model.named_buffers())
        for name, parameter in self.parameters.items() if self._trains else ():
            refuse_hooks(name, parameter)
        for name, buffer in buffers.items():
            if self._trains and buffer.requires_grad:
                raise refusal("gradient", name=f"the buffer {name}")
        self.tensors = [*self.parameters.values(), *buffers.values()]
        self.first: dict[int, int] = {}  # by memory: number of the first tensor in it
        self._aliases = tuple(self.first.setdefault(_address(t), number) for number, t in enumerate(self.tensors))

    def _look_at_loss(self) -> None:
        assert self._watch is not None
        self._beside = Watch((("loss", self._loss),), beside=self._watch, with_made=False)
        self.registered = {id(tensor) for tensor in self.tensors}
        self.loose = [t for t in (*self._watch.tensors.values(), *self._beside.tensors.values()) if id(t) not in self.registered]
        self.held = [*self._watch.held, *self._beside.held]
        self.keys = (self._watch.key, self._beside.key)
        self.key = (*self.keys, self._aliases)


class Batch:
    """One call of a step: `tensors` in the order of a program's `bound`, `key` equal if the same ops run."""

    def __init__(
        self, model: torch.nn.Module, state: ModelState, args: tuple, kwargs: dict, loss: Optional[Callable], targets: tuple, mode: str
    ):  # fmt: skip
        whole_loss = with_targets(loss, targets) if loss is not None and targets else loss
        self.step = Step(model, args, kwargs, whole_loss, None, mode)
        self.parameters = state.parameters
        self.watched = state.keys
        for name, tensor in self.step.inputs():
            if mode == "train" and tensor.requires_grad and id(tensor) not in state.registered:
                raise refusal("gradient", name=name)
        inputs = [tensor for _, tensor in self.step.inputs()]
        self.tensors = state.tensors + inputs
        self.device = device_of(self.tensors)
        given = set(map(id, inputs))
        aside = [tensor for tensor in state.loose if id(tensor) not in given]  # a program itself holds these objects
        self.held: list[Any] = [*state.held, *aside]
        first: dict[int, int] = {}
        aliases = []
        for number, tensor in enumerate(inputs, len(state.tensors)):
            address = _address(tensor)
            aliases.append(state.first.get(address, first.setdefault(address, number)))
        self.key = (
            state.key, tuple(map(id, aside)), tuple(map(geometry, inputs)), tuple(aliases), self._plain((args, targets, kwargs)), global_settings(),
        )  # fmt: skip

    def _plain(self, value: Any, around: tuple = ()) -> Hashable:
        """Containers and values without their tensors. `around`: the containers that the value is in."""
        kind = type(value)
        for depth, outer in enumerate(around):
            if value is outer:
                return (kind, "holds itself", depth)
        if isinstance(value, torch.Tensor):
            return "tensor"
        if isinstance(value, dict):
            return (kind, tuple((key, self._plain(item, (*around, value))) for key, item in value.items()))
        if isinstance(value, (list, tuple)):
            return (kind, tuple(self._plain(item, (*around, value)) for item in value))
        if isinstance(value, PLAIN) or is_numpy_number(value):
            return (kind, repr(value))
        self.held.append(value)
        return (kind, id(value))
