# SPDX-License-Identifier: Apache-2.0
"""measure() on the stand-in GPU: `-m helpers.on_stand_in.measured FOLDER` measures a model without and with plans of both runtimes."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from typing import Any

import plimsoll
import torch
from helpers import loop
from helpers.on_stand_in.steps import MODELS, PLANNER, prepare, requested
from helpers.placed import on

KINDS = {"checkpoint": PLANNER[2:], "step": PLANNER}


def step() -> tuple[torch.nn.Module, dict[str, Any]]:
    made = on("cuda", MODELS["mixture"]())
    return made.pop("model").train(), made


def measured(folder: Path) -> dict[str, Any]:
    model, made = step()
    graph = plimsoll.trace(model, out=folder / "graph.plimsoll.json", **made)
    found = {}
    for kind, options in KINDS.items():
        plan = folder / f"{kind}.json"
        most, least = loop.span(graph, *options)
        loop.cli("plan", graph, "--budget", most - (most - least) // 2, *options, "--export", plan)
        given = {key: value for key, value in made.items() if key not in ("args", "kwargs")}
        place = made.get("args", ()), made.get("kwargs")
        plimsoll.measure(model, plan, *place, **given, times=False, out=folder / f"{kind}.measurement.json")
        found[kind] = {"least": most - (most - least) // 2, "predicted": loop.peak(graph, plan)["peak_bytes"]}
    return found


def refused() -> dict[str, Any]:
    """What is raised for times, and for a step that doesn't fit; and what is left then."""
    model, made = step()
    said = []
    try:
        plimsoll.measure(model, None, made["args"], loss=made.get("loss"))
    except plimsoll.TraceError as error:
        said.append(str(error))
    wide = torch.nn.Sequential(torch.nn.Linear(64, 1 << 16), torch.nn.GELU(), torch.nn.Linear(1 << 16, 64)).cuda()
    batch = torch.zeros(1 << 12, 64, device="cuda")
    gc.collect()
    before, values = requested(), [p.data_ptr() for p in wide.parameters()]
    torch.cuda.set_per_process_memory_fraction((2 << 30) / torch.cuda.get_device_properties(0).total_memory)
    try:
        plimsoll.measure(wide, None, batch, times=False, out="never.json")
    except plimsoll.TraceError as error:
        said.append(str(error))
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    return {
        "said": said, "kept": requested() - before, "same": values == [p.data_ptr() for p in wide.parameters()],
        "gradients": sum(p.grad is not None for p in wide.parameters()), "written": Path("never.json").exists(),
    }  # fmt: skip


def main() -> None:
    prepare()
    print(json.dumps({"measured": measured(Path(sys.argv[1])), "refused": refused()}))


if __name__ == "__main__":
    main()
