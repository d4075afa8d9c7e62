# SPDX-License-Identifier: Apache-2.0
"""What surrounds a forward under an op plan: other threads, objects that the model holds, tensors put in for one call."""

import threading
import types

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.op_plans import plan_between, record, region
from plimsoll import PlanMismatch
from plimsoll.runtime.checkpoint.op_refusals import no_functions
from helpers.small import Doubled

X = torch.randn(4, 8, generator=torch.Generator().manual_seed(0))


class Configured(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
        self.config = types.SimpleNamespace(inner={"slope": [0.1]}, kind=F.gelu)

    def forward(self, x):
        return self.b(F.leaky_relu(self.config.kind(self.a(x)), self.config.inner["slope"][0]))


def _gradients(model, run):
    model.zero_grad(set_to_none=True)
    run().square().sum().backward()
    return [p.grad for p in model.parameters()]


def test_a_changed_config_object_makes_new_code():
    model, plain = Configured(), Configured()
    plimsoll.apply(model, plan_between(record(model, (X,)), [region(0, 2)]))
    for change in (lambda m: None, lambda m: m.config.inner["slope"].__setitem__(0, 3.0), lambda m: vars(m.config).update(inner={"slope": [9.0]})):
        change(model), change(plain)
        assert all(map(torch.equal, _gradients(model, lambda: model(X)), _gradients(plain, lambda: plain(X))))
    model.config.kind = F.relu
    with pytest.raises(PlanMismatch, match="Op 2 .* aten.relu.default.*made for aten.gelu.default"):
        model(X)


def test_retracing_leaves_functions_of_other_threads_alone():
    results = []

    def work():
        x = torch.ones(3, requires_grad=True)
        Doubled.apply(x).sum().backward()
        results.append(x.grad)

    with no_functions():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        with pytest.raises(PlanMismatch, match="custom autograd function Doubled"):
            Doubled.apply(torch.ones(3))
        with torch.no_grad():
            assert torch.equal(Doubled.apply(torch.ones(3)), torch.full((3,), 2.0))
    assert torch.equal(results[0], torch.full((3,), 2.0))
    assert torch.equal(Doubled.apply(torch.ones(3)), torch.full((3,), 2.0))


@pytest.mark.parametrize("granularity", ["op", "module"])
def test_functional_call_is_refused_where_backward_would_find_other_weights(granularity):
    model = Configured()
    others = {name: p.detach().clone().requires_grad_() for name, p in model.named_parameters()}
    if granularity == "op":
        plimsoll.apply(model, plan_between(record(model, (X,)), [region(0, 2)]))
    else:
        row = {"members": [{"path": "a", "class": "Linear", "call": 0}], "nested": []}
        plimsoll.apply(model, {"format": "plimsoll-plan", "version": 1, "runtime": "checkpoint", "regions": [row]})
    with pytest.raises(PlanMismatch, match="functional_call puts other tensors into the model for the forward alone"):
        torch.func.functional_call(model, others, (X,))
    with torch.no_grad():
        assert torch.equal(torch.func.functional_call(model, others, (X,)), model(X))
    plimsoll.remove(model)
    torch.func.functional_call(model, others, (X,)).sum().backward()
    assert others["a.weight"].grad is not None and model.a.weight.grad is None


def _noted(hidden, model):
    """As DistilBERT does with its config.problem_type."""
    if model.config.kind is None:
        model.config.kind = "tanh" if hidden.shape[1] == 8 else "relu"
    model.config.last = hidden.shape[0]
    return torch.tanh(hidden) if model.config.kind == "tanh" else F.relu(hidden)


def _first_time(hidden, model):
    if model.config.kind is None:
        model.config.kind = "known"
        return torch.tanh(hidden)
    return F.relu(hidden)


def _growing(hidden, model):
    model.config.inner["slope"].append(0.2)
    return hidden


class Noting(torch.nn.Module):
    def __init__(self, note):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
        self.config = types.SimpleNamespace(inner={"slope": [0.1]}, kind=None)
        self.note = note

    def forward(self, x):
        return self.b(self.note(self.a(x), self))


def test_values_that_a_forward_writes_once_are_written():
    model, plain = Noting(_noted), Noting(_noted)
    forward = record(model, (X,))
    assert vars(model.config) == {"inner": {"slope": [0.1]}, "kind": None}
    plimsoll.apply(model, plan_between(forward, [region(0, 2)]))
    for x in (X, X * 2, X[:3], X):
        assert all(map(torch.equal, _gradients(model, lambda: model(x)), _gradients(plain, lambda: plain(x))))
        assert vars(model.config) == vars(plain.config) and model.config.last == len(x)
    model.config.kind = plain.config.kind = None
    model(X), plain(X)
    assert model.config.kind == plain.config.kind == "tanh"


@pytest.mark.parametrize("note, name", [(_first_time, "kind"), (_growing, "slope")])
def test_a_forward_that_goes_on_changing_what_the_model_holds_is_refused(note, name):
    model = Noting(note)
    with pytest.raises(PlanMismatch, match=f"forward changes its attribute .*{name}"):
        record(model, (X,))
    assert vars(model.config) == {"inner": {"slope": [0.1]}, "kind": None}
