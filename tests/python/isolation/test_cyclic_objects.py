# SPDX-License-Identifier: Apache-2.0
"""Cyclic and shared objects, in caches of the process and in what a model returns, end no trace."""

import dataclasses
import functools
import gc
from typing import Any

import plimsoll
import pytest
import torch
from plimsoll.common.objects import tensors_in_objects
from plimsoll.common.tensors import tensors_in
from plimsoll.record.tracing import trace_graph
from torch._subclasses.fake_tensor import FakeTensor


@dataclasses.dataclass
class Node:
    value: Any
    owner: Any = None


def loop_of(kind, value):
    """An object that holds the value and itself."""
    if kind == "list":
        made = [value]
        made.append(made)
    elif kind == "dict":
        made = {"value": value}
        made["self"] = made
    else:
        made = Node(value)
        made.owner = Node((made, [made]))
    return made


KINDS = ("list", "dict", "dataclass")


@pytest.fixture(params=KINDS)
def cached_loop(request):
    """A cache as others in the process have them, with a cyclic object in it."""

    @functools.lru_cache
    def cached(number):
        return loop_of(request.param, number)

    return cached, cached(3)


def test_a_cache_with_a_cyclic_object_ends_no_trace(cached_loop):
    cached, held = cached_loop
    graph = trace_graph(torch.nn.Linear(4, 2), torch.ones(3, 4), target="cpu")
    assert graph["ops"] and cached(3) is held  # nothing of the trace is in it, so it is kept


class Remembering(torch.nn.Module):
    def __init__(self, remember):
        super().__init__()
        self.linear, self.remember = torch.nn.Linear(4, 2), remember

    def forward(self, x):
        self.remember(x)
        return self.linear(x)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cache_that_receives_a_fake_in_a_cyclic_object_is_cleared(kind):
    remember = functools.lru_cache(lambda x: loop_of(kind, x))
    trace_graph(Remembering(remember), torch.ones(3, 4), target="cpu")
    assert remember.cache_info().currsize == 0


def test_a_cache_of_many_shared_containers_takes_no_time():
    """Each of 60 lists holds the one before it twice: 2^60 paths lead to the innermost one."""
    shared = functools.reduce(lambda inner, _: [inner, inner], range(60), [0])
    cached = functools.lru_cache(lambda: shared)
    cached()
    assert trace_graph(torch.nn.Linear(4, 2), torch.ones(3, 4), target="cpu")["ops"]
    assert cached.cache_info().currsize == 1


@pytest.mark.parametrize("kind", KINDS)
def test_tensors_of_a_cyclic_object_are_found_once(kind):
    tensor = torch.ones(2)
    assert [id(t) for t in tensors_in([loop_of(kind, tensor), tensor])] == [id(tensor)] * 2
    assert list(tensors_in_objects(loop_of(kind, 1))) == []


def test_tensors_are_found_in_order_as_often_as_they_are_held():
    a, b, c = (torch.full((1,), n) for n in range(3))
    inner = (b, {"c": c, "n": 1})
    found = [int(t) for t in tensors_in((a, [inner, inner], Node(a, Node(c)), {b}))]
    assert found == [0, 1, 2, 1, 2, 0, 2, 1]


def test_a_chain_deeper_than_pythons_stack_is_followed():
    chain = functools.reduce(lambda inner, _: (inner,), range(5000), torch.ones(1))
    assert len(list(tensors_in(chain))) == 1


class Result(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)

    def forward(self, x):
        return loop_of("dataclass", self.linear(x))


def test_a_model_may_return_a_cyclic_dataclass():
    model, batch = Result(), torch.ones(3, 4)
    graph = trace_graph(model, batch, loss=lambda output: output.value.sum(), target="cpu")
    assert "aten.addmm.default" in str(graph)
    loss = plimsoll.compile_step(model, loss=lambda output: output.value.sum())(batch)
    assert torch.equal(loss, model(batch).value.sum().detach())
    assert not any(isinstance(thing, FakeTensor) for thing in vars(model.linear).values())
    gc.collect()


class First(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)

    def forward(self, items):
        return self.linear(items[0]).sum()


def test_a_model_may_take_a_list_that_holds_itself():
    model, items = First(), loop_of("list", torch.ones(3, 4))
    assert "aten.addmm.default" in trace_graph(model, (items,), target="cpu")["targets"]
    step = plimsoll.compile_step(model)
    assert torch.equal(step(items), model(items).detach())
    assert torch.equal(step(loop_of("list", torch.zeros(3, 4))), model([torch.zeros(3, 4)]).detach())


class Looping(torch.nn.Module):
    def forward(self, x):
        return loop_of("list", x + 1)


def test_a_result_that_holds_itself_is_no_compiled_steps():
    with pytest.raises(plimsoll.TraceError, match="a list among the model's arguments or results holds itself"):
        plimsoll.compile_step(Looping(), mode="inference")(torch.ones(3, 4))
