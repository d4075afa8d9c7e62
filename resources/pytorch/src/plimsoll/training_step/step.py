# SPDX-License-Identifier: Apache-2.0
"""The user's step: forward, loss, backward, optimizer, as a plain training loop runs it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Callable, Iterator, Optional, Sequence

import torch

from ..common.argument_errors import ArgumentTypeError, ArgumentValueError
from ..common.graph_rows import BACKWARD, FORWARD, LOSS, OPTIMIZER, TraceError
from ..common.progress import Progress
from ..common.tensors import tensors_in
from ..isolation.fakes import Lender
from ..kernels import huggingface
from ..kernels.cuda_kernels import Kernels
from .autocast import Casting

LETS_OUTPUT_GO = "the training loop keeps only the loss of the model's output: logits die with their last use"
STEPS_AT_ONCE = "the optimizer steps right after backward: gradients are neither clipped, scaled nor accumulated over steps"
STEPS_AFTER = "the optimizer steps right after the last of {} micro-steps: gradients are summed over them, neither clipped nor scaled"
KEEPS_OUTPUT = "the training loop keeps the model's output until the step ends"


def check_mode(mode: Any) -> None:
    if mode not in ("train", "inference"):
        raise ArgumentValueError(f'mode must be "train" or "inference", not {mode!r}')


class Step:
    """`later`: arguments (args, kwargs) of the micro-steps after the first; empty: all have the same. `casting`: autocast that is on in
    forward and loss. `targets`: number of positional arguments, the last ones, that go to the loss instead of the model.
    `keep_output`: whether the training loop holds the model's output until the step ends; None: unless the loss is the output's own."""

    def __init__(
        self, model: torch.nn.Module, args: tuple, kwargs: dict, loss: Optional[Callable], optimizer: Any, mode: str,
        device: str = "cpu", micro_steps: int = 1, later: Sequence[tuple[tuple, dict]] = (),
        casting: Casting = Casting(), targets: int = 0, keep_output: Optional[bool] = None,
    ):  # fmt: skip
        check_mode(mode)
        if keep_output not in (None, True, False):
            raise ArgumentTypeError(f"keep_output must be True, False or None, not {keep_output!r}")
        if keep_output is not None and mode == "inference":
            raise ArgumentValueError("inference returns its output, and nothing comes after it: leave keep_output out")
        if mode == "inference" and micro_steps > 1:
            raise ArgumentValueError("micro-steps accumulate gradients, of which there are none in inference: leave micro_steps out")
        self.model = model
        self.args = args
        self.kwargs = kwargs
        self.loss = loss
        self.optimizer = optimizer
        self.mode = mode
        self.device = device  # on which the step runs: a step for CUDA may run on the CPU, with CUDA's kernels emulated
        self.micro_steps = micro_steps
        self.later = list(later)
        self.casting = casting
        self.targets = targets
        self.keep_output = keep_output
        self.assumed: list[str] = []
        self.progress = Progress(False, 1)
        self.kernels = Kernels()
        self.lender: Optional[Lender] = None  # of the step's fakes, None: its tensors are real
        # (path, tensor, whether it is a buffer) of modules brought along by loss, arguments or optimizer
        self.foreign: list[tuple[str, torch.Tensor, bool]] = []
        self.untrained: dict[int, str] = {}  # names, by identity, of tensors that it is an error to train
        self.called_directly: set[int] = set()  # identities of modules whose forward runs past their call, once known

    def inputs(self) -> Iterator[tuple[str, torch.Tensor]]:
        """The tensors given to the step, including those that the loss function brings along."""
        for number, (args, kwargs) in enumerate([(self.args, self.kwargs), *self.later]):
            place = f"micro_steps[{number}]." if number else ""
            for position, value in enumerate(args):
                for tensor in tensors_in(value):
                    yield f"{place}args[{position}]", tensor
            for name, value in kwargs.items():
                for tensor in tensors_in(value):
                    yield place + name, tensor
        for name, value in brought(self.loss):
            for tensor in tensors_in(value):
                yield name, tensor

    def zero_grad(self) -> None:
        if self.optimizer is not None:
            self.optimizer.zero_grad(set_to_none=True)
        self.model.zero_grad(set_to_none=True)
        for _, tensor, _ in self.foreign:
            tensor.grad = None

    def run(self, recorder: Any, at_end: Callable[[Any], None]) -> None:
        """`at_end` is called with the step's result while its variables are still alive."""
        recorder.phase = FORWARD
        if self.mode == "inference":
            with torch.no_grad(), self.casting.entered():
                output = self.model(*self._for_model(self.args), **self.kwargs)
            at_end(output)
            return
        for number in range(self.micro_steps):  # the loop's variables are freed when the next micro-step has assigned its own
            with self.casting.entered():
                recorder.phase = FORWARD
                args, kwargs = self.later[number - 1] if number and self.later else (self.args, self.kwargs)
                output = self._forward(recorder, self._for_model(args), kwargs)
                recorder.phase = LOSS
                own = _own_loss(output) if self.loss is None else None
                keeps = own is None if self.keep_output is None else self.keep_output
                self._assume(KEEPS_OUTPUT if keeps else LETS_OUTPUT_GO)
                if own is not None and not keeps:
                    output = None
                total = own if own is not None else self._loss_of(output, args) if self.loss is not None else _sum(output)
                if not keeps:
                    output = None
                self._check(total, number)
                loss = total / self.micro_steps if self.loss is None and self.micro_steps > 1 else total
                own = total = None
            recorder.phase = BACKWARD
            loss.backward()
        recorder.phase = OPTIMIZER
        if self.optimizer is not None:
            self._assume(STEPS_AT_ONCE if self.micro_steps == 1 else STEPS_AFTER.format(self.micro_steps))
            self.optimizer.step()
        at_end((loss, output))

    def _for_model(self, args: tuple) -> tuple:
        return args[: len(args) - self.targets]

    def _loss_of(self, output: Any, args: tuple) -> Any:
        assert self.loss is not None
        return self.loss(output, *args[len(args) - self.targets :])

    def _forward(self, recorder: Any, args: tuple, kwargs: dict) -> Any:
        if self.loss is not None:
            return self.model(*args, **kwargs)

        def enter_loss() -> None:
            if recorder.phase == FORWARD:
                recorder.phase = LOSS

        with huggingface.loss_inside(self.model, enter_loss):
            return self.model(*args, **kwargs)

    def _check(self, loss: Any, number: int) -> None:
        given = "the model" if self.loss is None else "the loss function"
        if not isinstance(loss, torch.Tensor):
            raise TraceError(f"{given} returned a {type(loss).__name__}: the loss must be a tensor with one element")
        if loss.numel() != 1:
            shape = "x".join(map(str, loss.shape))
            raise TraceError(f"{given} returned a loss of shape {shape}: it must have one element, as after .mean()")
        if not loss.requires_grad:
            raise TraceError(
                f"{given} returned a loss that doesn't depend on a parameter that requires a gradient: leave out detach() and no_grad(), or "
                "unfreeze a parameter"
            )
        if number == 0 and any(parameter.grad is not None for parameter in self.model.parameters()):
            raise TraceError("backward() ran before the loss was returned: trace() calls it, so leave it out of model and loss")

    def _assume(self, sentence: str) -> None:
        if sentence not in self.assumed:
            self.assumed.append(sentence)


def brought(function: Any) -> Iterator[tuple[str, Any]]:
    """What a loss function brings along, by name: bound arguments, closures, defaults."""
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


def _own_loss(output: Any) -> Optional[torch.Tensor]:
    """`.loss` or ["loss"] of the output, if there is one."""
    loss = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    return loss if isinstance(loss, torch.Tensor) else None


def _sum(output: Any) -> torch.Tensor:
    tensors = [t for t in tensors_in(output) if t.is_floating_point() and t.requires_grad]
    if not tensors:
        raise TraceError("the model's output holds no tensor that depends on its parameters: give trace() a loss")
    total = tensors[0].sum()
    for tensor in tensors[1:]:
        total = total + tensor.sum()
    return total
