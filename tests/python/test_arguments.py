# SPDX-License-Identifier: Apache-2.0
"""A plan that Plimsoll makes can be applied, whatever the calls of its modules are given beside tensors."""

import json
import os
import subprocess

import plimsoll
import pytest
from chains import FUSED, WAYS, step
from graph_rules import assert_sound
from test_apply import assert_same, results


def _plans(graph, folder):
    """The planner's plans for budgets from the whole step's peak down to what can't be kept."""
    cli = os.environ.get("PLIMSOLL_CLI")
    assert cli, "PLIMSOLL_CLI must name the built program; CTest sets it"
    for percent in (95, 85, 75, 65, 60, 55):
        path = folder / f"{percent}.json"
        command = [cli, "plan", graph, "--budget", f"{percent}%", "--export", path]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if not path.exists():
            assert percent < 95, done.stderr
            return
        yield json.loads(path.read_text())


def _regions(regions):
    for region in regions:
        yield region
        yield from _regions(region["nested"])


@pytest.mark.parametrize("way", WAYS)
def test_every_plan_of_the_planner_runs(way, tmp_path):
    model, args = step(way)
    graph = plimsoll.trace(model, args, target="cpu", loss=lambda out: out, out=tmp_path / "chain.plimsoll.json")
    assert_sound(json.loads(graph.read_text()))
    plain, longest, count = results(model, lambda m: m(*args)), 0, 0
    for plan in _plans(graph, tmp_path):
        with plimsoll.apply(model, plan):
            assert_same(results(model, lambda m: m(*args)), plain)
        longest = max([longest, *(len(r["members"]) for r in _regions(plan["regions"]))])
        count += 1
    assert count >= 1
    assert (longest > 1) == (way in FUSED)
