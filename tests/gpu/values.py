# SPDX-License-Identifier: Apache-2.0
"""Gradients and times of planned and compiled steps on a GPU, beside PyTorch's own: `python tests/gpu/values.py FOLDER OUT.json MODEL[:bfloat16]...`

Of each model: the unplanned step twice, then under plans of three kinds and as a compiled step with and without a plan, each from the same state of
parameters, buffers and generators, with deterministic kernels where PyTorch has them. "different" counts the tensors whose bits differ, "most" is
the largest difference in units of the largest value of its tensor.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("resources/pytorch/src", "resources/samples", "tests/python", "tests/gpu")]
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import models  # noqa: E402 (needs the path)
import plimsoll  # noqa: E402
import torch  # noqa: E402
from helpers import loop  # noqa: E402
from helpers.on_stand_in.planned import KINDS, Planned, built  # noqa: E402
from helpers.on_stand_in.steps import plan_within  # noqa: E402
from helpers.placed import on  # noqa: E402

SHARE = 60
SEED = 7
LARGE = {"GPT-2 small": lambda: models.gpt2(4), "GPT-2 small, dropout": lambda: models.gpt2(4, attn_pdrop=0.1, resid_pdrop=0.1)}


class Step:
    """One model on the GPU, whose step can be run again from one state."""

    def __init__(self, made: dict[str, Any]):
        self.made = on("cuda", made)
        self.model = self.made["model"].train()
        self.args, self.kwargs, self.loss = self.made.get("args", ()), self.made.get("kwargs", {}), self.made.get("loss")
        self.buffers = [buffer.clone() for buffer in self.model.buffers()]

    def casting(self) -> contextlib.AbstractContextManager:
        dtype = self.made.get("autocast")
        return torch.autocast("cuda", dtype) if dtype is not None else contextlib.nullcontext()

    def eager(self) -> torch.Tensor:
        with self.casting():
            output = self.model(*self.args, **self.kwargs)
            loss = self.loss(output) if self.loss is not None else output.loss
        del output
        loss.backward()
        return loss.detach()

    def compiled(self, plan: Any = None) -> Callable[[], torch.Tensor]:
        step = plimsoll.compile_step(self.model, plan, loss=self.loss)

        def run() -> torch.Tensor:
            with self.casting():
                return step(*self.args, **self.kwargs).detach()

        return run

    def outcome(self, run: Callable[[], torch.Tensor]) -> dict[str, torch.Tensor]:
        self.model.zero_grad(set_to_none=True)
        for buffer, before in zip(self.model.buffers(), self.buffers):
            buffer.copy_(before)
        torch.manual_seed(SEED)
        loss = run()
        found = {"loss": loss, "random state": torch.cuda.get_rng_state()}
        found |= {f"gradient {name}": p.grad.detach().clone() for name, p in self.model.named_parameters() if p.grad is not None}
        return found | {f"buffer {name}": buffer.clone() for name, buffer in self.model.named_buffers()}


def compared(expected: dict[str, torch.Tensor], found: dict[str, torch.Tensor]) -> dict[str, Any]:
    different, most = [], 0.0
    for name, wanted in expected.items():
        got = found.get(name)
        if got is None or not torch.equal(wanted.contiguous().view(-1).view(torch.uint8), got.contiguous().view(-1).view(torch.uint8)):
            different.append(name)
        if got is not None and wanted.is_floating_point():
            scale = wanted.abs().max().item() or 1.0
            most = max(most, (wanted - got).abs().max().item() / scale)
    return {"tensors": len(expected), "different": len(different), "first": different[:3], "most": most, "missing": len(set(expected) ^ set(found))}


def told(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except Exception as error:  # noqa: BLE001 (one failure must not hide the others)
        return {"error": f"{type(error).__name__}: {error}"[:600], "where": traceback.format_exc()[-600:]}


def values(name: str, folder: Path) -> dict[str, Any]:
    torch.use_deterministic_algorithms(True, warn_only=True)
    planned, step = Planned(name, folder), Step(built(name))
    step.outcome(step.eager)
    expected = step.outcome(step.eager)
    found = {"again": compared(expected, step.outcome(step.eager))}
    for kind in KINDS:
        def under_plan(kind: str = kind) -> dict[str, Any]:
            with plimsoll.apply(step.model, planned.plan(kind, SHARE)):
                return compared(expected, step.outcome(step.eager))

        found[kind] = told(under_plan)
    found["compiled"] = told(lambda: compared(expected, step.outcome(step.compiled())))
    found["compiled, planned"] = told(lambda: compared(expected, step.outcome(step.compiled(plan_within(planned.graph, folder / f"{name} step.json")))))
    return found


def took(step: Step, run: Callable[[], Any], count: int = 10) -> dict[str, float]:
    """Milliseconds of a step: until the host is done, and until the GPU is; the peak above what is there before."""
    hosts, wholes = [], []
    for number in range(count + 3):
        step.model.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        begin = time.perf_counter()
        run()
        middle = time.perf_counter()
        torch.cuda.synchronize()
        end = time.perf_counter()
        if number >= 3:
            hosts.append(1e3 * (middle - begin))
            wholes.append(1e3 * (end - begin))
    return {"host": sorted(hosts)[count // 2], "whole": sorted(wholes)[count // 2], "peak": torch.cuda.max_memory_allocated() - before}


def times(label: str, dtype: Any, folder: Path) -> dict[str, Any]:
    torch.use_deterministic_algorithms(False)

    def made() -> dict[str, Any]:
        given = {**LARGE[label](), "autocast": dtype}
        given.pop("optimizer", None)
        return given

    graph = loop.trace(made, folder / "large.plimsoll.json.gz", "cuda")
    step = Step(made())
    found: dict[str, Any] = {"eager": took(step, step.eager)}
    for kind, options in KINDS.items():
        path = folder / "large.json"
        said = loop.cli("plan", graph, "--budget", "60%", "--device", "h200", "--export", path, *options)

        def under_plan() -> dict[str, Any]:
            with plimsoll.apply(step.model, path):
                return took(step, step.eager)

        found[kind] = told(under_plan)
        found[kind] |= {key: said.get(key) for key in ("base_peak_bytes", "peak_bytes", "base_step_time_ns", "step_time_ns", "resident_bytes")}
    found["compiled"] = told(lambda: took(step, step.compiled()))
    path = folder / "large step.json"
    said = loop.cli("plan", graph, "--budget", "60%", "--device", "h200", "--runtime", "step", "--export", path)
    found["compiled, planned"] = told(lambda: took(step, step.compiled(path)))
    found["compiled, planned"] |= {key: said.get(key) for key in ("base_peak_bytes", "peak_bytes", "base_step_time_ns", "step_time_ns")}
    return found


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    for name in sys.argv[3:]:
        if name.startswith("times:"):
            _, label, dtype = name.split(":")
            found[name] = told(lambda: times(label, getattr(torch, dtype) if dtype else None, folder))
        else:
            found[name] = told(lambda: values(name, folder))
        out.write_text(json.dumps(found, indent=0))
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
