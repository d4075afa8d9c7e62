# SPDX-License-Identifier: Apache-2.0
"""Steps, calls and plans that compile_step() refuses, each with a sentence that says what and where."""

import itertools
import random
import re

import numpy
import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import ROOT
from helpers.small import tied, tiny_gpt2
from helpers.step_plans import plan_of, random_again
from plimsoll import PlanMismatch, StepError, TraceError
from plimsoll.record.tracing import trace_graph
from plimsoll.runtime.compiled_step.refusals import REFUSALS
from helpers.small import Model, batch


def refused(body, *args):
    """The sentence with which a step of the model is refused; nothing of the model has changed then."""
    torch.manual_seed(0)
    model = Model(body)
    model.register_buffer("scale", torch.ones(8))
    state = torch.get_rng_state()
    with pytest.raises(TraceError) as error:
        plimsoll.compile_step(model, loss=lambda output: output)(batch(), *args)
    assert torch.equal(state, torch.get_rng_state()) and all(p.grad is None for p in model.parameters())
    return str(error.value)


counter = [0]
_calls = itertools.count()


_numbers = numpy.random.default_rng(0)


def _chosen(model, hidden, state=numpy.random.RandomState(0)):  # noqa: B008
    return hidden if state.rand() < 2 else -hidden


def _counts(model, hidden):
    counter[0] += 1
    return hidden * counter[0]


def _kept(model, hidden):
    model.seen = hidden.detach()
    return hidden


def _seeds(model, hidden):
    torch.manual_seed(0)
    return F.dropout(hidden, 0.5)


def _turned(model, hidden):
    total = hidden + model.scale.unsqueeze_(0)
    model.scale.squeeze_(0)
    return total


class Table(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(10, 4, sparse=True)

    def forward(self, tokens):
        return self.table(tokens).sum()


BODIES = {
    "a counter in Python": (_counts, "the step changes 'counter[0]'"),
    "random.random()": (lambda model, hidden: hidden * random.random(), "draws random numbers in Python"),
    "a generator that decides": (lambda model, hidden: hidden if _numbers.random() < 2 else -hidden, "draws random numbers in Python"),
    "one of the model's": (lambda model, hidden: _chosen(model, hidden), "draws random numbers in Python"),
    "numpy.random": (lambda model, hidden: hidden if numpy.random.rand() < 2 else hidden, "draws random numbers in Python"),
    "a counter that nobody sees": (lambda model, hidden: hidden * next(_calls), "two recordings of the same step differ"),
    "another constant each time": (
        lambda model, hidden: hidden * torch.from_numpy(numpy.full(8, next(_calls), "float32")), "another constant of shape (8,)",
    ),
    "torch.tensor(counter)": (lambda model, hidden: hidden * torch.tensor(float(next(_calls))), "two recordings of the same step differ"),
    "a shape that depends on values": (lambda model, hidden: hidden[hidden > 0], "depends on values"),
    "a branch on a value": (lambda model, hidden: hidden if hidden.sum() > 0 else -hidden, "depends on the value of a tensor"),
    ".numpy()": (lambda model, hidden: hidden * float(hidden.detach().numpy()[0, 0]), ".numpy()"),
    "seeding": (_seeds, "it sets the state of the random numbers"),
    "a generator": (
        lambda model, hidden: hidden + torch.rand(8, generator=torch.Generator()), "it takes a Generator",
    ),
    "a result that the model keeps": (_kept, "the step changes 'seen'"),
    "resize_": (lambda model, hidden: hidden + torch.zeros(4).resize_(8), "changes the size of memory"),
    "another shape of a buffer": (_turned, "another shape in place"),
    "too large constants": (
        lambda model, hidden: hidden + torch.from_numpy(numpy.zeros((9 << 20, 8), "bool"))[:1].float(), "72 MiB of constants",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_step_that_a_recording_can_not_hold(name):
    body, sentence = BODIES[name]
    assert sentence in refused(body)


def test_sparse_gradients():
    with pytest.raises(TraceError, match="sparse"):
        plimsoll.compile_step(Table(), loss=lambda output: output)(torch.arange(3))


def test_batch_norm_with_a_cumulative_average():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8, momentum=None))
    with pytest.raises(TraceError, match="_local_scalar_dense.default in '1' is called with other values"):
        plimsoll.compile_step(model)(batch())


def test_hooks_on_parameters_and_wrappers():
    model = Model(lambda model, hidden: hidden)
    step = plimsoll.compile_step(model, loss=lambda output: output)
    handle = model.last.weight.register_post_accumulate_grad_hook(lambda parameter: None)
    with pytest.raises(TraceError, match="last.weight has hooks"):
        step(batch())
    handle.remove()
    step(batch())
    model.first.bias.register_hook(lambda gradient: gradient * 2)
    with pytest.raises(TraceError, match="first.bias has hooks"):
        step(batch())
    with pytest.raises(TraceError, match="DistributedDataParallel"):
        plimsoll.compile_step(type("DistributedDataParallel", (torch.nn.Linear,), {})(8, 8))(batch())


def test_an_op_that_writes_without_saying_so():
    library = torch.library.Library("plimsoll_secret", "DEF")
    library.define("writes(Tensor x) -> Tensor")
    library.impl("writes", lambda x: x.detach().numpy().__imul__(2) is None or x.clone(), "CPU")
    library.impl("writes", lambda x: torch.empty_like(x), "Meta")
    body = lambda model, hidden: hidden + torch.ops.plimsoll_secret.writes(hidden.detach() * 1)  # noqa: E731
    said = refused(body)
    assert "plimsoll_secret.writes.default test_step_refusals.py" in said and "overwrites an argument without saying so" in said


def test_a_value_that_is_another_one_now():
    made = tiny_gpt2()
    model, tokens = made["model"], made["kwargs"]["input_ids"]
    step = plimsoll.compile_step(model)
    positions = torch.arange(32).expand(2, 32).clone()
    step(input_ids=tokens, labels=tokens, position_ids=positions)
    step(input_ids=tokens, labels=tokens, position_ids=positions.clone())
    with pytest.raises(StepError, match=r"transformers/masking_utils.py:\d+: the step asked for a value, which was True .* and is False"):
        step(input_ids=tokens, labels=tokens, position_ids=positions % 16)


def test_other_devices():
    model = torch.nn.Linear(8, 8, device="meta")
    with pytest.raises(TraceError, match="on meta: compiled steps run on the CPU or on one GPU, so move model and batch there"):
        plimsoll.compile_step(model)(torch.zeros(4, 8, device="meta"))


def test_calls_without_gradients_or_targets():
    step = plimsoll.compile_step(Model(lambda model, hidden: hidden), loss=F.mse_loss, targets=1)
    with torch.no_grad(), pytest.raises(StepError, match="outside of no_grad"):
        step(batch(), batch())
    with torch.inference_mode(), pytest.raises(StepError, match="inference_mode"):
        step(batch(), batch())
    with pytest.raises(StepError, match="1 targets after the model's arguments, but got 0"):
        step()
    with pytest.raises(TraceError, match="targets go to a loss"):
        plimsoll.compile_step(Model(None), targets=1)
    with pytest.raises(TraceError, match="not a function"):
        plimsoll.compile_step(lambda x: x)


# ---- plans ----


@pytest.fixture(scope="module")
def planned():
    """A model, a step of it, its graph and a plan that fits."""
    torch.manual_seed(0)
    made = tied()
    graph = trace_graph(made["model"], made["args"], loss=made["loss"], target="cpu")
    return made, plimsoll.compile_step(made["model"], loss=made["loss"]), graph, plan_of(graph, random_again(graph, 1, 0.5))


def mismatch(planned, plan):
    made, step, _, _ = planned
    before = [p.grad for p in made["model"].parameters()]
    with pytest.raises(PlanMismatch) as error:
        step.with_plan(plan)(*made["args"])
    assert all(p.grad is g for p, g in zip(made["model"].parameters(), before))
    return str(error.value)


def with_again(planned, again):
    return {**planned[3], "schedule": {"again": again}}


def test_a_plan_of_another_step_names_the_first_difference(planned):
    plan = planned[3]
    targets = [*plan["sequence"]["targets"], "aten.relu.default"]
    ops = list(plan["sequence"]["ops"])
    ops[6] = len(targets) - 1
    said = mismatch(planned, {**plan, "sequence": {"targets": targets, "ops": ops}})
    assert "op 6 is aten.relu.default in the plan, but op 6 aten.gelu.default helpers/small.py:" in said
    assert "it has 1 ops" not in said
    said = mismatch(planned, {**plan, "sequence": {"targets": targets, "ops": plan["sequence"]["ops"] + [0]}})
    assert f"it has {len(ops) + 1} ops, this one {len(ops)}" in said


def test_a_plan_of_cudas_kernels(planned):
    made = planned[0]
    graph = trace_graph(made["model"], made["args"], loss=made["loss"], target="cuda")
    said = mismatch(planned, {**plan_of(graph, []), "graph": {"target": "cuda"}})
    assert "aten.native_dropout.default" in said and 'trace with target="cpu"' in said


def _other_p(model):
    model.drop.p = 0.0


CHANGED = {
    "eval": (lambda model: model.eval(), "The model is in eval mode, and plans are made for training: call model.train()"),
    "a layer in eval": (lambda model: model.drop.eval(), "'drop' is in eval mode, which it may not have been when the step was traced"),
    "p": (_other_p, "1 ops of the plan draw random numbers, 0 of this step do: did the p of a dropout change"),
    "a layer gone": (lambda model: setattr(model, "body", torch.nn.Identity()), "Trace the step as it is now"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_plan_of_a_model_that_has_changed_says_how(name):
    made = tied()
    graph = trace_graph(made["model"], made["args"], loss=made["loss"], target="cpu")
    step = plimsoll.compile_step(made["model"], plan_of(graph, []), loss=made["loss"])
    change, sentence = CHANGED[name]
    change(made["model"])
    with pytest.raises(PlanMismatch) as error:
        step(*made["args"])
    assert "The plan was made for another step: op " in str(error.value) and sentence in str(error.value)


def test_a_plan_for_another_runtime_or_model(planned):
    plan = planned[3]
    assert "compile_step() runs" in _apply_refuses(planned[0]["model"], plan)
    assert "plimsoll.apply() runs" in mismatch(planned, {**plan, "runtime": "checkpoint"})
    assert "made for a Llama, but this model is a Tied" in mismatch(planned, {**plan, "graph": {"model_class": "Llama"}})
    assert '"sequence" can\'t be read' in mismatch(planned, {**plan, "sequence": None})


def _apply_refuses(model, plan):
    with pytest.raises(PlanMismatch) as error:
        plimsoll.apply(model, plan)
    return str(error.value)


@pytest.mark.parametrize("again", [[[5, [5]]], [[9, [3]], [8, [3]]], [[20, [4, 3]]], [[10_000, [3]]], [[20, [True]]], [[20, 3]], "x", None])
def test_a_damaged_schedule(planned, again):
    assert "The plan is damaged" in mismatch(planned, with_again(planned, again))


def test_what_can_not_be_repeated(planned):
    targets = [planned[3]["sequence"]["targets"][i] for i in planned[3]["sequence"]["ops"]]
    last = len(targets) - 1
    counts = targets.index("aten.add_.Tensor")  # the number of batches, a buffer
    assert "writes 'norm.num_batches_tracked', memory older than the step" in mismatch(planned, with_again(planned, [[last, [counts]]]))
    empty, scaled = targets.index("aten.empty_like.default"), targets.index("aten.div_.Scalar")
    said = mismatch(planned, with_again(planned, [[last, [scaled]]]))
    assert "was written 2 times instead of 1: recompute every op that wrote it" in said
    dropped_mask = [k for k, t in enumerate(targets) if t == "aten.mul.Tensor"][1]
    said = mismatch(planned, with_again(planned, [[dropped_mask, [empty]]]))
    assert f"executes op {dropped_mask} aten.mul.Tensor" in said and "was written 0 times instead of 2" in said


def test_an_overwritten_leaf_can_not_be_the_origin():
    def body(model, hidden, a):
        total = hidden + a
        a.add_(1)
        return F.gelu(total)

    model = Model(body)
    inputs = (batch(), torch.ones(8))
    graph = trace_graph(model, inputs, loss=lambda output: output, target="cpu")
    targets = [graph["targets"][op[0]] for op in graph["ops"]]
    total = targets.index("aten.add.Tensor")
    with pytest.raises(PlanMismatch, match=r"when 'args\[1\]' was written 1 times instead of 0"):
        plimsoll.compile_step(model, plan_of(graph, [[len(targets) - 1, [total]]]), loss=lambda output: output)(*inputs)


def test_the_manual_shows_every_refusal():
    shown = [f"| {kind} | {re.sub('{[a-z]+}', '…', sentence)} |" for kind, sentence in REFUSALS.items()]
    lines = (ROOT / "resources/manual/python.md").read_text().splitlines()
    first = lines.index("| kind | sentence of the `TraceError` |") + 2
    assert lines[first : first + len(shown)] == shown and not lines[first + len(shown)]
