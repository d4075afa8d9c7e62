# SPDX-License-Identifier: Apache-2.0
"""Traces of torch.profiler on the stand-in GPU: `-m helpers.on_stand_in.profiled FILE NAME` exports one with memory and prints what PyTorch itself
counted at its end."""

from __future__ import annotations

import json
import sys
from typing import Any, Callable

import torch
from helpers.on_stand_in.programs import PROGRAMS, resnet18
from torch.profiler import ProfilerActivity, profile, record_function, schedule

KEPT: list[Any] = []


def before() -> torch.Tensor:
    """What is there before the profile: one tensor stays, the other one is freed in it."""
    KEPT.append(torch.empty(3_000_001, device="cuda"))
    return torch.empty(5_000_000, device="cuda")


# Only the CPU's activities: CUPTI would look for a real GPU. The allocator's events are among them.
def profiled(program: Callable[[], None], **settings: Any) -> profile:
    passing = [before()]
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True, **settings) as profiler:
        passing.clear()
        with record_function("the program"):
            program()
    return profiler


def training() -> profile:
    return profiled(resnet18)


def stacks() -> profile:
    return profiled(resnet18, with_stack=True)


def full() -> profile:
    return profiled(PROGRAMS["out_of_memory"])


def streams() -> profile:
    return profiled(PROGRAMS["side_streams"])


def scheduled() -> profile:
    """The last of several steps alone."""
    layer = torch.nn.Linear(1000, 1000, device="cuda")
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True, schedule=schedule(wait=1, warmup=1, active=1)) as profiler:
        for step in range(3):
            layer(torch.empty(100 * (step + 1), 1000, device="cuda")).sum().backward()
            profiler.step()
    return profiler


PROFILES: dict[str, Callable[[], profile]] = {profile.__name__: profile for profile in (training, stacks, full, streams, scheduled)}


def main() -> None:
    path, name = sys.argv[1:]
    torch.backends.cudnn.enabled = False
    torch.empty(1, device="cuda")  # the context is there before the profile
    PROFILES[name]().export_chrome_trace(path)
    stats = [torch.cuda.memory_stats(device) for device in range(torch.cuda.device_count())]
    print(json.dumps([{"end_bytes": one["allocated_bytes.all.current"], "peak_bytes": one["allocated_bytes.all.peak"]} if one else {} for one in stats]))


if __name__ == "__main__":
    main()
