# SPDX-License-Identifier: Apache-2.0
"""The environment in which a step is recorded, always restored: fakes, kernels, modes, optimizer variant."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional, Sequence, Union

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException

from ..common.argument_errors import ArgumentTypeError, ArgumentValueError
from ..common.graph_rows import TraceError
from ..isolation import preserve
from ..isolation.fakes import lender_for
from ..isolation.keeping import contents
from ..isolation.known_values import give_value, known_value
from ..isolation.reach import Reach
from ..kernels import huggingface
from ..kernels.cuda_kernels import cpu_kernels, cuda_kernels, recurrent_kernels
from ..kernels.eager_paths import EagerPaths
from ..kernels.packed_sequences import PackedSequences
from .arguments import check_model, check_targets
from .autocast import casting_to, check_emulated, taken_off
from .step import Step
from .unsupported import refuse_sharded, refuse_tensors
from .wrappers import compiled_in, data_parallel_in, distributed_in

IN_EVAL = 'the model was in eval() and is recorded in train(): mode="train" is a training step, with its dropout and batch norm'
MicroSteps = Union[int, Sequence[Union[tuple, dict]]]


@contextlib.contextmanager
def _training_flags(model: torch.nn.Module, mode: str) -> Iterator[None]:
    flags = [(module, module.training) for module in model.modules()]
    try:
        if mode == "inference":
            model.eval()
        elif not model.training:
            model.train()
        yield
    finally:
        for module, flag in flags:
            module.training = flag


@contextlib.contextmanager
def _foreach(optimizer: Any) -> Iterator[None]:
    """CUDA uses the foreach variant by default, but not for fake tensors: request it where PyTorch would use it."""

    def takes_foreach(group: dict[str, Any]) -> bool:
        if group.get("foreach", True) is not None or group.get("fused") or group.get("differentiable"):
            return False
        return not isinstance(group.get("lr"), torch.Tensor) or bool(group.get("capturable"))

    groups = [group for group in optimizer.param_groups if takes_foreach(group)]
    for group in groups:
        group["foreach"] = True
    try:
        yield
    finally:
        for group in groups:
            group["foreach"] = None


def variant_of(optimizer: Any) -> str:
    options = optimizer.param_groups[0]
    return "fused" if options.get("fused") else "foreach" if options.get("foreach") else "for-loop"


def check_step(model: Any, kwargs: Any, optimizer: Any, target: str) -> None:
    check_model(model)
    wrapper = data_parallel_in(model)
    if wrapper is not None:
        raise TraceError(
            f"{wrapper} is wrapped in DataParallel, which runs copies of it on parts of the batch: trace the module inside of it "
            "(its .module) with the part that one GPU gets"
        )
    wrapper = distributed_in(model)
    if wrapper is not None:
        raise TraceError(
            f"{wrapper} is wrapped for several processes, whose reducer works on the real parameters: trace the module inside of it "
            "(its .module) with the batch of one process; what the wrapper keeps for itself comes on top"
        )
    refuse_sharded(model)
    if target not in ("cuda", "cpu"):
        raise ArgumentValueError(f'target must be "cuda" or "cpu", not {target!r}')
    if kwargs is not None and not isinstance(kwargs, dict):
        raise ArgumentTypeError(f"kwargs must be a dict of the model's keyword arguments, not a {type(kwargs).__name__}")
    lazy = [name for name, tensor in model.named_parameters() if torch.nn.parameter.is_lazy(tensor)]
    if lazy:
        raise TraceError(f"the parameter {lazy[0]} has no shape yet: run the model once, then trace it")
    if optimizer is None:
        return
    if isinstance(optimizer, torch.optim.LBFGS) or optimizer is torch.optim.LBFGS:
        raise TraceError("LBFGS runs the model several times in a step, which is not recorded: trace with another optimizer")
    if not hasattr(optimizer, "param_groups"):
        if not callable(optimizer):
            raise ArgumentTypeError(f"optimizer must be an optimizer or a function that makes one, not a {type(optimizer).__name__}")
        return
    mine = {id(parameter) for parameter in model.parameters()}
    if not any(id(parameter) in mine for group in optimizer.param_groups for parameter in group["params"]):
        raise ArgumentValueError("the optimizer holds none of the model's parameters: make it from model.parameters()")


def _batches(micro_steps: MicroSteps) -> tuple[int, list[tuple[tuple, dict]]]:
    """The number of micro-steps, and the arguments of each if they are given."""
    if isinstance(micro_steps, int) and not isinstance(micro_steps, bool):
        if micro_steps < 1:
            raise ArgumentValueError(f"micro_steps must be at least 1, not {micro_steps}")
        return micro_steps, []
    if not isinstance(micro_steps, (list, tuple)) or not all(isinstance(b, (tuple, dict)) for b in micro_steps) or not micro_steps:
        raise ArgumentTypeError(
            "micro_steps must be a number, or a list with the arguments of each micro-step: a tuple of positional ones or a dict of "
            "keyword arguments"
        )
    return len(micro_steps), [((), dict(batch)) if isinstance(batch, dict) else (batch, {}) for batch in micro_steps]


def _made(make: Callable, model: torch.nn.Module) -> Any:
    try:
        optimizer = make([p for p in model.parameters() if p.requires_grad])
    except DataDependentOutputException as error:
        raise TraceError(
            "the function given as optimizer asks for the value of a tensor: give it numbers (lr=0.1), or make it yourself"
        ) from error
    if not hasattr(optimizer, "param_groups"):
        raise ArgumentTypeError(f"the function given as optimizer returned a {type(optimizer).__name__}, which is no optimizer")
    return optimizer


def _kernels(step: Step, target: str, on_gpu: bool, fake: bool) -> contextlib.AbstractContextManager[None]:
    """Kernels of the target, where the step's tensors don't take them by themselves."""
    packed = PackedSequences(known_value, give_value)
    if target == "cuda" and (fake or not on_gpu):
        return recurrent_kernels(step.kernels, packed) if on_gpu else cuda_kernels(step.kernels, packed)
    return cpu_kernels(packed) if fake else contextlib.nullcontext()


@contextlib.contextmanager
def prepared(
    model: torch.nn.Module, args: Any, kwargs: Optional[dict], loss: Optional[Callable], optimizer: Any, mode: str,
    target: str, *, micro_steps: MicroSteps = 1, fake: bool = True, emulate: Optional[bool] = None,
    resize: Optional[Callable[[Step], None]] = None, autocast: Optional[torch.dtype] = None, targets: int = 0,
    moves: bool = True, keep_output: Optional[bool] = None,
) -> Iterator[Step]:  # fmt: skip
    """A step whose tensors are fakes (`fake` False: the real ones); unless `moves`, each lies where its tensor does. `emulate`: whether a
    step for CUDA runs on the CPU with CUDA's kernels emulated; None: if there is no GPU. `resize` may change its arguments. Its forward and loss run under `autocast`; None: as it is
    around the call. The last `targets` positional arguments go to the loss."""
    check_step(model, kwargs, optimizer, target)
    args = tuple(args) if isinstance(args, (list, tuple)) else (args,)
    kwargs = dict(kwargs or {})
    on_gpu = target == "cuda" and (torch.cuda.is_available() if emulate is None else not emulate)
    device = "cuda" if on_gpu else "cpu"
    count, later = _batches(micro_steps)
    in_eval = not model.training
    if later:
        (args, kwargs), *later = later
    for number, (positional, _) in enumerate([(args, kwargs), *later]):
        check_targets(loss, targets, len(positional), f" of micro_steps[{number}]" if later else "")
    with contextlib.ExitStack() as stack:
        casting = stack.enter_context(taken_off())
        if autocast is not None:
            casting = casting_to(autocast, target)
        elif target == "cuda" and not on_gpu:
            check_emulated(casting)
        stack.enter_context(preserve.log())
        stack.enter_context(preserve.random_state())
        stack.enter_context(preserve.modes())
        given = {"args": args, "kwargs": kwargs, "later": later, "loss": loss, "optimizer": optimizer}
        reach = Reach(model, given)
        refuse_tensors((row for number, row in enumerate(reach.tensors) if not reach.is_plain(number)), fake)
        stack.enter_context(reach.kept())
        lender = lender_for(model, stack, device if moves else None) if fake else None
        if lender is not None:
            lender.lend(reach)
            args, kwargs, later, loss, optimizer = given.values()
            stack.enter_context(lender.mode)
        else:
            stack.enter_context(contents(reach))
        if optimizer is not None and not hasattr(optimizer, "param_groups"):
            optimizer = _made(optimizer, model)
        if optimizer is not None and target == "cuda":
            stack.enter_context(_foreach(optimizer))
        stack.enter_context(_training_flags(model, mode))
        stack.enter_context(huggingface.unnoticed())
        stack.enter_context(EagerPaths(target))
        step = Step(model, args, kwargs, loss, optimizer if mode == "train" else None, mode, device, count, later, casting, targets, keep_output)
        step.lender = lender
        step.foreign = [(path, lender.fake(t) if lender is not None else t, buffer) for path, t, buffer in reach.foreign]
        if mode == "train" and in_eval:
            step.assumed.append(IN_EVAL)
        if (compiled := compiled_in(model)) is not None:
            step.assumed.append(f"torch.compile is left out: {compiled} is recorded as its code runs without it")
        if resize is not None:
            resize(step)
        stack.enter_context(_kernels(step, target, on_gpu, fake))
        yield step
