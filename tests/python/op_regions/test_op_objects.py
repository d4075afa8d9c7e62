# SPDX-License-Identifier: Apache-2.0
"""Models that return objects with tensors in their attributes, such as the cache of a transformer, under a plan between ops."""

import copy
import threading
import weakref

import plimsoll
import pytest
import torch
from helpers import EXHAUSTIVE, loop
from helpers.op_plans import count_of, plan_between, random_regions, record, results, same, seeded
from plimsoll import PlanMismatch

transformers = pytest.importorskip("transformers")

X = torch.linspace(-1, 1, 32).view(4, 8)
TOKENS = torch.arange(32).view(2, 16)


def cached(family):
    """A transformer as it comes, which returns its cache of keys and values."""
    transformers.set_seed(0)
    if family == "gpt2":
        config = transformers.GPT2Config(n_layer=2, n_embd=32, n_head=2, vocab_size=50, n_positions=32, bos_token_id=0, eos_token_id=0)
        model = transformers.GPT2LMHeadModel(config)
    else:
        config = transformers.LlamaConfig(
            num_hidden_layers=2, hidden_size=32, intermediate_size=64, num_attention_heads=2, vocab_size=50, max_position_embeddings=32
        )
        model = transformers.LlamaForCausalLM(config)
    assert model.config.use_cache
    return {"model": model.train(), "kwargs": {"input_ids": TOKENS, "labels": TOKENS}}


SGD = {"optimizer": lambda parameters: torch.optim.SGD(parameters, 0.1)}


@pytest.mark.parametrize("family", ["llama", *(["gpt2"] if EXHAUSTIVE else [])])
def test_a_transformer_returns_its_cache(family, tmp_path):
    builder = lambda: cached(family)  # noqa: E731
    graph, plan = loop.trace(builder, tmp_path / "graph.plimsoll.json.gz", "cpu"), tmp_path / "plan.json"
    most, least = loop.span(graph, "--granularity", "op")
    said = loop.cli("plan", graph, "--budget", (most + least) // 2, "--export", plan, "--granularity", "op")
    assert said["verified"] and said["regions"]
    loop.record(builder, plan, tmp_path / "stream.json", "cpu")
    result = loop.compare(graph, plan, tmp_path / "stream.json")
    assert result["equal"], result["first"]

    step = {**cached(family), **SGD}
    plain, planned = step["model"], copy.deepcopy(step["model"])
    plimsoll.apply(planned, plan)
    assert same(results(step, planned), results(step, plain))
    torch.manual_seed(0)
    mine, again = planned(**step["kwargs"]), planned(**step["kwargs"])
    torch.manual_seed(0)
    its = plain(**step["kwargs"])
    assert mine.past_key_values is not again.past_key_values
    _assert_alike(mine.past_key_values, its.past_key_values)
    assert mine.past_key_values.get_seq_length() == TOKENS.shape[1]
    with torch.no_grad():
        more = [m.eval()(TOKENS[:, :1], past_key_values=o.past_key_values).logits for m, o in ((planned, mine), (plain, its))]
    assert torch.equal(*more)


def _assert_alike(mine, its):
    assert type(mine) is type(its)
    if isinstance(mine, torch.Tensor):
        assert torch.equal(mine, its) and mine.requires_grad == its.requires_grad
    elif isinstance(mine, (list, tuple)):
        assert len(mine) == len(its)
        for a, b in zip(mine, its):
            _assert_alike(a, b)
    elif hasattr(mine, "__dict__") and not isinstance(mine, type):
        assert list(vars(mine)) == list(vars(its))
        _assert_alike(list(vars(mine).values()), list(vars(its).values()))
    else:
        assert mine == its


class Box:
    def __init__(self, value, more=None):
        self.value = value
        self.more = more


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Closing(Box):
    def __del__(self):
        pass


HELD = Box(None)
KEPT = []


class Boxed(torch.nn.Module):
    def __init__(self, box):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8)
        self.box, self.state = box, Box(3)

    def forward(self, x):
        return self.box(self.b(torch.tanh(self.a(x))), self)


def _kept(y, m):
    KEPT[:] = [Box(y)]
    return KEPT[0]


def _twice(y, m):
    box = Box(y)
    return [box, box]


def _cycle(y, m):
    box = Box(y)
    box.more = box
    return box


def test_objects_are_made_anew_with_the_attributes_of_the_models_own():
    box = lambda y, m: (Box(y, [Box(y * 2, {"kind": Box}), 3, "text", torch.float32]), Box(y))  # noqa: E731
    plain, planned = Boxed(box).train(), Boxed(box).train()
    forward = record(planned, (X,))
    rows = random_regions(forward, seeded(0))
    plimsoll.apply(planned, plan_between(forward, rows))
    assert count_of(rows)
    first = planned(X)
    for x in (X, X * 2):
        mine, its = planned(x), plain(x)
        _assert_alike(mine, its)
        assert mine[0].value is mine[1].value and mine[0] is not first[0] and mine[0].more is not first[0].more
        for model, output in ((planned, mine), (plain, its)):
            model.zero_grad()
            (output[0].more[0].value.square().sum() + output[1].value.sum()).backward()
        assert all(torch.equal(a.grad, b.grad) for a, b in zip(planned.parameters(), plain.parameters()))


REFUSED = {
    "held by the model": (lambda y, m: [y, m.state], r"an object \(Box\) that something else holds"),
    "held by a global": (lambda y, m: (y, HELD), r"an object \(Box\) that something else holds"),
    "kept by the forward": (_kept, "changes its attribute 'KEPT'"),
    "found twice": (_twice, "returns a Box"),
    "in a cycle": (_cycle, "returns a Box"),
    "slots": (lambda y, m: Slotted(y), "returns a Slotted"),
    "ends": (lambda y, m: Closing(y), "returns a Closing"),
    "a lock inside": (lambda y, m: Box(y, threading.Lock()), "returns a lock"),
    "a reference inside": (lambda y, m: Box(y, weakref.ref(m)), "returns a (ReferenceType|weakref)"),
    "a module inside": (lambda y, m: Box(y, m), "returns a Boxed"),
    "a function inside": (lambda y, m: Box(y, lambda: y), "returns a function"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_objects_that_others_know_or_that_hold_more_are_refused(name):
    box, words = REFUSED[name]
    with pytest.raises(PlanMismatch, match=words):
        record(Boxed(box).train(), (X,))
    KEPT.clear()
