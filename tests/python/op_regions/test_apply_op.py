# SPDX-License-Identifier: Apache-2.0
"""Op regions on real tensors: code made from a retraced forward gives losses and gradients equal bit for bit."""

import copy

import plimsoll
import pytest
import torch
from helpers import EXHAUSTIVE
from helpers.op_plans import count_of, graph, is_legal, made, plain, plan_of, random_regions, recorded, region, results, same, seeded
from plimsoll import PlanMismatch

MODELS = ("lstm", "gpt2", "resnet18", "mixture", "awkward")
if EXHAUSTIVE:
    MODELS += ("llama", "t5", "mobilenet_v3", "bert", "swin")


def trained(name, regions):
    step = made(name)
    model = copy.deepcopy(step["model"])
    with plimsoll.apply(model, plan_of(graph(name), regions)) as handle:
        return results(step, model), handle.source


@pytest.mark.parametrize("name", MODELS)
def test_random_regions_change_nothing(name):
    forward = recorded(name)
    assert [str(op.func) for op in forward.ops] == [graph(name)["targets"][op[0]] for op in graph(name)["ops"]][: len(forward.ops)]
    for seed, depth in ((0, 2),) if len(forward.ops) > 150 else ((1, 0), (0, 2)):
        regions = random_regions(forward, seeded(seed), depth)
        assert count_of(regions) >= 3
        found, source = trained(name, regions)
        assert same(found, plain(name)[0])
        assert source.count("checkpoint(") == count_of(regions)


def test_functions_of_regions_stand_before_the_one_that_calls_them():
    defined = lambda source: [line.partition("(")[0] for line in source.splitlines() if "def " in line]  # noqa: E731
    _, flat = trained("mixture", [region(1, 9), region(20, 30)])
    assert defined(flat) == ["def region_0", "def region_1", "def forward"]
    _, nested = trained("mixture", [region(1, 30, [region(4, 9, [region(5, 6)]), region(12, 20)])])
    assert defined(nested) == ["def region_0_0_0", "def region_0_0", "def region_0_1", "def region_0", "def forward"]


def test_regions_forty_deep_run():
    starts = [op for op in range(1, 80) if is_legal(recorded("mixture"), region(op, 80))][:40]
    inner = []
    for first in reversed(starts):
        inner = [region(first, 80, inner)]
    _, source = trained("mixture", inner)
    assert source.count("checkpoint(") == 40


def test_a_difference_is_named_with_both_targets_and_the_module():
    plan = plan_of(graph("mixture"), [region(1, 9)])
    plan["sequence"]["ops"][6] = plan["sequence"]["targets"].index("aten.embedding.default")
    step = made("mixture")
    model = copy.deepcopy(step["model"])
    plimsoll.apply(model, plan)
    with pytest.raises(PlanMismatch, match=r"Op 6 .* aten.mm.default \(in module 'blocks.0.attention'.*made for aten.embedding.default"):
        model(*step["args"])
    plimsoll.remove(model)
    assert "forward" not in vars(model)
    assert torch.isfinite(model(*step["args"])).all()
