# SPDX-License-Identifier: Apache-2.0
"""Plans of the planners on chains run on real models: gradients and statistics stay the same bit for bit."""

import json

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import loop
from helpers.step_plans import traced
from helpers.step_training import Training, assert_same_bits
from plimsoll.record.writer import write
from plimsoll.trunk import checkpoint_trunk
from helpers.trunks import Trunk
from torch import nn


def step(trained, images):
    """Loss, gradients and buffers of one step."""
    torch.manual_seed(1)
    loss = trained(images).square().sum()
    loss.backward()
    return [loss.detach(), *(p.grad for p in trained.parameters()), *trained.buffers()]


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("trunk") / "trunk.plimsoll.json.gz"
    plimsoll.trace(Trunk(), torch.rand(4, 3, 32, 32), loss=lambda out: out.square().sum(), out=path, target="cpu")
    return path


def plans(graph, planner, folder):
    """All on the planner's frontier that checkpoint something."""
    _, points = loop.frontier(graph, "--planner", planner, "--freeze-stats", "on")
    for number, peak in enumerate(sorted({peak for peak, _ in points})):
        path = folder / f"{number}.json"
        loop.cli("plan", graph, "--planner", planner, "--freeze-stats", "on", "--budget", peak, "--export", path)
        plan = json.loads(path.read_text())
        assert plan["planner"] == planner
        if plan["regions"]:
            yield plan


@pytest.mark.parametrize("planner", ["chen", "trunk"])
def test_plans_change_nothing_but_memory(planner, graph, tmp_path):
    images = torch.rand(4, 3, 32, 32)
    expected = step(Trunk(), images)
    count = 0
    for plan in plans(graph, planner, tmp_path):
        planned = Trunk()
        with plimsoll.apply(planned, plan):
            found = step(planned, images)
        assert all(torch.equal(a, b) for a, b in zip(found, expected))
        count += 1
    assert count >= 2


def test_the_planners_buckets_are_those_of_the_package(graph, tmp_path):
    trunk = Trunk()
    paths = {id(module): path for path, module in trunk.named_modules()}
    layers = [paths[id(layer)] for layer in next(iter(checkpoint_trunk(dict(trunk.named_children()), ["head"], 1).values()))]
    splits = []
    for count in range(2, len(layers) + 1):
        buckets = checkpoint_trunk(dict(trunk.named_children()), ["head"], count).values()
        splits.append([[paths[id(layer)] for layer in bucket] for bucket in buckets if bucket.is_checkpointed])

    def layers_in(region):
        paths = [member["path"] for member in region["members"]]
        return [layer for path in paths for layer in layers if f"{layer}.".startswith(f"{path}.")]

    found = 0
    for plan in plans(graph, "trunk", tmp_path):
        assert [layers_in(region) for region in plan["regions"]] in splits
        found += 1
    assert found >= 2
    for count, expected in enumerate(splits, 2):
        options = ("--planner", "trunk", "--splits", count)
        _, points = loop.frontier(graph, *options)
        path = tmp_path / f"split{count}.json"
        loop.cli("plan", graph, *options, "--budget", min(points)[0], "--export", path)
        found = [layers_in(region) for region in json.loads(path.read_text())["regions"]]
        assert found in (expected, [])  # nothing where that costs no less memory than no checkpoint
        assert found or count > 4


class Block(nn.Module):
    """Without modules inside: nothing but ways to run it keeps a part of it."""

    def __init__(self):
        super().__init__()
        self.wide, self.narrow = nn.Parameter(torch.rand(128, 32) / 9), nn.Parameter(torch.rand(32, 128) / 9)

    def forward(self, values):
        inner = F.gelu(F.linear(F.layer_norm(values, (32,)), self.wide), approximate="tanh")
        return values + F.dropout(F.linear(inner, self.narrow), 0.1)


def blocks():
    """A step whose values outweigh its parameters, so that plans matter."""
    torch.manual_seed(0)
    return {
        "model": nn.Sequential(*(Block() for _ in range(6))),
        "args": (torch.rand(64, 32, 32),),
        "loss": lambda out: out.square().sum(),
        "optimizer": lambda parameters: torch.optim.SGD(parameters, lr=0.01),
    }


def plans_by_several_ways(folder, *options):
    """Of the frontier's plans every third, or every sixth for runtime step, for a device on which products take most of the time."""
    options = ("--device", "memory=1GiB,bandwidth=100G,float32=1G", *options)
    graph = folder / "graph.plimsoll.json"
    write(traced(blocks()), graph)
    _, points = loop.frontier(graph, "--ways", "on", *options)
    for number, peak in enumerate(sorted({peak for peak, _ in points})[:: 6 if "step" in options else 3]):
        path = folder / f"{number}.json"
        loop.cli("plan", graph, "--ways", "on", *options, "--budget", peak, "--export", path)
        yield path


def test_stages_run_in_several_ways_change_nothing(tmp_path):
    training, saved = Training(blocks()), 0
    training.next_batch(0)
    expected = training.outcome(training.eager)
    for path in plans_by_several_ways(tmp_path):
        saved += any(region.get("save") for region in json.loads(path.read_text())["regions"])
        with plimsoll.apply(training.model, path):
            assert_same_bits(expected, training.outcome(training.eager))
    assert saved >= 2


def test_steps_of_stages_run_in_several_ways_change_nothing(tmp_path):
    training, repeats = Training(blocks()), 0
    training.next_batch(0)
    expected = training.outcome(training.eager)
    for path in plans_by_several_ways(tmp_path, "--runtime", "step"):
        repeats += bool(json.loads(path.read_text())["schedule"]["again"])
        step = plimsoll.compile_step(training.model, loss=training.loss).with_plan(path)
        assert_same_bits(expected, training.outcome(lambda: step(*training.args, **training.kwargs)))
    assert repeats >= 2
