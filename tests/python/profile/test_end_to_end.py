# SPDX-License-Identifier: Apache-2.0
"""From a training that runs out of memory to one that fits, as a user goes: record it, look at the recordings, compare them, have the failure
diagnosed, take the plan, and run that. PyTorch's own counters are what all figures are held against."""

import json
import re
import shutil
import subprocess
import sys

import pytest
from helpers import EXHAUSTIVE, stand_in
from helpers.on_stand_in.language import language
from helpers.on_stand_in.recorded import CLI, environment

MiB = 1 << 20
MEMORY = 1024 * MiB
FULL = 96  # the batch that has no room
TRAIN = (
    '''
"""Trains a small language model: train.py BATCH [PLAN]; `train.py BATCH --trace` records its step without a GPU. With SNAPSHOT it has PyTorch
write its memory there."""
import json, os, sys
import plimsoll, torch
'''
    + language(8)
    + '''
batch, rest = int(sys.argv[1]), sys.argv[2:]
if rest == ["--trace"]:
    tokens = torch.zeros(batch, 128, dtype=torch.long)
    plimsoll.trace(Language(), (tokens, tokens), loss=loss_of, targets=1, optimizer=torch.optim.AdamW, name="language")
    sys.exit()
if "SNAPSHOT" in os.environ:
    torch.cuda.memory._record_memory_history(stacks="python")
model = Language().cuda()
if rest:
    plimsoll.apply(model, rest[0])
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    tokens = torch.zeros(batch, 128, dtype=torch.long, device="cuda")
    loss_of(model(tokens), tokens).backward()
    optimizer.step()
    optimizer.zero_grad()
if "SNAPSHOT" in os.environ:
    torch.cuda.memory._dump_snapshot(os.environ["SNAPSHOT"])
print(json.dumps({"reserved": torch.cuda.max_memory_reserved(), "requested": torch.cuda.memory_stats()["requested_bytes.all.peak"]}))
'''
)


def cli(*arguments, exit=0):
    done = subprocess.run([CLI, *map(str, arguments), "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == exit, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("end_to_end")
    (folder / "train.py").write_text(TRAIN)
    return folder


def recorded(folder, name, *arguments):
    """The program's exit code, output and errors; its recordings are NAME.plmcap and NAME.pickle."""
    command = [CLI, "record", "--snapshot", "-o", f"{name}.plmcap", "--", sys.executable, "train.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, cwd=folder, env=environment(memory=MEMORY))


def trained(folder, name, *arguments):
    """The same, with what PyTorch writes itself as NAME.pickle."""
    return stand_in.script(folder / "train.py", *arguments, folder=folder, memory=MEMORY, SNAPSHOT=f"{name}.pickle")


@pytest.fixture(scope="module")
def runs(folder):
    """A small batch, a larger one, and one that runs out of memory."""
    larger = (recorded if EXHAUSTIVE else trained)(folder, "larger", 8)
    return {"small": recorded(folder, "small", 4), "larger": larger, "full": recorded(folder, "full", FULL)}


def told(run):
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ["small", "larger"] if EXHAUSTIVE else ["small"])
def test_recordings_have_the_bytes_that_pytorch_counted(name, runs, folder):
    counted = told(runs[name])
    alone = folder / f"{name}_alone.plmcap"
    shutil.copy(folder / f"{name}.plmcap", alone)
    assert cli("inspect", alone)["summary"]["peak_reserved_bytes"] == counted["reserved"]
    # Beside each other recording and snapshot are one document.
    both, snapshot = (cli("inspect", folder / f"{name}.{ending}")["summary"] for ending in ("plmcap", "pickle"))
    for figures in (both, snapshot):
        assert (figures["peak_reserved_bytes"], figures["peak_bytes"]) == (counted["reserved"], counted["requested"])
    assert (both["peak_foreign_bytes"], snapshot["peak_foreign_bytes"]) == (0, None)


def test_groups_at_the_peak_add_up_to_it(runs, folder):
    for by in ("class", "frame", "module", "pool"):
        groups = cli("live", folder / "small.pickle", "--at", "peak", "--by", by)["groups"]
        assert sum(group["bytes"] for group in groups) == told(runs["small"])["requested"], by


def test_the_difference_is_that_of_the_peaks(runs, folder):
    difference = cli("diff", folder / "small.pickle", folder / "larger.pickle")
    peaks = [told(runs[name])["requested"] for name in ("small", "larger")]
    assert (difference["a"]["bytes"], difference["b"]["bytes"]) == tuple(peaks)
    assert sum(group["b_bytes"] - group["a_bytes"] for group in difference["groups"]) == peaks[1] - peaks[0] > 0


def test_the_failure_is_diagnosed_and_its_plan_fits(runs, folder):
    full = runs["full"]
    assert full.returncode == 1 and "OutOfMemoryError" in full.stderr
    asked, free = map(float, re.search(r"Tried to allocate ([\d.]+) MiB\..* of which ([\d.]+) MiB is free", full.stderr).groups())
    stand_in.script(folder / "train.py", FULL, "--trace", folder=folder)
    graph = folder / "language.plimsoll.json.gz"
    found = cli("diagnose", folder / "full.oom.pickle", "--graph", graph)
    assert found["failed"] and round(found["free_bytes"] / MiB, 2) == free
    assert round(found["missing_bytes"] / MiB, 2) == round(asked - free, 2)  # PyTorch tells the segment that it asked for
    assert sum(group["bytes"] for group in found["by_class"]) == found["live_bytes"]
    (remedy,) = (remedy for remedy in found["remedies"] if remedy["id"] == "plan")
    assert remedy["suffices_for"] == "step"

    # The command that the remedy tells: the plan runs on the same GPU.
    plan = folder / "plan.json"
    budget = re.search(r'"plimsoll-cli plan .* --budget (\d+)"\.$', remedy["text"])[1]
    cli("plan", graph, "--budget", budget, "--export", plan)
    after = trained(folder, "planned", FULL, plan)
    counted = told(after)
    assert counted["reserved"] <= MEMORY
    planned = cli("inspect", folder / "planned.pickle")["summary"]
    assert (planned["peak_reserved_bytes"], planned["peak_bytes"], planned["ooms"]) == (counted["reserved"], counted["requested"], 0)
