# SPDX-License-Identifier: Apache-2.0
"""trace(values="real"): runs forward, loss and backward once on the given tensors, and notes what it answered to questions about values."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal, Mapping, Optional, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ..common.argument_errors import ArgumentValueError
from ..common.graph_rows import FORWARD, TraceError
from ..common.progress import Progress
from ..common.stand_in_gpu import is_stand_in_gpu
from ..common.tensors import tensors_in
from ..isolation import data_dependent
from ..common.real_values import RealValues, Watching
from ..training_step.environment import prepared

Values = Literal["real"]


def check_values(values: Any, vary: Optional[Mapping[str, Sequence[int]]]) -> None:
    if values not in (None, "real"):
        raise ArgumentValueError(f'values must be "real" or left out, not {values!r}')
    if values is not None and vary:
        raise ArgumentValueError("vary records the step at other sizes, of which a real step tells no values: leave out vary or values")


def _device_of(model: torch.nn.Module, args: Any, kwargs: Any) -> torch.device:
    tensors = [*model.parameters(), *model.buffers(), *tensors_in((args, kwargs))]
    if any(isinstance(tensor, FakeTensor) or tensor.device.type == "meta" for tensor in tensors):
        raise TraceError('values="real" runs the step once, which takes tensors with values: make model and batch outside of building()')
    devices = {tensor.device for tensor in tensors}
    if len(devices) > 1:
        raise TraceError(f'values="real" runs the step once, but its tensors lie on {" and ".join(sorted(map(str, devices)))}: move them to one')
    device = devices.pop() if devices else torch.device("cpu")
    if is_stand_in_gpu(device):
        raise TraceError('the stand-in GPU runs no kernels, so its tensors have no values: values="real" needs model and batch on the CPU')
    return device


def values_of_step(
    model: torch.nn.Module, args: Any, kwargs: Optional[dict], loss: Any, mode: str, target: str, told: Progress, **options: Any
) -> RealValues:
    """Of a step that will be traced for `target`, but runs where its tensors lie. Everything is restored afterwards."""
    batches = options["micro_steps"] if not isinstance(options["micro_steps"], int) else ()
    device = _device_of(model, (args, batches), kwargs)
    told.begin("running a real step")
    with prepared(model, args, kwargs, loss, None, mode, device.type, fake=False, emulate=False, **options) as step:
        watching = Watching(target, data_dependent.decides, told.op)
        step.zero_grad()
        with watching:
            step.run(SimpleNamespace(phase=FORWARD), lambda _: None)
        step.zero_grad()
    return watching.values
