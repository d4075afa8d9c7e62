# SPDX-License-Identifier: Apache-2.0
"""Records one steady-state step: everything resident is registered first, then the step runs under the recorder."""

from __future__ import annotations

import contextlib
import gc
from typing import Any, Callable, Iterator, Optional

import torch

from ..common.graph_rows import BUFFER, CONSTANT, INPUT, LOSS, OPTIMIZER_STATE, PARAMETER, Recording, TraceError
from ..common.tensors import tensors_in
from ..training_step.step import Step
from .accumulate import correct_accumulation
from .modules import DirectCalls
from .recorder import Recorder
from .saved import DroppedTensors, SavedTensors


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Turns off the cyclic garbage collector, which runs unpredictably: a recording frees no cycles."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def warm_up(step: Step, target: str) -> None:
    """Runs the step once, which creates the optimizer's state and shows how modules are called, and then drops the gradients."""
    step.progress.begin("warm-up step")
    recorder = Recorder(step, target)
    step.zero_grad()
    with recorder, recorder.checkpoints, DirectCalls(step.model) as direct:
        step.run(recorder, lambda _: None)
        step.zero_grad()
    step.called_directly = direct.modules


def _register(recorder: Recorder, step: Step) -> dict[int, list[int]]:
    """Registers the storages that exist before the step. Returns the optimizer's state storages by the parameter's id."""
    add = recorder.storages.add
    for name, parameter in step.model.named_parameters(remove_duplicate=False):
        add(parameter, -1, PARAMETER, name)
    for name, buffer in step.model.named_buffers(remove_duplicate=False):
        add(buffer, -1, BUFFER, name)
    states: dict[int, list[int]] = {}
    for group in step.optimizer.param_groups if step.optimizer is not None else ():
        on_device = group.get("capturable") or group.get("fused")
        for parameter in group["params"]:
            for name, value in step.optimizer.state.get(parameter, {}).items():
                for tensor in tensors_in(value):
                    row = add(tensor, -1, OPTIMIZER_STATE)
                    states.setdefault(id(parameter), []).append(row)
                    if name == "step" and tensor.dim() == 0 and not on_device and recorder._emulates_cuda:
                        recorder.storages.rows[row].host = True
    for name, tensor in step.inputs():
        add(tensor, -1, INPUT, name)
    return states


def _foreign(recorder: Recorder, step: Step) -> Iterator[tuple[str, torch.Tensor]]:
    """Parameters outside the model that take part in the step. Their memory, and that of such buffers, gets a name."""
    for name, tensor, buffer in step.foreign:
        row = recorder.storages.find(tensor)
        if row is None:
            continue
        storage = recorder.storages.rows[row]
        if storage.alloc < 0 and storage.cls in (None, CONSTANT, INPUT):
            storage.cls = BUFFER if buffer else PARAMETER
        if name not in storage.names:
            storage.names.append(name)
        if not buffer:
            yield name, tensor


def record(
    step: Step, target: str, hooks: Optional[Callable[[Any], Any]] = None, at_end: Optional[Callable[[Recorder, Any], None]] = None
) -> Recording:
    """`at_end` is called with what the step returns, while the step's variables are alive."""
    recorder = Recorder(step, target)
    states = _register(recorder, step)
    result: dict[str, Any] = {}

    def harvest(returned: Any) -> None:
        find = recorder.storages.find
        result["outputs"] = [find(t) for t in tensors_in(returned) if find(t) is not None]
        result["params"] = []
        for name, parameter in (*step.model.named_parameters(), *_foreign(recorder, step)):
            gradient = find(parameter.grad) if parameter.grad is not None else None
            row = (name, find(parameter), -1 if gradient is None else gradient, states.get(id(parameter), []))
            result["params"].append(row)
        if at_end is not None:
            at_end(recorder, returned)
        recorder.close()

    watch = hooks(recorder) if hooks is not None else contextlib.nullcontext()
    with without_collector(), recorder, recorder.modules, recorder.checkpoints, watch:
        step.kernels.begin()
        recorder.open()
        step.run(recorder, harvest)
        step.zero_grad()
    if step.device == "cuda":
        step.kernels.take_from((op.target for op in recorder.ops), torch.cuda.get_device_name())
    recording = Recording(
        ops=recorder.ops,
        storages=recorder.storages.rows,
        tensors=recorder.storages.tensors,
        saved=watch.rows if isinstance(watch, SavedTensors) else [],
        modules=recorder.modules.rows,
        calls=recorder.modules.calls,
        structures=recorder.modules.structures.rows,
        params=result["params"],
        assumed=recorder.assumed,
        outputs=result["outputs"],
        autocast=recorder.autocast,
        kernels={family: dict(counts) for family, counts in step.kernels.chosen.items()},
    )
    correct_accumulation(recording)
    return recording


def _made_in_forward(recording: Recording) -> list[int]:
    return [i for i, s in enumerate(recording.storages) if s.alloc >= 0 and recording.ops[s.alloc].phase <= LOSS]


def record_with_python_frees(step: Step, target: str) -> Recording:
    """A recording with saved tensors, and with `python_free` from a second recording in which autograd holds nothing."""
    step.progress.begin("recording")
    recording = record(step, target, SavedTensors)
    for storage in recording.storages:
        storage.python_free = storage.free
    step.progress.begin("recording what Python holds")
    other = record(step, target, DroppedTensors)
    here, there = _made_in_forward(recording), _made_in_forward(other)
    shape = lambda r, rows: [(r.storages[i].alloc, r.storages[i].nbytes) for i in rows]  # noqa: E731
    if shape(recording, here) != shape(other, there):
        raise TraceError(
            "two recordings of the same step differ: the model does something else from step to step (a counter, random.random(), "
            "a cache that is filled); make it do the same in every step while it is traced"
        )
    for mine, its in zip(here, there):
        free, freed = other.storages[its].free, recording.storages[mine]
        if free is not None and (freed.free is None or free < freed.free):
            freed.python_free = free
    return recording
