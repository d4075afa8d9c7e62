# SPDX-License-Identifier: Apache-2.0
"""Models whose step can't be compiled because it includes more than the recorded ops."""

from __future__ import annotations

from typing import Iterable

import torch

from ...common.graph_rows import TraceError

_WRAPPERS = ("DistributedDataParallel", "FullyShardedDataParallel", "OptimizedModule")


def refuse_model(model: torch.nn.Module) -> None:
    """Raises TraceError with a sentence that says what to do instead."""
    for path, module in model.named_modules():
        name = type(module).__name__
        if name in _WRAPPERS:
            where = f"'{path}'" if path else "the model"
            raise TraceError(f"{where} is a {name}, whose work is not ops of the step: compile the step of the module inside of it")


def refuse_hooks(name: str, parameter: torch.Tensor) -> None:
    if parameter._backward_hooks or getattr(parameter, "_post_accumulate_grad_hooks", None):
        raise TraceError(f"the parameter {name} has hooks on its gradient, which a compiled step wouldn't run: change the gradients after the step")


def refuse_gradient(name: str) -> None:
    raise TraceError(
        f"{name} requires a gradient, which a compiled step would not give it, as it fills those of the model's parameters: detach it, make "
        "it a parameter of the model, or run the step without compile_step"
    )


def device_of(tensors: Iterable[torch.Tensor]) -> str:
    """The one GPU on which tensors lie, else the CPU. Raises TraceError if they lie elsewhere."""
    devices = sorted({str(tensor.device) for tensor in tensors} - {"cpu"})
    if not devices:
        return "cpu"
    other = next((device for device in devices if not device.startswith("cuda")), None)
    if other is not None:
        raise TraceError(f"a tensor of the step is on {other}: compiled steps run on the CPU or on one GPU, so move model and batch there")
    if len(devices) > 1:
        raise TraceError(
            f"tensors of the step are on {' and '.join(devices)}: a compiled step runs on one GPU; compile a step for the part of the model "
            "on each, or run this one without compile_step"
        )
    return devices[0]
