# SPDX-License-Identifier: Apache-2.0
"""Models as people have them, off the beaten track: what is recorded is what a real step runs, op by op."""

import contextlib
import dataclasses
import functools
import json

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.graph_rules import assert_sound
from helpers.loop import compare
from helpers.proof import stream_of_graph
from plimsoll.record.stream import record_stream
from plimsoll.record.tracing import trace_graph
from torch import nn
from torch.nn.utils import parametrizations
from torch.utils.checkpoint import checkpoint

X = torch.randn(8, 4, generator=torch.Generator().manual_seed(0))


class Does(nn.Module):
    """`way(self, *args, **kwargs)` is its forward."""

    def __init__(self, way, **parts):
        super().__init__()
        self.a, self.b, self.way = nn.Linear(4, 4), nn.Linear(4, 4), way
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *args, **kwargs):
        return self.way(self, *args, **kwargs)


def _twice(model, x):
    return model.b(model.a(x))


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 3 * x * x * gradient


@dataclasses.dataclass
class Inner:
    y: torch.Tensor
    more: list


@dataclasses.dataclass
class Output:
    inner: Inner
    loss: torch.Tensor


def hooks():
    model = Does(_twice)
    model.a.register_forward_hook(lambda module, args, output: output * 2)
    model.b.register_full_backward_hook(lambda module, into, outof: None)
    model.a.weight.register_hook(lambda gradient: gradient * 3)
    model.b.weight.register_post_accumulate_grad_hook(lambda parameter: [parameter.grad.mul_(2)] and None)
    return {"model": model}


def keeps_state():
    def way(model, x):
        model.memory = 0.9 * getattr(model, "memory", x.detach()) + 0.1 * x.detach()
        return model.a(x + model.memory)

    return {"model": Does(way)}


def reparametrized():
    model = Does(_twice)
    parametrizations.weight_norm(model.a)
    parametrizations.spectral_norm(model.b)
    return {"model": model, "optimizer": functools.partial(torch.optim.Adam, lr=0.1)}


def complex_numbers():
    way = lambda model, x: torch.fft.irfft(torch.fft.rfft(model.a(x)) * model.w, n=4)  # noqa: E731
    model = Does(way, w=nn.Parameter(torch.randn(3, dtype=torch.complex64)))
    return {"model": model, "optimizer": functools.partial(torch.optim.Adam, lr=0.1)}


def parameter_groups():
    model = Does(_twice)
    groups = [{"params": model.a.parameters(), "lr": 0.1}, {"params": model.b.parameters(), "weight_decay": 0.0}]
    return {"model": model, "optimizer": torch.optim.AdamW(groups, amsgrad=True)}


def casts_inside():
    def way(model, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = model.a(x)
        return model.b(hidden.float())

    return {"model": Does(way)}


def nested_arguments():
    way = lambda model, x, *, scale, options: model.a(x["u"]) * scale * options["m"][0]  # noqa: E731
    return {"model": Does(way), "args": ({"u": X},), "kwargs": {"scale": 2.0, "options": {"m": [torch.ones(8, 4)]}}}


def nested_output():
    def way(model, x):
        y = model.a(x)
        return Output(Inner(y, [y * 2, {"k": y}]), y.sum())

    return {"model": Does(way)}


def gradient_penalty():
    def way(model, x):
        x = x.detach().requires_grad_()
        y = model.a(x).sum()
        (gradient,) = torch.autograd.grad(y, x, create_graph=True)
        return (gradient**2).sum() + y

    return {"model": Does(way)}


def mapped():
    return {"model": Does(lambda model, x: torch.func.vmap(model.b)(x) + model.a(x))}


def bags():
    return {"model": Does(lambda model, x: model.e(x), e=nn.EmbeddingBag(10, 4)), "args": torch.arange(24).view(8, 3) % 10}


def foreign_parts():
    """Of a loss, a plain list and the optimizer: parameters that model.parameters() doesn't give."""
    model, head, loose = Does(lambda m, x: m.layers[0](m.a(x)) * m.plain), nn.BatchNorm1d(4), nn.Parameter(torch.ones(4))
    model.layers, model.plain = [nn.Linear(4, 4)], torch.full((4,), 2.0)
    optimizer = torch.optim.AdamW([*model.parameters(), *model.layers[0].parameters(), *head.parameters(), loose])
    return {"model": model, "loss": lambda output: (head(output) * loose).sum(), "optimizer": optimizer}


MODELS = {
    "foreign parts": foreign_parts,
    "own function": lambda: {"model": Does(lambda model, x: Cube.apply(model.a(x)))},
    "hooks": hooks,
    "keeps state": keeps_state,
    "reparametrized": reparametrized,
    "complex": complex_numbers,
    "groups": parameter_groups,
    "autocast inside": casts_inside,
    "nested arguments": nested_arguments,
    "nested output": nested_output,
    "gradient penalty": gradient_penalty,
    "vmap": mapped,
    "bags": bags,
    "scaled loss": lambda: {"model": Does(_twice), "loss": lambda y: torch.amp.GradScaler("cpu").scale(y.sum())},
    "checkpoint": lambda: {"model": Does(lambda m, x: checkpoint(lambda y: m.b(F.relu(m.a(y))), m.a(x), use_reentrant=False))},
    "reentrant checkpoint": lambda: {"model": Does(lambda m, x: checkpoint(lambda y: m.b(F.relu(m.a(y))), m.a(x), use_reentrant=True))},
    "scripted": lambda: {"model": torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))},
    "constants": lambda: {"model": Does(lambda model, x: model.a(x[torch.unique(torch.tensor([0, 1, 1, 2]))]))},
    "gru": lambda: {"model": nn.GRU(4, 4, 2, bidirectional=True), "args": X.unsqueeze(0), "loss": lambda output: output[0].sum()},
    "fused optimizer": lambda: {"model": Does(_twice), "optimizer": functools.partial(torch.optim.AdamW, fused=True)},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_trace_is_the_real_step(name):
    made = {"args": X, **MODELS[name]()}
    graph = trace_graph(target="cpu", **made)
    assert_sound(graph)
    real = record_stream(lambda: {"args": X, **MODELS[name]()}, target="cpu", fake=False)
    assert [graph["targets"][op[0]] for op in graph["ops"]] == [target for target, _ in real.ops]
    assert graph["checks"]["peak_bytes"] == max(real.curve)


@pytest.mark.parametrize("make, variant", [({}, "for-loop"), ({"foreach": True}, "foreach"), ({"fused": True}, "fused")])
def test_the_optimizers_variant_is_recorded(make, variant):
    model = Does(_twice)
    graph = trace_graph(model, X, optimizer=torch.optim.AdamW(model.parameters(), **make), target="cpu")
    assert graph["optimizer"] == {"class": "AdamW", "variant": variant, "dtype": "float32"}


def test_autocast_around_the_call_is_recorded():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        graph = trace_graph(Does(_twice), X, target="cpu")
    assert graph["autocast"] == "bfloat16" and "bfloat16" in graph["dtypes"]


def test_copies_made_without_memory_are_parameters_like_any():
    """A TransformerEncoder holds copies of one layer."""

    def made():
        layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        return torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), torch.ones(4, 8, 16)

    with plimsoll.building():
        model, batch = made()
    without = trace_graph(model, batch, target="cpu")
    model, batch = made()
    real = trace_graph(model, batch, target="cpu")
    for key in ("storages", "tensors", "params", "saved", "checks"):
        assert without[key] == real[key]


@pytest.mark.parametrize("device", ["meta", "cpu"])
def test_a_model_on_meta_needs_no_memory(device):
    with torch.device("meta"):
        model = Does(_twice)
    graph = trace_graph(model, X.to(device), optimizer=functools.partial(torch.optim.SGD, lr=0.1), target="cpu")
    assert_sound(graph)
    assert all(parameter.is_meta for parameter in model.parameters())


@pytest.mark.parametrize("part", [True, False])
def test_what_is_compiled_is_recorded_without_and_told(part):
    model = Does(lambda m, x: m.c(m.a(x)), c=torch.compile(nn.Linear(4, 4))) if part else torch.compile(Does(_twice))
    graph = trace_graph(model, X, target="cpu")
    where = "'c'" if part else "the model"
    assert f"torch.compile is left out: {where} is recorded as its code runs without it" in graph["assumed"]


def test_wrappers_for_several_processes_are_refused(tmp_path):
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path / 'rendezvous'}", rank=0, world_size=1)
    with contextlib.closing(contextlib.ExitStack()) as stack:
        stack.callback(torch.distributed.destroy_process_group)
        model = nn.parallel.DistributedDataParallel(Does(_twice))
        with pytest.raises(plimsoll.TraceError, match=r"wrapped for several processes, .*trace the module inside of it \(its .module\)"):
            trace_graph(model, X)
        model(X).sum().backward()  # as before
        assert model.module.a.weight.grad is not None


def test_hooks_on_parameters_stay_the_users():
    made = hooks()
    weight = made["model"].a.weight
    before = dict(weight._backward_hooks)
    trace_graph(made["model"], X)
    assert weight._backward_hooks == before and weight.grad is None


def test_the_command_line_evaluates_parameters_that_the_model_does_not_own(tmp_path):
    graph = trace_graph(target="cpu", args=X, **foreign_parts())
    names = [row[0] for row in graph["params"]]
    assert names == [
        *("a.weight", "a.bias", "b.weight", "b.bias", "layers[0].weight", "layers[0].bias"),
        *("loss.loose", "loss.head.weight", "loss.head.bias"),
    ]
    assert all(len(states) == 3 for name, _, _, states in graph["params"] if not name.startswith("b."))  # step and two moments
    buffers = {name: storage[1] for storage in graph["storages"] for name in storage[6] if "running" in name}
    assert buffers == {"loss.head.running_mean": 1, "loss.head.running_var": 1}
    paths = [tmp_path / name for name in ("step.plimsoll.json", "plan.json", "stream.json")]
    for path, content in zip(paths, (graph, {"regions": []}, stream_of_graph(graph))):
        path.write_text(json.dumps(content))
    told = compare(*paths)
    assert told["equal"], told["differences"]
