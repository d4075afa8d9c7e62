# SPDX-License-Identifier: Apache-2.0
"""trace(values="real"): runs forward, loss and backward on the given tensors, and notes what they answer to questions about values."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal, Mapping, Optional, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ..common.argument_errors import ArgumentValueError
from ..common.graph_rows import FORWARD, TraceError
from ..common.progress import Progress
from ..common.real_values import RealValues, Watching
from ..common.stand_in_gpu import is_stand_in_gpu
from ..common.tensors import tensors_in
from ..training_step.environment import check_step, prepared
from ..training_step.step import brought

Values = Literal["real"]


def check_values(values: Any, vary: Optional[Mapping[str, Sequence[int]]]) -> None:
    if values not in (None, "real"):
        raise ArgumentValueError(f'values must be "real" or left out, not {values!r}')
    if values is not None and vary:
        raise ArgumentValueError("vary records the step at other sizes, of which a real step tells no values: leave out vary or values")


def _device_of(model: torch.nn.Module, tensors: Sequence[torch.Tensor]) -> torch.device:
    """Where the step runs: with numbers and lengths on the CPU, it may be on a GPU."""
    if any(isinstance(tensor, FakeTensor) or tensor.device.type == "meta" for tensor in tensors):
        raise TraceError('values="real" runs the step, which takes tensors with values: make model, batch and loss outside of building()')
    devices = {tensor.device for tensor in tensors if tensor.device.type != "cpu"}
    if len(devices) > 1 or any(device.type != "cuda" for device in devices):
        where = " and ".join(sorted(map(str, devices)))
        raise TraceError(f'values="real" runs the step on the CPU or on one GPU, but its tensors lie on {where}: move them (.to())')
    device = devices.pop() if devices else torch.device("cpu")
    if is_stand_in_gpu(device):
        raise TraceError('the stand-in GPU runs no kernels, so its tensors have no values: values="real" needs model and batch on the CPU')
    return device


def values_of_steps(
    model: torch.nn.Module, args: Any, kwargs: Optional[dict], loss: Any, optimizer: Any, mode: str, target: str, told: Progress, **options: Any
) -> RealValues:
    """Of a step that will be traced for `target`, but runs where its tensors lie, twice: what is made in a first step (a cache, statistics)
    answers in the second. The optimizer doesn't step. Everything is restored afterwards."""
    check_step(model, kwargs, optimizer, target)
    batches = options["micro_steps"] if not isinstance(options["micro_steps"], int) else ()
    given = tensors_in((args, kwargs, batches, [value for _, value in brought(loss)]))
    device = _device_of(model, [*model.parameters(), *model.buffers(), *given])
    told.begin("running real steps")
    with prepared(model, args, kwargs, loss, None, mode, device.type, fake=False, emulate=False, **options) as step:
        watching = Watching(device.type == "cpu", told.op)
        for _ in range(2):
            step.zero_grad()
            with watching:
                step.run(SimpleNamespace(phase=FORWARD), lambda _: None)
        step.zero_grad()
    return watching.values
