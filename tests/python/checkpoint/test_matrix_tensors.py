# SPDX-License-Identifier: Apache-2.0
"""Models x budgets x plans for PyTorch's checkpoint, on real tensors: the unmodified model's bits, and the peak of the allocator."""


import plimsoll
import pytest
import torch
from helpers.allocator import watched
from helpers.matrix import FROZEN, SOME_ON_REAL_TENSORS, Lean, checkpointed, plans
from helpers.once import once
from helpers.proof import plain_step


def step(made, model):
    """Loss, gradients by name, buffers by name and random state after one real step."""
    torch.manual_seed(1)
    output = model(*made.get("args", ()), **made.get("kwargs", {}))
    loss = made["loss"](output) if "loss" in made else output.loss
    loss.backward()
    gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    return loss.detach(), gradients, dict(model.named_buffers()), torch.get_rng_state()


def same(mine, its):
    return mine.keys() == its.keys() and all(torch.equal(mine[name], its[name]) for name in mine)


def updates(module, before, once):
    """How often a batch norm's statistics were updated in a step: an update moves them by `momentum` of what is left to go."""
    for count in range(1, 9):
        share = (1 - (1 - module.momentum) ** count) / module.momentum
        close = (
            torch.allclose(getattr(module, name), old + share * (getattr(once, name) - old), rtol=1e-4, atol=1e-6)
            for name, old in before.named_buffers()
            if name != "num_batches_tracked"
        )
        if all(close):
            return count
    return 0


@pytest.fixture(scope="module")
def unplanned(tmp_path_factory):
    """A model with what a step of it gives: name -> (Lean, the model after the step, the step's outcome)."""

    def ran(name):
        lean = Lean(name, tmp_path_factory.mktemp("graphs"))
        plain = lean.copy()
        return lean, plain, step(lean.made, plain)

    return once(ran, most=1)


def held_in(lean, model):
    """In a whole training step of a model that has made one up to its gradients."""
    made = {**lean.made, "model": model, "optimizer": lean.optimizer(model)}
    made["optimizer"].step()
    made["optimizer"].zero_grad(set_to_none=True)
    return watched(lambda: plain_step(made), lean.targets).held


@pytest.mark.parametrize("name, kind", checkpointed(SOME_ON_REAL_TENSORS))
def test_planned_models_on_real_tensors(name, kind, unplanned, tmp_path):
    lean, plain, expected = unplanned(name)
    before = lean.made["model"]
    for plan in plans(lean.graph, name, kind, tmp_path):
        planned = lean.copy()
        plimsoll.apply(planned, plan.path)
        loss, gradients, buffers, state = step(lean.made, planned)
        assert torch.equal(loss, expected[0]) and same(gradients, expected[1]) and torch.equal(state, expected[3])
        flagged = any("running statistics" in sentence for sentence in plan.said["not_modelled"])
        assert same(buffers, expected[2]) != flagged and not (flagged and kind in FROZEN)
        counts = [
            updates(module, before.get_submodule(path), plain.get_submodule(path))
            for path, module in planned.named_modules()
            if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)
        ]
        assert all(counts) and (flagged or max(counts, default=1) == 1)
        lean.check_peak(plan, held_in(lean, planned))
