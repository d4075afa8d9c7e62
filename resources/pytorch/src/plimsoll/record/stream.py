# SPDX-License-Identifier: Apache-2.0
"""The op stream and the exact curve of a step, without hooks on what autograd saves: for steps that checkpoint themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from ..common.graph_rows import BACKWARD, SCRATCH, Recording, Storage
from ..isolation.fakes import building
from ..isolation.preserve import older_objects_spared
from ..kernels.cuda_scratch import scratch_of
from ..training_step.environment import prepared
from .checks import curve
from .finish import finish
from .record import record, warm_up

CUDA_GRANULE = 512


@dataclass
class Stream:
    """`ops`: (target, forward op that it recomputes or -1). Curves: bytes alive while each op runs."""

    ops: list[tuple[str, int]]
    curve: list[int]
    curve_rounded512: list[int]
    backward_start: int
    recording: Recording


def stream_of(recording: Recording) -> Stream:
    ops = recording.ops
    return Stream(
        ops=[(op.target, op.recompute_of) for op in ops],
        curve=curve(recording.storages, len(ops)),
        curve_rounded512=curve(recording.storages, len(ops), CUDA_GRANULE),
        backward_start=next((i for i, op in enumerate(ops) if op.phase >= BACKWARD), len(ops)),
        recording=recording,
    )


def record_stream(step_builder: Callable[[], dict[str, Any]], *, target: str = "cuda", fake: bool = True) -> Stream:
    """`step_builder` returns trace()'s arguments as a dict (model, args, kwargs, loss, optimizer); with `fake` it is called where models
    take no memory."""
    if fake:
        with building():
            made = step_builder()
    else:
        made = step_builder()
    with older_objects_spared(), prepared(
        made["model"], made.get("args", ()), made.get("kwargs"), made.get("loss"), made.get("optimizer"),
        made.get("mode", "train"), target, micro_steps=made.get("micro_steps", 1), fake=fake,
        autocast=made.get("autocast"), keep_output=made.get("keep_output"),
    ) as step:  # fmt: skip
        warm_up(step, target)
        recording = finish(record(step, target))
        if target == "cuda":
            taken = enumerate(scratch_of(op, recording.tensors) for op in recording.ops)
            recording.storages += [Storage(nbytes, op, SCRATCH, free=op) for op, nbytes in taken if nbytes > 0]
        return stream_of(recording)
