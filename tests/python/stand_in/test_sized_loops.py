# SPDX-License-Identifier: Apache-2.0
"""Whether a training loop with a plan runs on a GPU of some size: PyTorch's allocator on a stand-in of that size, beside the replay."""

import json
import re
import subprocess

import pytest
from helpers import loop, stand_in
from helpers.on_stand_in.planned import SLOTS, built

MODEL = "gpt2@real"
MiB = 1 << 20
FREE = re.compile(r"of which ([\d.]+) ([MG])iB is free")


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A graph with a plan, and the plan's peak."""
    folder = tmp_path_factory.mktemp("sized")
    graph, plan = folder / "graph.plimsoll.json.gz", folder / "plan.json"
    loop.trace(lambda: built(MODEL), graph, "cuda")
    loop.cli("plan", graph, "--budget", "65%", "--reserve", 0, "--export", plan, *SLOTS)
    return graph, plan, loop.peak(graph, plan)["peak_bytes"]


# Memory beyond the peak, in percent of it: far enough from where the loop just runs.
@pytest.mark.parametrize("settings, more, runs", [("", 8, False), ("", 15, True), ("expandable_segments:True", 3, True)])
def test_the_loop_runs_or_fails_as_the_replay_says(planned, settings, more, runs):
    graph, plan, peak = planned
    memory = peak * (100 + more) // 100 // (2 * MiB) * 2 * MiB
    command = [loop.program("PLIMSOLL_LOOP_CHECK"), "--run", graph, plan, settings, str(memory)]
    (mine,) = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    its = stand_in.result("helpers.on_stand_in.sized_loop", MODEL, str(plan), "3", memory=memory, settings=settings)
    assert (mine["fails_at"] is None) == (its["error"] is None) == runs
    *_, last = its["flushes"]
    assert mine["flushes"][1] == last
    if not runs:
        iteration, _, asked, free, _ = mine["fails_at"]
        assert iteration == len(its["flushes"]) - 1  # before the first there is the model
        told, unit = FREE.search(its["error"]).groups()
        assert f"{free / (MiB if unit == 'M' else 1024 * MiB):.2f}" == told
        segment = -(-asked // (2 * MiB)) * 2 * MiB  # which PyTorch names
        assert f"Tried to allocate {segment / (1024 * MiB):.2f} GiB" in its["error"]
