# SPDX-License-Identifier: Apache-2.0
"""Recordings of PyTorch's allocator on the stand-in GPU: `-m helpers.on_stand_in.recordings FILE NAME` dumps a memory snapshot and prints what
PyTorch itself counted meanwhile, a dict for each device."""

from __future__ import annotations

import json
import sys
from typing import Any, Callable

import torch
from helpers.on_stand_in.programs import PROGRAMS, resnet18

memory = torch.cuda.memory
devices = range(torch.cuda.device_count())
KEPT: list[Any] = []


def record(**settings: Any) -> None:
    """From here on, PyTorch's peaks are those of the recording."""
    memory._record_memory_history(**{"max_entries": 1_000_000, "stacks": "python"} | settings)
    for device in devices:
        torch.cuda.reset_peak_memory_stats(device)


def counted() -> list[dict[str, int]]:
    def of(device: int) -> dict[str, int]:
        stats = torch.cuda.memory_stats(device)
        return {
            "peak_bytes": stats["requested_bytes.all.peak"], "end_bytes": stats["requested_bytes.all.current"],
            "peak_reserved_bytes": stats["reserved_bytes.all.peak"], "end_reserved_bytes": stats["reserved_bytes.all.current"],
            "end_allocated_bytes": stats["allocated_bytes.all.current"], "ooms": stats["num_ooms"],
        }  # fmt: skip

    return [of(device) if torch.cuda.memory_stats(device) else {} for device in devices]


def dump(path: str) -> list[dict[str, int]]:
    figures = counted()
    memory._dump_snapshot(path)
    return figures


def default(path: str) -> list[dict[str, int]]:
    """A model is there before the recording; stacks have C++ frames, too."""
    KEPT.append(torch.empty(3_000_001, device="cuda"))
    passing = torch.empty(5_000_000, device="cuda")
    record(stacks="all")
    del passing
    KEPT.append([torch.empty(100_000 * i, device="cuda") for i in range(1, 8)])
    return dump(path)


def training(path: str) -> list[dict[str, int]]:
    record()
    resnet18()
    return dump(path)


def full(path: str) -> list[dict[str, int]]:
    """Dumped where memory ran out, as the documentation of torch does it."""
    figures: list[dict[str, int]] = []

    def observe(device: int, allocated: int, total: int, free: int) -> None:
        figures[:] = dump(path)

    record()
    torch._C._cuda_attach_out_of_memory_observer(observe)
    PROGRAMS["out_of_memory"]()
    return figures


def ring(path: str) -> list[dict[str, int]]:
    """Small tensors push out what a thousand entries don't hold; the peak comes at the end."""
    record(max_entries=1000)
    for i in range(700):
        KEPT[i % 5 : i % 5 + 1] = [torch.empty(10_000 + i, device="cuda")]
    for device in devices:
        torch.cuda.reset_peak_memory_stats(device)
    large = [torch.empty(4_000_000 + i, device="cuda") for i in range(50)]
    del large[::2]
    KEPT.append(large)
    return dump(path)


def streams(path: str) -> list[dict[str, int]]:
    """Frees that wait for another stream, one of them at the end, too."""
    record()
    PROGRAMS["side_streams"]()
    last = torch.empty(6_000_000, device="cuda")
    last.record_stream(torch.cuda.Stream())
    del last
    return dump(path)


def completions(path: str) -> list[dict[str, int]]:
    """Of frees only their completion is recorded."""
    record(skip_actions=["free_requested"])
    PROGRAMS["side_streams"]()
    return dump(path)


def pool(path: str) -> list[dict[str, int]]:
    record()
    private = torch.cuda.MemPool()
    KEPT.append(private)
    with torch.cuda.use_mem_pool(private):
        KEPT.append([torch.empty(1_500_000, device="cuda") for _ in range(3)])
        passing = torch.empty(9_000_000, device="cuda")
    del passing
    KEPT.append(torch.empty(2_000_000, device="cuda"))
    return dump(path)


def notes(path: str) -> list[dict[str, int]]:
    """Pinned host memory, annotations of time and of a tensor, metadata; frees are requests only."""
    record(global_record_annotations=True, record_pinned_host_memory=True, skip_actions=["free_completed"])
    memory._set_memory_metadata("warm-up")
    with torch.profiler.record_function("outer"):
        KEPT.append(torch.empty(1_000_000, device="cuda"))
        with torch.profiler.record_function("inner"):
            passing = torch.empty(7_000_000, device="cuda")
            del passing
    memory._set_memory_metadata({"step": 1})
    KEPT.append(torch.empty(2_000_000, device="cuda"))
    memory._annotate_tensor(KEPT[-1], "weights")
    KEPT.append(torch.empty(1_000_000, pin_memory=True))
    return dump(path)


RECORDINGS: dict[str, Callable[[str], list[dict[str, int]]]] = {
    recording.__name__: recording for recording in (default, training, full, ring, streams, completions, pool, notes)
}


def main() -> None:
    path, name = sys.argv[1:]
    torch.backends.cudnn.enabled = False
    torch.empty(1, device="cuda")  # the context is there before the recording
    print(json.dumps(RECORDINGS[name](path)))


if __name__ == "__main__":
    main()
