# SPDX-License-Identifier: Apache-2.0
"""Plans between ops by hand, and results kept inside regions, at full size: PyTorch's own step equals what evaluate() says, at every op.

Plans of the planner: test_matrix_fakes.py.
"""

import gzip
import json
import runpy

import make
import plimsoll
import pytest
import torch
from helpers import EXHAUSTIVE, loop
from helpers.once import once

SAVED_SETS = {"densenet121": ("module", "39%"), "gpt2": ("module", "58%")}
CHOSEN = ("resnet18", "densenet121", "gpt2") if EXHAUSTIVE else ("resnet18", "gpt2")


def region(first, last, nested=(), save=()):
    return {"label": 0, "first": first, "last": last, "nested": list(nested), "save": list(save)}


# Regions that no run of modules makes: they end before an op in place, cut attention and the loss in two, nest three deep.
BY_HAND = {
    "resnet18": [region(1, 2), region(5, 17, [region(5, 7), region(9, 13, [region(9, 11)])]), region(23, 58, [region(35, 57)])],
    "densenet121": [region(5, 60, [region(6, 20, [region(9, 11)]), region(24, 40)]), region(65, 66), region(70, 300, [region(105, 299)])],
    "gpt2": [region(1, 45, [region(20, 31, [region(25, 28)]), region(33, 44)]), region(50, 120), region(300, 474, [region(310, 470)])],
}
KEPT_BY_HAND = {
    "resnet18": [region(4, 58, [region(9, 28, save=[9, 18])], save=[5, 35])],
    "densenet121": [region(5, 90, [region(28, 60, [region(40, 50, save=[45])], save=[32, 54])], save=[9, 14])],
    "gpt2": [region(18, 200, [region(40, 60, save=[43, 50])], save=[23, 37, 91])],
}


@once
def graph(sample):
    with gzip.open(make.sample_path(sample)) as file:
        return json.load(file)


def plan_file(sample, regions):
    traced = graph(sample)
    ops = [op for op in traced["ops"] if op[1] <= 2]
    about = {"model_class": traced["model_class"], "target": traced["target"], "torch": traced["torch"]}
    about["forward_ops"] = sum(op[1] <= 1 for op in ops)
    sequence = {"targets": traced["targets"], "ops": [op[0] for op in ops]}
    plan = {"format": "plimsoll-plan", "version": 1, "runtime": "checkpoint", "granularity": "op", "graph": about}
    return {**plan, "sequence": sequence, "regions": regions}


def planned(sample, path, *options):
    answer = loop.cli("plan", make.sample_path(sample), "--planner", "rotor", *options, "--slots", 100, "--export", path)
    assert answer["verified"]
    return json.loads(path.read_text())


def assert_equal(sample, plan, tmp_path):
    """Records the planned model; returns the recording and what was evaluated."""
    (tmp_path / "given.json").write_text(json.dumps(plan))
    stream = loop.record(make.SAMPLES[sample], plan, tmp_path / "stream.json", "cuda")
    result = loop.compare(make.sample_path(sample), tmp_path / "given.json", tmp_path / "stream.json")
    assert result["equal"], result["first"]
    assert result["peak_bytes"] == max(stream.curve)
    return stream


def saved_in(regions):
    return [op for row in regions for op in [*row.get("save", ()), *saved_in(row["nested"])]]


def repeated(stream):
    return [op for _, op in stream.ops if op >= 0]


@pytest.mark.parametrize("sample", CHOSEN)
def test_regions_between_ops(sample, tmp_path):
    stream = assert_equal(sample, plan_file(sample, BY_HAND[sample]), tmp_path)
    assert len(repeated(stream)) > 40


@pytest.mark.parametrize("sample", CHOSEN)
def test_results_kept_inside_regions(sample, tmp_path):
    regions = KEPT_BY_HAND[sample]
    with_results = assert_equal(sample, plan_file(sample, regions), tmp_path)
    inner = regions[0]["nested"][0]
    outer, nested = regions[0]["save"], saved_in(regions[0]["nested"])
    # The outer recomputation runs what the nested one keeps, neither runs what the outer one keeps.
    assert outer and not set(outer) & set(repeated(with_results))
    assert all(inner["first"] <= op <= inner["last"] for op in nested)


def test_code_alone_changes_what_lives(tmp_path):
    stream = assert_equal("gpt2", plan_file("gpt2", []), tmp_path)
    assert not repeated(stream)
    assert max(stream.curve) <= graph("gpt2")["checks"]["peak_bytes"]


def test_a_plan_between_ops_exported_as_python(tmp_path):
    plan = planned("resnet18", tmp_path / "plan.json", "--budget", "80%", "--granularity", "op", "--export", tmp_path / "plan.py")
    module = runpy.run_path(str(tmp_path / "plan.py"))
    assert module["PLAN"] == {key: value for key, value in plan.items() if key not in ("evaluation", "labels")}
    with plimsoll.building():
        model = make.SAMPLES["resnet18"]()["model"]
    with module["apply"](model):
        assert "forward" in vars(model)
    assert "forward" not in vars(model)


@pytest.mark.parametrize("sample", [sample for sample in SAVED_SETS if sample in CHOSEN])
def test_saved_sets_are_faster_than_regions_alone(sample, tmp_path):
    granularity, budget = SAVED_SETS[sample]
    options = ("--budget", budget, "--granularity", granularity)
    without = planned(sample, tmp_path / "without.json", *options)
    plan = planned(sample, tmp_path / "plan.json", *options, "--saved-sets", "on")
    assert plan["evaluation"]["step_time_ns"] < without["evaluation"]["step_time_ns"]
    assert len(saved_in(plan["regions"])) > 10


class Gated(torch.nn.Module):
    """A GRU on the CPU writes one slice of its gates when another one is saved already (unsafe_split)."""

    def __init__(self):
        super().__init__()
        self.up, self.gates, self.down = torch.nn.Linear(8, 8), torch.nn.GRU(8, 8, batch_first=True), torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.down(torch.tanh(self.gates(torch.tanh(self.up(x)))[0]))


class Scaled(torch.nn.Module):
    """mul_ saves a copy of what it overwrites, and the copy has a node of its own."""

    def __init__(self):
        super().__init__()
        self.up, self.scale = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)

    def forward(self, x):
        return torch.tanh(self.up(x)).add(1).mul_(self.scale(x))


@pytest.mark.parametrize("part", [0.5, 1.0])
def test_a_copy_lives_until_the_op_in_place_that_saves_it_has_run(part, tmp_path):
    builder = lambda: {"model": torch.nn.Sequential(*[Scaled() for _ in range(4)]), "args": (torch.ones(512, 64),)}  # noqa: E731
    graph, plan = loop.trace(builder, tmp_path / "graph.plimsoll.json.gz", "cpu"), tmp_path / "plan.json"
    most, least = loop.span(graph, "--granularity", "op")
    said = loop.cli("plan", graph, "--budget", most - int(part * (most - least)), "--export", plan, "--granularity", "op")
    assert said["verified"]
    loop.record(builder, plan, tmp_path / "stream.json", "cpu")
    result = loop.compare(graph, plan, tmp_path / "stream.json")
    assert result["equal"], result["first"]


@pytest.mark.parametrize("options", [(), ("--saved-sets", "on")])
def test_regions_inside_a_gru_come_to_the_writes_of_its_gates(options, tmp_path):
    builder = lambda: {"model": Gated(), "args": (torch.ones(64, 3, 8),)}  # noqa: E731
    options = ("--granularity", "op", *options)
    graph, plan = loop.trace(builder, tmp_path / "graph.plimsoll.json.gz", "cpu"), tmp_path / "plan.json"
    most, least = loop.span(graph, *options)
    for part in (0.3, 0.6, 1.0):
        said = loop.cli("plan", graph, "--budget", most - int(part * (most - least)), "--export", plan, *options)
        assert said["verified"] and said["regions"]
        loop.record(builder, plan, tmp_path / "stream.json", "cpu")
        result = loop.compare(graph, plan, tmp_path / "stream.json")
        assert result["equal"], result["first"]
