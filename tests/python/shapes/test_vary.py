# SPDX-License-Identifier: Apache-2.0
"""What a trace with `vary` says about another size is what a trace at that size records, number by number."""

import functools
import json
import os
import subprocess

import models
import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import EXHAUSTIVE
from helpers.small import tied
from helpers.vary_rules import resized, told, without_scratch
from plimsoll.record.tracing import trace_graph

TINY_GPT2 = {"n_layer": 2 if EXHAUSTIVE else 1, "n_embd": 64, "n_head": 2, "vocab_size": 500, "n_positions": 512}
TINY_T5 = {"num_layers": 1, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_heads": 4, "vocab_size": 500}


def tiny_densenet(batch, size):
    from torchvision.models import DenseNet

    return models.classifier(DenseNet(8, (2, 3), 16, num_classes=10), "DenseNet", batch, size, None, 10)


# model of (batch, sequence) or (batch,); sizes that are recorded, the traced ones first; another size; steps; target
CASES = {
    "gpt2": (lambda b, s: models.gpt2(b, s, **TINY_GPT2), {"batch": [4, 2, 6], "sequence": [128, 64, 256]}, (9, 352), (1, 32), "cuda"),
    "gpt2 in half precision": (
        lambda b, s: {**models.gpt2(b, s, **TINY_GPT2 | {"n_layer": 1}), "autocast": torch.bfloat16},
        {"batch": [4, 2, 6], "sequence": [128, 64, 256]}, (9, 352), (1, 1), "cuda",
    ),
    "llama": (
        lambda b, s: models.llama(b, s, layers=1, width=64, inner=128, heads=4, groups=2, vocabulary=500),
        {"sequence": [64, 32, 96], "batch": [2, 4, 3]}, (5, 160), (1, 32), "cuda",
    ),
    "resnet18": (lambda b: models.resnet18(b, 64), {"batch": [8, 16, 24]}, (19,), (1,), "cuda"),
}  # fmt: skip
if EXHAUSTIVE:
    CASES["densenet"] = (lambda b: tiny_densenet(b, 64), {"batch": [16, 4, 6]}, (7,), (1,), "cuda")
    CASES["t5"] = (lambda s: models.t5(4, s, 24, **TINY_T5), {"sequence": [64, 32, 96]}, (53,), (1,), "cpu")
    CASES["t5 in two axes"] = (
        lambda b, s: models.t5(b, s, 24, **TINY_T5), {"batch": [4, 6, 8], "sequence": [64, 32, 96]}, (5, 53), (1, 1), "cpu",
    )  # fmt: skip
    CASES["densenet121"] = (lambda b: {**models.densenet121(b, 64), "optimizer": None}, *CASES["densenet"][1:])


def traced(make, *sizes, **options):
    with plimsoll.building():
        arguments = make(*sizes)
    return trace_graph(arguments.pop("model"), **arguments, **options)


def _cli(*words):
    cli = os.environ.get("PLIMSOLL_CLI")
    assert cli, "PLIMSOLL_CLI must name the built program; CTest sets it"
    done = subprocess.run([cli, *map(str, words), "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_read_alike(folder, graph, other, at):
    """The program counts, cuts and plans the graph at another size as it does the trace at that size."""
    paths = [folder / "varied.plimsoll.json", folder / "other.plimsoll.json"]
    for path, content in zip(paths, (graph, other)):
        path.write_text(json.dumps(content))
    given = ["--at", ",".join(f"{name}={size}" for name, size in at.items())]
    mine, its = _cli("inspect", paths[0], "--chain", *given), _cli("inspect", paths[1], "--chain")
    assert mine["chain"] == its["chain"]
    sizes = {axis["name"]: axis["size"] for axis in mine["summary"].pop("axes")}
    assert sizes == at and its["summary"].pop("axes") == []
    extrapolated = [s for s in mine["summary"].pop("assumed") if "is extrapolated" in s]
    recorded = {axis["name"]: axis["recorded"] for axis in graph["vary"]["axes"]}
    assert len(extrapolated) == sum(size > recorded[name][-1] for name, size in at.items())
    del its["summary"]["assumed"]
    # Where views that fall together at one size have rows of their own, there are more of them.
    assert mine["summary"].pop("tensors") >= its["summary"].pop("tensors")
    assert mine["summary"] == its["summary"]
    plans = [_cli("plan", path, "--budget", "100%", "--frontier", "6", *more) for path, more in zip(paths, (given, []))]
    assert plans[0]["base_step_time_ns"] > 0  # times follow from the flops and bytes of that size
    for plan in plans:
        del plan["seconds"]
    assert plans[0] == plans[1]


@pytest.mark.parametrize("case", CASES)
def test_the_laws_give_what_a_trace_at_that_size_records(case, tmp_path):
    make, vary, sizes, steps, target = CASES[case]
    axes = [name for name in ("batch", "sequence") if name in vary]
    origin = tuple(vary[name][0] for name in axes)
    graph = traced(make, *origin, vary=vary, target=target)
    assert [axis["name"] for axis in graph["vary"]["axes"]] == axes
    assert [axis["size"] for axis in graph["vary"]["axes"]] == list(origin)
    assert [axis["recorded"] for axis in graph["vary"]["axes"]] == [sorted(vary[name]) for name in axes]
    assert tuple(axis["step"] for axis in graph["vary"]["axes"]) == steps
    assert told(resized(graph, origin)) == told(without_scratch(graph))
    if case != "densenet121":  # which takes its time
        assert told(graph) == told(traced(make, *origin, target=target))
    other = without_scratch(traced(make, *sizes, target=target))
    there = resized(graph, sizes)
    assert sum(row[0] for row in there["storages"]) != sum(row[0] for row in graph["storages"])
    mine, its = told(there), told(other)
    for table in its:
        assert mine[table] == its[table], table
    assert_read_alike(tmp_path, graph, other, dict(zip(axes, sizes)))


class Windows(torch.nn.Module):
    """Rounds the sequence up to windows of 8 and adds a slice of a mask that is made for 64."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(50, 16)
        self.register_buffer("mask", torch.zeros(64, 16))

    def forward(self, tokens):
        length = tokens.shape[1]
        hidden = self.embed(tokens) + self.mask[:length]
        return F.pad(hidden, (0, 0, 0, -length % 8)).sum(-1)


def windows(length):
    return {"model": Windows(), "args": (torch.zeros(3, length, dtype=torch.int64),)}


def test_sizes_that_are_rounded_hold_in_steps_and_equal_views_are_told_apart():
    graph = traced(windows, 64, vary={"sequence": [64, 32, 16]}, target="cpu")
    assert graph["vary"]["axes"] == [{"name": "sequence", "size": 64, "recorded": [16, 32, 64], "step": 8, "dims": [["args[0]", 1]]}]
    # At 64 the slice of the mask is the whole mask: one row in a plain trace, two in this one.
    assert len(graph["tensors"]) == len(traced(windows, 64, target="cpu")["tensors"]) + 1
    assert told(resized(graph, (40,))) == told(traced(windows, 40, target="cpu"))
    assert told(resized(graph, (36,))) != told(traced(windows, 36, target="cpu"))


def test_names_tell_the_dimensions_where_sizes_do_not():
    class Square(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(4, 6))

        def forward(self, images, scale):
            return (images @ self.weight * scale).sum()

    model, args = Square(), (torch.ones(4, 4), torch.ones(4, 6))
    with pytest.raises(plimsoll.TraceError, match=r"dimensions 0 and 1 of args\[0\] are both of size 4; .*vary_dims=\{'batch': \{'args\[0\]': 0\}\}"):
        trace_graph(model, args, vary={"batch": [4, 8, 12]})
    graph = trace_graph(model, args, vary={"batch": [4, 8, 12]}, vary_dims={"batch": {"args[0]": 0, "args[1]": [0]}}, target="cpu")
    other = trace_graph(model, (torch.ones(10, 4), torch.ones(10, 6)), target="cpu")
    assert told(resized(graph, (10,)))["ops"] == told(other)["ops"]
    assert resized(graph, (10,))["batch"] == "10x4 float32, 10x6 float32"
    assert graph["vary"]["axes"][0]["dims"] == [["args[0]", 0], ["args[1]", 0]]
    with pytest.raises(plimsoll.TraceError, match=r"runs at batch 4 but fails at batch 12 .*changed were .batch: dimension 1 of args.0..: .* name all others with vary_dims"):
        trace_graph(model, args, vary={"batch": [4, 8, 12]}, vary_dims={"batch": {"args[0]": 1}}, target="cpu")


def test_images_as_large_as_the_batch():
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 2, 3), torch.nn.Flatten(), torch.nn.Linear(2 * 14 * 14, 4))
    graph = trace_graph(model, (torch.ones(16, 3, 16, 16),), vary={"batch": [8, 16, 32]}, target="cpu")
    assert graph["vary"]["axes"][0]["dims"] == [["args[0]", 0]]
    assert told(resized(graph, (24,))) == told(trace_graph(model, (torch.ones(24, 3, 16, 16),), target="cpu"))


def test_an_argument_that_only_happens_to_be_as_large_as_the_batch():
    class Products(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Linear(8, 8)

        def forward(self, rows, table):
            return self.body(rows) + (table @ table.t()).sum()

    model, args, vary = Products(), (torch.ones(16, 8), torch.ones(16, 8)), {"batch": [4, 16, 32]}
    with pytest.raises(plimsoll.TraceError, match=r"dimension 0 of args\[0\], dimension 0 of args\[1\]\): if one only happens to be of the"):
        trace_graph(model, args, vary=vary, target="cpu")
    graph = trace_graph(model, args, vary=vary, vary_dims={"batch": {"args[0]": 0}}, target="cpu")
    assert told(resized(graph, (24,))) == told(trace_graph(model, (torch.ones(24, 8), args[1]), target="cpu"))


def test_the_loss_function_and_real_tensors_are_resized_without_being_touched():
    made = tied(8)
    tokens, target = made["args"][0], made["loss"].keywords["target"]
    assert tokens is target
    graph = trace_graph(made.pop("model"), **made, vary={"batch": [8, 12, 16]}, target="cpu")
    assert tokens.shape == (8,) and made["args"][0] is tokens and made["loss"].keywords["target"] is tokens
    other = tied(20)
    assert told(resized(graph, (20,))) == told(trace_graph(other.pop("model"), **other, target="cpu"))


class Awkward(torch.nn.Module):
    """Does something else at other sizes, as `how` says."""

    def __init__(self, how):
        super().__init__()
        self.how = how
        self.linear = torch.nn.Linear(16, 16)

    def forward(self, rows):
        hidden = self.linear(rows)
        if self.how == "branch" and rows.shape[0] > 10:
            return hidden.relu().sum()
        if self.how == "all pairs":
            return (hidden @ hidden.T).sum()
        if self.how == "cubic":
            return hidden.new_zeros(rows.shape[0] ** 3).sum() + hidden.sum()
        if self.how == "float":
            return (hidden * (1 / rows.shape[0])).sum()
        return hidden.sum()


class Scaled(torch.nn.Module):
    def forward(self, hidden, count):
        return (hidden * count).sum()


@pytest.mark.parametrize(
    "how, sentence",
    [
        ("branch", r"at batch 12 \('there'\) is another one than at batch 8 \('here'\): op \d+ is aten\.sum.* here and aten\.relu\.default"),
        ("cubic", r"the bytes of storage \d+ made by aten\.new_zeros\.default .* is 2048 at batch 8, .*: no polynomial"),
        ("all pairs", r"the bytes of storage \d+ made by aten\.mm\.default .*: no polynomial, affine in the batch and quadratic in the sequence"),
        ("float", r"op \d+, aten\.mul\.Tensor .*, is called with other arguments"),
    ],
)
def test_a_step_without_a_law_is_refused_with_its_first_difference(how, sentence):
    with pytest.raises(plimsoll.TraceError, match=sentence):
        trace_graph(Awkward(how), (torch.ones(8, 16),), vary={"batch": [8, 10, 12]}, target="cpu")


@pytest.mark.parametrize(
    "vary, dims, sentence",
    [
        ([8, 16, 24], None, r"vary must be a dict such as vary=\{'batch': \[8, 16, 24\]\}"),
        ({"height": [8, 16, 24]}, None, "vary names 'height', but only 'batch' and 'sequence'"),
        ({"batch": [8, 16]}, None, r"vary\['batch'\] must be three different whole numbers above 1"),
        ({"batch": [1, 8, 16]}, None, "three different whole numbers above 1"),
        ({"batch": [8, 8, 16]}, None, "three different whole numbers above 1"),
        ({"batch": [4, 12, 24]}, None, "no dimension of the arguments has one of the sizes 4, 12, 24"),
        ({"batch": [8, 16, 24]}, None, "dimensions of 8 and of 16 are both among the sizes 8, 16, 24"),
        ({"batch": [8, 9, 10], "sequence": [8, 9, 11]}, None, "batch and sequence are both 8, so nobody can tell"),
        ({"batch": [8, 9, 10]}, {"sequence": {"args[0]": 1}}, "vary_dims names 'sequence', which vary doesn't name"),
        ({"batch": [8, 9, 10]}, {"batch": {"x": 0}}, r"no tensor named 'x'; it has args\[0\]"),
        ({"batch": [8, 9, 10]}, {"batch": {"args[0]": 2}}, r"args\[0\] has 2 dimensions, so 2 is none of them"),
        ({"batch": [8, 9, 10]}, {"batch": {"args[0]": [0, 1]}}, "names dimensions of size 8, 16; all must have one size"),
        ({"batch": [8, 9, 10]}, {"batch": 0}, r"must be a dict from arguments \(args\[0\]\) to their dimensions"),
    ],
)
def test_what_is_not_certain_is_refused(vary, dims, sentence):
    with pytest.raises(plimsoll.TraceError, match=sentence):
        trace_graph(Awkward("plain"), (torch.ones(8, 16),), vary=vary, vary_dims=dims, target="cpu")


def test_views_with_gaps_and_tensors_in_objects_are_refused():
    with pytest.raises(plimsoll.TraceError, match=r"args\[0\] is a view that leaves out or repeats memory"):
        trace_graph(Awkward("plain"), (torch.ones(8, 32)[:, :16],), vary={"batch": [8, 9, 10]}, target="cpu")
    transposed = trace_graph(Awkward("plain"), (torch.ones(16, 8).t(),), vary={"batch": [8, 9, 10]}, target="cpu")
    assert told(resized(transposed, (12,))) == told(trace_graph(Awkward("plain"), (torch.ones(16, 12).t(),), target="cpu"))


def test_numbers_given_to_modules_are_compared():
    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.scaled = torch.nn.Linear(16, 16), Scaled()

        def forward(self, rows):
            return self.scaled(self.linear(rows), rows.shape[0])

    with pytest.raises(plimsoll.TraceError, match=r"scaled \(.*\) is given other values beside its tensors"):
        trace_graph(Outer(), (torch.ones(8, 16),), vary={"batch": [8, 9, 10]}, target="cpu")
    loss = functools.partial(F.mse_loss, target=torch.zeros(8, 16))
    graph = trace_graph(torch.nn.Linear(16, 16), (torch.ones(8, 16),), loss=loss, vary={"batch": [8, 9, 10]}, target="cpu")
    assert graph["vary"]["axes"][0]["step"] == 1
