# SPDX-License-Identifier: Apache-2.0
"""The user's step: forward, loss, backward, optimizer, as a plain training loop runs it."""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterator, Optional

import torch

from . import huggingface
from .kinds import BACKWARD, FORWARD, LOSS, OPTIMIZER, TraceError
from .tensors import tensors_in

LETS_LOGITS_GO = "the training loop keeps only the loss of the model's output: logits die with their last use"
KEEPS_OUTPUT = "the training loop keeps the model's output until the step ends"


class Step:
    def __init__(
        self, model: torch.nn.Module, args: tuple, kwargs: dict, loss: Optional[Callable], optimizer: Any, mode: str
    ):
        if mode not in ("train", "inference"):
            raise TraceError(f'mode must be "train" or "inference", not {mode!r}')
        self.model = model
        self.args = args
        self.kwargs = kwargs
        self.loss = loss
        self.optimizer = optimizer
        self.mode = mode
        self.assumed: list[str] = []

    def inputs(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Tensors given to the step, those that the loss function brings along included."""
        for position, value in enumerate(self.args):
            for tensor in tensors_in(value):
                yield f"args[{position}]", tensor
        for name, value in self.kwargs.items():
            for tensor in tensors_in(value):
                yield name, tensor
        for name, value in _brought(self.loss):
            for tensor in tensors_in(value):
                yield name, tensor

    def zero_grad(self) -> None:
        if self.optimizer is not None:
            self.optimizer.zero_grad(set_to_none=True)
        self.model.zero_grad(set_to_none=True)

    def run(self, recorder: Any, at_end: Callable[[Any], None]) -> None:
        """`at_end` is called with what the step returns, while the step's variables are still alive."""
        recorder.phase = FORWARD
        if self.mode == "inference":
            with torch.no_grad():
                output = self.model(*self.args, **self.kwargs)
            at_end(output)
            return

        def enter_loss() -> None:
            if recorder.phase == FORWARD:
                recorder.phase = LOSS

        if self.loss is None:
            with huggingface.loss_inside(self.model, enter_loss):
                output = self.model(*self.args, **self.kwargs)
        else:
            output = self.model(*self.args, **self.kwargs)
        recorder.phase = LOSS
        if self.loss is None and isinstance(getattr(output, "loss", None), torch.Tensor):
            loss = output.loss
            output = None
            self._assume(LETS_LOGITS_GO)
        else:
            loss = self.loss(output) if self.loss is not None else _sum(output)
            self._assume(KEEPS_OUTPUT)
        recorder.phase = BACKWARD
        loss.backward()
        recorder.phase = OPTIMIZER
        if self.optimizer is not None:
            self.optimizer.step()
        at_end((loss, output))

    def _assume(self, sentence: str) -> None:
        if sentence not in self.assumed:
            self.assumed.append(sentence)


def _brought(function: Any) -> Iterator[tuple[str, Any]]:
    while isinstance(function, functools.partial):
        for position, value in enumerate(function.args):
            yield f"loss.args[{position}]", value
        yield from function.keywords.items()
        function = function.func
    code = getattr(function, "__code__", None)
    for name, cell in zip(code.co_freevars if code else (), getattr(function, "__closure__", None) or ()):
        yield name, cell.cell_contents
    for name, value in zip(
        code.co_varnames[: code.co_argcount][::-1] if code else (), (getattr(function, "__defaults__", None) or ())[::-1]
    ):
        yield name, value


def _sum(output: Any) -> torch.Tensor:
    tensors = [t for t in tensors_in(output) if t.is_floating_point() and t.requires_grad]
    if not tensors:
        raise TraceError("the model's output holds no tensor that depends on its parameters: give trace() a loss")
    total = tensors[0].sum()
    for tensor in tensors[1:]:
        total = total + tensor.sum()
    return total
