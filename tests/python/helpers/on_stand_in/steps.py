# SPDX-License-Identifier: Apache-2.0
"""Compiled steps on the stand-in GPU, beside its allocator: `-m helpers.on_stand_in.steps FOLDER MODEL...` prints what came out by model and plan."""

from __future__ import annotations

import functools
import json
import os
import sys
from pathlib import Path
from typing import Any

import models
import plimsoll
import torch
from helpers import loop
from helpers.placed import on
from helpers.step_plans import plan_of, random_again
from helpers.zoo import LEAN_TEXT, ZOO
from plimsoll.runtime.compiled_step import runner
from plimsoll.runtime.compiled_step.stream import StepStream, StreamObserver

MODELS = {
    "resnet18": ZOO["resnet18"].lean,
    "unet": ZOO["unet"].lean,
    "awkward": ZOO["awkward"].lean,
    "mixture": ZOO["mixture"].lean,
    "gpt2": functools.partial(models.gpt2, 4, 128, **{**LEAN_TEXT, "attn_pdrop": 0.0}),
}
PLANNER = ("--runtime", "step", "--planner", "rotor", "--slots", 100)
SHOWN = 3


def prepare() -> None:
    """Settings under which nothing but the step takes memory: no cuDNN, no workspaces of cuBLAS."""
    torch.backends.cudnn.enabled = False
    os.environ |= {"CUBLAS_WORKSPACE_CONFIG": ":0:0", "CUBLASLT_WORKSPACE_SIZE": "0"}
    os.environ.pop("LD_PRELOAD", None)  # of programs that are started from here


def without_questions() -> None:
    """transformers asks whether a batch is packed; the stand-in has no values to answer with."""
    import transformers.masking_utils

    transformers.masking_utils.find_packed_sequence_indices = lambda _: None


def requested(when: str = "current", device: str = "cuda:0") -> int:
    return torch.cuda.memory_stats(device).get(f"requested_bytes.all.{when}", 0)


class AllocatorObserver(StreamObserver):
    """Also asks the allocator, at the end of each op and for the most while it ran."""

    def __init__(self, *given: Any):
        super().__init__(*given)
        self.held: list[int] = []
        self.most: list[int] = []

    def before(self, step: int, touched: tuple) -> None:
        torch.cuda.reset_peak_memory_stats()
        super().before(step, touched)

    def after(self, step: int, made: Any) -> Any:
        made = super().after(step, made)
        self.held.append(requested())
        self.most.append(requested("peak"))
        return made


def watched(step: Any, kind: type, args: tuple, kwargs: dict) -> tuple[StepStream, Any]:
    """The stream of one step, and the observer of that kind which followed it."""
    made: list[Any] = []

    def observer(*given: Any) -> Any:
        made.append(kind(*given))
        return made[0]

    own, runner.StreamObserver = runner.StreamObserver, observer
    try:
        return step.stream(*args, **kwargs), made[0]
    finally:
        runner.StreamObserver = own


def observed(step: Any, args: tuple, kwargs: dict) -> tuple[StepStream, list[int], list[int]]:
    """The step's stream; the allocator's bytes after each op and the most during it, of which those from before the step are what the
    stream has."""
    before = requested()
    stream, observer = watched(step, AllocatorObserver, args, kwargs)
    shift = resident(stream) - before
    return stream, [held + shift for held in observer.held], [most + shift for most in observer.most]


def resident(stream: StepStream) -> int:
    """Bytes from before the step."""
    return sum(nbytes for nbytes, alloc, _ in stream.lives if alloc < 0)


def with_plan(made: dict[str, Any], step: Any, graph: Path, plan: Path) -> dict[str, Any]:
    model, args, kwargs = made["model"], made.get("args", ()), made.get("kwargs", {})
    step = step.with_plan(plan)
    step(*args, **kwargs)  # which checks, and may hold more
    model.zero_grad(set_to_none=True)
    stream, held, most = observed(step, args, kwargs)
    path = plan.with_suffix(".stream.json")
    path.write_text(json.dumps(stream.as_json()))
    model.zero_grad(set_to_none=True)
    said, compared = loop.peak(graph, plan), loop.compare(graph, plan, path)
    torch.cuda.reset_peak_memory_stats()
    before = requested()
    loss = step(*args, **kwargs)
    peak = requested("peak") - before
    del loss
    model.zero_grad(set_to_none=True)
    other = [[at, stream.ops[at][0], now - wanted] for at, (now, wanted) in enumerate(zip(held, stream.curve)) if now != wanted]
    return {
        "ops": len(stream.ops), "again": sum(recomputed >= 0 for _, recomputed in stream.ops), "other": other[:SHOWN],
        "equal": compared["equal"], "first": compared["first"], "peak": peak, "predicted": said["peak_bytes"] - said["resident_bytes"],
        "scratch": sorted({target for (target, _), now in zip(stream.ops, most) if now > said["peak_bytes"]}),
    }  # fmt: skip


def outcome(name: str, folder: Path) -> dict[str, Any]:
    made = on("cuda", MODELS[name]())
    made["model"].train()
    graph, random, planned = folder / f"{name}.plimsoll.json", folder / f"{name}.random.json", folder / f"{name}.planned.json"
    unplanned = folder / f"{name}.unplanned.json"
    plimsoll.trace(made["model"], out=graph, **{key: made[key] for key in ("args", "kwargs", "loss") if key in made})
    content = json.loads(graph.read_text())
    unplanned.write_text(json.dumps(plan_of(content, [])))
    random.write_text(json.dumps(plan_of(content, random_again(content, 1))))
    plan_within(graph, planned)
    step = plimsoll.compile_step(made["model"], loss=made.get("loss"))
    found = {path.name.split(".")[1]: with_plan(made, step, graph, path) for path in (unplanned, random, planned)}
    elsewhere = folder / f"{name}.elsewhere.plimsoll.json"  # traced where no GPU was in sight
    if elsewhere.exists():
        found["elsewhere"] = with_plan(made, step, elsewhere, plan_within(elsewhere, folder / f"{name}.elsewhere.json"))
    return found


def plan_within(graph: Path, path: Path) -> Path:
    """A planner's plan for a graph, well below the unplanned peak."""
    most, least = loop.span(graph, *PLANNER)
    loop.cli("plan", graph, "--budget", most - int(0.6 * (most - least)), *PLANNER, "--export", path)
    return path


def main() -> None:
    prepare()
    without_questions()
    print(json.dumps({name: outcome(name, Path(sys.argv[1])) for name in sys.argv[2:]}))


if __name__ == "__main__":
    main()
