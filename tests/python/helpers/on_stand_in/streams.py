# SPDX-License-Identifier: Apache-2.0
"""Records steps on fake CUDA tensors, for which PyTorch itself picks the kernels, and with CUDA's kernels emulated on fake CPU tensors:
`-m helpers.on_stand_in.streams NAME...`. NAME: an architecture of the zoo at the size that people train, or a sample; "NAME:bfloat16" runs it
under autocast, "NAME/lean" and "NAME/small" are the zoo's other sizes. "attention" is also recorded on real CUDA tensors."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from typing import Any

import models
import plimsoll
import torch
import torch.nn.functional as F
from helpers.on_stand_in.traces import without_index
from helpers.zoo import ZOO
from plimsoll.common.graph_rows import Recording
from plimsoll.record.finish import finish
from plimsoll.record.record import SavedTensors, record, warm_up
from plimsoll.record.stream import stream_of
from plimsoll.training_step.environment import prepared
from streams import differences


class Attention(torch.nn.Module):
    """With and without dropout, and with a mask, which the flash kernel doesn't take."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Linear(32, 96)

    def forward(self, values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        for dropout, bias in ((0.1, None), (0.0, None), (0.1, mask), (0.0, mask)):
            q, k, v = self.body(values).chunk(3, -1)
            values = F.scaled_dot_product_attention(q, k, v, bias, dropout)
        return values.float().sum()


def attention() -> dict[str, Any]:
    return {"model": Attention(), "args": (torch.zeros(2, 4, 21, 32), torch.zeros(21, 21))}


def made(name: str, real: bool) -> dict[str, Any]:
    """trace()'s arguments."""
    name, _, dtype = name.partition(":")
    name, _, size = name.partition("/")
    with torch.device("cuda") if real else plimsoll.building():
        step = attention() if name == "attention" else getattr(ZOO[name], size or "real")() if name in ZOO else getattr(models, name)()
    return {**step, "autocast": getattr(torch, dtype) if dtype else None}


def recorded(name: str, *, emulate: bool = False, real: bool = False) -> Recording:
    step = made(name, real)
    given = [step.get(key) for key in ("args", "kwargs", "loss", "optimizer")]
    with prepared(
        step["model"], given[0] or (), *given[1:], step.get("mode", "train"), "cuda", fake=not real, emulate=emulate, autocast=step["autocast"]
    ) as prepared_step:
        warm_up(prepared_step, "cuda")
        return finish(record(prepared_step, "cuda", SavedTensors))


def compared(name: str) -> dict[str, Any]:
    """What differs in the recordings: op by op, and by the parts of a recording."""
    emulated, own = (recorded(name, emulate=emulate) for emulate in (True, False))
    for op in own.ops:
        op.args, op.kwargs = without_index(op.args), without_index(op.kwargs)
    own.structures = without_index(own.structures)
    return {
        "ops": len(emulated.ops),
        "differences": differences(emulated, own, ("emulated", "own")) + of_real_tensors(name, emulated),
        "parts": [field.name for field in fields(Recording) if getattr(emulated, field.name) != getattr(own, field.name)],
        "kernels": [emulated.kernels, own.kernels],
        "peaks": [max(stream_of(recording).curve_rounded512) for recording in (emulated, own)],
    }


def of_real_tensors(name: str, emulated: Recording) -> list[str]:
    return differences(emulated, recorded(name, real=True), ("emulated", "real")) if name.startswith("attention") else []


if __name__ == "__main__":
    print(json.dumps({name: compared(name) for name in sys.argv[1:]}))
