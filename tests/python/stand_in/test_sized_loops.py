# SPDX-License-Identifier: Apache-2.0
"""Whether a training loop with a plan runs on a GPU of some size: PyTorch's allocator on a stand-in of that size, beside the replay. The graph
has its kernels' scratch as measured there."""

import json
import re
import subprocess
from functools import cache

import pytest
from helpers import EXHAUSTIVE, loop, stand_in
from helpers.on_stand_in.planned import NO_PLAN, SLOTS

MODELS = ("resnet18", "mobilenet_v3", "gpt2", "bert", "t5", "mixture")
# Percent of the unplanned peak for which is planned, and how much larger the device is than that: most loops fail, run with flushes, just run.
BUDGETS = ((92, 0), (84, 5), (76, 12))
SETTINGS = ("", "expandable_segments:True")
ALL = [(model, *budget, settings) for model in MODELS for budget in BUDGETS for settings in SETTINGS]
FEW = ("resnet18", "gpt2", "t5")  # models of which a normal run has all budgets, with the usual settings
SOME = (*FEW, "mixture")
CASES = ALL if EXHAUSTIVE else [case for case in ALL if (case[0] in SOME and case[1:3] == BUDGETS[0]) or (case[0] in FEW and not case[3])]
MiB = 1 << 20
STEP = 2 * MiB  # in which the allocator takes memory
ITERATIONS = 3
MEMORY = 80 * stand_in.GiB
FREE = re.compile(r"of which ([\d.]+) ([MG])iB is free")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """By model: the folder of its graph, and the unplanned peak."""

    @cache
    def of(model):
        folder = tmp_path_factory.mktemp(model)
        graph, none = folder / "graph.plimsoll.json.gz", folder / "none.json"
        stand_in.result("helpers.on_stand_in.sized_loop", "--trace", f"{model}@real", str(graph), memory=MEMORY)
        none.write_text(json.dumps(NO_PLAN))
        return folder, loop.peak(graph, none)["peak_bytes"]

    return of


@pytest.mark.parametrize("model, budget, more, settings", CASES)
def test_the_loop_runs_or_fails_as_the_replay_says(made, model, budget, more, settings):
    folder, peak = made(model)
    graph, plan = folder / "graph.plimsoll.json.gz", folder / f"{budget}.json"
    if not plan.exists():
        loop.cli("plan", graph, "--budget", peak * budget // 100, "--reserve", 0, "--export", plan, *SLOTS)
    memory = peak * budget * (100 + more) // 10_000 // STEP * STEP
    command = [loop.program("PLIMSOLL_LOOP_CHECK"), "--run", graph, plan, settings, str(memory)]
    (mine,) = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    its = stand_in.result("helpers.on_stand_in.sized_loop", f"{model}@real", str(plan), str(ITERATIONS), memory=memory, settings=settings)
    assert its["flushes"] == mine["flushes"]
    assert (its["error"] is None) == (mine["fails_at"] is None)
    if mine["fails_at"] is not None and not settings:
        _, _, asked, free, _ = mine["fails_at"]
        told, unit = FREE.search(its["error"]).groups()
        assert f"{free / (MiB if unit == 'M' else 1024 * MiB):.2f}" == told
        segment = -(-asked // STEP) * STEP  # which PyTorch names
        size = f"{segment / MiB:.2f} MiB" if segment < 1024 * MiB else f"{segment / (1024 * MiB):.2f} GiB"
        assert f"Tried to allocate {size}" in its["error"]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("model", FEW)
def test_the_plan_that_is_chosen_runs_without_flushes(made, model, settings):
    folder, peak = made(model)
    graph, plan = folder / "graph.plimsoll.json.gz", folder / f"chosen{len(settings)}.json"
    memory = peak * 108 // 100 // STEP * STEP
    asked = ("plan", graph, "--budget", memory, "--reserve", 0, "--alloc-conf", settings, *SLOTS)
    said = loop.cli(*asked, "--prefer", "runs", "--export", plan)["run"]
    assert (said["status"], said["flushes_by_iteration"]) == ("runs", [0] * ITERATIONS)
    its = stand_in.result("helpers.on_stand_in.sized_loop", f"{model}@real", str(plan), str(ITERATIONS), memory=memory, settings=settings)
    assert its["error"] is None and its["flushes"] == said["flushes_by_iteration"] and its["reserved"] <= memory
    fastest = loop.cli(*asked, "--prefer", "fastest")["run"]
    if said["passed_over"] is None:
        assert fastest["status"] == "runs"
    else:
        assert fastest["status"] == said["passed_over"]["fastest_status"] != "runs"
