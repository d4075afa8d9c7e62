# SPDX-License-Identifier: Apache-2.0
"""compile_step(): a training step as straight-line code, executed op by op according to a plan of runtime "step"."""

from __future__ import annotations

import contextlib
import warnings
from collections import OrderedDict
from typing import Any, Callable, Iterator, Optional, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from ...common.argument_errors import ArgumentValueError
from ...common.plan_mismatch import PlanMismatch
from ...isolation.data_dependent import translated
from ...isolation.preserve import older_objects_spared
from ...record.record import warm_up
from ...record.tracing import Mode
from ...training_step.arguments import check_model, check_targets
from ...training_step.environment import prepared
from ...training_step.step import check_mode
from ..plan_file import PlanLike, load_plan, read_plan
from .accumulating import accumulating
from .batch import Batch, ModelState
from .code_writer import StepWriter
from .fake_execution import CorrectedKernels
from .first_step import FirstStep
from .generators import Generators, NoGenerators
from .program import Program, record_program
from .refusals import refuse_model
from .schedule import Execution, read_recompute_steps, schedule
from .sequence import check_sequence
from .stream import StepStream, StreamObserver
from .undo import Undo
from .written_out import GRAPH, is_graph, plan_of, read_written

_MOST_PROGRAMS = 8  # of different shapes


class StepError(RuntimeError):
    """A compiled step was called with arguments or values that differ from those for which it was recorded."""


@contextlib.contextmanager
def _below_autograd() -> Iterator[None]:
    """Runs kernels without the wrappers of autograd and autocast, each in the gradient mode in which it was recorded."""
    guard = getattr(torch._C, "_AutoDispatchBelowAutograd", None)  # private; without it autograd would only keep more
    before = torch.is_grad_enabled()
    with torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
        with guard() if guard is not None else contextlib.nullcontext():
            try:
                yield
            finally:
                torch._C._set_grad_enabled(before)


@contextlib.contextmanager
def _as_recorded(mode: Optional[FakeTensorMode], target: str) -> Iterator[None]:
    """Fakes get the memory that real kernels give, as in the recording; real tensors need no correction."""
    if mode is None:
        yield
        return
    with mode, CorrectedKernels(target):
        yield


class Compiled:
    """One program with its schedule: the code of its first step, which checks, and that of all later ones. `present`: parameters that
    already have gradients, in the order of the program's gradients."""

    def __init__(self, program: Program, present: Sequence[str], recompute_steps: Sequence[tuple[int, list[int]]], name: str):
        self.program = accumulating(program, present)
        self.present = present
        self.executions: list[Execution] = schedule(self.program, recompute_steps)
        self._undo = Undo(self.program)
        self.corrections: list[str] = []
        self._name = name
        self._function: Optional[Callable] = None

    def run(self, tensors: list[torch.Tensor], observer: Any = None) -> tuple[tuple, tuple]:
        """Returns results and gradients. An observer is called for every op, as FirstStep is."""
        fake = next((t.fake_mode for t in tensors if isinstance(t, FakeTensor)), None)
        first = FirstStep(self.program, self.executions) if self._function is None and fake is None else None
        watching = observer or first
        if watching is not None:
            function, _ = self._writer(True).compile(self._name, watching, watching.geometry)
        else:
            function = self._function = self._function or self.code()[0]
        keeping = self._undo.on_error(tensors, watching is not None) if fake is None else contextlib.nullcontext()
        with keeping, _below_autograd(), _as_recorded(fake, _target(self.program.device)):
            result = function(tensors, torch._C._set_grad_enabled, Generators if fake is None else NoGenerators, self._guard)
        if first is not None and observer is None:
            first.correct()
            self.corrections = first.corrections
            self._function, _ = self.code()
        return result

    def _writer(self, observed: bool) -> StepWriter:
        return StepWriter(self.program, self.executions, observed)

    def code(self) -> tuple[Callable, str]:
        """The function that runs in all steps but the first, and its source."""
        return self._writer(False).compile(self._name)

    def _guard(self, ordinal: int, ask: Callable, tensor: torch.Tensor) -> None:
        recorded = self.program.ops[ordinal].result
        value = recorded if isinstance(tensor, FakeTensor) else ask(tensor)
        if recorded is not None and value != recorded:
            raise StepError(
                f"{self.program.place(ordinal)}: the step asked for a value, which was {recorded!r} when it was recorded and is {value!r} "
                "now. This step was given up; run it without compile_step, or let shapes and arguments decide there."
            )


class StepRunner:
    """What compile_step() returns: called with a batch, it runs forward, loss and backward, or a forward without gradients."""

    def __init__(self, model: torch.nn.Module, plan: Optional[dict], loss: Optional[Callable], targets: int, mode: str):
        self._model = model
        self._plan = plan
        self._loss = loss
        self._targets = targets
        self._mode = mode
        self._state = ModelState(model, loss, mode)
        self._watched: Optional[tuple] = None
        self._changes = 0
        self._programs: "OrderedDict[Any, tuple[list[Any], Program]]" = OrderedDict()
        self._compiled: dict[Any, Compiled] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs one step on a batch. Returns the loss (a tensor with one element, without a graph) and fills `.grad`, adding to existing
        gradients; in inference, returns what the model returns. Raises StepError if the step can't run as recorded, TraceError if it can't
        be recorded, PlanMismatch if the plan doesn't fit, and whatever an op raises. If it raises, parameters, buffers, arguments,
        gradients and random numbers are unchanged, with one exception: gradients that backward adds to, and other memory that the step
        overwrites if that exceeds 4 MiB in all, are copied only in the first step of a kind, since they may be large. A later step that
        fails leaves these as the ops before the failing one made them."""
        batch = self._batch(args, kwargs)
        compiled = self._compiled_for(batch)
        return self._run(batch, compiled)

    def __repr__(self) -> str:
        planned = "" if self._plan is None else ", with a plan"
        return f"<compiled step of {type(self._model).__name__}{planned}, recordings: {len(self._programs)}>"

    def with_plan(self, plan: Optional[PlanLike]) -> "StepRunner":
        """The same step under another plan; it shares the recordings of this one."""
        other = StepRunner(self._model, _read(plan, self._model), self._loss, self._targets, self._mode)
        other._programs = self._programs
        return other

    @property
    def corrections(self) -> list[str]:
        """Corrections that the first real steps made to recordings, as sentences."""
        return [sentence for compiled in self._compiled.values() for sentence in compiled.corrections]

    def stream(self, *args: Any, **kwargs: Any) -> StepStream:
        """Runs one step like a call, and reports what it did with memory."""
        batch = self._batch(args, kwargs)
        compiled = self._compiled_for(batch)
        constants = [c.held if c.data is None else c.data for c in compiled.program.constants.values()]
        observer = StreamObserver(compiled.program, compiled.executions, [*self._bound(batch, compiled), *constants])
        loss = self._run(batch, compiled, observer)  # noqa: F841 (alive until the stream is finished)
        return observer.finish()

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The Python code that runs for such a batch."""
        return self._compiled_for(self._batch(args, kwargs)).code()[1]

    def _run(self, batch: Batch, compiled: Compiled, observer: Any = None) -> Any:
        results, gradients = compiled.run(self._bound(batch, compiled), observer)
        stored = set()
        for (name, row), gradient in zip(compiled.program.gradients.items(), gradients):
            batch.parameters[name].grad = gradient.detach() if row in stored else gradient
            stored.add(row)
        structure = compiled.program.structure
        return results[0] if structure is None else structure.build(results)

    def _bound(self, batch: Batch, compiled: Compiled) -> list[torch.Tensor]:
        return batch.tensors + [batch.parameters[name].grad for name in compiled.present]

    def _batch(self, args: tuple, kwargs: dict) -> Batch:
        if self._mode == "train" and (not torch.is_grad_enabled() or torch.is_inference_mode_enabled()):
            raise StepError("A compiled step computes gradients: call it outside of no_grad() and inference_mode().")
        count = len(args) - self._targets
        if count < 0:
            raise StepError(f"The step was compiled for {self._targets} targets after the model's arguments, but got {len(args)} arguments.")
        self._state.update()
        return Batch(self._model, self._state, args[:count], kwargs, self._loss, args[count:], self._mode)

    def _compiled_for(self, batch: Batch) -> Compiled:
        program = self._program(batch)
        present = tuple(name for name in program.gradients if batch.parameters[name].grad is not None)
        key = (batch.key, present)
        if key not in self._compiled:
            recompute_steps: list[tuple[int, list[int]]] = []
            if self._plan is not None:
                check_sequence(program, self._plan, self._model)
                recompute_steps = read_written(program, self._plan) if GRAPH in self._plan else read_recompute_steps(program, self._plan)
            self._compiled = {k: c for k, c in self._compiled.items() if k[0] in self._programs}
            self._compiled[key] = Compiled(program, present, recompute_steps, type(self._model).__name__)
        return self._compiled[key]

    def _program(self, batch: Batch) -> Program:
        known = self._programs.get(batch.key)
        if known is None:
            self._count_changes(batch)
            known = self._programs[batch.key] = (batch.held, _record(batch))
            while len(self._programs) > _MOST_PROGRAMS:
                self._programs.popitem(last=False)
        else:
            self._programs.move_to_end(batch.key)
        return known[1]


    def _count_changes(self, batch: Batch) -> None:
        """Warns of an attribute that changes in many steps: each change requires a new recording, which takes seconds."""
        before, self._watched = self._watched or batch.watched, batch.watched
        changed = next((name for a, b in zip(before, batch.watched) if (name := a.difference(b)) is not None), None)
        self._changes += changed is not None
        if changed is not None and self._changes == _MOST_PROGRAMS:
            warnings.warn(
                f"compile_step() re-records the step for the {_MOST_PROGRAMS}th time because something that model or loss hold changed "
                f"(the last one: '{changed}'): give what changes from step to step as an argument (a tensor costs no recording)",
                stacklevel=5,
            )


def _target(device: str) -> str:
    """The kind of kernels that run there."""
    return device.partition(":")[0]


def _record(batch: Batch) -> Program:
    """Records the step on fakes of the batch's tensors; model, gradients and random numbers are restored."""
    step, target = batch.step, _target(batch.device)
    gradients = [(parameter, parameter.grad) for parameter in step.model.parameters()]
    modes = [(module, module.training) for module in step.model.modules()]
    try:
        for parameter, _ in gradients:
            parameter.grad = None
        given = (step.model, step.args, step.kwargs, step.loss, None, step.mode, target)
        # Whether something holds a result of inference is known only where all objects are looked at.
        spared = older_objects_spared() if step.mode == "train" else contextlib.nullcontext()
        with translated(), torch.inference_mode(False), spared, prepared(*given, emulate=False, moves=False) as faked:
            # A compiled step trains only the model: parameters of others are refused.
            faked.untrained, faked.foreign = {id(tensor): path for path, tensor, _ in faked.foreign}, []
            for module, training in modes:  # in its present modes, whereas trace() would switch all to training
                module.training = training
            warm_up(faked, target)
            return record_program(faked, target, any(isinstance(tensor, FakeTensor) for tensor in batch.tensors))
    finally:
        for parameter, gradient in gradients:
            parameter.grad = gradient


def _read(plan: Optional[PlanLike], model: torch.nn.Module) -> Optional[dict]:
    if plan is None:
        return None
    content = load_plan(plan)
    if is_graph(content):
        content = plan_of(content)
    read = read_plan(content, "step", 'plimsoll.apply() runs plans of runtime "checkpoint"')
    planned, name = (read.get("graph") or {}).get("model_class"), type(model).__name__
    if planned not in (None, name):
        raise PlanMismatch(f"The plan was made for a {planned}, but this model is a {name}.")
    return read


def compile_step(
    model: torch.nn.Module, plan: Optional[PlanLike] = None, *, loss: Optional[Callable] = None, targets: int = 0, mode: Mode = "train",
) -> StepRunner:  # fmt: skip
    """Compiles a training step without its optimizer: ``loss = step(*batch, **kwargs)`` runs forward, loss and backward op by op with the
    same bits as eager PyTorch, frees every value after its last scheduled use and fills ``.grad``.

    The step is recorded on fake tensors at the first call, and re-recorded for other shapes, modes or values of arguments that aren't
    tensors; it runs no Python code of the model. It is also re-recorded if something that model or loss hold has changed: attributes of
    modules and of other objects and their classes; dicts, lists, tuples, sets and deques, nested; closures, defaults, bound and partial
    arguments, and globals that `forward`, the loss and the functions that these name use.

    Not watched are: the content of arrays and of containers of more than 1000 entries (except their length), objects of Python's library,
    torch and numpy that aren't modules, what functions of these read from elsewhere, variables read by a computed name (globals()[...],
    getattr on a Python module), environment variables, files, and everything after the first 50,000 values, nearest first. Random numbers
    of Python and numpy and values that a step itself changes are refused. Weights that a hook recomputes before each forward (old spectral
    and weight norm, pruning) are computed as in eager PyTorch; the module's attribute keeps the one of its last call outside the compiled
    step. A step gives gradients only to the model's parameters; arguments and other modules that require some are refused.

    Args:
        model (torch.nn.Module): The model, which stays as it is.
        plan (str, Path or dict, optional): A plan of runtime "step", or the graph as which such a plan was exported: its file or content.
            Default: nothing is recomputed.
        loss (callable, optional): Maps the model's output to a tensor with one element. Default: the output's ``.loss``, else the sum.
        targets (int): How many positional arguments of a call, the last ones, go to `loss` after the output. Default: 0.
        mode (str): ``"inference"`` runs the forward without gradients, in the modes that the model's parts have (call ``model.eval()``), and
            returns what the model returns; plans and losses belong to training. Default: ``"train"``.

    Raises:
        PlanMismatch: The plan was made for something else.
        TraceError: The step can't be compiled. Those below are TraceErrors, too.
        TypeError, ValueError: An argument isn't taken.
        FileNotFoundError: The plan's file doesn't exist.

    Example::

        >>> model, images, labels = torch.nn.Linear(16, 4), torch.zeros(8, 16), torch.zeros(8, dtype=torch.long)
        >>> step = plimsoll.compile_step(model, loss=torch.nn.CrossEntropyLoss(), targets=1)
        >>> value = step(images, labels)
        >>> model.weight.grad.shape
        torch.Size([4, 16])
    """
    check_model(model)
    refuse_model(model)
    check_targets(loss, targets)
    check_mode(mode)
    if mode == "inference" and (plan is not None or loss is not None):
        raise ArgumentValueError(
            "plans and losses belong to training steps: leave them out in inference, where every value is freed after its last use"
        )
    return StepRunner(model, _read(plan, model), loss, targets, mode)
