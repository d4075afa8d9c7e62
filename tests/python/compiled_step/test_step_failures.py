# SPDX-License-Identifier: Apache-2.0
"""Compiled steps that fail in the middle, and calls whose gradients would go elsewhere: nothing has changed afterwards."""

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.step_training import assert_same_bits
from plimsoll import TraceError


@torch.library.custom_op("plimsoll_test::refuses_large", mutates_args=())
def refuses_large(x: torch.Tensor) -> torch.Tensor:
    if x.abs().max() > 1000:
        raise RuntimeError("too large")
    return x.clone()


@refuses_large.register_fake
def _(x):
    return torch.empty_like(x)


class Picky(torch.autograd.Function):
    """Fails in backward where the gradient is large."""

    @staticmethod
    def forward(context, x):
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        return refuses_large(gradient)


class Model(torch.nn.Module):
    def __init__(self, count=40):
        super().__init__()
        self.first, self.norm, self.drop = torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.3)
        self.table, self.last = torch.nn.Embedding(count, 8), torch.nn.Linear(8, 4)
        self.register_buffer("seen", torch.zeros(count, 8))

    def forward(self, x, tokens, scale):
        x = Picky.apply(self.first(x))
        scale.mul_(2)  # an argument, written before the op that fails
        self.seen.add_(1)
        return self.last(self.drop(self.norm(x)) + self.table(tokens)) * scale


def given(tokens, scale=1.0):
    return torch.randn(6, 8, generator=torch.Generator().manual_seed(0)), torch.tensor(tokens), torch.tensor(scale)


GOOD, OUTSIDE = [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 400]


def state_of(model, args):
    gradients = {f"{n}.grad": p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}
    values = {n: t.clone() for n, t in model.state_dict().items()}
    return {**values, **gradients, **{f"argument {i}": t.clone() for i, t in enumerate(args)}, "random": torch.get_rng_state()}


def made(count=40):
    torch.manual_seed(0)
    model = Model(count)
    return model, plimsoll.compile_step(model, loss=torch.sum)


def assert_nothing_changed(model, step, args, error):
    before = state_of(model, args)
    with pytest.raises(error[0], match=error[1]):
        step(*args)
    assert_same_bits(before, state_of(model, args))


def assert_eagers(model, step, *args):
    before, random, results = {n: t.clone() for n, t in model.state_dict().items()}, torch.get_rng_state(), []

    def eager(*own):
        model(*own).sum().backward()

    for run in (eager, step):
        model.load_state_dict(before)
        torch.set_rng_state(random)
        model.zero_grad(set_to_none=True)
        own = [t.clone() for t in args]
        run(*own)
        results.append(state_of(model, own))
    assert_same_bits(*results)


INDEX = (IndexError, "out of range")
LARGE = (RuntimeError, "too large")


@pytest.mark.parametrize("with_gradients", [False, True])
@pytest.mark.parametrize("args, error", [(given(OUTSIDE), INDEX), (given(GOOD, 1e6), LARGE)], ids=["forward", "backward"])
def test_a_first_step_that_fails_leaves_all_as_it_was(args, error, with_gradients):
    model, step = made()
    if with_gradients:
        model(*given(GOOD)).sum().backward()
    for _ in range(2):
        assert_nothing_changed(model, step, args, error)
    assert_eagers(model, step, *given(GOOD))


@pytest.mark.parametrize("args, error", [(given(OUTSIDE), INDEX), (given(GOOD, 1e6), LARGE)], ids=["forward", "backward"])
def test_a_later_step_that_fails_leaves_all_as_it_was(args, error):
    model, step = made()
    for _ in range(2):
        assert_eagers(model, step, *given(GOOD))
    model.zero_grad(set_to_none=True)
    assert_nothing_changed(model, step, args, error)
    assert_eagers(model, step, *given(GOOD))


def test_large_memory_and_gradients_are_left_as_a_later_step_made_them():
    model, step = made(200_000)  # 6.4 MB are overwritten
    for _ in range(2):
        step(*given(GOOD))
    random = torch.get_rng_state()
    seen, gradient = model.seen.clone(), model.last.bias.grad.clone()
    with pytest.raises(RuntimeError, match="too large"):
        step(*given(GOOD, 1e6))
    assert torch.equal(model.seen, seen + 1) and not torch.equal(model.last.bias.grad, gradient)
    assert torch.equal(torch.get_rng_state(), random)


def test_batches_that_want_gradients_are_refused():
    model = torch.nn.Linear(8, 4)
    step, x = plimsoll.compile_step(model, loss=F.mse_loss, targets=1), torch.randn(6, 8)
    step(x, torch.zeros(6, 4))
    for args, name in (((x.clone().requires_grad_(), torch.zeros(6, 4)), r"args\[0\]"), ((x, model(x)), r"loss.args\[0\]|target")):
        before = state_of(model, ())
        with pytest.raises(TraceError, match=f"{name}.* requires a gradient, which a compiled step would not give it"):
            step(*args)
        assert_same_bits(before, state_of(model, ()))
    model.register_buffer("trained", torch.ones(4, requires_grad=True))
    with pytest.raises(TraceError, match="the buffer trained requires a gradient"):
        step(x, torch.zeros(6, 4))


def test_a_parameter_that_the_loss_brings_along_is_trained():
    torch.manual_seed(0)
    model = torch.nn.Linear(8, 4)
    weight, x = model.weight, torch.randn(6, 8)
    loss = lambda output: output.square().mean() + weight.square().sum()  # noqa: E731
    loss(model(x)).backward()
    expected = model.weight.grad
    model.zero_grad()
    plimsoll.compile_step(model, loss=loss)(x)
    assert torch.equal(expected, model.weight.grad)
