# SPDX-License-Identifier: Apache-2.0
"""Heads that no loss needs: what they save goes with them, under plans of module regions and of op regions, as evaluate() says."""

import functools
import json

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import loop
from helpers.op_plans import count_of, plan_of, random_regions, record, seeded, with_saved
from helpers.plans import plan_file, region

WIDTH = 16


class Two(torch.nn.Module):
    """Takes a side value that it only makes something useless of."""

    def __init__(self):
        super().__init__()
        self.act = torch.nn.GELU()
        self.line = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, hidden, side):
        torch.tanh(self.act(side) * 2).exp()
        return torch.tanh(self.line(hidden))


class Headed(torch.nn.Module):
    """`kind`: what becomes of the head's result, which backward never asks for."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.first = torch.nn.Linear(WIDTH, WIDTH)
        wide = torch.nn.Linear(WIDTH, 2 * WIDTH)
        self.head = torch.nn.Sequential(wide, torch.nn.GELU(), torch.nn.Linear(2 * WIDTH, 3 * WIDTH), torch.nn.Tanh())
        self.body = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(), torch.nn.Dropout(0.1))
        self.two = Two()
        self.last = torch.nn.Linear(WIDTH, 5)

    def forward(self, x):
        hidden = F.relu(self.first(x))
        side = None
        if self.kind == "ignored":
            self.head(hidden)
        elif self.kind == "chain":
            torch.tanh(self.head(hidden)).exp()
        elif self.kind == "detached":
            hidden = hidden + self.head(hidden).detach().mean()
        else:
            side = self.head(hidden)
        if self.kind == "looked at":
            hidden = hidden + side.detach().mean()
        hidden = self.body(hidden)
        if self.kind == "given":
            hidden = self.two(hidden, side)
        elif self.kind == "let go":
            side = None
        result = self.last(hidden + F.gelu(hidden))
        return (result, side) if self.kind == "returned" else result


def built(kind):
    torch.manual_seed(0)
    loss = (lambda out: out[0].square().sum()) if kind == "returned" else (lambda out: out.square().sum())
    optimizer = functools.partial(torch.optim.SGD, lr=0.1)
    return {"model": Headed(kind).train(), "args": (torch.randn(8, WIDTH),), "loss": loss, "optimizer": optimizer}


class Loop:
    """Traces a model once; compares plans with their recordings."""

    def __init__(self, kind, folder):
        self.kind, self.folder = kind, folder
        made = built(kind)
        self.forward = record(made["model"], made["args"])
        plimsoll.trace(made.pop("model"), out=folder / "graph.plimsoll.json", target="cpu", **made)
        self.graph = json.loads((folder / "graph.plimsoll.json").read_text())

    def differences(self, plan):
        (self.folder / "plan.json").write_text(json.dumps(plan))
        loop.record(lambda: built(self.kind), plan, self.folder / "stream.json", "cpu")
        return loop.compare(self.folder / "graph.plimsoll.json", self.folder / "plan.json", self.folder / "stream.json")["first"]


def dead_rows(graph):
    forward = sum(op[1] <= 1 for op in graph["ops"])
    return [row for row in graph["saved"] if row[4] is None and row[6] is not None and row[6] < forward]


@pytest.mark.parametrize("kind", ["ignored", "kept", "chain", "given", "let go", "returned"])
def test_heads_under_regions_of_ops(kind, tmp_path):
    looped, regions = Loop(kind, tmp_path), 0
    assert bool(dead_rows(looped.graph)) is (kind != "returned")  # whoever holds the result holds all that led to it
    for seed in range(5):
        rows = random_regions(looped.forward, seeded(seed), depth=seed % 3) if seed else []
        plan = plan_of(looped.graph, with_saved(looped.forward, rows, seeded(seed)) if seed % 2 else rows)
        assert looped.differences(plan) == [], seed
        regions += count_of(rows)
    assert regions > 10


BLOCKS = {
    "parts": [region(("head.0", "Linear")), region(("head.2", "Linear")), region(("body", "Sequential"))],
    "whole": [
        region(("head", "Sequential"), nested=[region(("head.1", "GELU"))]),
        region(("body.0", "Linear"), ("body.1", "Tanh")),
    ],
    "last": [region(("head.1", "GELU"), ("head.2", "Linear")), region(("head.3", "Tanh")), region(("last", "Linear"))],
}
GIVEN = [region(("head.0", "Linear")), region(("head.1", "GELU")), region(("two", "Two"), nested=[region(("two.act", "GELU"))])]


@pytest.mark.parametrize("kind", ["ignored", "kept", "chain", "given", "let go", "detached", "looked at"])
def test_heads_under_regions_of_modules(kind, tmp_path):
    looped = Loop(kind, tmp_path)
    for name, regions in {**BLOCKS, **({"given": GIVEN} if kind == "given" else {})}.items():
        assert looped.differences(plan_file(regions)) == [], name


def test_regions_keep_a_head_that_they_were_given(tmp_path):
    """Its nodes stand until backward, because the region's frame holds its result; without the region they fall in forward."""
    looped = Loop("given", tmp_path)
    assert looped.differences(plan_file(GIVEN)) == []
    lives = json.loads((tmp_path / "stream.json").read_text())
    begins, size, activation = lives["backward_start"], 8 * 2 * WIDTH * 4, 6
    made = [life for life in lives["lives"] if life[0] == size and 0 <= life[1] < begins]
    assert any(life[2] is None or life[2] >= begins for life in made)
    plain = [storage for storage in looped.graph["storages"] if storage[:2] == [size, activation]]
    assert plain and all(storage[3] < begins for storage in plain)


def test_what_is_looked_at_detached_is_never_counted_short(tmp_path):
    """Recordings don't tell a detached tensor from the one with the node: nodes may fall earlier than evaluated, never later."""
    looped = Loop("looked at", tmp_path)
    for seed in range(4):
        rows = random_regions(looped.forward, seeded(seed), depth=1) if seed else []
        for difference in looped.differences(plan_of(looped.graph, rows)):
            assert difference["kind"] in ("life", "curve", "curve_rounded512", "peak"), difference
            assert difference.get("excess", 1) > 0, difference
