# SPDX-License-Identifier: Apache-2.0
"""measure() on real CPU steps: each number against a count of its own, the file against the prediction, nothing left behind."""

import contextlib
import functools
import gzip
import json
import os
import random
import subprocess

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import ROOT, step_plans, zoo
from helpers.loop import ROTOR
from plimsoll.common.graph_rows import VIEW
from plimsoll.record.scratch import set_scratch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

CLI = os.environ.get("PLIMSOLL_CLI", str(ROOT / "build" / "dev" / "bin" / "plimsoll-cli"))


pytestmark = pytest.mark.usefixtures("older_objects")


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(width), torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Small(torch.nn.Module):
    """Blocks, whose activations decide the peak, and a batch norm, which writes its buffers. Dropout draws random numbers."""

    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.Sequential(*[Block(16) for _ in range(5)])
        self.norm, self.drop, self.head = torch.nn.BatchNorm1d(16), torch.nn.Dropout(0.1), torch.nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.drop(self.norm(self.blocks(x))))


LABELS = torch.arange(512) % 3
X = torch.randn(512, 16, generator=torch.Generator().manual_seed(1))


def loss_of(scores, labels=LABELS):
    return F.cross_entropy(scores, labels)


def made():
    torch.manual_seed(0)
    model = Small()
    return model, {"args": X, "loss": loss_of, "optimizer": torch.optim.AdamW(model.parameters())}


def cli(*arguments):
    done = subprocess.run([CLI, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Graph, plan and measurement of the small model, measured with the plan; times are in the graph."""
    folder = tmp_path_factory.mktemp("small")
    model, arguments = made()
    graph = plimsoll.trace(model, target="cpu", out=folder / "small.plimsoll.json.gz", **arguments)
    cli("plan", graph, "--budget", "60%", "--export", folder / "plan.json")
    path = plimsoll.measure(model, folder / "plan.json", graph=graph, steps=2, out=folder / "small.measurement.json", **arguments)
    return graph, folder / "plan.json", path


def runs_of(path):
    return json.loads(path.read_text())["runs"]


def read(graph):
    return json.loads(gzip.decompress(graph.read_bytes()))


# ---- values ----


def counted(plan):
    """What a step saves, and the most that it allocates, asked of PyTorch without the package's own means."""
    model, arguments = made()
    optimizer, storages = arguments["optimizer"], {}

    def pack(tensor):
        storages[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage()
        return tensor

    def step(hooks):
        optimizer.zero_grad(set_to_none=True)
        with hooks:
            scores = model(X)
            loss = loss_of(scores)
        loss.backward()
        optimizer.step()
        return scores, loss

    with plimsoll.apply(model, plan) if plan else contextlib.nullcontext():
        step(contextlib.nullcontext())
        step(torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor))
        optimizer.zero_grad(set_to_none=True)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
            kept = step(contextlib.nullcontext())  # noqa: F841
    tensors = [*model.parameters(), *model.buffers(), X, LABELS, *(v for s in optimizer.state.values() for v in s.values())]
    live = peak = resident = sum(tensor.untyped_storage().nbytes() for tensor in tensors)
    for event in sorted(profile.profiler.kineto_results.events(), key=lambda e: e.start_ns()):
        if event.name() == "[memory]":
            live += event.nbytes()
            peak = max(peak, live)
    return resident, sum(s.nbytes() for s in storages.values()), peak


@pytest.mark.parametrize("planned", [False, True], ids=["unplanned", "planned"])
def test_bytes_are_those_that_pytorch_counts(small, planned):
    run = runs_of(small[2])[planned]
    resident, saved, peak = counted(small[1] if planned else None)
    assert run["resident_bytes"] == resident
    assert run["saved_bytes"] == saved
    assert run["allocator_peak_bytes"] == pytest.approx(peak, abs=4096)  # small things that the profiler itself allocates


def test_the_planned_step_is_smaller_and_of_the_plans_ops(small):
    unplanned, planned = runs_of(small[2])
    assert unplanned["plan"] is None and planned["plan"]["planner"] == "auto" and planned["plan"]["runtime"] == "checkpoint"
    assert planned["plan"]["freeze_stats"] is False
    for key in ("saved_bytes", "live_peak_bytes", "allocator_peak_bytes"):
        assert planned[key] < unplanned[key], key
    assert len(planned["ops"]) > len(unplanned["ops"])
    again = [row for row in planned["ops"] if row[2] >= 0]
    assert again and all(planned["ops"][row[2]][0] == row[0] for row in again)
    assert not [row for row in unplanned["ops"] if row[2] >= 0]


@pytest.mark.parametrize("options", [(), ("--granularity", "op"), ("--saved-sets", "on"), ("--runtime", "step")], ids=str)
def test_saved_bytes_under_a_plan_are_those_that_were_predicted(small, options, tmp_path):
    plan = tmp_path / "plan.json"
    said = json.loads(cli("plan", small[0], "--budget", "60%", *options, *ROTOR, "--export", plan, "--json"))
    model, arguments = made()
    path = plimsoll.measure(model, plan, steps=1, out=tmp_path / "small.measurement.json", **arguments)
    unplanned, planned = runs_of(path)
    assert said["recomputed"] and planned["saved_bytes"] == said.get("saved_for_backward_bytes")
    if options != ("--runtime", "step"):  # there autograd saves nothing
        assert 0 < planned["saved_bytes"] < unplanned["saved_bytes"]
    rows = {row["name"]: row for row in json.loads(cli("diff", path, small[0], plan, "--json"))["runs"][1]["rows"]}
    assert rows["saved"]["predicted_bytes"] == planned["saved_bytes"]


def test_unplanned_ops_and_bytes_are_the_graphs(small):
    graph, run = read(small[0]), runs_of(small[2])[0]
    assert [run["targets"][row[0]] for row in run["ops"]] == [graph["targets"][row[0]] for row in graph["ops"]]
    assert (run["live_peak_bytes"], run["live_peak_op"]) == (graph["checks"]["peak_bytes"], graph["checks"]["peak_op"])
    assert run["saved_bytes"] == graph["checks"]["saved_bytes"]
    held = [row[5] for row in run["ops"]]
    assert max(b for b in held if b is not None) == run["allocator_peak_bytes"] == held[run["allocator_peak_op"]]
    assert run["allocator_peak_bytes"] == pytest.approx(run["live_peak_bytes"], rel=0.01)


def test_each_op_that_computes_has_a_time(small):
    graph = read(small[0])
    for run in runs_of(small[2]):
        assert all(row[3] is not None and 0 < row[3] < 10**10 for row in run["ops"])
        assert run["step_time_ns"] > 0 and min(run["step_times_ns"]) <= run["step_time_ns"] <= max(run["step_times_ns"])
    assert [row[14] for row in graph["ops"]] == [row[3] for row in runs_of(small[2])[0]["ops"]]


def test_each_op_of_packed_sequences_has_a_time(tmp_path):
    """Gradients of the writes into the padded result make other views than on fakes, so that autograd's numbers differ behind them."""

    class Packing(torch.nn.RNN):
        def forward(self, words, lengths):
            return pad_packed_sequence(super().forward(pack_padded_sequence(words, lengths, enforce_sorted=False))[0])[0].sum()

    step = {"model": Packing(4, 4), "args": (torch.randn(8, 5, 4), torch.tensor([2, 7, 5, 1, 5])), "loss": lambda loss: loss}
    path = plimsoll.trace(**step, target="cpu", values="real", out=tmp_path / "packed.plimsoll.json")
    plimsoll.measure(**step, graph=path, out=tmp_path / "packed.measurement.json", steps=1)
    graph = json.loads(path.read_text())
    computing = [row for row in graph["ops"] if not row[8] & VIEW]
    assert len(computing) > 60 and all(row[14] is not None for row in computing)


def test_the_command_line_lays_it_over_the_prediction(small):
    graph, plan, path = small
    said = json.loads(cli("diff", path, graph, plan, "--json"))
    assert said["backend"] == "cpu" and len(said["runs"]) == 2
    for run, measured in zip(said["runs"], runs_of(path)):
        rows = {row["name"]: row for row in run["rows"]}
        assert run["same_ops"] is True and run["other_ops"] == ""
        assert rows["live_peak"]["difference_bytes"] == 0  # predicted to the byte, with the plan, too
        assert rows["live_peak"]["measured_bytes"] == measured["live_peak_bytes"]
        assert rows["resident"]["difference_bytes"] == 0
        assert 0 <= rows["allocator_peak"]["difference_bytes"] < 0.02 * rows["allocator_peak"]["predicted_bytes"]  # scratch
        assert rows["step_time"]["measured_ns"] == measured["step_time_ns"]
    times = {row["name"]: row for row in said["runs"][0]["rows"]}["time_of_ops"]
    assert times["predicted_ns"] == times["measured_ns"]  # the graph has the measured times
    assert "With the plan" in cli("diff", path, graph, plan)


def test_the_step_runtime_is_measured_by_the_allocator(small, tmp_path):
    model, arguments = made()
    graph = read(small[0])
    forward = [k for k, op in enumerate(graph["ops"]) if op[1] < 2]
    gelu = next(k for k in forward if graph["targets"][graph["ops"][k][0]] == "aten.gelu.default")
    used = next(k for k, op in enumerate(graph["ops"]) if op[1] == 2 and set(op[5]) & set(graph["ops"][gelu][7]))
    again = step_plans.Graph(graph).closure({graph["tensors"][graph["ops"][gelu][7][0]][0]}, used)
    plan = step_plans.plan_of(graph, [[used, again]])
    unplanned, planned = runs_of(plimsoll.measure(model, plan, steps=1, out=tmp_path / "m.json", **arguments))
    assert planned["plan"]["runtime"] == "step" and planned["ops"] == [] and planned["live_peak_bytes"] is None
    assert planned["resident_bytes"] == unplanned["resident_bytes"]
    assert planned["resident_bytes"] < planned["allocator_peak_bytes"] < unplanned["allocator_peak_bytes"]
    said = json.loads(cli("diff", tmp_path / "m.json", small[0], "--json"))
    assert said["runs"][0]["same_ops"] is True


def test_a_model_of_the_zoo(tmp_path):
    """Convolutions take scratch memory that no op stream shows: the allocator's peak tells."""
    arguments = zoo.ZOO["resnet18"].lean()
    graph = plimsoll.trace(target="cpu", **{**arguments, "out": tmp_path / "g.plimsoll.json.gz"})
    name, checks = arguments.pop("name"), read(graph)["checks"]
    path = plimsoll.measure(**arguments, name=name, steps=1, graph=graph, out=tmp_path / "m.json")
    run, told = runs_of(path)[0], read(graph)["checks"]
    assert (run["saved_bytes"], run["live_peak_bytes"]) == (checks["saved_bytes"], checks["peak_bytes"])
    assert run["live_peak_bytes"] < run["allocator_peak_bytes"] < 1.05 * run["live_peak_bytes"]
    assert all(row[3] is not None for row in run["ops"])
    assert abs(told["peak_bytes"] - run["allocator_peak_bytes"]) < 64 * 1024  # with the scratch that was measured


# ---- scratch memory of kernels ----


class Taking(Block):
    """Its `logsumexp` takes a copy of the hidden values and the largest of each row for itself, on any processor."""

    def forward(self, x):
        hidden = self.up(self.norm(x))
        return x + self.down(F.gelu(hidden)) + hidden.logsumexp(1, keepdim=True)


def taking(block):
    torch.manual_seed(0)
    model = torch.nn.Sequential(*[block(16) for _ in range(5)], torch.nn.Linear(16, 512))
    return {"model": model, "args": X, "loss": lambda scores: scores.logsumexp(1).mean(), "optimizer": torch.optim.SGD(model.parameters(), lr=0.1)}


def planned_peak(block, plan, path, **arguments):
    return runs_of(plimsoll.measure(**taking(block), plan=plan, steps=1, out=path, **arguments))[1]["allocator_peak_bytes"]


@pytest.fixture(scope="module", params=[("--granularity", "module"), ("--granularity", "op"), ("--granularity", "op", "--saved-sets", "on")], ids=str)
def measured_scratch(request, tmp_path_factory):
    """Plans made before and after the scratch was measured, of the step whose loss takes some, and the graph before and after."""
    folder, options = tmp_path_factory.mktemp("scratch"), request.param
    plimsoll.trace(target="cpu", **taking(Block), out=folder / "g.plimsoll.json.gz")
    graph, plain = folder / "g.plimsoll.json.gz", read(folder / "g.plimsoll.json.gz")
    cli("plan", graph, "--budget", "75%", "--export", folder / "before.json", *options, *ROTOR)
    budget = json.loads((folder / "before.json").read_text())["budget_bytes"]
    before = planned_peak(Block, folder / "before.json", folder / "m.json", graph=graph)
    cli("plan", graph, "--budget", budget, "--export", folder / "after.json", *options, *ROTOR)
    return folder, plain, budget, before


def random_states(plan):
    """Bytes of the CPU's generator, whose state each checkpoint keeps."""
    return 5056 * len(json.loads(plan.read_text())["regions"])


def difference(folder, name):
    rows = json.loads(cli("diff", folder / "m.json", folder / "g.plimsoll.json.gz", folder / "after.json", "--json"))["runs"][1]["rows"]
    return next(row["difference_bytes"] for row in rows if row["name"] == name)


def test_plans_made_from_measured_scratch_keep_their_budget(measured_scratch):
    folder, plain, budget, before = measured_scratch
    measured, states = read(folder / "g.plimsoll.json.gz"), random_states(folder / "after.json")
    after = planned_peak(Block, folder / "after.json", folder / "m.json")
    scratch = [row for row in measured["storages"] if row[1] == 9]
    taken = {op: sum(row[0] for row in scratch if row[2] == op) for op in {row[2] for row in scratch}}
    assert measured["storages"] == plain["storages"] + scratch and max(taken.values()) == 4 * 512 * (512 + 1)
    assert measured["checks"]["bytes_by_class"]["scratch"] == sum(row[0] for row in scratch)
    assert after - states <= budget < before
    assert abs(difference(folder, "allocator_peak") - states) < 1024
    assert difference(folder, "live_peak") == 0


def test_what_a_kept_result_took_is_not_kept(tmp_path):
    graph, plan = tmp_path / "g.plimsoll.json.gz", tmp_path / "after.json"
    plimsoll.trace(target="cpu", **taking(Taking), out=graph)
    plimsoll.measure(**taking(Taking), steps=1, graph=graph, out=tmp_path / "m.json")
    cli("plan", graph, "--budget", "80%", "--export", plan, "--saved-sets", "on", *ROTOR)
    planned_peak(Taking, plan, tmp_path / "m.json")
    ops, kept = read(graph), [op for region in json.loads(plan.read_text())["regions"] for op in region["save"]]
    assert sum(ops["targets"][ops["ops"][op][0]] == "aten.logsumexp.default" for op in kept) > 1
    assert abs(difference(tmp_path, "allocator_peak") - random_states(plan)) < 16 * 1024 < 4 * 512 * 64


def test_scratch_that_was_measured_before_is_replaced(small, tmp_path):
    graph = read(small[0])
    first = json.loads(json.dumps(graph))
    set_scratch(graph, [[1000]] * len(graph["ops"]))
    assert graph["checks"]["bytes_by_class"]["scratch"] == 1000 * len(graph["ops"])
    assert graph["ops"] == first["ops"] and graph["tensors"] == first["tensors"]
    path = tmp_path / "scratch.plimsoll.json"
    path.write_text(json.dumps(graph))
    assert f"scratch            {1000 * len(graph['ops']) / 1024:.1f} KiB" in cli("inspect", path)
    set_scratch(graph, [[]] * len(graph["ops"]))
    assert graph == without_scratch(first)


def without_scratch(graph):
    set_scratch(graph, [[]] * len(graph["ops"]))
    return graph


# ---- nothing left behind ----


def state_of(model, optimizer):
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    states = [(id(v), v.clone()) for values in optimizer.state.values() for v in values.values()]
    gradients = [(None, None) if p.grad is None else (id(p.grad), p.grad.clone()) for p in model.parameters()]
    groups = [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]
    return (
        [(n, id(t)) for n, t in tensors.items()], [t.detach().clone() for t in tensors.values()], [i for i, _ in states],
        [v for _, v in states], [i for i, _ in gradients], [g for _, g in gradients if g is not None], groups,
        [m.training for m in model.modules()], torch.get_rng_state(), random.getstate(),
    )  # fmt: skip


def same(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@pytest.mark.parametrize("stepped", [False, True], ids=["fresh", "trained before"])
def test_everything_is_as_before(small, stepped, tmp_path):
    model, arguments = made()
    optimizer = arguments["optimizer"]
    if stepped:
        loss_of(model(X)).backward()
        optimizer.step()
    model.blocks[1].eval()
    before = state_of(model, optimizer)
    plimsoll.measure(model, small[1] if stepped else None, steps=1, out=tmp_path / "m.json", **arguments)
    assert same(before, state_of(model, optimizer))
    with pytest.raises(plimsoll.PlanMismatch):
        plimsoll.remove(model)  # no plan is on it


def test_everything_is_as_before_when_the_step_fails(tmp_path):
    model, arguments = made()
    calls = []

    def loss(scores):
        calls.append(0)
        if len(calls) == 3:
            raise ValueError("enough")
        return loss_of(scores)

    before = state_of(model, arguments["optimizer"])
    with pytest.raises(ValueError, match="enough"):
        plimsoll.measure(model, steps=1, out=tmp_path / "m.json", **{**arguments, "loss": loss})
    assert same(before, state_of(model, arguments["optimizer"]))
    assert not list(tmp_path.iterdir())


# ---- what is refused ----


def test_what_cannot_be_measured_is_a_sentence(small, tmp_path):
    model, arguments = made()
    measure = functools.partial(plimsoll.measure, out=tmp_path / "m.json")
    with plimsoll.building():
        fake = Small()
    with pytest.raises(plimsoll.TraceError, match="has no values: measure.. runs real steps"):
        measure(fake, **{**arguments, "optimizer": None})
    with pytest.raises(plimsoll.TraceError, match="steps must be a whole number of at least 1, not 0"):
        measure(model, steps=0, **arguments)
    with pytest.raises(plimsoll.PlanMismatch, match="can't be read as a plan"):
        measure(model, tmp_path / "none.json", **arguments)
    with pytest.raises(plimsoll.PlanMismatch, match="This is no plan"):
        measure(model, {"format": "else"}, **arguments)
    with pytest.raises(plimsoll.PlanMismatch, match="made for a ResNet"):
        measure(model, {**json.loads(small[1].read_text()), "graph": {"model_class": "ResNet"}}, **arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage, sentence", [
    (lambda content: content[:40] + b"\xff\xff" + content[42:], "can't be read as a graph file"),
    (lambda content: gzip.compress(json.dumps({"format": "plimsoll-graph", "version": 1, "target": "cpu"}).encode()), "no whole graph file: it has no ops"),
])  # fmt: skip
def test_a_damaged_graph_is_refused_before_the_run(small, tmp_path, damage, sentence):
    model, arguments = made()
    graph = tmp_path / "graph.plimsoll.json.gz"
    graph.write_bytes(damage(gzip.compress(json.dumps(read(small[0])).encode())))
    with pytest.raises(plimsoll.TraceError, match=sentence):
        plimsoll.measure(model, steps=1, graph=graph, out=tmp_path / "m.json", **arguments)
    assert not (tmp_path / "m.json").exists()


def test_the_graph_is_not_overwritten_by_its_measurement(small, tmp_path):
    model, arguments = made()
    graph = tmp_path / "graph.plimsoll.json"
    graph.write_text(json.dumps(read(small[0])))
    before = graph.read_bytes()
    with pytest.raises(ValueError, match="out and graph are the same file"):
        plimsoll.measure(model, steps=1, graph=graph, out=tmp_path / "." / "graph.plimsoll.json", **arguments)
    assert graph.read_bytes() == before


def test_times_go_into_no_other_graph(small, tmp_path):
    model, arguments = made()
    other = plimsoll.trace(Block(16), X, target="cpu", out=tmp_path / "other.plimsoll.json.gz")
    cuda = plimsoll.trace(model, X, loss=loss_of, out=tmp_path / "cuda.plimsoll.json.gz")
    before = other.read_bytes(), cuda.read_bytes()
    with pytest.raises(plimsoll.TraceError, match=r"other.plimsoll.json.gz is another step's graph: it has \d+ ops, the measured step has \d+\. The measurement was written to .*m.json"):
        plimsoll.measure(Small(), steps=1, graph=other, out=tmp_path / "m.json", args=X, optimizer=torch.optim.SGD)
    renamed = read(small[0])
    renamed["targets"] = [name.replace("aten.", "mine.") for name in renamed["targets"]]
    other.write_bytes(gzip.compress(json.dumps(renamed).encode()))
    with pytest.raises(plimsoll.TraceError, match=r"of its (\d+) ops that compute, \1 are not in the measured step, first op 0, mine.native_layer"):
        plimsoll.measure(model, steps=1, graph=other, out=tmp_path / "m.json", **arguments)
    before = other.read_bytes(), cuda.read_bytes()
    with pytest.raises(plimsoll.TraceError, match='traced with target="cuda", but the model lies on cpu'):  # before the run
        plimsoll.measure(model, steps=1, graph=cuda, out=tmp_path / "n.json", **arguments)
    assert (other.read_bytes(), cuda.read_bytes()) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cuda.plimsoll.json.gz", "m.json", "other.plimsoll.json.gz"]
