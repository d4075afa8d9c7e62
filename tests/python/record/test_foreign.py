# SPDX-License-Identifier: Apache-2.0
"""Tensors that a step would train although the model doesn't own them: recorded by their names, or refused before anything has run."""

import functools
import threading

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from plimsoll import TraceError
from plimsoll.record.tracing import trace_graph


class Body(torch.nn.Module):
    """`extra(model, hidden)` runs behind a linear layer."""

    def __init__(self, extra=lambda model, hidden: hidden):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.extra = extra

    def forward(self, x):
        return self.extra(self, self.layer(x))


def _traced(model, x, loss):
    return trace_graph(model, (x,), loss=loss)


def _compiled(model, x, loss):
    return plimsoll.compile_step(model, loss=loss)(x)


torch.manual_seed(0)
HEAD = torch.nn.Linear(8, 3)
LOOSE = torch.randn(8, requires_grad=True)


def _kept_aside(model, hidden):
    model.aside = model.aside if hasattr(model, "aside") else LOOSE
    return hidden * model.aside


HIDDEN = threading.local()  # where nobody looks for tensors
HIDDEN.tensor = torch.randn(8, requires_grad=True)


class Shared:
    tensor = torch.randn(8, requires_grad=True)


FOREIGN = {
    "a module of the closure": (Body(), (lambda head: lambda output: head(output).sum())(HEAD), "of shape 3x8"),
    "a module of a partial": (Body(), functools.partial(lambda output, head: head(output).sum(), head=HEAD), "of shape 3x8"),
    "a module as the loss": (Body(), torch.nn.Sequential(HEAD, torch.nn.Flatten(0), torch.nn.Linear(12, 1)), "of shape 3x8"),
    "a global tensor": (Body(), lambda output: (output * LOOSE).sum(), "of shape 8"),
    "a plain tensor of the model": (Body(_kept_aside), lambda output: output.sum(), "of shape 8"),
    "a tensor of a class": (Body(), lambda output: (output * Shared.tensor).sum(), "of shape 8"),
    "a thread's own": (Body(), lambda output: (output * HIDDEN.tensor).sum(), "of shape 8"),
}
RECORDED = {
    "a module of the closure": ["loss.head.bias", "loss.head.weight"],
    "a module of a partial": ["loss['head'].bias", "loss['head'].weight"],
    "a module as the loss": ["loss.0.bias", "loss.0.weight", "loss.2.bias", "loss.2.weight"],
    "a global tensor": ["loss.LOOSE"],
    "a tensor of a class": ["loss.Shared.tensor"],
    "a plain tensor of the model": ["extra.LOOSE"],
}


@pytest.mark.parametrize("name", RECORDED)
def test_what_the_model_does_not_own_is_recorded_as_its_own(name):
    model, loss, _ = FOREIGN[name]
    graph = _traced(model, torch.randn(4, 8), loss)
    rows = {row: (gradient, graph["storages"][storage]) for row, storage, gradient, _ in graph["params"] if not row.startswith("layer.")}
    assert sorted(rows) == RECORDED[name]
    for row, (gradient, storage) in rows.items():
        assert storage[1] == 0 and storage[2] < 0 and storage[6] == [row]  # a parameter, older than the step
        assert graph["storages"][gradient][0] == storage[0] and graph["storages"][gradient][1] == 2
    assert not hasattr(model, "aside")
    assert all(t.grad is None for t in (LOOSE, *HEAD.parameters(), *model.parameters()))


@pytest.mark.parametrize("name, run", [(name, _compiled) for name in FOREIGN] + [("a thread's own", _traced)])
def test_what_the_model_does_not_own_is_refused(name, run):
    model, loss, named = FOREIGN[name]
    with pytest.raises(TraceError, match="no parameter of the model: put the model and what the loss uses into one module") as error:
        run(model, torch.randn(4, 8), loss)
    assert named in str(error.value)
    assert run is _traced or name not in RECORDED or any(f"would train '{row}' of" in str(error.value) for row in RECORDED[name])
    assert all(t.grad is None for t in (LOOSE, Shared.tensor, HIDDEN.tensor, *HEAD.parameters(), *model.parameters()))


@pytest.mark.parametrize("run", [_traced, _compiled])
def test_frozen_modules_of_the_loss_are_constants(run):
    head = torch.nn.Linear(8, 3).requires_grad_(False)
    run(Body(), torch.randn(4, 8), lambda output: head(output).square().sum())


def test_gradients_through_frozen_modules_of_the_loss_are_eagers():
    head, model, x = torch.nn.Linear(8, 3).requires_grad_(False), Body(), torch.randn(4, 8)
    loss = lambda output: head(output).square().sum()  # noqa: E731
    step = plimsoll.compile_step(model, loss=loss)
    for _ in range(2):
        model.zero_grad()
        loss(model(x)).backward()
        expected = model.layer.weight.grad
        model.zero_grad()
        step(x)
        assert torch.equal(expected, model.layer.weight.grad)
        head.weight.mul_(1.5)


def _leaves_of_its_own(model, hidden):
    penalty = hidden.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(F.silu(penalty).sum(), penalty, create_graph=True)
    made = [torch.zeros(8, requires_grad=True), torch.tensor([1.0] * 8, requires_grad=True), torch.nn.Parameter(torch.ones(8))]
    return hidden * gradient + sum(made)


@pytest.mark.parametrize("run", [_traced, _compiled])
def test_leaves_that_the_step_makes_itself(run):
    run(Body(_leaves_of_its_own), torch.randn(4, 8), lambda output: output.sum())


def test_leaves_that_a_real_step_makes_itself(tmp_path):
    plimsoll.measure(Body(_leaves_of_its_own), None, torch.randn(4, 8), out=tmp_path / "m.json")
