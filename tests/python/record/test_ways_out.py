# SPDX-License-Identifier: Apache-2.0
"""A step that asks for values in a library's loss is refused with a way out, and the way leads to a plan for the real step."""

import json

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.loop import cli
from helpers.outcomes import assert_same, results
from plimsoll import TraceError
from plimsoll.record.tracing import trace_graph
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, x):
        return x + self.b(self.a(x).relu())


class Detector(nn.Module):
    """Matches its queries with the labels, as detection models do: how many there are, and which, depends on values."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.blocks, self.head = nn.Sequential(*[Block() for _ in range(6)]), nn.Linear(16, 5)

    def forward(self, x, labels=None):
        logits = self.head(self.blocks(x))
        return {"logits": logits, "loss": None if labels is None else WAYS[self.way](logits, labels)}


def _matched(logits, labels):
    best = logits.detach().softmax(-1).max(-1).values > 0.2
    return F.cross_entropy(logits[best], labels[best]) if best.any() else logits.sum() * 0


WAYS = {
    "a shape": lambda logits, labels: F.cross_entropy(logits[logits.argmax(-1) >= 0], labels),
    "a question": _matched,
    "a number": lambda logits, labels: F.cross_entropy(logits, labels) * (1 / logits.detach().abs().max().item()),
    "numpy": lambda logits, labels: F.cross_entropy(logits, labels) * float(logits.detach().numpy().max()),
}
WAY_OUT = r'trace with values="real", .* or let shapes or arguments decide there \(of sequences: pad instead of packing\)\. If it is code of a library .*leave the labels out and give a loss of your own'


@pytest.mark.parametrize("way", WAYS)
def test_the_way_out_that_a_refusal_names_leads_to_a_plan(way, tmp_path):
    model, batch = Detector(), (torch.randn(512, 16), torch.randint(0, 5, (512,)))
    model.way = way
    for target in ("cuda", "cpu"):
        with pytest.raises(TraceError, match=rf"^test_ways_out.py:\d+: .*{WAY_OUT}"):
            plimsoll.trace(model, batch, target=target, out=tmp_path / "graph.json")
    graph = plimsoll.trace(model, batch[:1], loss=lambda output: output["logits"].sum(), target="cpu", out=tmp_path / "graph.json")
    cli("plan", graph, "--budget", "70%", "--export", tmp_path / "plan.json")
    assert json.loads((tmp_path / "plan.json").read_text())["regions"]
    plain = results(model, lambda m: m(*batch)["loss"])
    with plimsoll.apply(model, tmp_path / "plan.json"):
        assert_same(results(model, lambda m: m(*batch)["loss"]), plain)


def test_a_loss_without_a_gradient_is_refused_with_a_way_out(tmp_path):
    with pytest.raises(TraceError, match=r"doesn't depend on a parameter that requires a gradient: leave out detach\(\)"):
        plimsoll.trace(nn.Linear(2, 2), torch.ones(1, 2), loss=lambda output: output.detach().sum(), out=tmp_path / "graph.json")


class Careful(nn.Module):
    """Asks whether all is well, for a log line, and for a branch."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 16), nn.Linear(16, 16)
        self.log = []

    def forward(self, x):
        h = self.a(x)
        assert not torch.isnan(h).any()
        self.log.append(h.norm().item())
        return self.b(h) if h.abs().max() < 1000 else self.a(h)


def line_of(text):
    lines = open(__file__, encoding="utf-8").read().splitlines()
    return f"test_ways_out.py:{1 + next(n for n, line in enumerate(lines) if text in line)}"


NAN, NORM, BRANCH = line_of("isnan(h).any()"), line_of("h.norm().item()"), line_of("h.abs().max() < 1000")


@pytest.mark.parametrize("branch, last", [(True, "b"), (False, "a")])
def test_questions_are_answered_as_the_user_says(branch, last, tmp_path):
    answers = {}
    for line, value in ((NAN, False), (NORM, 2.5), (BRANCH, branch)):  # each refusal names the next question
        with pytest.raises(TraceError, match=rf"^{line}: .*Or give the answer, .*assume={{'{line}'"):
            plimsoll.trace(Careful(), torch.ones(4, 16), target="cpu", out=tmp_path / "graph.json", assume=answers or None)
        answers[line] = value
    graph = trace_graph(Careful(), torch.ones(4, 16), target="cpu", assume=answers)
    assert [graph["modules"][call[0]][1] for call in graph["calls"]] == ["", "a", last]
    said = [f"{line} asks for a value: answered with {value}, as assume says" for line, value in answers.items()]
    assert [sentence for sentence in graph["assumed"] if "as assume says" in sentence] == said


@pytest.mark.parametrize("wrong, kind, sentence", [
    ([NAN], TypeError, "assume must be a dict"),
    ({NAN: "no"}, TypeError, "assume must map lines to numbers"),
    ({"elsewhere.py:1": True}, ValueError, "no question without an answer is asked there"),
])  # fmt: skip
def test_answers_that_nobody_needs_are_refused(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        trace_graph(nn.Linear(16, 2), torch.ones(4, 16), target="cpu", assume=wrong)
