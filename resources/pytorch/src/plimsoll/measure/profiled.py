# SPDX-License-Identifier: Apache-2.0
"""A real step under torch.profiler: when its ops ran, and what the allocator allocated and freed, without a dispatch mode."""

from __future__ import annotations

import contextlib
import itertools
import os
import statistics
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterator, Optional, Sequence

import torch

from ..common.graph_rows import Op, TraceError

_NODE = "autograd::engine::evaluate_function: "
# Names that PyTorch calls without a mode -> names that a mode sees.
_SAME = {"aten::_reshape_alias": "aten::view", "aten::new_zeros": "aten::zeros", "aten::_index_put_impl_": "aten::index_put"}
_COPY = "aten::clone"
_MOST_EVENTS = 1_000_000  # of the allocator in one step
_SIGNS = {"alloc": 1, "free_requested": -1}
_FAR = 400  # events searched for an op that has no number to find it by


@dataclass
class Event:
    """A call of an op, composite or not, or of an autograd node. Times are nanoseconds since the profile began."""

    name: str  # "aten::addmm", as comparable() writes it
    start: int
    end: int
    device_ns: int  # of the kernels that it started; 0 on the CPU
    seq: int  # of a node: its number; else: the number of the node that it may make. Counted from the step's first node
    children: list["Event"] = field(default_factory=list)


@dataclass
class Profile:
    roots: list[Event]  # by start
    memory: list[tuple[int, int]]  # (time, bytes allocated or, if negative, freed), by time
    requested: list[int]  # of each row of `memory`, the bytes that were asked for: CUDA's allocator counts whole blocks


@dataclass
class Watched:
    """Steps of one model that ran under the profiler."""

    ops: Sequence[Op]  # as a recorder saw them on real tensors
    timed: list[Profile]
    memory: Profile  # with its allocations


def comparable(name: str) -> str:
    """The name of an event or target without the in-place mark: PyTorch uses some in-place ops only if no mode is active."""
    return _SAME.get(name, name).rstrip("_")


def profiled(run: Callable[[], None], device: torch.device, *, memory: bool, kernels: bool = True) -> Profile:
    """Runs a step under the profiler. With `memory`, allocations on `device` are listed and ops take longer. `kernels`: times those of a
    GPU, which needs CUPTI."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device.type == "cuda" and kernels:
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    first = torch.autograd._get_sequence_nr()
    watching = torch.profiler.profile(activities=activities, profile_memory=memory)
    with _requests(device if memory else None) as requests, _quietly(), watching as profile:
        run()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
    changes = _memory(profile, device) if memory else []
    blocks = [nbytes for _, nbytes in changes]
    latest = requests[-len(blocks) :]  # behind those of an older history
    alike = len(latest) == len(blocks) and all((asked > 0) == (block > 0) for asked, block in zip(latest, blocks))
    return Profile(roots_of(profile, first), changes, latest if alike else blocks)


@contextlib.contextmanager
def _requests(device: Optional[torch.device]) -> Iterator[list[int]]:
    """When it ends, the list has the bytes of each allocation on that device and, negative, of each free, as they were requested. Empty on
    the CPU, whose allocator has no history."""
    found: list[int] = []
    history = getattr(torch.cuda.memory, "_record_memory_history", None)  # private, as the profiler has sizes of blocks only
    if device is None or device.type != "cuda" or history is None:
        yield found
        return
    history(context=None, max_entries=_MOST_EVENTS)
    try:
        yield found
        for event in torch.cuda.memory._snapshot(device)["device_traces"][torch.cuda._utils._get_device_index(device, optional=True)]:
            if event["action"] in _SIGNS:
                found.append(_SIGNS[event["action"]] * event["size"])
    finally:
        history(enabled=None)


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Silences torch 2.15's profiler, which otherwise reports its start and stop on standard error."""
    before = os.environ.get("KINETO_LOG_LEVEL")
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("KINETO_LOG_LEVEL", None)


def roots_of(profile: Any, first: int) -> list[Event]:
    """The outermost events of torch.profiler's profile; `first`: autograd's number of the step's first node."""
    made: dict[int, Event] = {}
    roots = []
    for event in sorted(profile.events(), key=lambda e: (e.time_range.start, -e.time_range.end)):
        if str(event.device_type).rpartition(".")[2] != "CPU":
            continue  # kernels: their time is counted with the op that launched them
        start, end = (round(1000 * t) for t in (event.time_range.start, event.time_range.end))
        device_ns = round(1000 * getattr(event, "device_time_total", 0))
        made[id(event)] = mine = Event(comparable(event.name), start, end, device_ns, event.sequence_nr - first)
        parent = made.get(id(event.cpu_parent)) if event.cpu_parent is not None else None
        (parent.children if parent is not None else roots).append(mine)
    return roots


def _memory(profile: Any, device: torch.device) -> list[tuple[int, int]]:
    """Private: the public list of events lacks single allocations."""
    results = getattr(getattr(profile, "profiler", None), "kineto_results", None)
    if results is None or not hasattr(results, "trace_start_ns"):
        raise TraceError(f"torch {torch.__version__} doesn't tell single allocations: measure with 2.4 or newer")
    begin = results.trace_start_ns()
    wanted = device.type.upper()
    rows = [
        (e.start_ns() - begin, e.nbytes())
        for e in results.events()
        if e.name() == "[memory]" and str(e.device_type()).rpartition(".")[2] == wanted
    ]
    return sorted(rows, key=lambda row: row[0])


class _Flat:
    """All events, outer ones first; `ends[i]` is the index after everything inside event i."""

    def __init__(self, roots: Sequence[Event]):
        self.events: list[Event] = []
        self.ends: list[int] = []
        self.parents: list[int] = []  # -1: none
        self.nodes: dict[int, tuple[int, int]] = {}  # number of an autograd node -> its events
        self.makers: dict[tuple[str, int], int] = {}  # (name, number of the node that it makes) -> outermost event
        for root in roots:
            self._add(root)
        for at, event in enumerate(self.events):
            # An op without a node carries the number of the next node: the last event that carries a number made that node.
            known = self.makers.get((event.name, event.seq))
            if known is None or at >= self.ends[known]:
                self.makers[event.name, event.seq] = at

    def _add(self, root: Event) -> None:
        pending: list[tuple[Event, int, int]] = [(root, -1, -1)]
        while pending:
            event, at, parent = pending.pop()
            if at >= 0:
                self.ends[at] = len(self.events)
                if event.name.startswith(_NODE) and event.children:
                    self.nodes.setdefault(event.children[0].seq, (at, self.ends[at]))
                continue
            at = len(self.events)
            self.events.append(event)
            self.ends.append(at + 1)
            self.parents.append(parent)
            pending.append((event, at, parent))
            pending.extend((child, -1, at) for child in reversed(event.children))


def _behind(copy: Event, whole: Event) -> Event:
    """What remains of an in-place op after the copy that it makes of the overwritten value, which is an op of its own."""
    return replace(whole, start=copy.end, device_ns=max(0, whole.device_ns - copy.device_ns))


def matched(ops: Sequence[Op], profile: Profile) -> list[Optional[Event]]:
    """The event of each op of a recorded step; None if the profile has none.

    Both ran in the same order, and autograd numbers nodes alike: an op of backward is searched inside its node, one that makes a node by
    that node's number, the others in between. A match includes everything that it calls.
    """
    flat = _Flat(profile.roots)
    names = [comparable("::".join(op.target.split(".")[:2])) for op in ops]
    anchors = [flat.makers.get((name, op.seq)) if op.seq >= 0 and not op.node else None for name, op in zip(names, ops)]
    limits, limit = [0] * len(ops), len(flat.events)  # no op comes after the next one that is found by its number
    for ordinal in range(len(ops) - 1, -1, -1):
        limits[ordinal] = limit
        if anchors[ordinal] is not None:
            limit = min(limit, anchors[ordinal])
    found: list[Optional[Event]] = [None] * len(ops)
    cursor, node, last = 0, -1, -1
    for ordinal, op in enumerate(ops):
        low, high = cursor, min(limits[ordinal], cursor + _FAR)
        around = flat.parents[last] if last >= 0 and flat.events[last].name == _COPY else -1
        if around >= 0 and flat.events[around].name == names[ordinal] and op.target.split(".")[1].endswith("_"):
            found[ordinal] = _behind(flat.events[last], flat.events[around])
            cursor, last = flat.ends[around], around
            continue
        if anchors[ordinal] is not None and anchors[ordinal] >= cursor:
            low, high = anchors[ordinal], anchors[ordinal] + 1
        elif op.node and op.seq in flat.nodes:
            begin, high = flat.nodes[op.seq]
            low = begin if op.seq != node else max(cursor, begin)
        node = op.seq if op.node else -1
        at = next((i for i in range(low, high) if flat.events[i].name == names[ordinal]), None)
        if at is not None:
            found[ordinal] = flat.events[at]
            last = at
            cursor = flat.ends[at]
    return found


def median_times(ops: Sequence[Op], profiles: Sequence[Profile], device: torch.device) -> list[Optional[int]]:
    """Nanoseconds of each op over some steps, on CUDA those of its kernels; None if no profile has the op."""
    times: list[list[int]] = [[] for _ in ops]
    for profile in profiles:
        for mine, event in zip(times, matched(ops, profile)):
            if event is not None:
                mine.append(event.device_ns if device.type == "cuda" else event.end - event.start)
    return [round(statistics.median(mine)) if mine else None for mine in times]


def scratch_of(events: Sequence[Optional[Event]], profile: Profile) -> list[list[int]]:
    """The blocks that each op took for itself when it held most, in the order in which they were allocated: what was freed again while it
    ran. Their sum is what it held then beyond what it leaves. None if it is not matched."""
    times = [time for time, _ in profile.memory]
    found = []
    for event in events:
        found.append([] if event is None else _taken(profile.requested[bisect_left(times, event.start) : bisect_right(times, event.end)]))
    return found


def _taken(changes: Sequence[int]) -> list[int]:
    """`changes`: bytes allocated or, if negative, freed, of which is the last block of that size."""
    live = list(itertools.accumulate(changes))
    most = max(live, default=0)
    excess = most - max(live[-1], 0) if live else 0
    if excess <= 0:
        return []
    then = live.index(most)
    blocks: dict[int, list[int]] = {}  # numbers of those that are allocated, by size
    passing: list[tuple[int, int]] = []  # (number, size) of those that are freed again, and are there when most is held
    for number, nbytes in enumerate(changes):
        if nbytes > 0:
            blocks.setdefault(nbytes, []).append(number)
        elif blocks.get(-nbytes) and (begin := blocks[-nbytes].pop()) <= then < number:
            passing.append((begin, -nbytes))
    taken = []
    for _, nbytes in sorted(passing):  # in excess of results that come later and may take the same room
        taken.append(min(nbytes, excess))
        excess -= taken[-1]
    return [nbytes for nbytes in (*taken, excess) if nbytes > 0]


def allocator_curve(events: Sequence[Optional[Event]], profile: Profile, resident: int) -> tuple[list[Optional[int]], int, int]:
    """The allocator's bytes: the maximum while each op ran (None: not matched), the overall maximum, and the op at which it occurred.

    `resident` bytes were allocated before the step. An op's time extends until the next one begins, as in a graph file.
    """
    starts = [(event.start, ordinal) for ordinal, event in enumerate(events) if event is not None]
    curve: list[Optional[int]] = [None] * len(events)
    live = peak = resident
    at, peak_op = -1, 0
    for time, nbytes in [*profile.memory, (2**63, 0)]:
        while at + 1 < len(starts) and starts[at + 1][0] <= time:
            at += 1
            curve[starts[at][1]] = live
        live += nbytes
        if at >= 0:
            ordinal = starts[at][1]
            curve[ordinal] = max(curve[ordinal] or 0, live)
        if live > peak:
            peak, peak_op = live, starts[at][1] if at >= 0 else 0
    return curve, peak, peak_op
