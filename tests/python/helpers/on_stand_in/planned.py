# SPDX-License-Identifier: Apache-2.0
"""Runs planned steps on the stand-in GPU, beside what was predicted for them: `-m helpers.on_stand_in.planned FOLDER MODEL/KIND/SHARE...`.
Convolutions, batch norms and recurrent layers run without cuDNN, which the stand-in lacks, and are traced so. On a real GPU, `--as-it-is` before
FOLDER leaves cuDNN and the workspaces of cuBLAS on."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Iterator

import plimsoll
import torch
from helpers import loop
from helpers.on_stand_in.events import Blocks, counted
from helpers.once import once
from helpers.zoo import ZOO
from torch.overrides import TorchFunctionMode

KINDS = {"modules": (), "ops": ("--granularity", "op"), "saved sets": ("--saved-sets", "on")}
WITHOUT_WORKSPACES = {"CUBLAS_WORKSPACE_CONFIG": ":0:0", "CUBLASLT_WORKSPACE_SIZE": "0"}  # else 8,519,680 and 1,048,576 bytes in most products
SLOTS = ("--planner", "rotor", "--slots", 100)
WARM_UP_STEPS = 2
MOST_EVENTS = 10_000_000
ALLOCATING = ("empty", "resize", "clone", "contiguous", "_to_copy", "copy")  # functions that kernels call to allocate
NO_PLAN = {"format": "plimsoll-plan", "version": 1, "runtime": "checkpoint", "regions": []}


class Unset(TorchFunctionMode):
    """New tensors keep the zeros of new memory: the stand-in has no values, and drawing those of a hundred million parameters takes seconds."""

    FILLS = {getattr(torch.Tensor, name) for name in ("normal_", "uniform_", "fill_", "zero_")}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in self.FILLS:
            return args[0]
        return (torch.zeros if func is torch.randn else func)(*args, **(kwargs or {}))


def built(name: str) -> dict[str, Any]:
    """trace()'s arguments; "gpt2:bfloat16" runs forward and loss under autocast, "gpt2*2" accumulates gradients over two micro-steps,
    "gpt2@real" has the size that people train. Without
    masks, which would be read as zeros from the stand-in: models then make theirs, of ones."""
    name, _, size = name.partition("@")
    name, _, count = name.partition("*")
    name, _, dtype = name.partition(":")
    with Unset() if size else contextlib.nullcontext():
        step = getattr(ZOO[name], size or "lean")()
    step = {**step, **({"autocast": getattr(torch, dtype)} if dtype else {}), **({"micro_steps": int(count)} if count else {})}
    step.get("kwargs", {}).pop("attention_mask", None)
    return step


class Planned:
    """A model of the zoo in its lean size, traced on fake CUDA tensors, with its plans; `ddp`: a setting of --ddp."""

    def __init__(self, name: str, folder: Path, *ddp: str):
        self._name, self._folder, self._ddp = name, folder, ddp
        self.graph = loop.trace(lambda: built(name), folder / f"{name}.plimsoll.json.gz", "cuda")
        self._options = (*SLOTS, *(("--ddp", *ddp) if ddp else ()))
        self._span = once(lambda *options: loop.span(self.graph, *options, *self._options))

    def plan(self, kind: str, share: int) -> Path:
        """`share` of the way from the unplanned peak down to the smallest peak known, in percent; 0: no plan."""
        path = self._folder / f"{self._name} {kind} {share}.json"
        if share == 0:
            path.write_text(json.dumps(NO_PLAN))
            return path
        most, least = self._span(*KINDS[kind])
        said = loop.cli("plan", self.graph, "--budget", most - (most - least) * share // 100, "--export", path, *KINDS[kind], *self._options)
        assert said["verified"] and json.loads(path.read_text())["regions"]
        return path

    def predicted(self, plan: Path) -> dict[str, int]:
        """loop.peak() of the plan."""
        return loop.peak(self.graph, plan, *self._ddp)

    def first_difference(self, plan: Path) -> Any:
        """Where the planned model, recorded on fake CUDA tensors, is not what was evaluated, op by op; None if it is everywhere."""
        stream = self._folder / "stream.json"
        loop.record(lambda: built(self._name), plan, stream, "cuda")
        said = loop.compare(self.graph, plan, stream)
        return None if said["equal"] else said["first"]


@contextlib.contextmanager
def true_answers() -> Iterator[None]:
    """The stand-in has no values. Asked whether all of a mask is true, it says so, as a GPU does for a batch without padding."""
    library = torch.library.Library("aten", "IMPL")
    library.impl("_local_scalar_dense", lambda tensor: True if tensor.dtype == torch.bool else 0, "CUDA")
    try:
        yield
    finally:
        library._destroy()


def step_of(name: str, plan: Path, wrapped: Callable[[Any], Any] = lambda model: model) -> Callable[[], None]:
    """The planned model's training step on real CUDA tensors; the loop calls what `wrapped` makes of the model."""
    from compare import on  # of tests/gpu, which only processes on the stand-in find

    made = on("cuda", built(name))
    casting = torch.autocast("cuda", made["autocast"]) if "autocast" in made else contextlib.nullcontext()
    model, count = made["model"].train(), made.get("micro_steps", 1)
    optimizer = made["optimizer"]([p for p in model.parameters() if p.requires_grad])
    plimsoll.apply(model, plan)
    model = wrapped(model)

    def step() -> None:
        for _ in range(count):
            with casting:
                output = model(*made.get("args", ()), **made.get("kwargs", {}))
                if "loss" in made:
                    loss = made["loss"](output)
                else:
                    loss, output = output.loss, None  # as the trace assumes for a loss of the model's own
                    loss = loss / count if count > 1 else loss
            loss.backward()
        optimizer.step()
        del output, loss
        optimizer.zero_grad()

    return step


class Requests:
    """What the current device's allocator was asked for since the process began, as allocator_check reads it."""

    def __init__(self) -> None:
        self._marks: dict[int, list[str]] = {}  # by the number of events before

    @staticmethod
    def events() -> list[dict[str, Any]]:
        return torch.cuda.memory._snapshot()["device_traces"][torch.cuda.current_device()]

    def mark(self, what: str) -> int:
        count = len(self.events())
        self._marks.setdefault(count, []).append(what)
        return count

    def release(self) -> None:
        """Empties the cache, so that what is reserved doesn't depend on what ran before."""
        gc.collect()
        torch.empty(1, device="cuda")  # an allocation first completes frees that other streams delayed
        self.mark("release")
        torch.cuda.empty_cache()

    def lines(self) -> Iterator[str]:
        blocks = Blocks()
        for number, event in enumerate(self.events()):
            yield from self._marks.get(number, ())
            line = blocks.line(event)
            if line is not None:
                yield line
        yield "peaks"


def run(step: Callable[[], None], requests: Requests, warm_up: int = WARM_UP_STEPS) -> dict[str, Any]:
    """PyTorch's peaks of a step that has run before, what was there before it, and the allocator's events in it."""
    for _ in range(warm_up):
        step()
    gc.collect()
    torch.cuda.reset_peak_memory_stats()
    before = counted(torch.cuda.current_device())
    first = requests.mark("reset")
    torch.cuda.memory._record_memory_history(max_entries=MOST_EVENTS, stacks="all")
    gc.disable()
    step()
    gc.enable()
    peaks = counted(torch.cuda.current_device())
    events = requests.events()
    torch.cuda.memory._record_memory_history(max_entries=MOST_EVENTS, stacks="python")
    return {"before": before, "peaks": peaks, "events": events[first:]}


def at_peak(events: list[dict[str, Any]]) -> str:
    """The function of PyTorch that allocates when most is requested, "" if it's an op for its result."""
    live = peak = 0
    found: dict[str, Any] = {}
    for event in events:
        live += {"alloc": event["size"], "free_completed": -event["size"]}.get(event["action"], 0)
        if live > peak:
            peak, found = live, event
    for frame in found.get("frames", ()):
        name = re.match(r"at::native::(?:\(anonymous namespace\)::)?(\w+)", frame["name"])
        if name is not None and not name[1].startswith(ALLOCATING):
            return name[1]
    return ""


def measured(step: Callable[[], None], requests: Requests, events: Path, warm_up: int = WARM_UP_STEPS) -> dict[str, Any]:
    """What run() found; the requests until then are written to `events`."""
    with true_answers():
        ran = run(step, requests, warm_up)
    events.write_text("".join(line + "\n" for line in requests.lines()))
    return {"before": ran["before"], "peaks": ran["peaks"], "kernel": at_peak(ran["events"]), "events": str(events)}


def outcome(model: Planned, name: str, kind: str, share: int, folder: Path, requests: Requests) -> dict[str, Any]:
    plan = model.plan(kind, share)
    exact = model.predicted(plan)
    difference = model.first_difference(plan)
    requests.release()
    found = measured(step_of(name, plan), requests, folder / f"{name} {kind} {share}.txt")
    return {"predicted": exact["peak_bytes"], "resident": exact["resident_bytes"], "difference": difference, **found}


def prepare_process(as_it_is: bool = False) -> None:
    os.environ.pop("LD_PRELOAD", None)  # is for this process, not for the planner's
    if not as_it_is:
        os.environ.update(WITHOUT_WORKSPACES)
        torch.backends.cudnn.enabled = False
    torch.cuda.memory._record_memory_history(max_entries=MOST_EVENTS, stacks="python")


def main() -> None:
    *as_it_is, folder = sys.argv[1 : 3 if "--as-it-is" in sys.argv else 2]
    prepare_process(bool(as_it_is))
    folder = Path(folder)
    model = once(lambda name: Planned(name, folder), most=1)
    requests, found = Requests(), {}
    for case in sys.argv[2 + len(as_it_is) :]:
        name, kind, share = case.split("/")
        found[case] = outcome(model(name), name, kind, int(share), folder, requests)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
