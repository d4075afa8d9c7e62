# SPDX-License-Identifier: Apache-2.0
"""Runs programs one after the other on the stand-in GPU and writes what its allocator was asked for, as allocator_check reads it:
`-m helpers.on_stand_in.events FOLDER NAME...`. FOLDER gets a file of events for each device; printed are PyTorch's peaks after each program."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Iterable

import torch
from helpers.on_stand_in.programs import PROGRAMS

COUNTERS = ("requested", "allocated", "active", "reserved", "inactive_split")
ACTIONS = {"free_requested": "request", "free_completed": "complete"}


def counted(device: int) -> list[int]:
    stats = torch.cuda.memory_stats(device)
    return [*(stats.get(f"{name}_bytes.all.peak", 0) for name in COUNTERS), stats.get("num_alloc_retries", 0)]


class Blocks:
    """Numbers blocks, streams and pools as the events name them: an address is given again and again."""

    def __init__(self) -> None:
        self.at: dict[int, int] = {}
        self.pools: dict[tuple[int, int], int] = {(0, 0): 0}
        self.given = 0

    def line(self, event: dict[str, Any]) -> str | None:
        place = f"{event['size']} {event['stream']} {self.pools.setdefault(tuple(event.get('pool_id', (0, 0))), len(self.pools))}"
        match event["action"]:
            case "alloc":
                self.given += 1
                self.at[event["addr"]] = self.given
                return f"alloc {self.given} {place}"
            case "oom":
                return f"full {place}"
            case "free_requested" | "free_completed":
                return f"{ACTIONS[event['action']]} {self.at[event['addr']]}"
        return None  # of segments: what the replay is to find out


def lines(events: Iterable[dict[str, Any]], ends: list[int]) -> Iterable[str]:
    """`ends`: how many events there were at the end of each program."""
    blocks, begin, events = Blocks(), 0, list(events)
    for end in ends:
        yield from filter(None, map(blocks.line, events[begin:end]))
        yield "peaks"
        yield "reset"
        begin = end


def main() -> None:
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    torch.backends.cudnn.enabled = False
    torch.cuda.memory._record_memory_history(max_entries=10_000_000, stacks="python")
    devices = range(torch.cuda.device_count())
    ends: list[list[int]] = [[] for _ in devices]
    peaks: list[list[list[int]]] = [[] for _ in devices]
    for name in names:
        PROGRAMS[name]()
        traces = torch.cuda.memory._snapshot()["device_traces"]
        for device in devices:
            ends[device].append(len(traces[device]))
            peaks[device].append(counted(device))
            torch.cuda.reset_peak_memory_stats(device)
    for device in devices:
        (folder / f"{device}.txt").write_text("".join(line + "\n" for line in lines(traces[device], ends[device])))
    print(json.dumps(peaks))


if __name__ == "__main__":
    main()
