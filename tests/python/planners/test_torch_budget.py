# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own min-cut partitioner with a memory budget against the planner torch-budget: what either keeps over the boundary, on the
same models, at every budget.

PyTorch divides the graph that Inductor would compile (its decompositions, its partitioner); the planner divides what was recorded.
"""

import collections
import json
import os
import subprocess

import plimsoll
import pytest
import torch
import torch._functorch.config
import torch._functorch.partitioners as partitioners
import torch.nn.functional as F
from functorch.compile import make_boxed_func
from helpers import EXHAUSTIVE
from helpers.small import tied
from torch import nn
from torch._dynamo.backends.common import aot_autograd
from torch._inductor.decomposition import select_decomp_table

PERMILLE = (0, 100, 250, 400, 600, 800, 1000)
# PyTorch's knapsacks, with the ones to hold against them; "rounded" is its dp with all its roundings, which the planner's own exact
# table does without.
SOLVERS = {"dp": "rounded", "greedy": "greedy"}


class Block(nn.Module):
    """Attention and a gated or plain feed-forward part, each on a residual stream."""

    def __init__(self, width=64, gated=False, dropout=0.0):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gate = nn.Linear(width, 4 * width) if gated else None
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = (t.view(*t.shape[:2], 4, 16).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        attention = self.dropout(torch.softmax(q @ k.transpose(-1, -2) / 4, -1)) @ v
        x = x + self.dropout(self.out(attention.transpose(1, 2).reshape(x.shape)))
        hidden = self.up(self.norm2(x))
        hidden = F.gelu(hidden) if self.gate is None else F.silu(self.gate(self.norm2(x))) * hidden
        return x + self.dropout(self.down(hidden))


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.norm2 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(x + self.norm2(self.conv2(self.relu(self.norm1(self.conv1(x))))))


def _square(output):
    return output.square().sum()


def _mlp():
    return nn.Sequential(*(layer for _ in range(6) for layer in (nn.Linear(128, 128), nn.GELU()))), torch.rand(256, 128), _square


def _attention():
    return nn.Sequential(*(Block() for _ in range(3))), torch.rand(8, 64, 64), _square


def _gated():
    return nn.Sequential(*(Block(gated=True, dropout=0.1) for _ in range(2))), torch.rand(8, 64, 64), _square


def _residual():
    stem = (nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
    head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
    return nn.Sequential(*stem, Residual(16), Residual(16), *head), torch.rand(8, 3, 32, 32), _square


def _tied():
    parts = tied(batch=64)
    return parts["model"], parts["args"][0], parts["loss"]


# With the GPU to trace for: the mask of dropout is an op of its own there, as it is for the compiler.
MODELS = {
    "mlp": (_mlp, "cpu"),
    "attention": (_attention, "cpu"),
    "residual": (_residual, "cpu"),
    "tied": (_tied, "cuda"),
    **({"gated": (_gated, "cuda")} if EXHAUSTIVE else {}),
}


def _counted(kept):
    """(op, bytes) of the values that PyTorch hands from forward to backward, inputs aside, with how often."""
    values = [(node.name.rstrip("_0123456789"), node.meta["val"]) for node in kept if node.op != "placeholder"]
    return collections.Counter((name, value.numel() * value.element_size()) for name, value in values)


def _kept_by_torch(model, example, loss):
    """By solver and permille. The graph is made once; the partitioner then chooses at every budget."""
    answers = {}
    choose = partitioners.choose_saved_values_set

    def watched(graph, info, memory_budget):
        for solver in SOLVERS:
            with torch._functorch.config.patch(activation_memory_budget_solver=solver):
                for permille in PERMILLE:
                    answers[solver, permille] = _counted(choose(graph, info, memory_budget=permille / 1000))
        return choose(graph, info, memory_budget=memory_budget)

    torch._dynamo.reset()
    backend = aot_autograd(
        fw_compiler=lambda graph, _: make_boxed_func(graph.forward),
        bw_compiler=lambda graph, _: make_boxed_func(graph.forward),
        partition_fn=partitioners.min_cut_rematerialization_partition,
        decompositions=select_decomp_table(),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partitioners, "choose_saved_values_set", watched)
        torch.compile(lambda x: loss(model(x)), backend=backend)(example)
    return answers


def _kept_by_planner(graph, knapsack):
    command = [os.environ["PLIMSOLL_PARTITION_CHECK"], str(graph), knapsack, *map(str, PERMILLE)]
    answers = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {
        int(permille): collections.Counter((v["name"], v["bytes"]) for v in values if not v["input"])
        for permille, values in answers.items()
    }


def _sizes(kept):
    sizes = collections.Counter()
    for (_, size), count in kept.items():
        sizes[size] += count
    return sizes
# Its products all take as long per byte, so that PyTorch's order hangs on how their quotients are rounded.
TIED = {("tied", "greedy")}


@pytest.mark.parametrize("name", MODELS)
def test_the_same_values_are_kept(tmp_path, name):
    torch.manual_seed(0)
    build, target = MODELS[name]
    model, example, loss = build()
    path = tmp_path / "graph.plimsoll.json"
    plimsoll.trace(model, example, loss=loss, out=path, target=target)
    theirs = _kept_by_torch(model, example, loss)
    for solver, knapsack in SOLVERS.items():
        if (name, solver) in TIED:
            continue
        ours = _kept_by_planner(path, knapsack)
        for permille in PERMILLE:
            expected = theirs[solver, permille]
            assert _sizes(ours[permille]) == _sizes(expected), (solver, permille, ours[permille], expected)
