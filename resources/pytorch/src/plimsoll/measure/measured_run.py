# SPDX-License-Identifier: Apache-2.0
"""One model as it is now, with or without a plan: the numbers of its steady training step."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Optional

import torch

from ..common.graph_rows import FORWARD, LOSS, PHASES, Op
from ..record.checks import curve
from ..record.finish import finish
from ..record.record import record, warm_up, without_collector
from ..training_step.step import Step
from .profiled import Watched, allocator_curve, matched, median_times, profiled

_FNV_OFFSET, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


def _nothing(_: Any) -> None:
    """Drops what the step returns."""


def _once(step: Any) -> None:
    """Runs a step as a plain training loop does."""
    step.run(SimpleNamespace(phase=FORWARD), _nothing)


def _again(step: Any, watch: Callable[[Callable[[], None]], Any]) -> Any:
    """`watch` runs the step, which begins without gradients and garbage."""
    step.zero_grad()
    with without_collector():
        result = watch(lambda: _once(step))
    step.zero_grad()
    return result


def _times(step: Any, steps: int, device: torch.device) -> list[int]:
    """Nanoseconds of each step, by CUDA's own clock if it runs there."""

    def on_cpu(run: Callable[[], None]) -> int:
        begin = time.perf_counter_ns()
        run()
        return time.perf_counter_ns() - begin

    def on_cuda(run: Callable[[], None]) -> int:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        return round(1e6 * begin.elapsed_time(end))

    return [_again(step, on_cuda if device.type == "cuda" else on_cpu) for _ in range(steps)]


def _saved(step: Any) -> int:
    """Bytes of distinct storages that autograd saves in forward and loss, including parameters. With a plan: those saved outside its
    regions, and the regions' arguments, which checkpoints have autograd save."""
    held: dict[int, Any] = {}
    state = SimpleNamespace(phase=FORWARD)

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        if state.phase <= LOSS and tensor.layout is torch.strided:
            storage = tensor.untyped_storage()
            held[storage._cdata] = storage  # kept alive, so that its address stays unique
        return tensor

    step.zero_grad()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        step.run(state, _nothing)
    step.zero_grad()
    return sum(storage.nbytes() for storage in held.values())


def fingerprint(ops: list[Op]) -> str:
    """As in plan files: 64-bit FNV-1a over one line "phase target" per op."""
    value = _FNV_OFFSET
    for op in ops:
        for byte in f"{PHASES[op.phase]} {op.target}\n".encode():
            value = (value ^ byte) * _FNV_PRIME % 2**64
    return f"{value:016x}"


def _cuda_peaks(step: Any, resident: int, device: torch.device, snapshot: Path) -> dict[str, Any]:
    """The peaks that CUDA's allocator counted in one step, and a snapshot of another step."""

    def counted(run: Callable[[], None]) -> dict[str, Any]:
        torch.cuda.synchronize(device)
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_stats(device)
        run()
        torch.cuda.synchronize(device)
        most = torch.cuda.memory_stats(device)

        def peak(counter: str) -> int:
            return resident + most[f"{counter}.all.peak"] - before[f"{counter}.all.current"]

        return {
            "allocator_peak_bytes": peak("allocated_bytes"),
            "requested_peak_bytes": peak("requested_bytes"),
            "reserved_peak_bytes": torch.cuda.max_memory_reserved(device),
        }

    peaks = _again(step, counted)
    history = getattr(torch.cuda.memory, "_record_memory_history", None)  # private, and the only way to get a snapshot
    if history is None:
        return peaks | {"snapshot": None}
    history(max_entries=1_000_000)
    try:
        _again(step, lambda run: run())
        torch.cuda.memory._dump_snapshot(str(snapshot))
    finally:
        history(enabled=None)
    return peaks | {"snapshot": snapshot.name}


def _op_rows(step: Step, steps: int, device: torch.device, result: dict[str, Any]) -> Watched:
    """Records the step op by op on real tensors, and finds these ops in profiles of other steps that ran without a recorder. `steps`: how
    many of these tell times."""
    step.progress.begin("recording the ops")
    warm_up(step, device.type)
    recording = finish(record(step, device.type))
    live = curve(recording.storages, len(recording.ops))
    step.progress.begin("profiling")
    watched = _again(step, lambda run: profiled(run, device, memory=True, kernels=False))
    resident = result["resident_bytes"] = sum(s.nbytes for s in recording.storages if s.alloc < 0)
    held, peak, peak_op = allocator_curve(matched(recording.ops, watched), watched, resident)
    if device.type == "cpu":
        result["allocator_peak_bytes"] = peak
    profiles = [_again(step, lambda run: profiled(run, device, memory=False)) for _ in range(steps)]
    times = median_times(recording.ops, profiles, device)
    names: dict[str, int] = {}
    result["live_peak_bytes"] = max(live, default=0)
    result["live_peak_op"] = live.index(max(live)) if live else 0
    result["allocator_peak_op"] = peak_op
    result["fingerprint"] = fingerprint(recording.ops)
    result["ops"] = [
        [names.setdefault(op.target, len(names)), op.phase, op.recompute_of, times[ordinal], live[ordinal], held[ordinal]]
        for ordinal, op in enumerate(recording.ops)
    ]
    result["targets"] = list(names)
    return Watched(recording.ops, profiles, watched)


def _unrecorded(step: Any, device: torch.device, result: dict[str, Any]) -> None:
    """The step runner executes ops below the level that a recorder sees, so only the allocator is queried."""
    step.progress.begin("profiling")
    profile = _again(step, lambda run: profiled(run, device, memory=True, kernels=False))
    if device.type == "cpu":
        result["allocator_peak_bytes"] = allocator_curve([], profile, result["resident_bytes"])[1]
    step.progress.begin("profiled")


def measured_run(
    step: Any, plan: Optional[dict], steps: int, device: torch.device, snapshot: Path, resident: int = 0
) -> tuple[dict[str, Any], Optional[Watched]]:
    """The row of `runs` in a measurement file, and its steps under the profiler, if ops can be told apart there; `plan` is the plan under which the model runs.

    `steps`: how many are timed; 0: times aren't measured. `resident`: bytes allocated before the step, if its ops can't be recorded.
    """
    step.progress.begin("warm-up steps")
    for _ in range(2):
        _again(step, lambda run: run())
    step.progress.begin("timing steps")
    times = _times(step, steps, device)
    result: dict[str, Any] = {
        "plan": None if plan is None else _plan_row(plan),
        "step_time_ns": round(statistics.median(times)) if times else None,
        "step_times_ns": times,
        "resident_bytes": resident,
        "saved_bytes": None, "live_peak_bytes": None, "live_peak_op": None, "allocator_peak_bytes": None,
        "allocator_peak_op": None, "requested_peak_bytes": None, "reserved_peak_bytes": None, "snapshot": None, "fingerprint": None, "targets": [], "ops": [],
    }  # fmt: skip
    step.progress.begin("counting what autograd saves")
    watched = None
    if isinstance(step, Step):
        result["saved_bytes"] = _saved(step)
        watched = _op_rows(step, steps, device, result)
    else:
        _unrecorded(step, device, result)
    if device.type == "cuda":
        result |= _cuda_peaks(step, result["resident_bytes"], device, snapshot)
    return result, watched


def _plan_row(plan: dict[str, Any]) -> dict[str, Any]:
    evaluation = plan.get("evaluation") or {}
    return {
        "runtime": plan.get("runtime"),
        "granularity": plan.get("granularity", "module"),
        "freeze_stats": plan.get("freeze_stats", False),
        "planner": plan.get("planner"),
        "budget_bytes": plan.get("budget_bytes"),
        "peak_bytes": evaluation.get("peak_bytes"),
    }
