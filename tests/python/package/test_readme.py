# SPDX-License-Identifier: Apache-2.0
"""Every code block and every command that README and the manual show runs as it stands there."""

import json
import os
import re
import shlex
import shutil
import subprocess

import pytest
from helpers import stand_in
from helpers.documented import MANUAL, README, blocks, run_command, run_page, scripts_run

TRAIN = """
import os, sys, torch
os.chdir(sys.argv[1])

def train_some_steps():
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 64)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        model(torch.randn(32, 64, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which README's blocks and those of the page about Python have run, and what they defined."""
    path = tmp_path_factory.mktemp("documented")
    with scripts_run(path) as names:
        # What the page about profiles shows needs a GPU: it leaves the snapshot that other pages read.
        shown = [text for language, text in blocks(MANUAL / "profiles.md") if language == "python"]
        done = stand_in.run("\n".join([TRAIN, *shown]), str(path))
        assert done.returncode == 0 and len(shown) == 2, done.stderr
        yield path, names


def test_the_applied_plan_recomputes(folder):
    path, _ = folder
    assert json.loads((path / "plan.json").read_text())["regions"]
    unplanned, planned = json.loads((path / "mine.measurement.json").read_text())["runs"]
    assert planned["allocator_peak_bytes"] < unplanned["allocator_peak_bytes"]


def test_the_compiled_step_recomputes(folder):
    path, _ = folder
    assert json.loads((path / "step-plan.json").read_text())["schedule"]["again"]


@pytest.mark.parametrize("page", sorted(set(MANUAL.glob("*.md")) - {MANUAL / "python.md", MANUAL / "profiles.md"}), ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(folder, page, tmp_path, monkeypatch):
    path, _ = folder
    monkeypatch.chdir(shutil.copytree(path, tmp_path / "page", symlinks=True))
    printed = run_page(page, {})
    assert printed or not [text for language, text in blocks(page) if language == "sh"]


def test_a_measurement_is_compared_with_its_prediction(folder):
    said = run_command(shlex.split("plimsoll-cli diff mine.measurement.json mine.plimsoll.json.gz plan.json"))
    assert "saved" in said and "allocator" in said


def test_every_verb_is_documented():
    said = subprocess.run([os.environ["PLIMSOLL_CLI"], "--help"], capture_output=True, text=True, check=True).stdout
    verbs = re.findall(r"^  (\w+) ", said.split("Subcommands:")[1], re.MULTILINE)
    page = (MANUAL / "command-line.md").read_text()
    assert verbs and [verb for verb in verbs if not re.search(rf"^\| `{verb} ", page, re.MULTILINE)] == []


def test_every_planner_is_documented():
    listed = json.loads(run_command(["plimsoll-cli", "plan", "--list", "--json"]))["planners"]
    page, readme = (MANUAL / "planners.md").read_text(), README.read_text()
    for planner in listed:
        name = planner["id"]
        assert f"\n## {name}\n" in page and f"\n- `{name}` " in readme
        assert [o["name"] for o in planner["options"] if f"`--{o['name']} " not in page] == [], name
