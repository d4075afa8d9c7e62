# SPDX-License-Identifier: Apache-2.0
"""What README tells a user to type for their own model runs as it stands there."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
MINE = """
import torch

class Model(torch.nn.Sequential):
    def __init__(self):
        halves = [torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.GELU()) for _ in range(12)]
        super().__init__(torch.nn.Conv2d(3, 8, 7, 8), *halves, torch.nn.Flatten(), torch.nn.Linear(8 * 28 * 28, 10))
"""


def section():
    return README.read_text().split("## Your own model")[1].split("\n## ")[0]


def command(begin):
    """The command line that begins so, of a text between backticks."""
    found = [line for line in re.findall(r"`([^`\n]+)`", section()) if line.startswith(begin)]
    assert len(found) == 1, (begin, found)
    words = shlex.split(found[0])
    assert words[0].endswith("plimsoll-cli")
    return words[1:]


def cli(words):
    done = subprocess.run([os.environ["PLIMSOLL_CLI"], *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_quick_start_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("mine.py").write_text(MINE)
    trace, apply, measure = re.findall(r"```python\n(.*?)```", section(), re.DOTALL)
    typed = {}
    exec(trace, typed)
    cli([*command("build/release/bin/plimsoll-cli plan"), *("--export", "plan.json")])
    assert json.loads(Path("plan.json").read_text())["regions"]
    exec(apply, typed)
    typed["loss"](typed["model"](typed["images"])).backward()
    exec(measure, typed)
    unplanned, planned = json.loads(Path("mine.measurement.json").read_text())["runs"]
    assert planned["allocator_peak_bytes"] < unplanned["allocator_peak_bytes"]
    said = cli(command("plimsoll-cli diff mine.measurement.json"))
    assert "saved" in said and "allocator" in said
    sys.modules.pop("mine")
