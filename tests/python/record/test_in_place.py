# SPDX-License-Identifier: Apache-2.0
"""What PyTorch runs in place only where nobody watches is recorded in place, and runs so under plans."""

import copy
import functools

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.op_plans import plan_of, region, results, same
from helpers.proof import prove
from plimsoll.record.tracing import trace_graph

ROWS, WIDTH = 12, 16


class Calls(torch.nn.Module):
    """A function of a weight, which it is given with the module's argument."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.weight = torch.nn.Parameter(torch.randn(ROWS, WIDTH))

    def forward(self, x):
        return self.function(self.weight * 1.5, x)


def calls(function):
    torch.manual_seed(0)
    return {
        "model": Calls(function), "args": (torch.randn(ROWS, WIDTH),), "loss": lambda output: output.sum(),
        "optimizer": functools.partial(torch.optim.SGD, lr=0.1),
    }  # fmt: skip


def rows_of(x):
    return (x.abs() * 2).long().clamp(max=ROWS - 1)


# In formulas of autograd: the node, and the op that writes over what the node made.
IN_BACKWARD = {
    "clamp": (lambda w, x: w.clamp(x - 1, x + 1), "masked_fill_"),
    "clamp_min": (lambda w, x: w.clamp_min(x), "masked_fill_"),
    "clamp_max": (lambda w, x: w.clamp_max(x), "masked_fill_"),
    "maximum": (lambda w, x: torch.maximum(w, x), "masked_fill_"),
    "minimum": (lambda w, x: torch.minimum(w, x), "masked_fill_"),
    "fmax": (lambda w, x: torch.fmax(w, x), "masked_fill_"),
    "fmin": (lambda w, x: torch.fmin(w, x), "masked_fill_"),
    "atan2": (lambda w, x: torch.atan2(w, x), "masked_fill_"),
    "gather": (lambda w, x: w.gather(0, rows_of(x)), "scatter_add_"),
    "cummax": (lambda w, x: w.cummax(0)[0], "scatter_add_"),
    "cummin": (lambda w, x: w.cummin(0)[0], "scatter_add_"),
    "max": (lambda w, x: w.max(0)[0], "scatter_"),
    "min": (lambda w, x: w.min(0)[0], "scatter_"),
    "median": (lambda w, x: w.median(0)[0], "scatter_"),
    "nanmedian": (lambda w, x: w.nanmedian(0)[0], "scatter_"),
    "mode": (lambda w, x: w.mode(0)[0], "scatter_"),
    "kthvalue": (lambda w, x: w.kthvalue(3, 0)[0], "scatter_"),
    "topk": (lambda w, x: w.topk(3, 0)[0], "scatter_"),
    "sort": (lambda w, x: w.sort(0)[0], "scatter_"),
    "index_select": (lambda w, x: w.index_select(0, rows_of(x)[0]), "index_add_"),
    "index": (lambda w, x: w[rows_of(x)[0]], "_index_put_impl_"),
    "take": (lambda w, x: w.take(rows_of(x)), "put_"),
    "trace": (lambda w, x: w.trace(), "index_fill_"),
    "bce": (lambda w, x: F.binary_cross_entropy(x.sigmoid(), w.sigmoid()), "mul_"),
    "bce with logits": (lambda w, x: F.binary_cross_entropy_with_logits(w, x.sigmoid()), "sub_"),
    "weighted bce with logits": (lambda w, x: F.binary_cross_entropy_with_logits(w, x.sigmoid(), x.sigmoid(), pos_weight=x[0].exp()), "mul_"),
}


# Formulas that sum tensors of their own.
SUMS = {
    "atan2": (lambda w, x: torch.atan2(w, x), 1),
    "var_mean": (lambda w, x: torch.stack(torch.var_mean(w, 0)), 1),
    "group_norm": (lambda w, x: F.group_norm(w, 4), 0),
    "aminmax": (lambda w, x: torch.stack(tuple(torch.aminmax(w))), 0),
    "logcumsumexp": (lambda w, x: w.logcumsumexp(0), 2),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_in_formulas_are_not_the_engines(name):
    function, sums = SUMS[name]
    proof = prove(functools.partial(calls, function))
    assert proof.differences == [] and proof.curve == []
    assert counted(proof.graph, "add", 2) == sums


def counted(graph, name, phase):
    return sum(graph["targets"][op[0]].split(".")[1] == name and op[1] == phase for op in graph["ops"])


@pytest.mark.parametrize("name", IN_BACKWARD)
def test_nodes_write_over_what_they_made(name):
    function, op = IN_BACKWARD[name]
    proof = prove(functools.partial(calls, function))
    assert proof.differences == [] and proof.curve == []
    assert counted(proof.graph, op, 2) >= 1


def test_the_gradient_of_a_target_is_made_anew():
    proof = prove(functools.partial(calls, lambda w, x: F.binary_cross_entropy_with_logits(w + x, w.sigmoid())))
    assert proof.differences == [] and proof.curve == []
    assert counted(proof.graph, "mul_", 2) == 1 and proof.held.tensors == proof.predicted


@pytest.mark.parametrize("name", ["prod", "cumprod", "max"])
def test_gradients_that_look_at_values_are_told_of(name):
    """What is recorded holds for any values; a real step finds no zeros, or no NaN, and takes less."""
    whole = name not in ("prod", "cumprod")
    function = lambda w, x: getattr(w, name)() if whole else getattr(w, name)(0)  # noqa: E731
    proof = prove(functools.partial(calls, function))
    assert proof.differences == [] and proof.held.tensors < proof.predicted
    for target in ("cpu", "cuda"):
        told = [s for s in trace_graph(**calls(function), target=target)["assumed"] if "gradients of" in s]
        assert len(told) == (0 if whole and target == "cuda" else 1)
        assert all(f"test_in_place.py:{function.__code__.co_firstlineno}: gradients of {name}()" in s for s in told)


def scores(w, x, **options):
    split = lambda t: t.view(1, ROWS, 2, WIDTH // 2).transpose(1, 2)  # noqa: E731
    mask = torch.zeros(ROWS, ROWS).masked_fill(torch.ones(ROWS, ROWS).triu(1).bool(), -1e9)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        return F.scaled_dot_product_attention(split(w), split(x), split(w), mask, **options)


class Recurrent(torch.nn.Module):
    """A recurrent layer over a batch that comes first in memory, though the layer doesn't want it there."""

    def __init__(self, kind):
        super().__init__()
        self.layer = kind(WIDTH, WIDTH, 1)

    def forward(self, x):
        return self.layer(x.view(4, ROWS // 4, WIDTH).transpose(0, 1))[0]


class Wide(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(WIDTH, 4096)

    def forward(self, x):
        return self.head(x.view(4, ROWS // 4, WIDTH).transpose(0, 1))


class Attention(torch.nn.Module):
    """Whose linear layers and attention are called by a function that no function mode can look into."""

    def __init__(self, weights):
        super().__init__()
        self.layer = torch.nn.MultiheadAttention(WIDTH, 2)
        self.weights = weights

    def forward(self, x):
        query = x.view(4, ROWS // 4, WIDTH).transpose(0, 1)
        mask = torch.zeros(ROWS // 4, ROWS // 4)
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            return self.layer(query, query, query, attn_mask=mask, need_weights=self.weights)[0]


def module(make):
    return {**calls(None), "model": make()}


IN_FORWARD = {
    "attention": (functools.partial(calls, scores), 1),
    "attention with dropout": (functools.partial(calls, functools.partial(scores, dropout_p=0.1)), 1),
    "linear": (functools.partial(module, Wide), 1),
    "lstm": (functools.partial(module, lambda: Recurrent(functools.partial(torch.nn.LSTM, proj_size=4))), 1),
    "gru": (functools.partial(module, lambda: Recurrent(torch.nn.GRU)), 1),
    "rnn": (functools.partial(module, lambda: Recurrent(torch.nn.RNN)), 1),
    "multi-head": (functools.partial(module, lambda: Attention(False)), 2),
    "multi-head with weights": (functools.partial(module, lambda: Attention(True)), 1),
}


@pytest.mark.parametrize("name", IN_FORWARD)
def test_composite_functions_write_over_products(name):
    builder, least = IN_FORWARD[name]
    torch.manual_seed(0)
    proof = prove(builder)
    assert proof.differences == [] and proof.curve == []
    assert proof.held.tensors == proof.predicted
    assert counted(proof.graph, "add_", 0) >= least


def test_a_users_own_sum_stays_a_sum():
    proof = prove(functools.partial(calls, lambda w, x: (w @ x.t() + w[0, 0]) * w.sum()))
    assert proof.differences == [] and proof.curve == []
    assert counted(proof.graph, "add", 0) == 1 and counted(proof.graph, "add_", 0) == 0


class Block(torch.nn.Module):
    """Batch norm and masked attention, so that every kind of region has something to do in it."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(WIDTH)
        self.layer = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return scores(self.layer(self.norm(x)), x).sum((0, 1))


def two_blocks():
    torch.manual_seed(0)
    return {**calls(None), "model": torch.nn.Sequential(Block(), torch.nn.Linear(WIDTH // 2, WIDTH), Block())}


@pytest.mark.parametrize("freeze", [False, True])
@pytest.mark.parametrize("saved", [False, True])
def test_regions_meet_the_ops_that_the_plan_names(saved, freeze):
    """Saved sets and frozen statistics are dispatch modes of a real step, too; under them the sum must stay in place."""
    made = two_blocks()
    graph = trace_graph(**{**made, "model": copy.deepcopy(made["model"])}, target="cpu")
    last = next(i for i, op in enumerate(graph["ops"]) if graph["targets"][op[0]] == "aten.addmm.default" and i > 10) - 2
    softmax = [i for i, op in enumerate(graph["ops"][:last]) if "softmax" in graph["targets"][op[0]]]
    plan = plan_of(graph, [region(0, last, save=softmax if saved else [])], freeze_stats=freeze)
    model = copy.deepcopy(made["model"])
    plain = results(made, copy.deepcopy(made["model"]))
    with plimsoll.apply(model, plan):
        planned = results(made, model)
        again = trace_graph(**{**made, "model": model}, target="cpu")
    if freeze:
        assert same(planned, plain)
    assert [again["targets"][op[0]] for op in again["ops"] if op[15] >= 0].count("aten.add_.Tensor") == 1 + (not freeze)
    assert counted(again, "add", 0) == 0
