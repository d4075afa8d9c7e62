# SPDX-License-Identifier: Apache-2.0
"""The buckets that `plan --ddp` counts are those of DDP's reducer: sizes and order, by two gloo processes that train."""

import json

import plimsoll
import pytest
from helpers import stand_in
from helpers.loop import cli
from helpers.op_plans import made
from helpers.plans import plan_file, region

KIB, MIB = 1 << 10, 1 << 20
# name, cap of DDP (None: its default), further words of --ddp
SETTINGS = [
    ("resnet18", None, ()),
    ("resnet18", 5 * MIB, ("views",)),
    ("gpt2", 40 * KIB, ()),
    ("llama", 30 * KIB, ("views",)),
    ("t5", 60 * KIB, ()),
    ("t5", 60 * KIB, ("manual", "views")),
]


def told(graphs, name, cap, words):
    """What the planner says of a step that nothing is recomputed in."""
    line = ",".join(["world=2", *([f"bucket={cap}"] if cap else []), *words])
    return cli("plan", graphs[name], "--budget", "100%", "--planner", "none", "--ddp", line)


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    paths = {}
    for name in dict.fromkeys(name for name, _, _ in SETTINGS):
        step = {key: made(name)[key] for key in ("model", "args", "kwargs", "loss") if key in made(name)}
        paths[name] = folder / f"{name}.plimsoll.json.gz"
        plimsoll.trace(step.pop("model"), out=paths[name], target="cpu", **step)
    return paths


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    """What each of two processes found."""
    folder = tmp_path_factory.mktemp("workers")
    arguments = [
        [name, {**({"bucket_cap_mb": cap / MIB} if cap else {}), "gradient_as_bucket_view": "views" in words}, "manual" in words]
        for name, cap, words in SETTINGS
    ]
    plan = plan_file([region(("first", "Sequential")), region(("second", "Sequential"))])
    (folder / "settings.json").write_text(json.dumps({"settings": arguments, "plan": plan}))
    return stand_in.ranks("helpers.ddp_bucket_worker", folder / "meeting", folder / "settings.json")


@pytest.mark.parametrize("index", range(len(SETTINGS)))
def test_buckets_are_the_reducers(index, graphs, workers):
    name, cap, words = SETTINGS[index]
    answer = told(graphs, name, cap, words)
    parallel = answer["data_parallel"]
    for process in workers:
        found = process["buckets"][index]
        if "manual" in words:  # reduced one by one; the bucket is there all the same
            assert found["sizes"] == [sum(row["bytes"] for row in parallel["reductions"])]
            assert parallel["reductions"] and all(row["gradients"] == 1 for row in parallel["reductions"])
            assert sum(found["gradient_storages"]) == sum(found["sizes"])  # beside it
        else:
            assert found["sizes"] == [row["bytes"] for row in parallel["reductions"]]
            assert found["names"] == parallel["buckets"]
        if "views" in words and "manual" not in words:
            assert found["gradient_storages"] == sorted(found["sizes"])  # gradients are in the buckets, and nowhere else
    alone = cli("plan", graphs[name], "--budget", "100%", "--planner", "none")
    assert alone["data_parallel"] is None
    if "views" not in words:  # one more copy of all gradients, each bucket rounded to 512 B
        copy = sum(-(-size // 512) * 512 for size in workers[0]["buckets"][index]["sizes"])
        assert answer["peak_bytes"] == alone["peak_bytes"] + copy


def test_hooks_of_a_shared_layer_fire_once_with_non_reentrant_regions(workers):
    for process in workers:
        without, planned = process["shared"]
        assert without == planned and planned[0] == 1
