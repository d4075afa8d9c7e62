# SPDX-License-Identifier: Apache-2.0
"""What a real GPU's allocator did in a step (tests/data/gpu_records), and what a graph predicts for it, with all that the GPU has besides by name."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from typing import Any, Iterator, Optional

import torch
from helpers import ROOT
from helpers.decoder import BATCH, WIDTH, decoder
from plimsoll.common.graph_rows import SCRATCH

FOLDER = ROOT / "tests" / "data" / "gpu_records"


@dataclass(frozen=True)
class Program:
    """A step that was recorded on the GPU, and bytes that its kernels take there for themselves."""

    context: int
    mode: str = "train"
    autocast: Optional[torch.dtype] = None
    partial_sums: int = 0  # scratch of the sum over all rows that is an RMS norm's gradient

    def arguments(self) -> dict[str, Any]:
        """Those of trace()."""
        made = decoder(self.context)
        return {**made, "autocast": self.autocast} if self.mode == "train" else {"model": made["model"], "args": made["args"], "mode": self.mode}

    @property
    def tokens(self) -> int:
        """Bytes of a batch's tokens, which are as many as of its targets."""
        return BATCH * self.context * 8


PROGRAMS = {
    "medium_256_training": Program(256, partial_sums=8_388_608),
    "medium_512_training": Program(512, autocast=torch.bfloat16, partial_sums=16_777_216),
    "medium_128_inference": Program(128, "inference"),
    "medium_1024_inference": Program(1024, "inference"),
}
WORKSPACE = 8_519_680  # of cuBLAS, one for each thread that calls it
WARM_UP_STEPS = 5


@dataclass(frozen=True)
class Record:
    """Sizes in bytes: of blocks there before the step, of what it allocates ("alloc") and frees ("free"); what is reserved at its end."""

    held: list[int]
    events: list[tuple[str, int]]
    reserved: int

    @property
    def peak(self) -> int:
        return max(live for _, live in points(sum(self.held), self.events))


def record_of(name: str) -> Record:
    with gzip.open(FOLDER / f"{name}.csv.gz", "rt", newline="") as file:
        rows = [(row["action"], int(row["bytes"])) for row in csv.DictReader(file)]
    (reserved,) = (size for action, size in rows if action == "reserved")
    held = [size for action, size in rows if action == "held"]
    return Record(held, [row for row in rows if row[0] in ("alloc", "free")], reserved)


def points(before: int, events: list[tuple[str, int]]) -> list[tuple[int, int]]:
    """Of each allocation its bytes, and what is live after it."""
    live, found = before, []
    for action, size in events:
        live += size if action == "alloc" else -size
        if action == "alloc":
            found.append((size, live))
    return found


def held_besides(program: Program) -> dict[str, list[int]]:
    """Blocks that the GPU has before the step and a trace has not."""
    batches = WARM_UP_STEPS * program.tokens
    if program.mode == "inference":
        return {"workspace of cuBLAS": [WORKSPACE], "inputs of the warm-up steps": [batches]}
    return {"workspaces of cuBLAS, for forward and for backward": [WORKSPACE] * 2, "inputs and targets of the warm-up steps": [batches] * 2}


def scratch_of(program: Program, target: str, shapes: list[tuple[int, ...]]) -> dict[str, list[tuple[str, int]]]:
    """What the kernels of an op allocate and free inside of it, once its results are there. `shapes`: of its results."""
    if target == "aten.sum.dim_IntList" and shapes == [(1, 1, WIDTH)]:
        return {
            "partial sums of an RMS norm's gradient": [("alloc", program.partial_sums)],
            "semaphores of their sum": [("alloc", 32), ("free", 32), ("free", program.partial_sums)],
        }
    if target == "aten._index_put_impl_.default":
        one = program.tokens
        return {
            "the embedding's indices, none negative": [("alloc", one)],
            "as offsets of rows": [("alloc", one), ("free", one)],
            "sorted": [("alloc", one)],
            "their places, sorted alike": [("alloc", one)],
            "their places before": [("alloc", one)],
            "the sort's own": [("alloc", 1), ("free", 1), *[("free", one)] * 4],
        }
    return {}


@dataclass(frozen=True)
class Predicted:
    held: list[int]
    events: list[tuple[str, int]]  # by ops and by the kernels' scratch
    scratch: list[tuple[int, str]]  # (number of the allocation, name) of what is scratch
    phases: dict[int, int]  # forward, loss, backward, optimizer: number of each one's first allocation

    @property
    def own(self) -> list[tuple[int, int]]:
        """points() of the ops alone."""
        scratch = {number for number, _ in self.scratch}
        return [point for number, point in enumerate(points(sum(self.held), self.events)) if number not in scratch]


def predicted(graph: dict[str, Any], program: Program) -> Predicted:
    held = [row[0] for row in graph["storages"] if row[2] < 0]
    events: list[tuple[str, int]] = []
    scratch: list[tuple[int, str]] = []
    phases: dict[int, int] = {}
    allocations = 0
    for phase, target, shapes, made, freed in _ops(graph):
        phases.setdefault(phase, allocations)
        events += [("alloc", size) for size in made]
        allocations += len(made)
        for name, taken in scratch_of(program, target, shapes).items():
            events += taken
            scratch.append((allocations, name))
            allocations += 1
        events += [("free", size) for size in freed]
    return Predicted(held, events, scratch, phases)


def _ops(graph: dict[str, Any]) -> Iterator[tuple[int, str, list[tuple[int, ...]], list[int], list[int]]]:
    """Phase, target, shapes of the results, bytes allocated and bytes freed of each op."""
    made: list[list[int]] = [[] for _ in graph["ops"]]
    freed: list[list[int]] = [[] for _ in graph["ops"]]
    for size, kind, alloc, free, *_ in graph["storages"]:
        if kind == SCRATCH:
            continue  # its parts are told by scratch_of()
        if alloc >= 0:
            made[alloc].append(size)
        if free is not None:
            freed[max(free, 0)].append(size)
    for number, op in enumerate(graph["ops"]):
        shapes = [tuple(graph["tensors"][row][1]) for row in op[7]]
        yield op[1], graph["targets"][op[0]], shapes, made[number], freed[number]
