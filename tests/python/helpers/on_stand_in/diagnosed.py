# SPDX-License-Identifier: Apache-2.0
"""Trainings recorded from the process's start: `-m helpers.on_stand_in.diagnosed FILE NAME` dumps a memory snapshot and prints what PyTorch
itself says: its peak of reserved bytes, and of an allocation that failed what was asked for, its message and the figures at that moment."""

from __future__ import annotations

import json
import sys
from typing import Any, Callable

import torch
from helpers.on_stand_in.programs import encoder, gpt2, resnet18

memory = torch.cuda.memory


def trainings() -> None:
    """Of three models, one after the other, each of which leaves the cache in pieces."""
    resnet18()
    gpt2()
    encoder()


def releases() -> None:
    """The program releases what is cached between two trainings."""
    resnet18()
    torch.cuda.empty_cache()
    gpt2()
    torch.cuda.empty_cache()
    encoder()


def growing() -> None:
    """Tensors of every length from short to long, of which every other one is kept: with segments of a fixed size, pieces remain."""
    kept = []
    for i in range(1, 60):
        first = torch.empty(1_500_000 + 370_000 * i, dtype=torch.uint8, device="cuda")
        kept.append(torch.empty(1_200_000 + 290_000 * i, dtype=torch.uint8, device="cuda"))
        del first
    torch.empty(300 << 20, dtype=torch.uint8, device="cuda")


def fragments() -> None:
    """Most of the device is given back in pieces that are each too small for what follows."""
    blocks = [torch.empty(7 << 20, dtype=torch.uint8, device="cuda") for _ in range(20)]
    del blocks[::2]
    blocks.append(torch.empty(60 << 20, dtype=torch.uint8, device="cuda"))


def batch() -> None:
    """A training whose activations don't fit."""
    layers = [torch.nn.Linear(2048, 2048) for _ in range(8)]
    model = torch.nn.Sequential(*(part for layer in layers for part in (layer, torch.nn.GELU()))).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for rows in (64, 64, 4096):
        model(torch.randn(rows, 2048, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=rows != 64)


def side_by_side() -> None:
    """Two streams and a private pool, whose memory the default stream can't use."""
    side, pool, kept = torch.cuda.Stream(), torch.cuda.MemPool(), []
    for i in range(12):
        with torch.cuda.stream(side):
            passing = torch.empty((11 + i) << 20, dtype=torch.uint8, device="cuda")
        with torch.cuda.use_mem_pool(pool):
            kept.append(torch.empty(3 << 20, dtype=torch.uint8, device="cuda"))
        kept.append(torch.empty((2 + i) << 20, dtype=torch.uint8, device="cuda"))
        del passing


PROGRAMS: dict[str, Callable[[], None]] = {
    program.__name__: program for program in (trainings, releases, growing, fragments, batch, side_by_side)
}


def main() -> None:
    path, name = sys.argv[1:]
    torch.backends.cudnn.enabled = False
    torch.cuda.init()
    memory._record_memory_history(max_entries=1_000_000, stacks="python")
    found: dict[str, Any] = {}

    def observe(device: int, allocated: int, total: int, free: int) -> None:
        if not found:
            stats = torch.cuda.memory_stats(device)
            found.update(asked=allocated, capacity=total, free=free, reserved=stats["reserved_bytes.all.current"])
            found.update(live=stats["requested_bytes.all.current"], allocated=stats["allocated_bytes.all.current"])
            memory._dump_snapshot(path)

    torch._C._cuda_attach_out_of_memory_observer(observe)
    try:
        PROGRAMS[name]()
    except torch.OutOfMemoryError as error:
        found["message"] = str(error)
    if not found:
        memory._dump_snapshot(path)
    print(json.dumps(found | {"peak_reserved": torch.cuda.max_memory_reserved(), "ooms": torch.cuda.memory_stats()["num_ooms"]}))


if __name__ == "__main__":
    main()
