# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's CPU allocator held in a real step with no mode active, and for whom: each of its bytes by the call that took it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable

import torch
from plimsoll.isolation.preserve import older_objects_spared
from plimsoll.measure.profiled import Profile, comparable, roots_of


@dataclass(frozen=True)
class Held:
    """Bytes above what was there before; the last four are about the moment of the peak."""

    tensors: int  # the most that results of ops held together: what a stream of ops shows
    peak: int  # the most that the allocator handed out
    op: str  # that ran then, as the profiler calls it; "" between ops
    scratch: int  # taken by that op's kernels for themselves: given back before it ended
    others: int  # taken outside of ops: states of the random generator (5,056 each), Python's numbers as tensors


@dataclass(frozen=True)
class Watched:
    held: Held
    raw: Any  # torch.profiler's own
    tensors: Profile  # the events, and of the allocator's only what results of ops take and give back


@older_objects_spared()  # which don't go on their own while the step runs
def watched(run: Callable[[], None], targets: Iterable[str]) -> Watched:
    """Runs a step under the profiler. `targets`: the ops that a recording of the step has."""
    first = torch.autograd._get_sequence_nr()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        run()
    ops = {comparable("::".join(target.split(".")[:2])) for target in targets}
    rows = sorted(_allocations(profile, ops), key=lambda row: row[0].start_time_ns)
    kinds = _kinds(rows)
    begin = profile.profiler.kineto_results.trace_start_ns()
    memory = [(event.start_time_ns - begin, event.extra_fields.alloc_size) for (event, _), kind in zip(rows, kinds) if kind == "tensors"]
    return Watched(_held(rows, kinds), profile, Profile(roots_of(profile, first), memory, [nbytes for _, nbytes in memory]))


def _held(rows: list[tuple[Any, Any]], kinds: list[str]) -> Held:
    live = {"tensors": 0, "scratch": 0, "others": 0}
    tensors = 0
    best = Held(0, 0, "", 0, 0)
    for (event, op), kind in zip(rows, kinds):
        live[kind] += event.extra_fields.alloc_size
        tensors = max(tensors, live["tensors"])
        if sum(live.values()) > best.peak:
            best = Held(0, sum(live.values()), op.name if op else "", live["scratch"], live["others"])
    return Held(tensors, best.peak, best.op, best.scratch, best.others)


def _allocations(profile: Any, ops: set[str]) -> Iterable[tuple[Any, Any]]:
    """The allocator's events, frees included, each with the outermost op around it that a recording has, else None."""
    pending = [(root, None) for root in profile.profiler.kineto_results.experimental_event_tree()]
    while pending:
        event, op = pending.pop()
        if event.name == "[memory]":
            yield event, op
        op = op or (event if comparable(event.name) in ops else None)
        pending.extend((child, op) for child in event.children)


def _kinds(rows: list[tuple[Any, Any]]) -> list[str]:
    """Of each event, by time: a free is of the kind of its allocation, that of older memory is one of tensors."""
    kinds = ["tensors"] * len(rows)
    given: dict[int, int] = {}  # address -> row that allocated it
    for row, (event, op) in enumerate(rows):
        address, nbytes = event.extra_fields.ptr, event.extra_fields.alloc_size
        if nbytes > 0:
            given[address] = row
            kinds[row] = "tensors" if op else "others"
        elif address in given:
            first = given.pop(address)
            if op is not None and rows[first][1] is op:
                kinds[first] = "scratch"
            kinds[row] = kinds[first]
    return kinds
