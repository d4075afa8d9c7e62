# SPDX-License-Identifier: Apache-2.0
"""measure(): the memory and time of a real step, with and without a plan."""

from __future__ import annotations

import contextlib
import gc
import json
import os
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Union

import torch

from ..common.argument_errors import ArgumentTypeError, ArgumentValueError
from ..common.graph_rows import PHASES, TraceError
from ..common.paths import file_to_write
from ..common.progress import Choice, Progress
from ..common.stand_in_gpu import is_stand_in_gpu
from ..isolation.data_dependent import translated
from ..isolation.fakes import mode_of
from ..isolation.preserve import older_objects_spared
from ..record.tracing import Mode, batch_of
from ..runtime.checkpoint.apply import apply
from ..runtime.compiled_step.runner import StepRunner, compile_step
from ..runtime.plan_file import PlanLike, load_plan
from ..training_step.arguments import check_model
from ..training_step.autocast import casting_to
from ..training_step.environment import prepared
from ..training_step.step import Step
from ..version import VERSION
from .measured_graph import graph_to_write_into, write_measured
from .measured_run import measured_run
from .profiled import Watched

_PASSES_OF_RUN = 5


class CompiledStep:
    """A step whose forward, loss and backward the step runner executes."""

    def __init__(self, step: Step, runner: StepRunner):
        self._step, self._runner = step, runner
        self.zero_grad, self.inputs = step.zero_grad, step.inputs
        self.model, self.optimizer, self.progress = step.model, step.optimizer, step.progress

    def run(self, recorder: Any, at_end: Callable[[Any], None]) -> None:
        with self._step.casting.entered():
            loss = self._runner(*self._step.args, **self._step.kwargs)
        recorder.phase = len(PHASES) - 1
        if self.optimizer is not None:
            self.optimizer.step()
        at_end(loss)


def _device_of(model: torch.nn.Module) -> torch.device:
    check_model(model)
    if mode_of(model) is not None:
        raise ArgumentValueError("the model was made inside building() and has no values: measure() runs real steps, so build it outside")
    devices = {tensor.device for tensor in (*model.parameters(), *model.buffers())}
    if len(devices) > 1:
        raise TraceError(f"the model lies on {' and '.join(sorted(map(str, devices)))}: measure() takes models on one device: move it (.to())")
    device = devices.pop() if devices else torch.device("cpu")
    if device.type not in ("cpu", "cuda"):
        raise TraceError(f"the model lies on {device}: measure() asks the allocators of the CPU and of CUDA: move it to one of these")
    return device


def _runs(
    step: Step, plan: Any, loss: Optional[Callable], steps: int, device: torch.device, snapshot: Path
) -> tuple[list[dict], Watched]:
    """The rows of the file, and unplanned steps under the profiler."""
    compiled = None
    if isinstance(plan, dict) and plan.get("runtime") == "step":
        compiled = CompiledStep(step, compile_step(step.model, plan, loss=loss, targets=step.targets))
    elif plan is not None:
        apply(step.model, plan).remove()  # rejects a plan that doesn't fit before anything has run
    unplanned, watched = measured_run(step, None, steps, device, snapshot)
    if plan is None:
        return [unplanned], watched
    with contextlib.nullcontext() if compiled is not None else apply(step.model, plan):
        planned, _ = measured_run(compiled or step, plan, steps, device, snapshot.with_suffix(".planned.pickle"), unplanned["resident_bytes"])
    return [unplanned, planned], watched


def _casting(model: Any, autocast: Optional[torch.dtype]) -> contextlib.AbstractContextManager:
    """A context around the step's preparation, which enters it around forward and loss."""
    return contextlib.nullcontext() if autocast is None else casting_to(autocast, _device_of(model).type).entered()


def _check_times(device: torch.device, times: bool, steps: int) -> None:
    if not isinstance(steps, int) or steps < 1:
        raise ArgumentValueError(f"steps must be a whole number of at least 1, not {steps!r}")
    if times and is_stand_in_gpu(device):
        raise TraceError("the stand-in GPU runs no kernels, so there are no times to measure: pass times=False")


@contextlib.contextmanager
def _full_gpu_refused(device: torch.device) -> Iterator[None]:
    """A GPU that is too small for the step is told in a sentence, by an exception that holds none of the step's tensors."""
    full = ""
    try:
        yield
    except torch.OutOfMemoryError as error:
        full = str(error).partition(" GPU ")[0].rstrip(".")
    if full:
        raise TraceError(f"{device} has too little memory for the step ({full}): measure it with a smaller batch")


def _is_plan(value: Any) -> bool:
    return value is None or isinstance(value, (str, os.PathLike, dict))


def _in_order(given: tuple, args: Any, kwargs: Any, plan: Any) -> tuple[Any, Any, Any]:
    """Arguments, keyword arguments and plan. `given`: arguments by position in either order, (args, kwargs) or (plan, args, kwargs)."""
    names = ("plan", "args", "kwargs") if given and _is_plan(given[0]) else ("args", "kwargs")
    if len(given) > len(names):
        raise ArgumentTypeError(f"measure() takes model, {', '.join(names)} by position, but got {1 + len(given)} arguments: name the others")
    named = {"args": args, "kwargs": kwargs, "plan": plan}
    for name, value in zip(names, given):
        if named[name] is not None:
            raise ArgumentTypeError(f"measure() got {name} twice: by position and by name")
        named[name] = value
    return () if named["args"] is None else named["args"], named["kwargs"], named["plan"]


def measure(
    model: torch.nn.Module, *given: Any, args: Any = None, kwargs: Optional[dict] = None, plan: Optional[PlanLike] = None,
    loss: Optional[Callable] = None, targets: int = 0, optimizer: Any = None, mode: Mode = "train", name: Optional[str] = None,
    steps: int = 5, graph: Union[str, Path, None] = None, out: Union[str, Path, None] = None, progress: Choice = None,
    autocast: Optional[torch.dtype] = None, times: bool = True, keep_output: Optional[bool] = None,
) -> Path:  # fmt: skip
    """Runs real training steps and writes what they used to a file: bytes that autograd saves, peaks of live bytes and of the allocator, the
    allocator's bytes while each op ran (bytes), time of the step and of each op (nanoseconds).

    Afterwards everything is restored, as :func:`trace` describes. Meanwhile the values of tensors are kept in host memory; of those that
    are neither trained, buffers nor the optimizer's, only the first 2 GiB (a step that writes beyond them is refused afterwards).

    Args:
        model (torch.nn.Module): Holds real tensors, all on the CPU or all on one GPU, and has no plan applied.
        given: Either ``args, kwargs`` or ``plan, args, kwargs``, each of which may also be given by name.
        args (tuple or torch.Tensor, optional): A batch on the model's device, as in :func:`trace`.
        kwargs (dict, optional): Keyword arguments of the model.
        plan (str, Path or dict, optional): A plan's file or content, of either runtime: the step is measured without and with it.
        loss, targets, optimizer, mode, autocast, progress, keep_output: As in :func:`trace`.
        name (str, optional): Name of the model in the file. Default: its class.
        steps (int): Times are medians over so many steps after a warm-up. Default: 5.
        graph (str or Path, optional): A graph file of this very step, which gets the scratch memory that the kernels of its ops took and,
            with times, how long they ran, for plans made from it.
        times (bool): Whether to measure times, too; without, only bytes are measured, and the file says so. Default: ``True``.
        out (str or Path, optional): The file to write; on CUDA snapshots lie beside it. Default: <name>.measurement.json in this folder.

    Raises:
        TraceError, PlanMismatch: The step can't be measured, or the plan doesn't fit; one sentence says why. Those below are TraceErrors, too.
        TypeError, ValueError: An argument isn't taken.
        FileNotFoundError: A file or the folder of `out` doesn't exist, which is checked first.

    Example::

        >>> model, images, labels = torch.nn.Linear(16, 4), torch.zeros(8, 16), torch.zeros(8, dtype=torch.long)
        >>> str(plimsoll.measure(model, (images, labels), loss=torch.nn.CrossEntropyLoss(), targets=1, steps=1, name="tiny"))
        'tiny.measurement.json'
    """
    args, kwargs, plan = _in_order(given, args, kwargs, plan)
    device = _device_of(model)
    _check_times(device, times, steps)
    name = name or type(model).__name__
    path = file_to_write(out, name, ".measurement.json")
    timed = graph_to_write_into(graph, device, path)
    content = load_plan(plan) if plan is not None else None
    told = Progress(progress, _PASSES_OF_RUN * (1 if plan is None else 2))
    try:
        step_of = (model, args, kwargs, loss, optimizer, mode, device.type)
        gc.collect()  # so that earlier garbage doesn't hold memory
        ready = prepared(*step_of, targets=targets, fake=False, emulate=False, keep_output=keep_output)
        with _full_gpu_refused(device), translated(), older_objects_spared(), _casting(model, autocast), ready as step:
            step.progress = told
            runs, watched = _runs(step, content, loss, steps if times else 0, device, path.with_suffix(".pickle"))
            file = _header(step, name, device) | {"runs": runs}
    finally:
        told.end()
    path.write_text(json.dumps(file, separators=(",", ":"), allow_nan=False) + "\n", encoding="utf-8")
    if timed is not None:
        write_measured(timed, watched, len(runs[0]["ops"]), device, path)
    return path


def _header(step: Step, name: str, device: torch.device) -> dict[str, Any]:
    return {
        "format": "plimsoll-measurement",
        "version": 1,
        "exporter": VERSION,
        "torch": torch.__version__.partition("+")[0],
        "model": name,
        "model_class": type(step.model).__name__,
        "batch": batch_of(step),
        "backend": device.type,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        "threads": torch.get_num_threads(),
    }
