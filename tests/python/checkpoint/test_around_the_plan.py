# SPDX-License-Identifier: Apache-2.0
"""What surrounds an applied plan: checkpoints of the model's own, and loops that enter the model past its forward."""

import copy
import pickle
import warnings

import plimsoll
import pytest
import torch
from helpers.outcomes import assert_same, results
from helpers.plans import plan_file, region
from helpers.small import tiny_gpt2
from plimsoll import PlanMismatch
from torch import nn
from torch.utils.checkpoint import checkpoint

BATCH = torch.randn(4, 8, generator=torch.Generator().manual_seed(0))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        return x + self.b(self.a(x).relu())


class Coder(nn.Module):
    """Checkpoints its blocks itself if told so; `reentrant` is how."""

    def __init__(self, reentrant=False):
        super().__init__()
        self.h = nn.ModuleList([Block(), Block()])
        self.checkpoints, self.reentrant = False, reentrant

    def encode(self, x):
        return self.h[0](x)

    def decode(self, x):
        return self.h[1](x)

    def forward(self, x):
        for block in self.h:
            x = checkpoint(block, x, use_reentrant=self.reentrant) if self.checkpoints else block(x)
        return x


BLOCKS = [("h.0", "Block"), ("h.1", "Block")]
PLANS = {
    "a block": [region(BLOCKS[0])],
    "inside of a block": [region(("h.0.a", "Linear"))],
    "both blocks": [region(*BLOCKS)],
    "nested": [region(("", "Coder"), nested=[region(BLOCKS[1])])],
}


def coder(reentrant=False):
    torch.manual_seed(0)
    return Coder(reentrant)


@pytest.mark.parametrize("steps_before", [0, 1])
@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("name", PLANS)
def test_a_plan_inside_of_the_models_own_checkpoint_is_refused(name, reentrant, steps_before):
    model = coder(reentrant)
    plimsoll.apply(model, plan_file(PLANS[name]))
    x = BATCH.clone().requires_grad_()
    for _ in range(steps_before):
        model(x).sum().backward()
    model.checkpoints = True
    with pytest.raises(PlanMismatch, match="The model checkpoints a part of itself .*turn that off"):
        model(x)
    model.checkpoints = False
    assert_same(results(model, lambda m: m(BATCH).sum()), results(coder(), lambda m: m(BATCH).sum()))


def test_checkpoints_of_the_model_beside_the_plan_are_fine():
    model = coder()
    model.h[1] = nn.Sequential(model.h[1])
    model.h[1].forward = lambda x: checkpoint(model.h[1][0], x, use_reentrant=False)
    plimsoll.apply(model, plan_file([region(BLOCKS[0])]))
    assert_same(results(model, lambda m: m(BATCH).sum())[:1], results(coder(), lambda m: m(BATCH).sum())[:1])


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_around_the_whole_planned_model_is_fine(reentrant):
    model = coder()
    plimsoll.apply(model, plan_file(PLANS["inside of a block"]))
    x = BATCH.clone().requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = results(model, lambda m: checkpoint(m, x, use_reentrant=reentrant).sum())
    assert_same(found, results(coder(), lambda m: m(x).sum()))


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("path, kind", [("transformer.h.0", "GPT2Block"), ("transformer.h.1.mlp", "GPT2MLP")])
def test_gradient_checkpointing_of_transformers_enabled_after_the_plan_is_refused(path, kind, reentrant):
    given = tiny_gpt2()
    model = given["model"]
    plimsoll.apply(model, plan_file([region((path, kind))]))
    model.gradient_checkpointing_enable({"use_reentrant": reentrant})
    with pytest.raises(PlanMismatch, match=rf"(around|inside of) the region from call 0 of '{path}'.*gradient_checkpointing_disable\(\)"):
        model(**given["kwargs"])
    model.gradient_checkpointing_disable()
    model(**given["kwargs"]).loss.backward()


class Training(nn.Module):
    """Like a LightningModule: the loop calls its training_step()."""

    def __init__(self, through_forward):
        super().__init__()
        torch.manual_seed(0)
        self.net, self.through_forward = Coder(), through_forward

    def forward(self, x):
        return self.net(x)

    def training_step(self, x):
        return (self(x) if self.through_forward else self.net(x)).sum()


WAYS = {
    "encode and decode": (coder, "h.0", lambda model: model.decode(model.encode(BATCH)).sum()),
    "a training step": (lambda: Training(False), "net.h.0", lambda model: model.training_step(BATCH)),
    "an inner module": (coder, "h.0", lambda model: model.h[1](model.h[0](BATCH)).sum()),
}


@pytest.mark.parametrize("name", WAYS)
def test_members_outside_of_the_models_forward_warn_once(name):
    make, path, step = WAYS[name]
    model = make()
    plimsoll.apply(model, plan_file([region((path, "Block"))]))
    sentence = rf"'{path}' runs outside of the model's forward, where the plan has no effect: call the model itself"
    with pytest.warns(UserWarning, match=sentence) as told:
        found = results(model, step)
        results(model, step)
    assert len(told) == 1 and told[0].filename == __file__
    assert_same(found, results(make(), step))


def test_members_outside_without_gradients_do_not_warn():
    model = coder()
    plimsoll.apply(model, plan_file([region(BLOCKS[0])]))
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("error")
        assert torch.equal(model.decode(model.encode(BATCH)), coder()(BATCH))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_step_through_the_forward_does_not_warn_and_has_the_plan(copied):
    model = Training(True)
    plimsoll.apply(model, plan_file([region(("net.h.0", "Block"))]))
    model = copied(model)
    calls = []
    model.net.h[0].a.register_forward_hook(lambda *_: calls.append(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = results(model, lambda m: m.training_step(BATCH))
    assert len(calls) == 2
    assert_same(found, results(Training(True), lambda m: m.training_step(BATCH)))
