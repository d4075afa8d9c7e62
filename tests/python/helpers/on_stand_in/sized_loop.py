# SPDX-License-Identifier: Apache-2.0
"""Runs iterations of a planned training loop on a stand-in GPU whose memory may not suffice: `-m helpers.on_stand_in.sized_loop MODEL PLAN
ITERATIONS`. Prints most bytes reserved, how often the allocator released its cache in each iteration, and the error if memory ran out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from helpers.on_stand_in.planned import prepare_process, step_of, true_answers


def main() -> None:
    name, plan, iterations = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    prepare_process()
    flushes, error = [0], None
    retries = lambda: torch.cuda.memory_stats()["num_alloc_retries"]  # noqa: E731
    try:
        with true_answers():
            step = step_of(name, plan)
            for _ in range(iterations):
                before = retries()
                flushes.append(0)
                step()
                flushes[-1] = retries() - before
    except torch.OutOfMemoryError as out:
        error = str(out)
        flushes[-1] = retries() - sum(flushes)
    stats = torch.cuda.memory_stats()
    print(json.dumps({"reserved": stats["reserved_bytes.all.peak"], "flushes": flushes, "error": error}))


if __name__ == "__main__":
    main()
