# SPDX-License-Identifier: Apache-2.0
"""What surrounds a forward under an op plan: other threads, objects that the model holds, tensors put in for one call."""

import threading
import types

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from op_plans import plan_between, record, region
from plimsoll import PlanMismatch
from plimsoll.applying.op_refusals import no_functions
from test_op_models import Doubled

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
