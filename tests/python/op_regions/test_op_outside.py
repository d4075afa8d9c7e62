# SPDX-License-Identifier: Apache-2.0
"""A plan between ops replaces the model's forward: a training loop that goes past it is told once that the plan has no effect."""

import copy
import pickle
import warnings

import plimsoll
import pytest
import torch
from helpers.op_plans import plan_of, region
from plimsoll.record.tracing import trace_graph
from torch import nn

X = torch.linspace(-1, 1, 64).view(8, 8)


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.encoder, self.decoder = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4)), nn.Linear(4, 8)

    def forward(self, x):
        return self.decoder(self.encoder(x).relu())

    def around(self, x):
        return self.decoder(self.encoder(x).relu())


def planned():
    model = Coder()
    plimsoll.apply(model, plan_of(trace_graph(Coder(), X, target="cpu"), [region(1, 4)]))
    return model


def gradients(model, forward):
    model.zero_grad()
    forward(X).sum().backward()
    return [parameter.grad.clone() for parameter in model.parameters()]


def copied(model):
    return copy.deepcopy(model)


def pickled(model):
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("made", [lambda model: model, copied, pickled])
def test_a_loop_past_the_forward_is_told_once(made):
    model = made(planned())
    with pytest.warns(UserWarning, match="encoder runs outside of the model's forward, where the plan has no effect") as told:
        found = gradients(model, model.around)
        gradients(model, model.around)
    assert len(told) == 1 and told[0].filename == __file__
    assert all(map(torch.equal, found, gradients(own := Coder(), own)))
    assert all(not module._forward_pre_hooks for module in model.modules())


@pytest.mark.parametrize("made", [lambda model: model, copied, pickled])
def test_a_loop_through_the_forward_is_not(made):
    model = made(planned())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with torch.no_grad():
            model.around(X)  # a look at the result
        gradients(model, model)
        gradients(model, model.around)  # the forward has run: this is the loop's own business
    assert "checkpoint(" in model.forward.source
    assert all(not module._forward_pre_hooks for module in model.modules())


def test_what_the_loop_computes_before_the_forward_does_not_warn():
    class Decoder(Coder):
        def forward(self, x):
            return self.decoder(self.encoder(x) if x.shape[1] == 8 else x)

    model = Decoder()
    plimsoll.apply(model, plan_of(trace_graph(Decoder(), torch.zeros(8, 4), target="cpu"), [region(0, 1)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model(model.encoder(X)).sum().backward()


def test_a_module_that_was_replaced_runs():
    model = planned()
    replaced, model.decoder = model.decoder, nn.Linear(4, 8)
    with pytest.warns(UserWarning, match="decoder runs outside"):
        replaced(replaced.weight.new_ones(1, 4))
        replaced(replaced.weight.new_ones(1, 4))


def test_nothing_is_left_of_a_plan_that_was_removed():
    model = planned()
    plimsoll.remove(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradients(model, model.around)
    assert all(not module._forward_pre_hooks for module in model.modules())
