# SPDX-License-Identifier: Apache-2.0
"""`plan --zero` against PyTorch: two gloo processes under fully_shard() gather, hold and reduce what is said, op by op, and share out what is said."""

import json

import plimsoll
import pytest
from helpers import shard_worker, stand_in
from helpers.loop import cli, shards
from helpers.plans import plan_file, region

BLOCKS = ["g.0", "g.1", "h.0", "h.1"]
block = lambda path: (path, "Block")  # noqa: E731
pair = lambda path: (path, "Sequential")  # noqa: E731
PLANS = {
    "none": plan_file([]),
    "every block": plan_file([region(block(path)) for path in BLOCKS]),
    "two blocks as one": plan_file([region(pair("g")), region(block("h.1"))]),
    "all blocks as one": plan_file([region(pair("g"), pair("h"))]),
    "nested": plan_file([region(pair("g"), nested=[region(block("g.0"))]), region(pair("h"), nested=[region(block("h.1"))])]),
    "inside of blocks": plan_file([region((f"{path}.a", "Linear")) for path in BLOCKS]),
}
CASES = [(3, name) for name in PLANS] + [(2, "none"), (2, "two blocks as one")]


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "model.plimsoll.json.gz"
    step = shard_worker.made()
    plimsoll.trace(step.pop("model"), out=path, target="cpu", **step)
    return path


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    """What each of two processes saw: one answer for each case, and that of ZeRO-1 behind them."""
    folder = tmp_path_factory.mktemp("workers")
    cases = [[stage, BLOCKS, PLANS[name] if PLANS[name]["regions"] else None] for stage, name in CASES]
    (folder / "cases.json").write_text(json.dumps([*cases, [1, [], None]]))
    return stand_in.ranks("helpers.shard_worker", folder / "meeting", folder / "cases.json")


def expected_rows(told, seen):
    """The model's bytes for each row that a process saw: at a linear layer's kernel, or when a gradient is there. A recomputation may
    stop before the kernel, but the transposition comes first."""
    kernels = {}
    for number, (module, target, again, *_) in enumerate(told["steps"]):
        if target.startswith("aten.t." if again else "aten.addmm"):
            kernels.setdefault(module, []).append(number)
    rows = []
    for where, *_ in seen:
        kind, name = where.split(" ")
        step = kernels[name].pop(0) if kind == "forward" else told["ready"][name]
        rows.append([where, *told["steps"][step][3:]])
    return rows


@pytest.mark.parametrize("index", range(len(CASES)), ids=[f"{name}, zero {stage}" for stage, name in CASES])
def test_what_is_gathered_held_and_reduced_is_fully_shards(index, graph, workers, tmp_path):
    stage, name = CASES[index]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLANS[name]))
    setting = f"world=2,zero={stage}"
    told = shards(graph, plan, setting)
    for process in workers:
        seen = process[index]
        assert seen["rows"] == expected_rows(told, seen["rows"])
    assert told["states"] == workers[0][index]["states"]  # of the first process, which has no padding


@pytest.mark.parametrize("stage", [2, 3])
def test_order_and_sizes_of_collectives_are_fully_shards(stage, graph, workers):
    answer = cli("plan", graph, "--budget", "100%", "--planner", "none", "--ddp", "world=2", "--zero", stage)["data_parallel"]
    units = answer["units"]
    assert [unit["module"] for unit in units] == ["", *BLOCKS]
    for process in workers:
        seen = process[CASES.index((stage, "none"))]
        assert [[row["unit"], row["bytes"]] for row in answer["gatherings"]] == seen["gathers"]
        reduced = [[unit["module"], unit["reduced_bytes"]] for unit in (*reversed(units[1:]), units[0])]
        assert reduced == seen["reductions"] and [size for _, size in reduced] == [row["bytes"] for row in answer["reductions"]]
        for unit in units:
            assert unit["shard_bytes"] == sum(seen["shards"][name] for name in unit["parameters"])


def test_zero_1_shares_out_the_states_that_zero_redundancy_optimizer_does(graph, workers, tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLANS["none"]))
    assert shards(graph, plan, "world=2,zero=1")["states"] == max(process[-1]["states"] for process in workers)
