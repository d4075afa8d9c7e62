# SPDX-License-Identifier: Apache-2.0
"""Every code block and every command that README and the manual show runs as it stands there."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from helpers import ROOT

README = ROOT / "README.md"
MANUAL = ROOT / "resources" / "manual"
MINE = """
import torch

class Model(torch.nn.Sequential):
    def __init__(self):
        halves = [torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.GELU()) for _ in range(12)]
        super().__init__(torch.nn.Conv2d(3, 8, 7, 8), *halves, torch.nn.Flatten(), torch.nn.Linear(8 * 28 * 28, 10))
"""
CHAIN = {"ftime": [1, 1], "btime": [1, 1, 0], "x": [4, 4, 4], "xbar": [4, 8, 8], "ftmp": [0, 0], "btmp": [0, 0, 0]}
NODES = {  # four ops of forward, the last four are theirs in backward
    "time": [1] * 8,
    "size": [4] * 8,
    "edges": [[0, 1], [1, 2], [2, 3], [3, 4], [2, 5], [4, 5], [1, 6], [5, 6], [0, 7], [6, 7]],
}
BUFFERS = "id,lower,upper,size\na,0,2,4\nb,1,3,4\nc,2,4,4\n"


def blocks(page):
    """(language, text) of the fenced blocks of a page, in order; those without a language are only shown."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def commands(text):
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


def run_command(words):
    program, *arguments = words
    if Path(program).name == "plimsoll":  # opens a window: what it opens is there
        assert Path(arguments[0]).is_file(), words
        return ""
    assert Path(program).name == "plimsoll-cli", words
    done = subprocess.run([os.environ["PLIMSOLL_CLI"], *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def run_page(page, names):
    """What the page's commands print, together. `names` are the global variables of its Python."""
    printed = ""
    for language, text in blocks(page):
        if language == "python":
            exec(compile(text, f"{page.name}: {text.splitlines()[0]}", "exec"), names)
        else:
            assert language == "sh", (page, language)
            printed += "".join(run_command(words) for words in commands(text))
    return printed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which README's blocks and those of the page about Python have run, and what they defined."""
    path = tmp_path_factory.mktemp("documented")
    (path / "resources").symlink_to(ROOT / "resources")
    (path / "mine.py").write_text(MINE)
    (path / "chain.json").write_text(json.dumps(CHAIN))
    (path / "nodes.json").write_text(json.dumps(NODES))
    (path / "buffers.csv").write_text(BUFFERS)
    before = Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.syspath_prepend(path)
        names = {}
        run_page(README, names)
        torch.distributed.init_process_group("gloo", init_method=f"file://{path}/processes", rank=0, world_size=1)
        run_page(MANUAL / "python.md", names)
        yield path, names
        torch.distributed.destroy_process_group()
        sys.modules.pop("mine")
    assert Path.cwd() == before


def test_the_applied_plan_recomputes(folder):
    path, _ = folder
    assert json.loads((path / "plan.json").read_text())["regions"]
    unplanned, planned = json.loads((path / "mine.measurement.json").read_text())["runs"]
    assert planned["allocator_peak_bytes"] < unplanned["allocator_peak_bytes"]


def test_the_compiled_step_recomputes(folder):
    path, _ = folder
    assert json.loads((path / "step-plan.json").read_text())["schedule"]["again"]


@pytest.mark.parametrize("page", sorted(set(MANUAL.glob("*.md")) - {MANUAL / "python.md"}), ids=lambda page: page.stem)
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
