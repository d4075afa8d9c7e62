# SPDX-License-Identifier: Apache-2.0
"""Everything that only a GPU tells, in a few minutes: `python tests/gpu/collect.py OUT [SECTION...]`

Runs the programs beside this file and those of helpers/on_stand_in in processes of their own, first what must be alone on the GPU, then the
others side by side, and leaves in OUT what they print, with a summary of how each ended. The programs that they need are named by
PLIMSOLL_CLI and PLIMSOLL_LOOP_CHECK.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("resources/pytorch/src", "resources/samples", "tests/python", "tests/gpu")
SECONDS = 240
AT_ONCE = 10
ZOO = ("resnet18", "densenet121", "mobilenet_v3", "vit_b_16", "unet", "gpt2", "bert", "llama", "t5", "swin", "convnext", "mixture", "awkward", "lstm",
       "gpt2:bfloat16", "convnext:bfloat16")  # fmt: skip
KINDS, SHARES = ("modules", "ops", "saved sets"), (30, 60, 90)
TRAINING = ("own_checkpoint", "streams", "pinned", "scaled", "accumulated", "out_of_memory", "inference")
STEPS = ("resnet18", "unet", "awkward", "mixture", "gpt2")


def cases(model: str) -> list[str]:
    return [f"{model}/modules/0", *(f"{model}/{kind}/{share}" for kind in KINDS for share in SHARES)]


def sections(out: Path) -> dict[str, list[str]]:
    """The command of each section, by name; those whose name ends in "!" run alone, in this order."""
    python, here = sys.executable, str(ROOT / "tests" / "gpu")
    module = [python, "-m"]
    found = {"scratch!": [python, f"{here}/scratch.py", f"{out}/scratch.json"]}
    for dtype in ("", "bfloat16"):
        label = f"times:GPT-2 small:{dtype}"
        found[f"times {dtype or 'float32'}!"] = [python, f"{here}/values.py", f"{out}/times{dtype}", f"{out}/times_{dtype or 'float32'}.json", label]
    found["compare!"] = [python, f"{here}/compare.py", "--out", f"{out}/compare.md", "--device", "h200", "--cli", os.environ.get("PLIMSOLL_CLI", "plimsoll-cli")]
    found["measure!"] = [python, f"{here}/extras.py", f"{out}/measure", "measure"]
    found |= {what: [python, f"{here}/extras.py", f"{out}/{what}", what] for what in ("snapshot", "fit")}
    for model in ZOO:
        name = model.replace(":", "_")
        found[f"planned {name}"] = [*module, "helpers.on_stand_in.planned", f"{out}/planned_{name}", *cases(model)]
        found[f"as it is {name}"] = [*module, "helpers.on_stand_in.planned", "--as-it-is", f"{out}/as_it_is_{name}", *cases(model)]
        found[f"values {name}"] = [python, f"{here}/values.py", f"{out}/values_{name}", f"{out}/values_{name}.json", model]
        found[f"record {name}"] = [python, f"{here}/record_steps.py", f"{out}/record_{name}", model]
        found[f"stream {name}"] = [*module, "helpers.on_stand_in.streams", f"{name.partition('_bfloat16')[0]}/lean" + (":bfloat16" if ":" in model else "")]
    for name in TRAINING:
        found[f"training {name}"] = [*module, "helpers.on_stand_in.training", name]
    for name in STEPS:
        found[f"steps {name}"] = [*module, "helpers.on_stand_in.steps", f"{out}/steps_{name}", name]
    found["measured"] = [*module, "helpers.on_stand_in.measured", f"{out}/measured"]
    return found


def run(name: str, command: list[str], out: Path) -> dict[str, object]:
    for argument in command:
        path = Path(argument)
        if path.parent == out and not path.suffix:
            path.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(str(ROOT / folder) for folder in FOLDERS), "OMP_NUM_THREADS": "2"}
    begin, stem = time.time(), out / name.rstrip("!").replace(" ", "_")
    with open(stem.with_suffix(".out"), "w") as printed, open(stem.with_suffix(".err"), "w") as errors:
        try:
            status = subprocess.run(command, stdout=printed, stderr=errors, env=environment, timeout=SECONDS, cwd=out).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
    return {"status": status, "seconds": round(time.time() - begin, 1)}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    chosen = {name: command for name, command in sections(out).items() if not sys.argv[2:] or name.rstrip("!").startswith(tuple(sys.argv[2:]))}
    summary: dict[str, object] = {}

    def done(name: str) -> None:
        summary[name] = run(name, chosen[name], out)
        (out / "summary.json").write_text(json.dumps(summary, indent=0))
        print(name, summary[name], flush=True)

    for name in chosen:
        if name.endswith("!"):
            done(name)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(done, (name for name in chosen if not name.endswith("!"))))


if __name__ == "__main__":
    main()
