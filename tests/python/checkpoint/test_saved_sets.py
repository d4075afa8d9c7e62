# SPDX-License-Identifier: Apache-2.0
"""Saved results inside of regions: equal training, nothing saved runs twice, memory as LIFETIMES.md of core/plan says."""

import copy
import functools
import json
import runpy

import make
import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import EXHAUSTIVE, loop
from helpers.op_plans import count_of, graph, made, plain, plan_of, random_regions, record, recorded, region, results, same, seeded, with_saved
from helpers.plans import plan_file
from helpers.plans import region as calls
from plimsoll import PlanMismatch
from plimsoll.record.stream import record_stream
from plimsoll.record.tracing import trace_graph
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def saved_in(rows):
    return sum(len(row["save"]) + saved_in(row["nested"]) for row in rows)


@pytest.mark.parametrize("name", ["mixture", "resnet18", "lstm", *(["gpt2"] if EXHAUSTIVE else [])])
def test_random_saved_sets_change_nothing(name):
    forward, step = recorded(name), made(name)
    regions = with_saved(forward, random_regions(forward, seeded(3), depth=2), seeded(4))
    assert count_of(regions) > 3 and saved_in(regions) >= 5
    model = copy.deepcopy(step["model"])
    with plimsoll.apply(model, plan_of(graph(name), regions)) as handle:
        assert same(results(step, model), plain(name)[0])
        assert handle.source.count("context_fn=") > 3


def test_module_regions_keep_results_too():
    traced, step = graph("llama"), made("llama")
    call = next(c for c in traced["calls"] if traced["modules"][c[0]][1] == "model.layers.1")
    products = [n for n in range(call[2], call[3] + 1) if traced["targets"][traced["ops"][n][0]] == "aten.mm.default"]
    row = {**calls(("model.layers.1", "LlamaDecoderLayer")), "first": call[2], "last": call[3], "save": products}
    plan = plan_of(traced, [row], granularity="module")
    model = copy.deepcopy(step["model"])
    with plimsoll.apply(model, plan):
        assert same(results(step, model), plain("llama")[0])
    again = {op for _, op in stream(lambda: step, plan).ops if op >= 0}
    assert len(products) == 7 and not again & set(products) and again >= {call[2], call[2] + 1}
    plan["sequence"]["ops"][call[2] + 3] = plan["sequence"]["ops"][call[2]]
    plimsoll.apply(model, plan)
    with pytest.raises(PlanMismatch, match=rf"Op {call[2] + 3} of .* is aten\.\S+, but the plan was made for aten\.\S+$"):
        results(step, model)


def stream(build, plan):
    def step():
        arguments = {key: value for key, value in build().items() if key in ("model", "args", "kwargs", "loss", "optimizer")}
        arguments["model"] = copy.deepcopy(arguments["model"])
        plimsoll.apply(arguments["model"], plan)
        return arguments

    return record_stream(step, target="cpu", fake=False)


class Three(torch.nn.Module):
    """Forward ops: 0 t, 1 addmm, 2 relu, 3 t, 4 addmm, 5 tanh, 6 t, 7 addmm."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = torch.nn.Linear(8, 16), torch.nn.Linear(16, 32), torch.nn.Linear(32, 8)

    def forward(self, x):
        return self.c(torch.tanh(self.b(torch.relu(self.a(x)))))


def three():
    torch.manual_seed(0)
    return {"model": Three(), "args": (torch.randn(4, 8),), "loss": lambda y: y.square().mean()}


def lives(found, op):
    """(alloc, free) of each storage that a forward op allocates, in forward or when it runs again; the ops by name."""
    ops = found.recording.ops
    runs = [i for i, row in enumerate(ops) if i == op or row.recompute_of == op]
    return [(s.alloc, s.free) for s in found.recording.storages if s.alloc in runs]


CASES = {
    "saved before its only use": ([region(2, 5, save=[4])], [2, 3, 5]),
    "saved and held by autograd": ([region(2, 5, save=[2])], [3, 4, 5]),
    "everything but a view": ([region(2, 5, save=[2, 4, 5])], [3]),
    "beyond the last pack": ([region(2, 4, save=[4])], [2, 3]),
    "nested": ([region(1, 7, [region(2, 5, save=[4])])], [1, 2, 3, 4, 5, 6, 2, 3, 5]),
    "around nested": ([region(1, 7, [region(4, 7, save=[4])], save=[2])], [1, 3, 5, 6]),
}


@pytest.mark.parametrize("case", CASES)
def test_saved_ops_are_fetched_where_they_would_run(case):
    regions, again = CASES[case]
    step = three()
    plan = plan_of(trace_graph(step["model"], step["args"], loss=step["loss"], target="cpu"), regions)
    found = stream(three, plan)
    assert [op for _, op in found.ops if op >= 0] == again
    last = max(i for i, (_, op) in enumerate(found.ops) if op >= 0)
    threshold = next(i for i, (target, _) in enumerate(found.ops) if target == "aten.threshold_backward.default")
    first = found.backward_start + [op for _, op in found.ops[found.backward_start :]].index(again[0])
    expected = {
        "saved before its only use": {4: [(4, last)], 2: [(2, 4), (first, threshold)]},
        "saved and held by autograd": {4: [(4, 5), (last - 1, last)], 2: [(2, threshold)]},
        "everything but a view": {4: [(4, last)], 2: [(2, threshold)]},
        "beyond the last pack": {4: [(4, threshold)], 2: [(2, 4), (first, threshold)]},
        "nested": {4: [(4, last), (first + 3, first + 5)]},
        "around nested": {4: [(4, first + 2)], 2: [(2, threshold)], 1: [(1, 2), (first, first)]},
    }
    for op, spans in expected[case].items():
        assert lives(found, op) == spans


class Refused(torch.nn.Module):
    """Forward ops: 0 t, 1 addmm, 2 relu_, 3 t, 4 addmm, 5 empty_like, 6 bernoulli_, 7 div_, 8 mul, 9 empty_like, 10 bernoulli_."""

    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

    def forward(self, x):
        hidden = F.relu_(self.a(x))
        return F.dropout(F.dropout(self.b(hidden), 0.5), 0.5)


@pytest.mark.parametrize(
    "saved, words",
    [
        ([2], r"op 2 \(aten.relu_.default.*no tensor of its own"),
        ([3], r"op 3 \(aten.t.default.*no tensor of its own"),
        ([1], r"op 1 .*but op 2 \(aten.relu_.default.*overwrites"),
        ([5], r"op 5 .*but op 7 \(aten.div_.Scalar.*overwrites"),
    ],
)
def test_what_can_not_be_saved_is_refused(saved, words):
    model, x = Refused(), torch.randn(4, 8)
    plan = plan_of(trace_graph(model, (x,), target="cpu"), [region(0, 12, save=saved)])
    with plimsoll.apply(model, plan), pytest.raises(PlanMismatch, match=words):
        model(x)


class Drawing(torch.nn.Module):
    """Forward ops: 0 mul, 1 rand_like, 2 mul, 3 rand_like, 4 mul."""

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(8))

    def forward(self, x):
        y = x * self.w
        y = y * torch.rand_like(y)
        return y * torch.rand_like(y)


def test_a_saved_draw_goes_with_the_draws_after_it():
    torch.manual_seed(0)
    x, model = torch.randn(4, 8), Drawing()
    step = {"args": (x,), "loss": lambda y: y.square().sum(), "optimizer": functools.partial(torch.optim.SGD, lr=0.1)}
    traced = trace_graph(model, (x,), target="cpu")
    expected = results(step, copy.deepcopy(model))
    for saved in ([3], [1, 3], [4]):
        planned = copy.deepcopy(model)
        with plimsoll.apply(planned, plan_of(traced, [region(0, 4, save=saved)])):
            assert same(results(step, planned), expected)
    with plimsoll.apply(model, plan_of(traced, [region(0, 4, save=[1])])), pytest.raises(PlanMismatch, match="op 1 .*but not op 3"):
        model(x)


@pytest.mark.parametrize("saved", [[5, 4], [4, 4], [9], [-1], ["4"], 4, [3]])
def test_damaged_saved_sets_are_refused(saved):
    step = three()
    plan = plan_of(trace_graph(step["model"], step["args"], target="cpu"), [{**region(2, 5, [region(3, 3)]), "save": saved}])
    with pytest.raises(PlanMismatch):
        plimsoll.apply(step["model"], plan)
    assert "forward" not in vars(step["model"])


def test_a_torch_without_selective_checkpointing_is_told(monkeypatch):
    step = three()
    plan = plan_of(trace_graph(step["model"], step["args"], target="cpu"), [region(2, 5, save=[4])])
    monkeypatch.delattr("torch.utils.checkpoint.create_selective_checkpoint_contexts")
    with pytest.raises(PlanMismatch, match="takes selective checkpointing"):
        plimsoll.apply(step["model"], plan)


@pytest.mark.parametrize("granularity", ["op", "module"])
def test_frozen_statistics_are_those_of_the_model_without_a_plan(granularity):
    forward, step = recorded("resnet18"), made("resnet18")
    regions = with_saved(forward, random_regions(forward, seeded(1), depth=1), seeded(1), 0.1)
    blocks = plan_file([calls((f"layer{i}.{j}", "BasicBlock")) for i in (1, 2, 3, 4) for j in (0, 1)])
    plan = blocks if granularity == "module" else plan_of(graph("resnet18"), regions)
    for frozen in (True, False):
        model = copy.deepcopy(step["model"])
        plimsoll.apply(model, {**plan, "freeze_stats": frozen})
        assert same(results(step, model), plain("resnet18")[0])
        assert all(map(torch.equal, model.buffers(), plain("resnet18")[1])) is frozen


def test_frozen_statistics_leave_out_the_counters_and_read_no_statistics():
    plan = plan_file([calls(("layer1.0", "BasicBlock"))])
    usual, frozen = (stream(lambda: made("resnet18"), {**plan, "freeze_stats": freeze}) for freeze in (False, True))
    rows = usual.recording
    counters = [n for n, op in enumerate(rows.ops) if op.target == "aten.add_.Tensor" and _counts(rows, op)]
    again = [op for n, op in enumerate(usual.ops) if op[1] >= 0 and n not in counters]
    assert len(counters) == 22 and again == [op for op in frozen.ops if op[1] >= 0]
    norms = [op for op in frozen.recording.ops if op.recompute_of >= 0 and op.target == "aten.native_batch_norm.default"]
    assert len(norms) == 2 and all(len(op.reads) == 3 and not op.writes for op in norms)


@pytest.mark.parametrize("said", [True, False, None])
@pytest.mark.parametrize("wanted", [True, False, None])
def test_the_plan_says_whether_statistics_stay_frozen(said, wanted):
    """Its numbers are of the one or the other: an argument may repeat its word, not contradict it."""
    plan = plan_file([calls(("layer1.0", "BasicBlock"))], **({} if said is None else {"freeze_stats": said}))
    step = made("resnet18")
    model, fits = copy.deepcopy(step["model"]), wanted is None or wanted is bool(said)
    if not fits:
        verb = "leave batch norm's statistics," if said else "update batch norm's statistics again,"
        with pytest.raises(PlanMismatch, match=f"freeze_stats={wanted} contradicts the plan, whose recomputations {verb}"):
            plimsoll.apply(model, plan, freeze_stats=wanted)
        assert "forward" not in vars(model.layer1[0])
        return
    plimsoll.apply(model, plan, freeze_stats=wanted)
    results(step, model)
    assert all(map(torch.equal, model.buffers(), plain("resnet18")[1])) is bool(said)


@pytest.mark.parametrize("word", [1, "yes", None])
def test_a_damaged_word_about_statistics_is_refused(word):
    with pytest.raises(PlanMismatch, match='"freeze_stats" is .*, neither true nor false'):
        plimsoll.apply(torch.nn.Linear(2, 2), plan_file([], freeze_stats=word))


def test_a_plan_for_the_step_runtime_has_no_word_about_statistics():
    plan = {**plan_file([]), "runtime": "step", "freeze_stats": False, "schedule": {"again": []}}
    with pytest.raises(PlanMismatch, match='has no use for "freeze_stats"'):
        plimsoll.compile_step(torch.nn.Linear(2, 2), plan)


def test_a_plan_with_frozen_statistics_exported_as_python(tmp_path):
    exports = ["--export", tmp_path / "plan.json", "--export", tmp_path / "plan.py"]
    loop.cli("plan", make.sample_path("resnet18"), "--budget", "75%", "--freeze-stats", "on", "--slots", 100, *exports)
    module = runpy.run_path(str(tmp_path / "plan.py"))
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert module["PLAN"] == {key: value for key, value in plan.items() if key not in ("evaluation", "labels")}
    assert module["PLAN"]["freeze_stats"] is True and "sequence" not in plan
    with plimsoll.building():
        model = make.SAMPLES["resnet18"]()["model"]
    with module["apply"](model):
        assert any("forward" in vars(part) for part in model.modules())


def _counts(recording, op):
    """Whether an op in place counts batches."""
    return any("num_batches_tracked" in name for t in op.writes for name in recording.storages[recording.tensors[t].storage].names)


class Packing(torch.nn.Module):
    """How many products a recurrent layer runs depends on the lengths; random numbers before and behind it."""

    def __init__(self):
        super().__init__()
        self.words, self.layer, self.out = torch.nn.Linear(8, 8), torch.nn.RNN(8, 8, batch_first=True), torch.nn.Linear(8, 8)

    def forward(self, words, lengths):
        words = torch.native_dropout(self.words(words), 0.5, True)[0].sin()
        rows, _ = pad_packed_sequence(self.layer(pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False))[0], batch_first=True)
        return torch.native_dropout(self.out(rows), 0.5, True)[0].exp()


def test_with_other_lengths_than_planned_the_rest_of_a_region_runs_again():
    def step(lengths):
        torch.manual_seed(0)
        model = torch.nn.ModuleDict({"block": Packing()})
        model.forward = lambda words, lengths: model["block"](words, lengths).mean()
        return model, (torch.randn(5, 8, 8), torch.tensor(lengths))

    def gradients(model, batch):
        torch.manual_seed(1)
        model.zero_grad()
        model(*batch).backward()
        return [[p.grad.clone() for p in model.parameters()], [torch.rand(1)]]

    model, batch = step([2, 7, 5, 1, 5])
    traced = trace_graph(model, batch, loss=lambda loss: loss, target="cpu", values="real")
    assert traced["values"] == "real"
    first, last = traced["calls"][1][2:4]
    drawn = [op for op in range(first, last + 1) if traced["targets"][traced["ops"][op][0]] == "aten.native_dropout.default"]
    plan = plan_of(traced, [{**calls(("block", "Packing")), "first": first, "last": last, "save": drawn}], granularity="module")
    lengths = [[2, 7, 5, 1, 5], [8, 1, 1, 3, 4], [6] * 5]
    expected = [gradients(*step(some)) for some in lengths]
    with pytest.raises(PlanMismatch, match="but the plan was made for"):
        with plimsoll.apply(model, plan):
            gradients(model, step(lengths[1])[1])
    plan["graph"]["values"] = "real"
    with plimsoll.apply(model, plan):
        for some, wanted in zip(lengths, expected):
            assert same(gradients(model, step(some)[1]), wanted)
