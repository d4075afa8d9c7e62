# SPDX-License-Identifier: Apache-2.0
"""What a user does on a GPU: `python tests/gpu/extras.py OUT fit|measure|snapshot`

fit: plimsoll.fit() with this GPU's memory and with 60 %, against the allocator's peak. measure: a step with times written into its graph, a plan
made from them, and that plan measured. snapshot: PyTorch's own memory snapshots of steps with a side stream, a CUDA graph's pool and an
out-of-memory error, with Python stacks, as people have them.
"""

from __future__ import annotations

import gc
import gzip
import json
import pickle
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("resources/pytorch/src", "resources/samples", "tests/python", "tests/gpu")]

import models  # noqa: E402 (needs the path)
import plimsoll  # noqa: E402
import torch  # noqa: E402
from helpers import loop  # noqa: E402
from helpers.on_stand_in.planned import built  # noqa: E402
from helpers.placed import on  # noqa: E402

LARGE = {"GPT-2 small": lambda: models.gpt2(4), "ResNet-18": lambda: models.resnet18(64)}


def given(made: dict[str, Any]) -> tuple[torch.nn.Module, tuple, dict, dict[str, Any]]:
    made = on("cuda", made)
    made.pop("name", None)
    return made.pop("model").train(), made.pop("args", ()), made.pop("kwargs", {}), made


def steps_of(model: torch.nn.Module, args: tuple, kwargs: dict, rest: dict[str, Any]) -> Any:
    optimizer = rest["optimizer"](model.parameters())

    def step() -> None:
        output = model(*args, **kwargs)
        loss = rest["loss"](output) if "loss" in rest else output.loss
        del output
        loss.backward()
        optimizer.step()
        del loss
        optimizer.zero_grad()

    return step


def peak(step: Any) -> dict[str, int]:
    for _ in range(3):
        step()
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    begin = time.perf_counter()
    step()
    torch.cuda.synchronize()
    stats = torch.cuda.memory_stats()
    found = {name: stats.get(f"{name}_bytes.all.peak", 0) for name in ("requested", "allocated", "reserved")}
    return found | {"microseconds": round(1e6 * (time.perf_counter() - begin))}


def fit() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, build in LARGE.items():
        for budget in (None, "60%"):
            model, args, kwargs, rest = given(build())
            begin = time.time()
            try:
                fitted = plimsoll.fit(model, args, kwargs, **rest, budget=budget)
            except Exception as error:  # noqa: BLE001 (told in the result)
                found[f"{name} {budget}"] = f"{type(error).__name__}: {error}"
                continue
            took = time.time() - begin
            found[f"{name} {budget}"] = {
                "repr": repr(fitted), "seconds": took, "predicted": fitted.prediction.peak_bytes, "reserved": getattr(fitted.prediction, "reserved_bytes", None),
                "ran": peak(steps_of(model, args, kwargs, rest)),
            }  # fmt: skip
            del fitted, model, args, kwargs, rest
            gc.collect()
            torch.cuda.empty_cache()
    return found


def measure(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, build in LARGE.items():
        stem = name.replace(" ", "_")
        model, args, kwargs, rest = given(build())
        graph = plimsoll.trace(model, args, kwargs, out=out / f"{stem}.plimsoll.json.gz", target="cuda", **rest)
        said = loop.cli("plan", graph, "--budget", "60%", "--device", "h200", "--export", out / f"{stem}.roofline.json")
        plimsoll.measure(model, args, kwargs, plan=out / f"{stem}.roofline.json", graph=graph, out=out / f"{stem}.first.measurement.json", **rest)
        timed = loop.cli("plan", graph, "--budget", "60%", "--export", out / f"{stem}.timed.json")
        plimsoll.measure(model, args, kwargs, plan=out / f"{stem}.timed.json", out=out / f"{stem}.second.measurement.json", **rest)
        keys = ("base_peak_bytes", "peak_bytes", "base_step_time_ns", "step_time_ns")
        found[name] = {"roofline": {key: said[key] for key in keys}, "timed": {key: timed[key] for key in keys}}
        for which in ("first", "second"):
            runs = json.loads((out / f"{stem}.{which}.measurement.json").read_text())["runs"]
            found[name][which] = [{key: value for key, value in run.items() if key not in ("ops", "targets")} for run in runs]
            found[name][f"diff {which}"] = loop.cli("diff", out / f"{stem}.{which}.measurement.json", graph, out / f"{stem}.{'roofline' if which == 'first' else 'timed'}.json")
    for pickled in out.glob("*.pickle"):
        pickled.unlink()
    return found


def snapshot(out: Path) -> dict[str, Any]:
    made = {}
    for name in ("gpt2", "resnet18"):
        model, args, kwargs, rest = given(built(name))
        step = steps_of(model, args, kwargs, rest)
        step()
        torch.cuda.memory._record_memory_history(max_entries=100_000, stacks="python")
        side, graph, static = torch.cuda.Stream(), torch.cuda.CUDAGraph(), torch.zeros(256, 256, device="cuda")
        for _ in range(2):
            step()
        with torch.cuda.stream(side):
            late = torch.ones(1 << 20, device="cuda")
        late.record_stream(torch.cuda.current_stream())
        del late
        with torch.cuda.graph(graph):
            kept = (static + 1).relu()
        graph.replay()
        torch.cuda.set_per_process_memory_fraction(0.01)
        try:
            torch.empty(1 << 34, dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError as error:
            made[f"{name} out of memory"] = str(error)
        torch.cuda.set_per_process_memory_fraction(1.0)
        content = torch.cuda.memory._snapshot()
        torch.cuda.memory._record_memory_history(None)
        with gzip.open(out / f"{name}.snapshot.pickle.gz", "wb") as file:
            pickle.dump(content, file)
        made[name] = {
            "events": len(content["device_traces"][0]), "segments": len(content["segments"]), "keys": sorted(content),
            "stats": {key: torch.cuda.memory_stats()[key] for key in ("allocated_bytes.all.current", "reserved_bytes.all.current", "allocated_bytes.all.peak")},
        }  # fmt: skip
        del kept, graph
    return made


def main() -> None:
    out = Path(sys.argv[1])
    what = sys.argv[2]
    found = fit() if what == "fit" else measure(out) if what == "measure" else snapshot(out)
    (out / f"{what}.json").write_text(json.dumps(found, indent=0))


if __name__ == "__main__":
    main()
