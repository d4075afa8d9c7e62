# SPDX-License-Identifier: Apache-2.0
"""Numbers of numpy as arguments: every call brings new objects, and equal ones are the same step."""

import numpy
import plimsoll
import pytest
import torch
from helpers.op_plans import plan_of, region
from plimsoll.common.arguments import flatten, is_numpy_number, same
from plimsoll.record.tracing import trace_graph

X = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
NUMBERS = [numpy.float32(0.1), numpy.float64(0.1), numpy.float16(0.5), numpy.int64(3), numpy.int32(-1), numpy.bool_(True)]


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(4, 4)

    def forward(self, x, scale):
        return torch.relu(self.a(x)) * scale


class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Scaled()

    def forward(self, x, *scales):
        for scale in scales:
            x = self.part(x, scale)
        return x


def anew(number):
    return type(number)(number.item())


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: type(number).__name__)
def test_equal_numbers_are_one_structure(number):
    assert is_numpy_number(number) and anew(number) is not number or isinstance(number, numpy.bool_)
    graph = trace_graph(Twice(), (X, number, anew(number), anew(number) + 1), target="cpu")
    calls = [call[7] for call in graph["calls"] if graph["modules"][call[0]][1] == "part"]
    assert calls[0] == calls[1] != calls[2] or isinstance(number, numpy.bool_)
    assert graph["structures"][calls[0]][0][1] == number.item()
    assert same(flatten([number], []), flatten([anew(number)], [])) and not same(flatten([number], []), flatten([number.item()], []))


def test_arrays_and_dates_are_no_numbers():
    assert not any(map(is_numpy_number, (numpy.zeros(1), numpy.datetime64("2026-11-22"), numpy.str_("x"), 1.0, numpy)))


def test_op_plans_and_compiled_steps_are_recorded_once():
    model, number = Scaled(), numpy.float32(0.1)
    expected = [model(X, scale).sum() for scale in (number, number, numpy.float32(0.7))]
    step = plimsoll.compile_step(model)
    losses = [step(X, scale=scale) for scale in (anew(number), anew(number), numpy.float32(0.7))]
    assert losses == expected and len(step._programs) == 2
    graph = trace_graph(model, (X, number), target="cpu")
    with plimsoll.apply(model, plan_of(graph, [region(1, 2)])):
        found = [model(X, scale).sum() for scale in (anew(number), anew(number), numpy.float32(0.7))]
        assert found == expected and len(model.forward._codes) == 2
