# SPDX-License-Identifier: Apache-2.0
"""A plan that Plimsoll makes can be applied, whatever the calls of its modules are given beside tensors."""

import collections
import json
import os
import subprocess

import plimsoll
import pytest
from helpers import EXHAUSTIVE
from helpers.chains import FUSED, WAYS, step
from helpers.graph_rules import assert_sound
from helpers.loop import ROTOR
from helpers.plans import region
from helpers.outcomes import assert_same, results


PERCENTS = (95, 85, 75, 65, 60, 55) if EXHAUSTIVE else (95, 65)


def _cli(*words):
    cli = os.environ.get("PLIMSOLL_CLI")
    assert cli, "PLIMSOLL_CLI must name the built program; CTest sets it"
    return subprocess.run([cli, *map(str, words)], capture_output=True, text=True)


def _plans(graph, folder):
    """The planner's plans for budgets from the whole step's peak down to what can't be kept."""
    for percent in PERCENTS:
        path = folder / f"{percent}.json"
        done = _cli("plan", graph, "--budget", f"{percent}%", "--export", path, *ROTOR)
        if not path.exists():
            assert percent < 95, done.stderr
            return
        yield json.loads(path.read_text())


def _fused(graph, folder):
    """Plans of one region each, over two neighbouring calls of blocks: those whose region `check` calls legal."""
    path = folder / "plan.json"
    done = _cli("plan", graph, "--budget", "100%", "--planner", "none", "--export", path)
    assert done.returncode == 0, done.stderr
    plan, step = json.loads(path.read_text()), json.loads(graph.read_text())
    blocks, seen = [], collections.Counter()
    for module, _, first, last, *_ in step["calls"]:
        _, name, kind, _ = step["modules"][module]
        if kind == "Block":
            blocks.append(((name, kind, seen[name]), first, last))
            seen[name] += 1
    for (one, first, _), (other, _, last) in zip(blocks, blocks[1:]):
        plan["regions"] = [region(one, other) | {"label": 0, "first": first, "last": last}]
        plan["labels"] = [0 if first <= op <= last else None for op in range(plan["graph"]["forward_ops"])]
        path.write_text(json.dumps(plan))
        faults = json.loads(_cli("check", path, graph, "--json").stdout).get("faults", [])
        # Its figures are those of the plan without regions, and no budget matters here.
        if all(fault["kind"] in ("different_evaluation", "over_budget") for fault in faults):
            yield json.loads(path.read_text())


@pytest.fixture(scope="module", params=WAYS)
def traced(request, tmp_path_factory):
    model, args = step(request.param)
    graph = plimsoll.trace(model, args, target="cpu", loss=lambda out: out, out=tmp_path_factory.mktemp("chain") / "chain.plimsoll.json")
    assert_sound(json.loads(graph.read_text()))

    def runs(plan):
        with plimsoll.apply(model, plan):
            assert_same(results(model, lambda m: m(*args)), plain)

    plain = results(model, lambda m: m(*args))
    return request.param, graph, runs


def test_every_plan_of_the_planner_runs(traced, tmp_path):
    _, graph, runs = traced
    plans = list(_plans(graph, tmp_path))
    for plan in plans:
        runs(plan)
    assert plans


def test_neighbours_are_fused_where_they_are_called_alike(traced, tmp_path):
    way, graph, runs = traced
    plans = list(_fused(graph, tmp_path))
    for plan in plans:
        runs(plan)
    assert bool(plans) == (way in FUSED)
