# SPDX-License-Identifier: Apache-2.0
"""The public functions as PyTorch's: targets of a loss, kinds of errors, files checked first, types, and what objects show of themselves."""

import functools
import json
import pathlib
import typing

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.loop import cli
from helpers.op_plans import plan_of as op_plan_of
from helpers.plans import plan_file, region
from helpers.small import Model, batch
from plimsoll import PlanMismatch, TraceError
from plimsoll.record.tracing import trace_graph
from torch import nn

pytestmark = pytest.mark.usefixtures("older_objects")
IMAGES, LABELS = torch.randn(6, 8, generator=torch.Generator().manual_seed(0)), torch.tensor([0, 1, 2, 3, 0, 1])


class Classes(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(8, 8), nn.Linear(8, 4)
        self.calls = 0

    def forward(self, x):
        assert not isinstance(x, tuple)
        return self.head(F.dropout(self.body(x).relu(), 0.1, self.training))


def weighted(output, labels, weights):
    return (F.cross_entropy(output, labels, reduction="none") * weights).mean()


# ---- targets ----


@pytest.mark.parametrize("target", ["cuda", "cpu"])
def test_targets_are_those_of_a_loss_that_brings_them_along(target):
    model = Classes()
    brought = trace_graph(model, (IMAGES,), loss=functools.partial(F.cross_entropy, target=LABELS), optimizer=torch.optim.AdamW, target=target)
    for loss in (nn.CrossEntropyLoss(), F.cross_entropy):
        given = trace_graph(model, (IMAGES, LABELS), loss=loss, targets=1, optimizer=torch.optim.AdamW, target=target)
        assert given["checks"] == brought["checks"] and given["targets"] == brought["targets"]
        assert [row[:4] for row in given["ops"]] == [row[:4] for row in brought["ops"]]
        assert "args[1]" in json.dumps(given["storages"]) and given["batch"] == brought["batch"]


def test_several_targets_in_micro_steps_of_their_own():
    batches = [(torch.randn(n, 8), torch.zeros(n, dtype=torch.long), torch.ones(n)) for n in (2, 5)]
    graph = trace_graph(Classes(), micro_steps=batches, loss=weighted, targets=2, target="cpu")
    assert graph["batch"].startswith("2x8 float32, 2 int64, 2 float32, 5x8 float32, 5 int64")
    assert {"args[2]", "micro_steps[1].args[2]"} <= set(json.dumps(graph["storages"]).split('"'))


def test_targets_vary_with_the_batch():
    graph = trace_graph(Classes(), (IMAGES, LABELS), loss=F.cross_entropy, targets=1, target="cpu", vary={"batch": [6, 9, 12]})
    assert "args[1]" in json.dumps(graph["vary"])


def test_inference_leaves_targets_out():
    with_targets = trace_graph(Classes(), (IMAGES, LABELS), loss=F.cross_entropy, targets=1, mode="inference", target="cpu")
    assert with_targets["checks"]["ops"] == trace_graph(Classes(), IMAGES, mode="inference", target="cpu")["checks"]["ops"]


def test_measured_steps_have_targets_too_with_and_without_plans(tmp_path):
    model, plan = Classes(), plan_file([region(("body", "Linear"))])
    rows = []
    for loss, targets, args in ((functools.partial(F.cross_entropy, target=LABELS), 0, IMAGES), (nn.CrossEntropyLoss(), 1, (IMAGES, LABELS))):
        path = plimsoll.measure(model, args, plan=plan, loss=loss, targets=targets, steps=1, out=tmp_path / "m.json")
        rows.append([(run["fingerprint"], run["saved_bytes"], run["live_peak_bytes"]) for run in json.loads(path.read_text())["runs"]])
    assert rows[0] == rows[1] and len(rows[0]) == 2


def test_a_compiled_step_is_measured_with_targets(tmp_path):
    model, given = Classes(), {"loss": nn.CrossEntropyLoss(), "targets": 1}
    graph = plimsoll.trace(model, (IMAGES, LABELS), target="cpu", out=tmp_path / "graph.json", **given)
    cli("plan", graph, "--budget", "100%", "--runtime", "step", "--export", tmp_path / "plan.json")
    path = plimsoll.measure(model, (IMAGES, LABELS), plan=tmp_path / "plan.json", steps=1, out=tmp_path / "m.json", **given)
    assert [run["plan"] and run["plan"]["runtime"] for run in json.loads(path.read_text())["runs"]] == [None, "step"]


# ---- arguments in two orders ----

PLAN = plan_file([region(("body", "Linear"))])
ORDERS = {
    "new": lambda model, **more: plimsoll.measure(model, (IMAGES,), plan=PLAN, **more),
    "new, keyword arguments": lambda model, **more: plimsoll.measure(model, (), {"x": IMAGES}, plan=PLAN, **more),
    "old": lambda model, **more: plimsoll.measure(model, PLAN, IMAGES, **more),
    "old, keyword arguments": lambda model, **more: plimsoll.measure(model, PLAN, (), {"x": IMAGES}, **more),
    "old, by name": lambda model, **more: plimsoll.measure(model, PLAN, kwargs={"x": IMAGES}, **more),
    "all by name": lambda model, **more: plimsoll.measure(model, plan=PLAN, args=IMAGES, **more),
}


@pytest.mark.parametrize("name", ORDERS)
def test_measure_takes_its_arguments_in_both_orders(name, tmp_path):
    path = ORDERS[name](Classes(), steps=1, out=tmp_path / "m.json")
    assert [run["plan"] is None for run in json.loads(path.read_text())["runs"]] == [True, False]


def test_a_measurement_without_a_plan_in_both_orders(tmp_path):
    for given in ((None, IMAGES), (IMAGES,), (None, (IMAGES,), None)):
        path = plimsoll.measure(Classes(), *given, steps=1, out=tmp_path / "m.json")
        assert len(json.loads(path.read_text())["runs"]) == 1


# ---- errors ----


def _trace(**changes):
    given = {"args": IMAGES, "loss": lambda output: output.sum(), **changes}
    return plimsoll.trace(given.pop("model", Classes()), given.pop("args"), **given)


CROSS_ENTROPY = r"loss can't be called with the model's output and 0 targets .*targets=1 for labels"
WRONG = {
    "no model": (TypeError, "model must be a torch.nn.Module", lambda: _trace(model=len)),
    "keyword arguments": (TypeError, "kwargs must be a dict", lambda: _trace(kwargs=[1])),
    "loss": (TypeError, "loss must be a function", lambda: _trace(loss=1)),
    "loss without targets": (TypeError, CROSS_ENTROPY, lambda: _trace(loss=nn.CrossEntropyLoss())),
    "function without targets": (TypeError, CROSS_ENTROPY, lambda: _trace(loss=F.cross_entropy)),
    "too many for the loss": (TypeError, "too many positional arguments", lambda: _trace(args=(IMAGES, LABELS), targets=1)),
    "target": (ValueError, 'target must be "cuda" or "cpu"', lambda: _trace(target="gpu")),
    "mode": (ValueError, 'mode must be "train" or "inference"', lambda: _trace(mode="eval")),
    "more targets than arguments": (ValueError, "targets=2, but there are 1", lambda: _trace(loss=weighted, targets=2)),
    "negative targets": (ValueError, "targets must be 0 or", lambda: _trace(targets=-1)),
    "targets of no number": (TypeError, "targets must be the number", lambda: _trace(targets=LABELS)),
    "targets without loss": (ValueError, "targets go to a loss function", lambda: _trace(args=(IMAGES, LABELS), loss=None, targets=1)),
    "optimizer": (TypeError, "optimizer must be an optimizer", lambda: _trace(optimizer="adam")),
    "another model's optimizer": (ValueError, "none of the model's parameters", lambda: _trace(optimizer=torch.optim.SGD(Classes().parameters()))),
    "micro-steps": (ValueError, "micro_steps must be at least 1", lambda: _trace(micro_steps=0)),
    "autocast": (ValueError, "autocast must be torch.bfloat16", lambda: _trace(autocast=torch.float64)),
    "vary": (TypeError, "vary must be a dict", lambda: _trace(vary=8)),
    "out": (TypeError, "out must be a path", lambda: _trace(out=1)),
    "steps": (ValueError, "steps must be a whole number", lambda: plimsoll.measure(Classes(), IMAGES, steps=0)),
    "measured loss": (TypeError, CROSS_ENTROPY, lambda: plimsoll.measure(Classes(), IMAGES, loss=nn.CrossEntropyLoss())),
    "too many by position": (TypeError, "by position, but got 4", lambda: plimsoll.measure(Classes(), IMAGES, {}, None)),
    "plan twice": (TypeError, "plan twice", lambda: plimsoll.measure(Classes(), PLAN, IMAGES, plan=PLAN)),
    "compiled model": (TypeError, "model must be a torch.nn.Module", lambda: plimsoll.compile_step(len)),
    "compiled loss": (TypeError, CROSS_ENTROPY, lambda: plimsoll.compile_step(Classes(), loss=nn.CrossEntropyLoss())),
    "compiled targets": (ValueError, "targets go to a loss function", lambda: plimsoll.compile_step(Classes(), targets=1)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_raise_pythons_kinds_of_errors(name, tmp_path, monkeypatch):
    kind, sentence, call = WRONG[name]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=sentence) as told:
        call()
    assert isinstance(told.value, TraceError) and not list(tmp_path.iterdir())


@pytest.mark.parametrize("loss", [torch.sum, nn.MSELoss(), functools.partial(F.cross_entropy, target=LABELS), lambda y, *more: y.sum()])
def test_losses_that_take_more_or_have_no_signature_are_not_refused(loss):
    targets = (torch.zeros(6, 4),) if isinstance(loss, nn.MSELoss) else ()
    assert trace_graph(Classes(), (IMAGES, *targets), loss=loss, targets=len(targets), target="cpu")["ops"]


# ---- files ----


class Untouched(nn.Module):
    """Fails if a step begins."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        raise AssertionError("a file that can't be written or read was noticed too late")


MISSING = {
    "folder of a graph": (TraceError, "is no folder: create it first", lambda folder: plimsoll.trace(Untouched(), IMAGES, out=folder / "no/graph.json")),
    "folder of a measurement": (TraceError, "is no folder: create it", lambda folder: plimsoll.measure(Untouched(), IMAGES, out=folder / "no/m.json")),
    "graph to write times into": (
        TraceError, "graph names the file .*no.json, which doesn't exist",
        lambda folder: plimsoll.measure(Untouched(), IMAGES, graph=folder / "no.json", out=folder / "m.json"),
    ),
    "measured plan": (PlanMismatch, "no.json can't be read as a plan", lambda folder: plimsoll.measure(Untouched(), folder / "no.json", IMAGES, out=folder / "m.json")),
    "applied plan": (PlanMismatch, "no.json can't be read as a plan", lambda folder: plimsoll.apply(Untouched(), folder / "no.json")),
    "compiled plan": (PlanMismatch, "no.json can't be read as a plan", lambda folder: plimsoll.compile_step(Untouched(), str(folder / "no.json"))),
}  # fmt: skip


@pytest.mark.parametrize("name", MISSING)
def test_files_that_are_not_there_are_told_first(name, tmp_path):
    kind, sentence, call = MISSING[name]
    with pytest.raises(FileNotFoundError, match=sentence) as told:
        call(tmp_path)
    assert isinstance(told.value, kind) and not list(tmp_path.iterdir())


def test_a_folder_as_out_is_told_first(tmp_path):
    with pytest.raises(ValueError, match="out names the folder .*: give the name of a file in it"):
        plimsoll.trace(Untouched(), IMAGES, out=tmp_path)


def test_a_folder_nobody_can_write_to_is_told_first():
    with pytest.raises(OSError):
        plimsoll.trace(Untouched(), IMAGES, out="/proc/graph.json")


def test_what_was_written_before_stays_if_the_step_is_refused(tmp_path):
    out = tmp_path / "graph.json"
    out.write_text("before")
    with pytest.raises(TraceError):
        plimsoll.trace(Classes(), IMAGES, loss=lambda output: output, out=out)
    assert out.read_text() == "before" and list(tmp_path.iterdir()) == [out]


# ---- types and representations ----


def test_modes_and_targets_are_literal_types():
    hints = typing.get_type_hints(plimsoll.measure), typing.get_type_hints(getattr(plimsoll.trace, "trace", plimsoll.trace))
    assert [hint["mode"] for hint in hints] == [typing.Literal["train", "inference"]] * 2
    assert hints[1]["target"] == typing.Literal["cuda", "cpu"] and hints[1]["return"] is pathlib.Path


def test_handles_and_compiled_steps_show_what_they_are():
    model = Classes()
    handle = plimsoll.apply(model, PLAN)
    assert repr(handle) == "<plan with 1 region, applied to Classes>"
    handle.remove()
    assert repr(handle) == "<plan, removed>"
    body = Model(lambda model, hidden: hidden.relu())
    with plimsoll.apply(body, op_plan_of(trace_graph(body, batch(), target="cpu"), [])) as handle:
        assert repr(handle) == "<plan with 0 regions of ops, applied to Model>"
    step = plimsoll.compile_step(model, loss=torch.sum)
    assert repr(step) == "<compiled step of Classes, recordings: 0>"
    step(IMAGES)
    assert repr(step) == "<compiled step of Classes, recordings: 1>"


# ---- modes ----

SAID = 'the model was in eval() and is recorded in train(): mode="train" is a training step, with its dropout and batch norm'


def test_a_model_in_eval_recorded_in_train_says_so():
    assert SAID in trace_graph(Classes().eval(), IMAGES, target="cpu")["assumed"]
    assert SAID not in trace_graph(Classes(), IMAGES, target="cpu")["assumed"]
    assert SAID not in trace_graph(Classes().eval(), IMAGES, mode="inference", target="cpu")["assumed"]
