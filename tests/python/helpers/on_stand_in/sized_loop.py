# SPDX-License-Identifier: Apache-2.0
"""Runs iterations of a planned training loop on a stand-in GPU whose memory may not suffice: `-m helpers.on_stand_in.sized_loop MODEL PLAN
ITERATIONS`. Prints most bytes reserved, how often the allocator released its cache in each iteration, and the error if memory ran out.
`--trace MODEL GRAPH` writes the graph of the step, with the scratch memory that its kernels take there."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import plimsoll
import torch
from helpers import loop
from helpers.on_stand_in.planned import built, prepare_process, step_of, true_answers


def trace(name: str, graph: Path) -> None:
    from compare import on  # of tests/gpu, which only processes on the stand-in find

    loop.trace(lambda: built(name), graph, "cuda")
    made = on("cuda", built(name))
    model = made.pop("model").train()
    with true_answers(), tempfile.TemporaryDirectory() as folder:
        plimsoll.measure(model, times=False, graph=graph, out=Path(folder) / "measurement.json", **made)


def run(name: str, plan: Path, iterations: int) -> None:
    flushes, error = [], None
    retries = lambda: torch.cuda.memory_stats()["num_alloc_retries"]  # noqa: E731
    try:
        with true_answers():
            step = step_of(name, plan)
            for _ in range(iterations):
                flushes.append(-retries())
                step()
                flushes[-1] += retries()
    except torch.OutOfMemoryError as out:
        error = str(out)
        flushes = [*flushes[:-1], flushes[-1] + retries()] if flushes else [retries()]
    print(json.dumps({"reserved": torch.cuda.memory_stats()["reserved_bytes.all.peak"], "flushes": flushes, "error": error}))


if __name__ == "__main__":
    prepare_process()
    if sys.argv[1] == "--trace":
        trace(sys.argv[2], Path(sys.argv[3]))
        print("null")
    else:
        run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
