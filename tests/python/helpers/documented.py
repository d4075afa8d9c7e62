# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks and the commands that README and the manual show, as they stand there."""

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

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


@contextlib.contextmanager
def scripts_run(path):
    """README's blocks and those of the page about Python have run in this folder, which is the current one while entered; yields what they
    defined."""
    (path / "resources").symlink_to(ROOT / "resources")
    (path / "mine.py").write_text(MINE)
    (path / "chain.json").write_text(json.dumps(CHAIN))
    (path / "nodes.json").write_text(json.dumps(NODES))
    (path / "buffers.csv").write_text(BUFFERS)
    before = Path.cwd()
    os.chdir(path)
    sys.path.insert(0, str(path))
    try:
        names = {}
        run_page(README, names)
        torch.distributed.init_process_group("gloo", init_method=f"file://{path}/processes", rank=0, world_size=1)
        run_page(MANUAL / "python.md", names)
        yield names
        torch.distributed.destroy_process_group()
    finally:
        sys.modules.pop("mine", None)
        sys.path.remove(str(path))
        os.chdir(before)
