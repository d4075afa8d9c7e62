# SPDX-License-Identifier: Apache-2.0
"""Models whose output depends on buffers that forward changes: no region may read these again, and what is planned trains as without."""

import copy
import functools

import plimsoll
import pytest
import torch
from helpers import loop
from helpers.op_plans import results, same
from torch.nn.utils import parametrizations

WIDTH, ROWS = 32, 256


class Norm(torch.nn.Module):
    """Power iterations move the vectors of spectral norm in every training forward."""

    def __init__(self):
        super().__init__()
        self.up = parametrizations.spectral_norm(torch.nn.Linear(WIDTH, 4 * WIDTH))
        self.down = torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return torch.tanh(self.down(torch.relu(self.up(x))))


class RunningMean(torch.nn.Module):
    """Subtracts a mean that it has just moved."""

    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)
        self.register_buffer("mean", torch.zeros(4 * WIDTH))

    def forward(self, x):
        hidden = torch.tanh(self.up(x))
        with torch.no_grad():
            self.mean.mul_(0.5).add_(hidden.detach().mean(0), alpha=0.5)
        return self.down(torch.sigmoid(hidden - self.mean))


class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return torch.tanh(self.down(torch.sigmoid(self.up(x))))


class ReadAndMovedLater(Plain):
    """Reads a mean that the model moves behind all of its blocks."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(WIDTH))

    def forward(self, x):
        return super().forward(x - self.mean)


class Blocks(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.blocks = torch.nn.ModuleList([block for _ in range(3) for block in (kind(), Plain())])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        with torch.no_grad():
            for block in self.blocks:
                if isinstance(block, ReadAndMovedLater):
                    block.mean.add_(x.detach().mean(0))
        return x


@pytest.mark.parametrize("granularity", ["module", "op"])
@pytest.mark.parametrize("kind", [Norm, RunningMean, ReadAndMovedLater])
def test_planned_models_train_as_without_a_plan(kind, granularity, tmp_path):
    torch.manual_seed(0)
    step = {
        "model": Blocks(kind), "args": (torch.randn(ROWS, WIDTH),), "loss": lambda output: output.square().mean(),
        "optimizer": functools.partial(torch.optim.SGD, lr=0.1),
    }  # fmt: skip
    graph = tmp_path / "step.plimsoll.json"
    plimsoll.trace(copy.deepcopy(step["model"]), step["args"], loss=step["loss"], optimizer=step["optimizer"], target="cpu", out=graph)
    plan = tmp_path / "plan.json"
    told = loop.cli("plan", graph, "--budget", "90%", "--granularity", granularity, "--export", plan)
    assert told["status"] == "feasible" and told["recomputed"]
    model = copy.deepcopy(step["model"])
    with plimsoll.apply(model, plan):
        planned = results(step, model, 3)
    unplanned = copy.deepcopy(step["model"])
    assert same(planned, results(step, unplanned, 3))
    assert all(torch.equal(mine, its) for mine, its in zip(model.buffers(), unplanned.buffers()))
