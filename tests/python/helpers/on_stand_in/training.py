# SPDX-License-Identifier: Apache-2.0
"""What training loops on a GPU do around a compiled step, on two stand-in GPUs: `-m helpers.on_stand_in.training NAME...` prints what each gave."""

from __future__ import annotations

import gc
import json
import sys
from typing import Any, Callable

import plimsoll
import torch
import torch.nn.functional as F
from helpers.on_stand_in.steps import observed, prepare, requested, resident, watched
from helpers.step_plans import plan_of, random_again
from plimsoll.record.tracing import trace_graph
from plimsoll.runtime.compiled_step.stream import StreamObserver
from torch.utils.checkpoint import checkpoint


class Net(torch.nn.Module):
    """Batch norm writes buffers, dropout draws numbers; `inner` is run between them."""

    def __init__(self, inner: Callable = lambda model, hidden: hidden, width: int = 256):
        super().__init__()
        self.first, self.last = torch.nn.Linear(64, width), torch.nn.Linear(width, 10)
        self.norm, self.drop = torch.nn.BatchNorm1d(width), torch.nn.Dropout(0.25)
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.to(self.first.weight.device, non_blocking=True)
        return self.last(self.drop(self.inner(self, self.norm(self.first(x)).relu())))


def net(device: str = "cuda", **given: Any) -> tuple[Net, torch.Tensor, torch.Tensor]:
    return Net(**given).to(device), torch.randn(512, 64, device=device), torch.zeros(512, dtype=torch.long, device=device)


class StateObserver(StreamObserver):
    """Keeps the state that each dropout finds."""

    def __init__(self, program: Any, executions: Any, older: Any):
        super().__init__(program, executions, older)
        self.states: list[tuple] = []
        self._targets = [program.ops[execution.op].target for execution in executions]
        self._device = program.device

    def before(self, step: int, touched: tuple) -> None:
        if self._targets[step] == "aten.native_dropout.default":
            self.states.append(tuple(torch.cuda.get_rng_state(self._device).tolist()))
        super().before(step, touched)


def drawn(run: Callable[[], Any], device: str) -> list[int]:
    """How far the generators of the device and of the CPU went."""
    states = torch.cuda.get_rng_state(device), torch.get_rng_state()
    run()
    offset = int.from_bytes(bytes(torch.cuda.get_rng_state(device)[8:].tolist()), "little")
    return [offset - int.from_bytes(bytes(states[0][8:].tolist()), "little"), int(not torch.equal(states[1], torch.get_rng_state()))]


def planned(model: Net, args: tuple, loss: Any, share: float = 1.0) -> tuple[Any, int]:
    """The step under a plan that recomputes what it can, and how many random ops it recomputes."""
    graph = trace_graph(model, args[:1], loss=lambda output: loss(output, args[1]))
    again = random_again(graph, 0, share)
    names = [graph["targets"][graph["ops"][op][0]] for _, ops in again for op in ops]
    return plimsoll.compile_step(model, plan_of(graph, again), loss=loss, targets=1), names.count("aten.native_dropout.default")


def recomputed_numbers() -> dict[str, Any]:
    """Dropout that runs again finds the state that it found at first, and the step leaves the state that eager PyTorch leaves."""
    found = {}
    for device in ("cuda:0", "cuda:1"):
        model, x, y = net(device)
        step, repeated = planned(model, (x, y), F.cross_entropy)
        eager, compiled = (drawn(run, device) for run in (lambda: F.cross_entropy(model(x), y).backward(), lambda: step(x, y)))
        states = watched(step, StateObserver, (x, y), {})[1].states
        found[device] = {
            "eager": eager, "compiled": compiled, "repeated": repeated, "calls": len(states), "states": len(set(states)),
            "saves": step.source(x, y).count(f"random_state.save('{device}')"),
        }  # fmt: skip
    return found


def own_checkpoint() -> dict[str, Any]:
    """A checkpoint inside the model saves and restores generators."""

    def inner(model: Net, hidden: torch.Tensor) -> torch.Tensor:
        return checkpoint(lambda value: model.drop(value).exp(), hidden, use_reentrant=False)

    model, x, y = net(inner=inner)
    step = plimsoll.compile_step(model, loss=F.cross_entropy, targets=1)
    eager, compiled = (drawn(run, "cuda:0") for run in (lambda: F.cross_entropy(model(x), y).backward(), lambda: step(x, y)))
    return {"eager": eager, "compiled": compiled, "saves": step.source(x, y).count(".save('cuda:0')"), "loads": step.source(x, y).count(".load('cuda:0'")}


def two_devices() -> dict[str, Any]:
    """A model on each, called in turn while the first device is current."""
    found, steps = {}, {}
    for device in ("cuda:0", "cuda:1"):
        model, x, y = net(device)
        steps[device] = model, plimsoll.compile_step(model, loss=F.cross_entropy, targets=1), x, y
        steps[device][1](x, y)
    for device, (model, step, x, y) in steps.items():
        other = "cuda:1" if device == "cuda:0" else "cuda:0"
        model.zero_grad()
        curve = step.stream(x, y)
        model.zero_grad()
        for each in (device, other):
            torch.cuda.reset_peak_memory_stats(each)
        before = requested(device=device), requested(device=other)
        loss = step(x, y)
        found[device] = {
            "predicted": max(curve.curve) - resident(curve), "peak": requested("peak", device) - before[0], "other": requested("peak", other) - before[1],
            "loss": str(loss.device), "gradients": sorted({str(p.grad.device) for p in model.parameters()}),
        }  # fmt: skip
    return found


def streams() -> dict[str, Any]:
    """Called on a side stream, all its memory is that stream's."""
    model, x, y = net()
    step = plimsoll.compile_step(model, loss=F.cross_entropy, targets=1)
    step(x, y)
    model.zero_grad()
    side = torch.cuda.Stream()
    torch.cuda.memory._record_memory_history(max_entries=100_000, stacks="python")
    with torch.cuda.stream(side):
        side.wait_stream(torch.cuda.default_stream())
        step(x, y)
    events = torch.cuda.memory._snapshot()["device_traces"][0]
    torch.cuda.memory._record_memory_history(None)
    used = {event["stream"] for event in events if event["action"] == "alloc"}
    return {"streams": len(used), "side": side.cuda_stream in used, "recordings": len(step._programs)}


def pinned() -> dict[str, Any]:
    """The model copies its batch to the GPU itself, from pinned memory and without waiting."""
    model, x, y = net()
    x = torch.randn(512, 64).pin_memory()
    step = plimsoll.compile_step(model, loss=F.cross_entropy, targets=1)
    step(x, y)
    model.zero_grad()
    stream, held, _ = observed(step, (x, y), {})
    copies = [line.strip() for line in step.source(x, y).splitlines() if "_to_copy" in line]
    return {"copies": len(copies), "waits": sum("non_blocking=True" not in line for line in copies), "equal": held == stream.curve,
            "resident": resident(stream)}  # fmt: skip


def scaled() -> dict[str, Any]:
    """GradScaler with autocast: its factor changes in place, and the step is not recorded again."""
    model, x, y = net()
    optimizer, scaler = torch.optim.AdamW(model.parameters()), torch.amp.GradScaler("cuda")
    step = plimsoll.compile_step(model, loss=lambda output, labels: scaler.scale(F.cross_entropy(output, labels)), targets=1)
    with torch.autocast("cuda", dtype=torch.float16):
        try:
            step(x, y)
        except plimsoll.TraceError as error:
            said = str(error)
    scaler.scale(torch.zeros((), device="cuda"))
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            step(x, y)
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        stream, held, _ = observed(step, (x, y), {})
        step_source = step.source(x, y)
    return {"said": said, "recordings": len(step._programs), "equal": held == stream.curve, "casts": step_source.count("float16")}


def accumulated() -> dict[str, Any]:
    """Micro-steps after the first add to the gradients in place."""
    model, x, y = net()
    step = plimsoll.compile_step(model, loss=F.cross_entropy, targets=1)
    step(x, y)
    addresses = [p.grad.data_ptr() for p in model.parameters()]
    step(x, y)
    stream, held, _ = observed(step, (x, y), {})
    before = requested()
    torch.cuda.reset_peak_memory_stats()
    loss = step(x, y)
    return {
        "same": addresses == [p.grad.data_ptr() for p in model.parameters()], "equal": held == stream.curve,
        "peak": requested("peak") - before, "predicted": max(stream.curve) - resident(stream), "kept": requested() - before - loss.nbytes,
    }  # fmt: skip


def out_of_memory() -> dict[str, Any]:
    """A step that fails leaves memory, gradients and generators as they were, and runs when there is memory."""
    model, x, y = net(width=4096)
    step = plimsoll.compile_step(model, loss=F.cross_entropy, targets=1)
    step(x, y)
    model.zero_grad()
    gc.collect()
    torch.cuda.empty_cache()
    before, state = requested(), torch.cuda.get_rng_state()
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + (20 << 20)) / torch.cuda.get_device_properties(0).total_memory)
    try:
        step(x, y)
        said = ""
    except torch.OutOfMemoryError as error:
        said = str(error)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    gc.collect()
    found = {
        "said": said[:18], "kept": requested() - before, "gradients": sum(p.grad is not None for p in model.parameters()),
        "state": torch.equal(state, torch.cuda.get_rng_state()),
    }  # fmt: skip
    step(x, y)
    return found | {"later": sum(p.grad is not None for p in model.parameters())}


def inference() -> dict[str, Any]:
    """Every value dies with its last use, whereas eager PyTorch keeps what variables of the model's code name."""

    def inner(model: Net, hidden: torch.Tensor) -> torch.Tensor:
        kept = hidden.exp()
        return (kept + 1).relu().sigmoid() * 2

    model, x, _ = net(inner=inner)
    model.eval()
    step = plimsoll.compile_step(model, mode="inference")
    step(x)
    stream, held, _ = observed(step, (x,), {})
    peaks = []
    for run in (step, model):
        before = requested()
        torch.cuda.reset_peak_memory_stats()
        with torch.no_grad():
            run(x)
        peaks.append(requested("peak") - before)
    return {"equal": held == stream.curve, "predicted": max(stream.curve) - resident(stream), "peak": peaks[0], "eager": peaks[1]}


def refusals() -> dict[str, str]:
    """What stays refused, by kind."""
    halves = torch.nn.Sequential(torch.nn.Linear(64, 8, device="cuda:0"), torch.nn.Linear(8, 8, device="cuda:1"))

    def seeding(model: Net, hidden: torch.Tensor) -> torch.Tensor:
        torch.cuda.manual_seed(0)
        return hidden

    def recording(model: Net, hidden: torch.Tensor) -> torch.Tensor:
        hidden.record_stream(torch.cuda.current_stream())
        return hidden

    def elsewhere(model: Net, hidden: torch.Tensor) -> torch.Tensor:
        return hidden.to("cuda:1").exp().to("cuda:0")

    def with_generator(model: Net, hidden: torch.Tensor, own: Any = torch.Generator("cuda")) -> torch.Tensor:  # noqa: B008
        return hidden * torch.rand(hidden.shape, device="cuda", generator=own)

    said = {}
    for name, inner in {"seeding": seeding, "record_stream": recording, "elsewhere": elsewhere, "generator": with_generator}.items():
        model, x, y = net(inner=inner)
        said[name] = refused(model, x, y)
    said["halves"] = refused(halves, x, y)
    return said


def refused(model: torch.nn.Module, x: torch.Tensor, y: torch.Tensor) -> str:
    try:
        plimsoll.compile_step(model, loss=F.cross_entropy, targets=1)(x, y)
    except plimsoll.TraceError as error:
        return str(error)
    return ""


def main() -> None:
    prepare()
    torch.cuda.init()
    print(json.dumps({name: globals()[name]() for name in sys.argv[1:]}))


if __name__ == "__main__":
    main()
