# SPDX-License-Identifier: Apache-2.0
"""plimsoll.trunk: splits as the C++ planner makes them, and training that nothing tells from the unsplit model's."""

import copy
import json

import plimsoll
import pytest
import torch
import torchvision
from helpers import ROOT, loop
from helpers.trunks import parts
from plimsoll.trunk import Bucket, checkpoint_trunk, layer_splittable_before
from torch import nn

CASES = json.loads((ROOT / "tests" / "data" / "trunk_splits.json").read_text())
SAMPLE = ROOT / "resources" / "samples" / "resnet18.plimsoll.json.gz"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("kind", [list, nn.ModuleList, lambda layers: nn.Sequential(*layers)], ids=["list", "ModuleList", "Sequential"])
def test_splits_are_those_of_the_planner(case, kind):
    named = {}
    for _, names in case["blocks"]:
        named.update((name, nn.ReLU(inplace=True) if name in case["in_place"] else nn.Identity()) for name in names)
    blocks = {name: named[names[0]] if len(names) == 1 else kind([named[one] for one in names]) for name, names in case["blocks"]}
    name_of = {id(module): name for name, module in named.items()}
    if "refused" in case:
        with pytest.raises(ValueError, match=repr(case["refused"])):
            checkpoint_trunk(blocks, case["boundaries"], case["splits"])
        return
    buckets = checkpoint_trunk(blocks, case["boundaries"], case["splits"])
    assert [[name, [name_of[id(layer)] for layer in bucket]] for name, bucket in buckets.items()] == case["buckets"]
    assert [bucket.is_checkpointed for bucket in buckets.values()] == [True] * (len(buckets) - 1) + [False]


def test_what_overwrites_its_input_is_known_by_what_it_does():
    for kind in (nn.ReLU, nn.SiLU, nn.LeakyReLU, nn.Hardswish, nn.Dropout):
        assert not layer_splittable_before(kind(inplace=True))
        assert layer_splittable_before(kind(inplace=False))
    assert layer_splittable_before(nn.GELU())
    assert not layer_splittable_before(nn.Sequential(nn.Sequential(nn.Mish(inplace=True)), nn.Linear(2, 2)))
    assert layer_splittable_before(nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True)))
    assert layer_splittable_before(nn.Sequential())


def trained(blocks, rows, autocast):
    """Loss, gradients and buffers after two steps."""
    layers = nn.ModuleDict(blocks)
    optimizer = torch.optim.SGD(layers.parameters(), 0.1, momentum=0.9)
    losses = []
    for step in range(2):
        torch.manual_seed(step)
        x = torch.rand(4, 3, 10, 10)
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            for row in rows:
                x = row(x)
        loss = x.float().square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses, [p.grad for p in layers.parameters()], list(layers.parameters()), list(layers.buffers())


@pytest.mark.parametrize("autocast", [False, True], ids=["float32", "autocast"])
@pytest.mark.parametrize("splits", [1, 2, 3, 5, 20])
def test_training_is_the_unsplit_models_bit_for_bit(splits, autocast):
    plain, split = parts(), parts()
    buckets = checkpoint_trunk(split, ["stage1", "head"], splits)
    expected = trained(plain, plain.values(), autocast)
    found = trained(split, buckets.values(), autocast)
    for ours, theirs in zip(found, expected):
        assert len(ours) == len(theirs)
        assert all(torch.equal(a, b) for a, b in zip(ours, theirs))


def test_buckets_but_the_last_one_run_twice():
    blocks = parts()
    runs = dict.fromkeys(blocks, 0)

    def counting(name):
        def count(*_):
            runs[name] += 1

        return count

    for name in ("conv", "norm", "head"):
        blocks[name].register_forward_hook(counting(name))
    buckets = checkpoint_trunk(blocks, ["head"], 2)
    x = torch.rand(2, 3, 8, 8)
    for bucket in buckets.values():
        x = bucket(x)
    x.sum().backward()
    assert (runs["conv"], runs["norm"], runs["head"]) == (2, 2, 1)
    assert blocks["norm"].num_batches_tracked == 1
    with torch.no_grad():
        buckets["activation_split_0"](torch.rand(2, 3, 8, 8))
    assert runs["conv"] == 3


def test_what_is_behind_the_last_boundary_is_dropped():
    blocks = parts()
    buckets = checkpoint_trunk(blocks, ["stage1"], 1)
    assert list(buckets) == ["stage1"]
    assert len(buckets["stage1"]) == 6
    assert buckets["stage1"](torch.rand(2, 3, 8, 8)).shape == (2, 8, 8, 8)


def test_sequences_with_hooks_or_a_forward_of_their_own_stay_whole():
    class Own(nn.Sequential):
        def forward(self, x):
            return super().forward(x) * 2

    hooked = nn.Sequential(nn.Identity(), nn.Identity())
    hooked.register_forward_hook(lambda *_: None)
    buckets = checkpoint_trunk({"a": Own(nn.Identity(), nn.Identity()), "b": hooked}, ["b"], 9)
    assert [len(bucket) for bucket in buckets.values()] == [1, 1]
    assert buckets["activation_split_0"](torch.ones(1)).item() == 2


def test_copies_are_their_own():
    bucket = copy.deepcopy(next(iter(checkpoint_trunk(parts(), ["head"], 4).values())))
    assert isinstance(bucket, Bucket) and bucket.is_checkpointed
    bucket(torch.rand(2, 3, 8, 8)).sum().backward()
    assert all(p.grad is not None for p in bucket.parameters())


@pytest.mark.parametrize(
    "boundaries, splits", [(["layer2"], 3), (["layer2", "layer4"], 4), (["layer1.0", "layer3", "fc"], 3), (["layer3.1"], 4)]
)
def test_the_planner_checkpoints_the_same_layers_of_a_real_model(boundaries, splits):
    """ResNet-18 as shipped: what the planner's plan recomputes is in the layers that `checkpoint_trunk` checkpoints, something of each."""
    model = torchvision.models.resnet18()
    names = {id(module): name for name, module in model.named_modules()}
    buckets = checkpoint_trunk(dict(model.named_children()), boundaries, splits)
    ours = {names[id(layer)] for bucket in buckets.values() if bucket.is_checkpointed for layer in bucket}
    options = ["--planner", "trunk", "--boundaries", ",".join(boundaries), "--splits", splits]
    planned = loop.cli("plan", SAMPLE, "--budget", "98%", *options)
    assert planned["options"]["boundaries"] == ",".join(boundaries)
    modules = {row["module"] for row in planned["recomputed"]}
    theirs = {next((name for name in ours if module == name or module.startswith(f"{name}.")), module) for module in modules}
    assert theirs == ours - {"relu"}  # in place: its result is bn1's, which is a row of its own


@pytest.mark.parametrize(
    "blocks, boundaries, splits, sentence",
    [
        ({"a": nn.Identity()}, ["b"], 2, "'b' is no block of the trunk: nearest are 'a'"),
        ({"a": nn.Identity()}, [], 2, "at least its last block"),
        ({"a": nn.Identity()}, "a", 2, "at least its last block"),
        ({"a": nn.Identity()}, ["a"], 0, "0 is no number of splits"),
        ({"a": nn.Identity()}, ["a"], True, "True is no number of splits"),
        ({"a": []}, ["a"], 1, "'a' is empty"),
        ({"a": [nn.Identity(), "b"]}, ["a"], 1, "something of type str"),
        ({"a": [nn.Identity(), nn.Identity()]}, ["a.2"], 1, "'a.2' is no block of the trunk: nearest are 'a.1', 'a.0', 'a'"),
        ({"a": nn.Identity(), "b": nn.ReLU(True)}, ["a", "b"], 1, "'a' is in front of 'b', which overwrites what 'a' returns"),
        ({"a": 3}, ["a"], 1, "something of type int"),
        ({"activation_split_0": nn.Identity()}, ["activation_split_0"], 1, "give it another one"),
    ],
)
def test_bad_trunks_get_a_sentence(blocks, boundaries, splits, sentence):
    with pytest.raises(ValueError, match=sentence):
        plimsoll.trunk.checkpoint_trunk(blocks, boundaries, splits)
