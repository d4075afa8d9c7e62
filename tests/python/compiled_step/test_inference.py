# SPDX-License-Identifier: Apache-2.0
"""Compiled steps of inference: what the model returns, without a graph, as eager PyTorch returns it."""

import dataclasses

import plimsoll
import pytest
import torch
from helpers.small import Model, batch, tiny_gpt2


@dataclasses.dataclass
class Answer:
    hidden: torch.Tensor
    parts: dict
    name: str = "plain"


class Answering(torch.nn.Module):
    """Returns tensors in a dataclass, a dict and a tuple, one of them twice."""

    def __init__(self, kind="plain"):
        super().__init__()
        self.first, self.norm, self.kind = torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), kind

    def forward(self, x, scale=1.0):
        hidden = self.norm(self.first(x)) * scale
        return Answer(hidden, {"both": (hidden, hidden.relu())}, self.kind)


def test_returns_what_the_model_returns():
    torch.manual_seed(0)
    model = Answering().eval()
    step = plimsoll.compile_step(model, mode="inference")
    for number in range(3):
        x = batch(seed=number)
        made, wanted = step(x, scale=2.0), model(x, scale=2.0)
        assert type(made) is Answer and made.name == "plain"
        assert torch.equal(made.hidden, wanted.hidden) and torch.equal(made.parts["both"][1], wanted.parts["both"][1])
        assert made.parts["both"][0] is made.hidden and not made.hidden.requires_grad
    assert len(step._programs) == 1 and all(p.grad is None for p in model.parameters())
    with torch.no_grad():
        assert torch.equal(step(x, scale=3.0).hidden, model(x, scale=3.0).hidden)
    assert len(step._programs) == 2


def test_runs_in_the_modes_that_the_model_has():
    torch.manual_seed(0)
    model = Answering()
    step = plimsoll.compile_step(model, mode="inference")
    step(batch())
    assert model.training and model.norm.num_batches_tracked == 1
    model.eval()
    assert torch.equal(step(batch()).hidden, model(batch()).hidden) and model.norm.num_batches_tracked == 1


def test_a_language_model_and_its_cache():
    torch.manual_seed(0)
    made = tiny_gpt2()
    model, tokens = made["model"].eval(), made["kwargs"]["input_ids"]
    step = plimsoll.compile_step(model, mode="inference")
    with torch.inference_mode():
        found, wanted = (run(input_ids=tokens, output_hidden_states=True, use_cache=True) for run in (step, model))
    assert type(found) is type(wanted) and list(found) == list(wanted)
    assert all(torch.equal(a, b) for a, b in zip((found.logits, *found.hidden_states), (wanted.logits, *wanted.hidden_states)))
    layers = [(cache.layers[0].keys, cache.layers[1].values) for cache in (found.past_key_values, wanted.past_key_values)]
    assert all(torch.equal(a, b) for a, b in zip(*layers))


def test_values_die_with_their_last_use():
    def body(model, hidden):
        first = hidden + 1
        second = first * 2  # `first` is a variable until the end
        return second.exp()

    step = plimsoll.compile_step(Model(body).eval(), mode="inference")
    stream = step.stream(batch(64))
    made = [alloc for nbytes, alloc, free in stream.lives if alloc >= 0 and free is not None and nbytes == 64 * 8 * 4]
    assert len(made) >= 4
    assert all(free - alloc <= 2 for _, alloc, free in stream.lives if alloc >= 0 and free is not None)


def test_what_is_refused():
    with pytest.raises(plimsoll.TraceError, match="plans and losses belong to training steps"):
        plimsoll.compile_step(Answering(), loss=lambda answer: answer.hidden.sum(), mode="inference")
    with pytest.raises(plimsoll.TraceError, match="mode must be .train. or .inference., not 'eval'"):
        plimsoll.compile_step(Answering(), mode="eval")
    held = []

    class Held:
        def __init__(self, value):
            self.value = value
            held.append(self)

    model = torch.nn.Linear(8, 8)
    model.register_forward_hook(lambda module, given, made: Held(made))
    with pytest.raises(plimsoll.TraceError, match="the model returns a Held, which a compiled step can't make again|changes"):
        plimsoll.compile_step(model, mode="inference")(batch())
