# SPDX-License-Identifier: Apache-2.0
"""Predictions against a GPU: `python tests/gpu/compare.py [--out TABLE.md] [--cli plimsoll-cli]`, torch 2.6 or newer.

Three tables: emulated op streams of six models against those of fake CUDA tensors and of real ones; predicted peaks of four models,
unplanned and with two applied plans, against the allocator's; step times against the roofline. On the stand-in GPU, where kernels compute
nothing, only the peaks. Exits with 77 where no GPU is.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("resources/pytorch/src", "resources/samples", "tests/python", "tests/gpu")]

import models  # noqa: E402 (needs the path)
import plimsoll  # noqa: E402
import torch  # noqa: E402
from helpers.on_stand_in.steps import without_questions  # noqa: E402
from helpers.placed import on  # noqa: E402
from helpers.zoo import ZOO  # noqa: E402
from plimsoll.common.graph_rows import Recording  # noqa: E402
from plimsoll.record.finish import finish  # noqa: E402
from plimsoll.record.record import record, warm_up  # noqa: E402
from plimsoll.training_step.environment import prepared  # noqa: E402
from streams import differences  # noqa: E402

NO_GPU = 77
STREAMS = ("resnet18", "densenet121", "vit_b_16", "gpt2", "bert", "lstm")


def resnet50(batch: int = 64) -> dict[str, Any]:
    from torchvision.models import resnet50 as build

    return models.classifier(build(), "ResNet-50", batch, 224, models.sgd())


# Batches that any GPU of 24 GB takes.
PEAKS: dict[str, Callable[[], dict[str, Any]]] = {
    "ResNet-50": resnet50,
    "DenseNet-121": lambda: models.densenet121(64),
    "GPT-2 small": lambda: models.gpt2(4),
    "ViT-B/16": lambda: models.vit_b_16(64),
}
BUDGETS = ("80%", "60%")


def recording(build: Callable[[], dict[str, Any]], *, fake: bool, emulate: bool) -> Recording:
    """One steady step for CUDA: on fakes with emulated kernels, on fake CUDA tensors, or really on the GPU."""
    if fake:
        with plimsoll.building():
            made = build()
    else:
        made = on("cuda", build())
    given = [made.get(key) for key in ("args", "kwargs", "loss", "optimizer")]
    with prepared(made["model"], given[0] or (), *given[1:], "train", "cuda", fake=fake, emulate=emulate) as step:
        warm_up(step, "cuda")
        return finish(record(step, "cuda"))


def stream_table() -> list[str]:
    lines = ["| model | ops emulated | differs from fake CUDA tensors | differs from real ones |", "| --- | --- | --- | --- |"]
    details = []
    for name in STREAMS:
        emulated = recording(ZOO[name].small, fake=True, emulate=True)
        places = []
        for what, fake in (("fake CUDA", True), ("real", False)):
            found = differences(emulated, recording(ZOO[name].small, fake=fake, emulate=False), ("emulated", what))
            places.append(f"in {len(found)} places" if found else "nowhere")
            details += [f"- {name}, {line}" for line in found]
        lines.append(f"| {name} | {len(emulated.ops)} | {places[0]} | {places[1]} |")
    return lines + [""] + details


def row(*cells: Any) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def peak_table(cli: str, device: str, folder: Path, names: Sequence[str], budgets: Sequence[str], times: bool) -> list[str]:
    columns = ("model", "plan", "predicted peak", "requested by PyTorch", "allocated by the GPU", "predicted / allocated", *(("step", "roofline") if times else ()))
    lines = [row(*columns), row(*("---" for _ in columns))]
    for name in names:
        build = PEAKS[name]
        with plimsoll.building():
            made = build()
        graph = plimsoll.trace(made.pop("model"), out=folder / "graph.plimsoll.json.gz", **made)
        for budget in budgets:
            path = folder / "plan.json"
            command = [cli, "plan", str(graph), "--budget", budget, "--reserve", "0", "--device", device, "--export", str(path), "--json", "--quiet"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                lines.append(row(name, budget, done.stderr.strip(), *("" for _ in columns[3:])))
                continue
            told, made = json.loads(done.stdout), on("cuda", build())
            measured = plimsoll.measure(made.pop("model"), path, out=folder / "measured.json", times=times, **made)
            runs = json.loads(measured.read_text())["runs"]
            predicted = (told["base_peak_bytes"], told["base_step_time_ns"]), (told["peak_bytes"], told["step_time_ns"])
            for plan, run, (peak, time) in zip(("none", budget), runs, predicted):
                if plan == "none" and budget != budgets[0]:
                    continue
                requested, real = run["requested_peak_bytes"], run["allocator_peak_bytes"]
                took = (f"{ns / 1e6:.1f} ms" for ns in (run["step_time_ns"], time)) if times else ()
                lines.append(row(name, plan, f"{peak:,}", f"{requested:,}", f"{real:,}", f"{peak / real:.4f}", *took))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("gpu.md"), help="the table")
    parser.add_argument("--cli", default="plimsoll-cli")
    parser.add_argument("--device", default="a100-80gb", help="its id or line for plimsoll-cli, for the roofline")
    parser.add_argument("--models", nargs="+", choices=PEAKS, default=[*PEAKS], help="of the table of peaks")
    parser.add_argument("--budgets", nargs="+", default=BUDGETS, help="likewise, each of a plan")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("compare.py: no GPU that torch can use is here, so nothing was compared.", file=sys.stderr)
        return NO_GPU
    head = f"{datetime.date.today()}, {torch.cuda.get_device_name()}, torch {torch.__version__}, CUDA {torch.version.cuda}"
    stand_in = torch.cuda.get_device_name().startswith("stand-in GPU")
    if stand_in:
        torch.backends.cudnn.enabled = False
        without_questions()
    with tempfile.TemporaryDirectory() as folder:
        parts = [f"# Predictions against a GPU: {head}"]
        parts += ["## Peaks"] if stand_in else ["## Op streams", *stream_table(), "", "## Peaks and times"]
        parts += peak_table(options.cli, options.device, Path(folder), options.models, options.budgets, times=not stand_in)
    options.out.write_text("\n".join(parts) + "\n")
    print(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
