# SPDX-License-Identifier: Apache-2.0
"""Forward and loss under autocast: recorded as they run, planned, applied and compiled."""

import contextlib
import copy
import functools
import importlib
import inspect
import json

import plimsoll
import pytest
import torch
from helpers import EXHAUSTIVE, loop
from helpers.graph_rules import assert_sound
from helpers.once import once
from helpers.proof import prove
from helpers.step_plans import plan_of, random_again
from helpers.step_training import Training, assert_same_bits
from helpers.zoo import ZOO
from plimsoll.record.tracing import trace_graph

BF16 = torch.bfloat16
SCRATCH = 64 * 1024  # bytes that kernels other than these take for themselves; ConvNeXt's take more than its tensors in half precision
TAKE_SCRATCH = {"aten::convolution", "aten::convolution_backward"}
SIZE = "real" if EXHAUSTIVE else "lean"
KINDS = {"modules": (), "ops": ("--granularity", "op"), "saved sets": ("--saved-sets", "on")}


def lean(name, dtype=BF16):
    return {**ZOO[name].lean(), "autocast": dtype}


@pytest.fixture(scope="session")
def proven():
    return once(lambda name, dtype: prove(lambda: lean(name, dtype)), most=1)


@pytest.mark.parametrize("name, dtype", [("resnet18", BF16), ("gpt2", BF16), *([("convnext", BF16), ("gpt2", torch.float16)] if EXHAUSTIVE else [])])
def test_what_is_recorded_is_what_runs(proven, name, dtype):
    proof = proven(name, dtype)
    checks = proof.graph["checks"]
    assert proof.differences == []
    assert_sound(proof.graph)
    assert proof.graph["autocast"] == str(dtype).removeprefix("torch.")
    assert checks["saved_bytes"] == proof.saved and checks["bytes_by_class"]["activation"] == proof.saved_apart
    assert proof.held.tensors == proof.predicted
    assert 0 <= proof.scratch and (proof.scratch <= SCRATCH or proof.held.op in TAKE_SCRATCH)
    assert {kind: proof.counted(kind) for kind in ("add_", "add")} == proof.adds


class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(16, 16), torch.nn.Linear(16, 16)

    def forward(self, x):
        return self.b(self.a(x) + self.a(x.relu()))


X = torch.randn(4, 16)


def casts_of(graph, name):
    """Rows of the storages into which a parameter is cast, and the ops that do."""
    parameter = next(row for row, storage in enumerate(graph["storages"]) if name in storage[6])
    storage_of = lambda tensor: graph["tensors"][tensor][0]  # noqa: E731
    return [
        (storage_of(op[7][0]), ordinal)
        for ordinal, op in enumerate(graph["ops"])
        if graph["targets"][op[0]] == "aten._to_copy.default" and storage_of(op[5][0]) == parameter
    ]


def test_weights_are_cast_once_a_step_and_let_go_with_the_block():
    graph = trace_graph(Twice(), X, target="cpu", autocast=BF16, optimizer=functools.partial(torch.optim.SGD, lr=0.1))
    ops = graph["ops"]
    end = max(ordinal for ordinal, op in enumerate(ops) if op[1] <= 1)  # of forward and loss
    frees = {}
    for name in ("a.weight", "a.bias", "b.weight", "b.bias"):
        ((storage, ordinal),) = casts_of(graph, name)
        assert graph["storages"][storage][2] == ordinal < end
        frees[name] = graph["storages"][storage][3]
    # Backward needs b's weight, and nobody the others: the input has no gradient.
    assert frees["a.weight"] == frees["a.bias"] == frees["b.bias"] == end < frees["b.weight"]
    assert not any(storage[1] == 5 and storage[0] > 4 for storage in graph["storages"])  # no constant but numbers


def test_each_micro_step_casts_anew():
    graph = trace_graph(Twice(), X, target="cpu", autocast=BF16, micro_steps=3)
    assert len(casts_of(graph, "a.weight")) == 3


def test_autocast_around_the_call_is_that_of_forward_and_loss():
    model = Twice()
    asked = trace_graph(model, X, target="cpu", autocast=BF16)
    with torch.autocast("cpu", dtype=BF16):
        model(X)  # leaves its weights in the cache
        around = trace_graph(model, X, target="cpu")
        assert torch.is_autocast_enabled("cpu") and torch.autocast_increment_nesting() == 2
        torch.autocast_decrement_nesting()
        assert model(X).dtype == BF16
    assert around == asked and not torch.is_autocast_enabled("cpu")
    with torch.autocast("cpu", dtype=BF16, cache_enabled=False):
        uncached = trace_graph(model, X, target="cpu")
    assert len(casts_of(uncached, "a.weight")) == 2 and len(casts_of(asked, "a.weight")) == 1


def test_inference_under_autocast():
    graph = trace_graph(Twice(), X, target="cpu", autocast=BF16, mode="inference")
    assert graph["autocast"] == "bfloat16" and len(casts_of(graph, "a.weight")) == 1


@pytest.mark.parametrize(
    "block, sentence",
    [
        (lambda: torch.autocast("cpu", dtype=BF16), r'autocast\("cpu"\) around the call casts nothing on a GPU: pass autocast='),
        (lambda: torch.autocast("cuda", dtype=BF16), r'PyTorch leaves autocast\("cuda"\) off where there is no GPU: pass autocast='),
    ],
)
@pytest.mark.filterwarnings("ignore:.*CUDA is not available")
def test_what_a_gpu_would_not_do_is_refused(block, sentence):
    with block(), pytest.raises(plimsoll.TraceError, match=sentence):
        trace_graph(Twice(), X)
    with pytest.raises(plimsoll.TraceError, match="autocast must be torch.bfloat16 or torch.float16, not torch.float32"):
        trace_graph(Twice(), X, autocast=torch.float32)


def test_for_cuda_forward_and_loss_take_cudas_lists():
    loss = lambda output: torch.nn.functional.mse_loss(output, output.detach().relu())  # noqa: E731
    graph = trace_graph(torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.LayerNorm(16)), X, loss=loss, autocast=BF16)
    dtype = lambda target, place: next(  # noqa: E731
        graph["dtypes"][graph["tensors"][op[place][0]][4]] for op in graph["ops"] if graph["targets"][op[0]] == target
    )
    assert dtype("aten.addmm.default", 7) == "bfloat16"
    assert dtype("aten.native_layer_norm.default", 5) == dtype("aten.mse_loss.default", 5) == "float32"


@pytest.mark.parametrize("name, size, kind", [("gpt2", SIZE, "modules"), ("resnet18", SIZE, "ops")])
def test_planned_models_recorded_for_cuda(name, size, kind, tmp_path):
    builder = lambda: {**getattr(ZOO[name], size)(), "autocast": BF16}  # noqa: E731
    graph, plan = loop.trace(builder, tmp_path / "graph.plimsoll.json.gz", "cuda"), tmp_path / "plan.json"
    most, least = loop.span(graph, *KINDS[kind])
    budget = most - int(0.6 * (most - least))
    said = loop.cli("plan", graph, "--budget", budget, "--export", plan, *KINDS[kind])
    assert said["verified"] and said["regions"]
    stream = loop.record(builder, plan, tmp_path / "stream.json", "cuda")
    result = loop.compare(graph, plan, tmp_path / "stream.json")
    assert result["equal"], result["first"]
    assert max(stream.curve_rounded512) == said["peak_bytes"] <= budget


def outcome(made, model):
    """Loss and gradients of one real step."""
    torch.manual_seed(1)
    with torch.autocast("cpu", dtype=BF16):
        output = model(*made.get("args", ()), **made.get("kwargs", {}))
        loss = made["loss"](output) if "loss" in made else output.loss
    loss.backward()
    return {"loss": loss.detach(), **{name: p.grad for name, p in model.named_parameters() if p.grad is not None}}


@pytest.mark.parametrize("name, kinds", [("gpt2", ("modules", "saved sets")), ("resnet18", ("ops",))])
def test_planned_models_on_real_tensors(name, kinds, tmp_path):
    graph = loop.trace(lambda: lean(name), tmp_path / "graph.plimsoll.json.gz", "cpu")
    torch.manual_seed(0)
    made = ZOO[name].lean()
    model = made["model"].train()
    expected = outcome(made, copy.deepcopy(model))
    for options in ((*KINDS[kind], "--planner", "rotor", "--slots", 40) for kind in kinds):
        most, least = loop.span(graph, *options)
        plan = tmp_path / "plan.json"
        said = loop.cli("plan", graph, "--budget", most - int(0.6 * (most - least)), "--export", plan, *options)
        assert said["verified"] and said["regions"]
        planned = copy.deepcopy(model)
        plimsoll.apply(planned, plan)
        assert_same_bits(expected, outcome(made, planned))


def test_measured_steps_run_under_autocast(tmp_path):
    model = Twice()
    graph = trace_graph(model, X, target="cpu", autocast=BF16)
    plain = trace_graph(model, X, target="cpu")
    around = torch.autocast("cpu", dtype=BF16)
    for options, block in (({"autocast": BF16}, contextlib.nullcontext()), ({}, around)):
        with block:
            path = plimsoll.measure(model, None, X, steps=1, out=tmp_path / "run.json", progress=False, **options)
        (run,) = json.loads(path.read_text())["runs"]
        assert (run["live_peak_bytes"], run["saved_bytes"]) == (graph["checks"]["peak_bytes"], graph["checks"]["saved_bytes"])
        assert run["saved_bytes"] != plain["checks"]["saved_bytes"]


@pytest.mark.parametrize("command, function", [("trace", plimsoll.trace), ("measure.command", plimsoll.measure)])
def test_the_command_line_takes_all_arguments(command, function):
    keys = importlib.import_module(f"plimsoll.{command}")._KEYS
    named = {p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_POSITIONAL}
    assert {*keys} == named - {"progress"}


class CastTraining(Training):
    def eager(self):
        with torch.autocast("cpu", dtype=BF16):
            output = self.model(*self.args, **self.kwargs)
            loss = self.loss(output) if self.loss is not None else output.loss
            del output
        loss.backward()
        return loss.detach()


@pytest.mark.parametrize("name", ["resnet18", *(["swin"] if EXHAUSTIVE else [])])
def test_compiled_steps_give_eagers_bits(name):
    torch.manual_seed(0)
    made = ZOO[name].lean()
    graph = trace_graph(made["model"], target="cpu", autocast=BF16, **{k: made[k] for k in ("args", "kwargs", "loss") if k in made})
    training = CastTraining(made)
    kept = plimsoll.compile_step(training.model, loss=training.loss)
    for number, step in enumerate((kept, kept.with_plan(plan_of(graph, random_again(graph, 3, 0.4))))):
        training.next_batch(number)
        expected = training.outcome(training.eager)

        def compiled():
            with torch.autocast("cpu", dtype=BF16):
                return step(*training.args, **training.kwargs)

        assert_same_bits(expected, training.outcome(compiled))
        assert step.corrections == []
        training.optimizer.step()


def scaled(scaler, run):
    """Gradients and the scale after each of four steps; the second grows the scale, the third's gradients overflow."""
    torch.manual_seed(0)
    model, target = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.Linear(32, 4)), torch.ones(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = lambda output: scaler.scale(torch.nn.functional.mse_loss(output, target))  # noqa: E731
    step, rows = run(model, loss), []
    for number in range(4):
        x = torch.randn(8, 16, generator=torch.Generator().manual_seed(number)) * (1e4 if number == 2 else 1)
        with torch.autocast("cpu", dtype=torch.float16):
            value = step(x)
        if value.requires_grad:
            value.backward()
        rows.append({"loss": value.detach(), **{name: p.grad.clone() for name, p in model.named_parameters()}})
        scaler.step(optimizer)
        scaler.update()
        rows[-1]["scale"] = torch.tensor(scaler.get_scale())
        optimizer.zero_grad()
    return rows


def test_compiled_steps_scale_their_loss():
    used = lambda: torch.amp.GradScaler("cpu", init_scale=2.0**14, growth_interval=2)  # noqa: E731
    eager, compiled = used(), used()
    compiled.scale(torch.ones(()))
    expected = scaled(eager, lambda model, loss: lambda x: loss(model(x)))
    found = scaled(compiled, lambda model, loss: plimsoll.compile_step(model, loss=loss))
    for mine, its in zip(found, expected):
        assert_same_bits(its, mine)
    assert len({row["scale"].item() for row in found}) > 1
    with pytest.raises(plimsoll.TraceError, match="gradient scaler's factor, say.: run the step once without compile_step"):
        scaled(used(), lambda model, loss: plimsoll.compile_step(model, loss=loss))


def test_a_layer_is_traced_where_the_cpu_has_a_kernel_for_it():
    layer, x = torch.nn.LSTM(16, 16), torch.randn(3, 2, 16)
    trace = lambda: trace_graph(layer, x, loss=lambda output: output[0].sum(), target="cpu", autocast=torch.float16)  # noqa: E731
    try:
        with torch.autocast("cpu", dtype=torch.float16):
            layer(x)
    except RuntimeError:  # processors without half precision
        with pytest.raises(plimsoll.TraceError, match="no kernel for the recurrent layer in float16"):
            trace()
    else:
        assert_sound(trace())
