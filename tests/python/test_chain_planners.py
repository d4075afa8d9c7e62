# SPDX-License-Identifier: Apache-2.0
"""Plans of the planners chen and trunk run on a real model: gradients and statistics stay the same bit for bit."""

import json

import loop
import plimsoll
import pytest
import torch
from plimsoll.trunk import checkpoint_trunk
from test_trunk import parts
from torch import nn


class Trunk(nn.Module):
    def __init__(self):
        super().__init__()
        for name, part in parts().items():
            self.add_module(name, part)

    def forward(self, images):
        for part in self.children():
            images = part(images)
        return images


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
    found = 0
    for plan in plans(graph, "trunk", tmp_path):
        members = [[member["path"] for member in region["members"]] for region in plan["regions"]]
        regions = [[layer for path in region for layer in layers if f"{layer}.".startswith(f"{path}.")] for region in members]
        assert regions in splits
        found += 1
    assert found >= 2
