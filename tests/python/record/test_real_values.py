# SPDX-License-Identifier: Apache-2.0
"""trace(values="real"): a step whose course depends on values is recorded as a real step on the same tensors runs."""

import copy
import random

import plimsoll
import pytest
import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from helpers.graph_rules import assert_sound
from plimsoll.record.stream import record_stream
from plimsoll import TraceError
from plimsoll.record.tracing import trace_graph
from torch import nn


def LOSS(loss):
    return loss


class Asking(nn.Module):
    """Questions by .item(), bool() and tolist(), masks, loops of unknown length and one_hot without a number of classes."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 4)
        self.norms = []

    def forward(self, x, labels):
        h = self.a(x)
        assert not torch.isnan(h).any()
        self.norms.append(h.norm().item())
        for number in range(int(h.abs().sum().item()) % 3 + 1):
            h = self.b(h) if h[number].sum() > 0 else torch.tanh(self.b(h))
        chosen = h[h[:, 0] > h[:, 0].median()]
        for weight in chosen[:, 1].tolist():
            chosen = chosen * 2 if weight > 0 else chosen - 1
        rows = torch.nonzero(chosen.sum(1) > chosen.sum(1).mean()).squeeze(1)
        picked = torch.masked_select(h, h > 0).mean()
        classes = F.one_hot(labels)
        return F.cross_entropy(self.c(chosen[rows]), labels[: len(rows)] % 4) + picked + classes.float().mean() * 0


def asking(seed):
    torch.manual_seed(seed)
    return Asking(), (torch.randn(12, 16), torch.randint(0, 5, (12,)))


@pytest.mark.parametrize("seed", range(6))
def test_a_step_runs_as_its_values_say(seed):
    model, args = asking(seed)
    real = record_stream(lambda: {"model": model, "args": args, "loss": LOSS}, target="cpu", fake=False)
    graph = trace_graph(model, args, loss=LOSS, target="cpu", values="real")
    assert_sound(graph)
    assert [graph["targets"][op[0]] for op in graph["ops"]] == [target for target, _ in real.ops]


def test_other_values_give_other_steps():
    graphs = [trace_graph(*asking(seed), loss=LOSS, target="cpu", values="real") for seed in range(6)]
    assert len({len(graph["ops"]) for graph in graphs}) > 1
    line = next(sentence for sentence in graphs[0]["assumed"] if "as a real step" in sentence)
    assert line.startswith("record/test_real_values.py:") or line.startswith("test_real_values.py:")


def test_without_values_the_way_out_is_named():
    model, args = asking(0)
    with pytest.raises(TraceError, match='values="real"'):
        trace_graph(model, args, loss=LOSS, target="cpu")


def test_everything_is_as_before():
    model, args = asking(1)
    model.c.weight.grad = torch.ones_like(model.c.weight)
    random.seed(3)
    before = copy.deepcopy(model.state_dict()), torch.get_rng_state(), random.getstate()
    trace_graph(model, args, loss=LOSS, optimizer=torch.optim.AdamW, target="cpu", values="real")
    assert all(torch.equal(value, before[0][name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), before[1]) and random.getstate() == before[2]
    assert model.norms == [] and torch.equal(model.c.weight.grad, torch.ones_like(model.c.weight)) and model.a.weight.grad is None


def test_a_plan_of_modules_runs_the_real_step(tmp_path):
    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64)) for _ in range(6))

        def forward(self, x):
            for block in self.blocks:
                x = x + block(x)
                if x.abs().max() > 1e6:
                    x = x / 2
            return x

    torch.manual_seed(0)
    model, x = Gated(), torch.randn(512, 64)
    graph = plimsoll.trace(model, x, out=tmp_path / "graph.json", target="cpu", values="real")
    plan = plimsoll.plan(graph, budget="70%")
    model(x).sum().backward()
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    with plimsoll.apply(model, plan):
        model(x).sum().backward()
    assert all(torch.equal(parameter.grad, gradient) for parameter, gradient in zip(model.parameters(), expected))


@pytest.mark.parametrize("given, kind, sentence", [
    ({"values": "fake"}, ValueError, 'values must be "real"'),
    ({"values": "real", "vary": {"batch": [12, 6]}}, ValueError, "of which a real step tells no values"),
])  # fmt: skip
def test_what_cannot_be_is_refused(given, kind, sentence):
    model, args = asking(0)
    with pytest.raises(kind, match=sentence):
        trace_graph(model, args, loss=LOSS, target="cpu", **given)


def test_a_detection_model_is_recorded_as_it_runs():
    """Anchors are matched, and boxes chosen, by values; nms is an op of torchvision's own."""
    from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn

    torch.manual_seed(0)
    model = fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=3, min_size=32, max_size=48)
    boxes = [{"boxes": torch.tensor([[5.0, 5, 20, 20], [8, 10, 25, 30]]), "labels": torch.tensor([1, 2])}] * 2
    made = {"model": model, "args": ([torch.rand(3, 32, 40) for _ in boxes], boxes), "loss": lambda losses: sum(losses.values())}
    torch.manual_seed(1)
    real = record_stream(lambda: made, target="cpu", fake=False)
    torch.manual_seed(1)
    graph = trace_graph(target="cpu", values="real", **made)
    assert_sound(graph)
    assert [graph["targets"][op[0]] for op in graph["ops"]] == [target for target, _ in real.ops]
    assert any(sentence.startswith("torchvision/ops/boxes.py:") and "as a real step" in sentence for sentence in graph["assumed"])


def test_known_lengths_reach_ctc():
    class Reading(nn.Module):
        def __init__(self):
            super().__init__()
            self.letters = nn.Linear(8, 20)

        def forward(self, x, texts, lengths, of_texts):
            return F.ctc_loss(F.log_softmax(self.letters(x), -1).transpose(0, 1), texts, lengths, of_texts)

    made = {"model": Reading(), "args": (torch.randn(2, 12, 8), torch.randint(1, 20, (2, 5)), torch.tensor([12, 10]), torch.tensor([5, 3]))}
    real = record_stream(lambda: {**made, "loss": LOSS}, target="cpu", fake=False)
    graph = trace_graph(target="cpu", values="real", loss=LOSS, **made)
    assert [graph["targets"][op[0]] for op in graph["ops"]] == [target for target, _ in real.ops]


def test_experts_named_by_tensors_are_found():
    """As switch transformers have them: a number in a tensor names a module."""

    class Routed(nn.Module):
        def __init__(self):
            super().__init__()
            self.router, self.experts = nn.Linear(16, 4), nn.ModuleDict({f"expert_{n}": nn.Linear(16, 16) for n in range(4)})

        def forward(self, x):
            chosen = F.one_hot(self.router(x).argmax(-1), 4)
            result = torch.zeros_like(x)
            for number in chosen.sum(0).nonzero().squeeze(-1):
                rows = chosen[:, number].bool()
                result[rows] = self.experts[f"expert_{number}"](x[rows])
            return result

    torch.manual_seed(0)
    made = {"model": Routed(), "args": (torch.randn(12, 16),)}
    real = record_stream(lambda: made, target="cpu", fake=False)
    graph = trace_graph(target="cpu", values="real", **made)
    assert [graph["targets"][op[0]] for op in graph["ops"]] == [target for target, _ in real.ops]
    assert 2 <= sum(graph["modules"][call[0]][1].startswith("experts.expert_") for call in graph["calls"]) <= 4


class Given(nn.Module):
    """Two layers, and a forward as a function of module and input."""

    def __init__(self, forward):
        super().__init__()
        self.a, self.b, self.own = nn.Linear(16, 16), nn.Linear(16, 16), forward
        self.register_buffer("ready", torch.zeros((), dtype=torch.int64))
        self.register_buffer("scale", torch.ones(16))
        self.most = None

    def forward(self, x):
        return self.own(self, x)


def _initialised(m, x):
    """ActNorm: the first step sets what later ones use."""
    h = m.a(x)
    if m.ready.item() == 0:
        with torch.no_grad():
            m.scale.copy_(1 / h.std(0))
            m.ready.fill_(1)
    return m.b(h * m.scale).sum()


def _asks_later(m, x):
    """A question that the first step doesn't ask."""
    h = m.a(x)
    most = h.detach().abs().max()
    if m.most is None:
        m.most = most
    elif most > m.most:
        m.most = most
    return m.b(h).sum()


def _repeated(h, counts, size=None):
    return torch.repeat_interleave(h, counts, 0, output_size=size)


def _sometimes_known(m, x):
    """Twice the same line, whose size is a value the second time only."""
    h = m.a(x)
    counts = torch.tensor([1, 2] + [1] * 9 + [2])
    return _repeated(h, counts, 14).sin().sum() + _repeated(h, (h[:, 0] > 0).long()).sin().sum()


def _parts_of_larger_memory(m, x):
    kept = torch.unique_consecutive((m.a(x) > 0).reshape(-1).long())
    return (m.b(x).reshape(-1)[: len(kept)] * kept).sum()


def _recomputed(m, x):
    def part(h):
        classes = F.one_hot((h[:, 0] > 0).long() + 1)
        assert F.one_hot(classes.argmax(-1), 7).shape[1] == int(classes.sum()) - len(h) + 7
        h = h * classes.sum(-1, keepdim=True)
        for positive in (h[:, 0] > 0).tolist():
            h = torch.tanh(m.b(h)) if positive else h * 2
        return h

    return torch.utils.checkpoint.checkpoint(part, m.a(x), use_reentrant=False).sum()


@pytest.mark.parametrize("reentrant", [True, False])
def test_classes_are_counted_in_a_recomputation_for_a_gpu_too(reentrant):
    def forward(m, x):
        def part(h):
            return m.b(h) * F.one_hot((h[:, 0] > 0).long() + 4).sum(-1, keepdim=True)

        return torch.utils.checkpoint.checkpoint(part, m.a(x), use_reentrant=reentrant).sum()

    graphs = {target: trace_graph(Given(forward), torch.randn(12, 16), target=target, values="real") for target in ("cpu", "cuda")}
    for graph in graphs.values():
        assert (12, 6) in [row[1] for row in graph["tensors"]]


@pytest.mark.parametrize("forward", [_initialised, _asks_later, _sometimes_known, _parts_of_larger_memory, _recomputed], ids=lambda f: f.__name__)
def test_a_second_step_is_recorded_with_its_memory(forward):
    torch.manual_seed(0)
    made = {"model": Given(forward), "args": (torch.randn(12, 16),), "loss": LOSS}
    real = record_stream(lambda: made, target="cpu", fake=False)
    made["model"].ready.zero_()
    made["model"].most = None
    graph = trace_graph(target="cpu", values="real", **made)
    assert_sound(graph)
    assert [graph["targets"][op[0]] for op in graph["ops"]] == [target for target, _ in real.ops]
    storages = real.recording.storages
    assert [row[:1] + row[2:4] for row in graph["storages"]] == [[s.nbytes, s.alloc, s.free] for s in storages]


def test_what_no_op_asks_is_refused_without_that_advice():
    class Reading(nn.Linear):
        def forward(self, x):
            return super().forward(x) * float(x.numpy()[0, 0])

    with pytest.raises(TraceError, match=r"\.numpy\(\) asks for the values .*: let shapes or arguments decide there"):
        trace_graph(Reading(16, 4), torch.ones(2, 16), target="cpu", values="real")


def test_a_loss_without_values_is_refused():
    with plimsoll.building():
        weights = torch.ones(4)
    with pytest.raises(TraceError, match="outside of building"):
        trace_graph(nn.Linear(16, 4), torch.ones(2, 16), loss=lambda output: (output * weights).sum(), target="cpu", values="real")


@pytest.mark.parametrize("given, kind, sentence", [
    ({"model": len}, TypeError, "model must be a torch.nn.Module"),
    ({"keep_output": "no"}, TypeError, "keep_output must be True, False or None, not 'no'"),
    ({"keep_output": True, "mode": "inference"}, ValueError, "leave keep_output out"),
])  # fmt: skip
def test_wrong_arguments_are_refused(given, kind, sentence):
    with pytest.raises(kind, match=sentence):
        trace_graph(**{"model": nn.Linear(16, 4), "args": torch.ones(2, 16), "target": "cpu", "values": "real"} | given)


def test_tensors_without_values_are_refused():
    with plimsoll.building():
        model, args = asking(0)
    with pytest.raises(TraceError, match="outside of building"):
        trace_graph(model, args, loss=LOSS, target="cpu", values="real")
