# SPDX-License-Identifier: Apache-2.0
"""measure(): the memory and time of a real step, with and without a plan."""

from __future__ import annotations

import contextlib
import gc
import json
import re
from pathlib import Path
from typing import Any, Callable, Optional, Union

import torch

from ..common.graph_rows import PHASES, TraceError
from ..common.progress import Choice, Progress
from ..isolation.fakes import mode_of
from ..isolation.preserve import older_objects_spared
from ..record.tracing import batch_of
from ..runtime.checkpoint.apply import apply
from ..runtime.compiled_step.runner import StepRunner, compile_step
from ..runtime.plan_file import PlanLike, load_plan
from ..training_step.autocast import casting_to
from ..training_step.environment import prepared
from ..training_step.step import Step
from ..version import VERSION
from .measured_graph import write_times
from .measured_run import measured_run
from .profiled import Profile

_PASSES_OF_RUN = 5
_STAND_IN = "stand-in GPU"  # how the names of devices begin that have no times


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


def _device_of(model: Any) -> torch.device:
    if not isinstance(model, torch.nn.Module):
        return torch.device("cpu")  # prepared() refuses it
    devices = {tensor.device for tensor in (*model.parameters(), *model.buffers())}
    if len(devices) > 1:
        raise TraceError(f"the model lies on {' and '.join(sorted(map(str, devices)))}: measure() takes models on one device")
    device = devices.pop() if devices else torch.device("cpu")
    if device.type not in ("cpu", "cuda"):
        raise TraceError(f"the model lies on {device}: measure() knows how to ask the allocators of the CPU and of CUDA")
    return device


def _runs(
    step: Step, plan: Any, loss: Optional[Callable], steps: int, device: torch.device, snapshot: Path
) -> tuple[list[dict], list[Profile]]:
    """The rows of the file, and profiles of unplanned steps."""
    compiled = None
    if isinstance(plan, dict) and plan.get("runtime") == "step":
        compiled = CompiledStep(step, compile_step(step.model, plan, loss=loss))
    elif plan is not None:
        apply(step.model, plan).remove()  # rejects a plan that doesn't fit before anything has run
    unplanned, profiles = measured_run(step, None, steps, device, snapshot)
    if plan is None:
        return [unplanned], profiles
    with contextlib.nullcontext() if compiled is not None else apply(step.model, plan):
        planned, _ = measured_run(compiled or step, plan, steps, device, snapshot.with_suffix(".planned.pickle"), unplanned["resident_bytes"])
    return [unplanned, planned], profiles


def _casting(model: Any, autocast: Optional[torch.dtype]) -> contextlib.AbstractContextManager:
    """A context around the step's preparation, which enters it around forward and loss."""
    return contextlib.nullcontext() if autocast is None else casting_to(autocast, _device_of(model).type).entered()


def measure(
    model: torch.nn.Module, plan: Optional[PlanLike] = None, args: Any = (), kwargs: Optional[dict] = None, *,
    loss: Optional[Callable] = None, optimizer: Any = None, mode: str = "train", name: Optional[str] = None, steps: int = 5,
    graph: Union[str, Path, None] = None, out: Union[str, Path, None] = None, progress: Choice = None,
    autocast: Optional[torch.dtype] = None, times: bool = True,
) -> Path:  # fmt: skip
    """Runs real training steps and writes what they used to a file, whose path it returns: bytes that autograd saves, peaks of live bytes
    and of the allocator, the allocator's bytes while each op ran (bytes), time of the step and of each op (nanoseconds).

    `model` holds real tensors, all on the CPU or all on one GPU; `args` and `kwargs` are a batch there. `loss`, `optimizer`, `mode`,
    `name` and `autocast` are as in trace(). With a `plan` (a path or its content, of either runtime) the step is measured without and
    with it. Times are medians over `steps` steps after a warm-up. `graph` is a graph file of this very step; the measured times of its
    ops are written into it, and plans made from it use them. Without `times` only bytes are measured, and the file says so. `out` is the file (default: <name>.measurement.json in this folder; on CUDA
    memory snapshots are written beside it). `progress` is as in trace(). Afterwards everything is restored, as trace() describes.
    Meanwhile the values of tensors are kept in host memory; of those that are neither trained, buffers nor the optimizer's, only the
    first 2 GiB (a step that writes beyond them is refused afterwards).
    Raises TraceError or PlanMismatch, each with a one-sentence message.
    """
    if isinstance(model, torch.nn.Module) and mode_of(model) is not None:
        raise TraceError("the model was made inside building() and has no values: measure() runs real steps, so build it outside")
    if not isinstance(steps, int) or steps < 1:
        raise TraceError(f"steps must be a whole number of at least 1, not {steps!r}")
    if graph is not None and not times:
        raise TraceError("graph is the file that gets the measured times: leave it out, or measure with times=True")
    content = load_plan(plan) if plan is not None else None
    name = name or type(model).__name__
    path = Path(out) if out is not None else Path(re.sub(r"[^\w.-]+", "-", name) + ".measurement.json")
    device = _device_of(model)
    if times and device.type == "cuda" and torch.cuda.get_device_name(device).startswith(_STAND_IN):
        raise TraceError("the stand-in GPU runs no kernels, so there are no times to measure: pass times=False")
    told = Progress(progress, _PASSES_OF_RUN * (1 if plan is None else 2))
    full = ""
    try:
        given = (model, args, kwargs, loss, optimizer, mode, device.type)
        gc.collect()  # so that earlier garbage doesn't hold memory
        with older_objects_spared(), _casting(model, autocast), prepared(*given, fake=False, emulate=False) as step:
            step.progress = told
            runs, profiles = _runs(step, content, loss, steps if times else 0, device, path.with_suffix(".pickle"))
            file = _header(step, name, device) | {"runs": runs}
    except torch.OutOfMemoryError as error:
        full = str(error).partition(" GPU ")[0]
    finally:
        told.end()
    if full:  # raised here, where no exception holds the step's tensors
        raise TraceError(f"{device} has too little memory for the step ({full.rstrip('.')}): measure it with a smaller batch")
    if graph is not None:
        write_times(Path(graph), profiles, len(runs[0]["ops"]), device)
    path.write_text(json.dumps(file, separators=(",", ":"), allow_nan=False) + "\n", encoding="utf-8")
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
