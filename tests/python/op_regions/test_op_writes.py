# SPDX-License-Identifier: Apache-2.0
"""Plans between ops of models that write into views: slices, flattened tensors, running statistics that are repeated.

After such a write autograd looks at views of the memory anew, on fakes by ops of its own, which no step on real tensors has.
"""

import copy

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import loop
from helpers.op_plans import count_of, plan_between, random_regions, record, results, same, seeded, with_saved

X = torch.linspace(-1, 1, 32).view(4, 8)
IMAGES = torch.linspace(-1, 1, 2 * 3 * 64).view(2, 3, 8, 8)


class Written(torch.nn.Module):
    """Linear layers, between which `write` writes into a tensor of 4 x 16."""

    def __init__(self, write):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8)
        self.write = write

    def forward(self, x):
        return self.b(torch.tanh(self.write(self.a(x).sin(), x)) * 2).square().mean()


def _slices(h, x):
    out = h.new_zeros(h.shape)
    for start in range(0, 16, 4):
        out[:, start : start + 4] = h[:, start : start + 4] * (start + 1)
    out[1:, 2] = x[1:, 3]
    return out


def _other_view(h, x):
    """`late` was made before the write and is read behind it."""
    h = h + 1
    early, late = h[:, :8], h.t()
    early.mul_(2).add_(x)
    return late.t() + early.sum()


def _chain(h, x):
    h = h * 3
    view = h.view(2, 2, 16).transpose(0, 1)[0]
    view += 1
    view *= 0.5
    return h + view.repeat(2, 1)


def _without_gradients(h, x):
    h = h * 3
    view = h[:, 3:]
    with torch.no_grad():
        view.clamp_(-1, 1)
    return torch.cat([view, h], 1)[:, :16]


def _flattened(h, x):
    return F.dropout(F.avg_pool1d(h.unsqueeze(0), 1).flatten(1), 0.3, True, True).view(4, 16)


def _by_mask(h, x):
    h = h.clone()
    h[:, :8][x > 0] = 0.5
    h.view(-1)[::3] = 1
    return h


WRITES = {f.__name__[1:]: f for f in (_slices, _other_view, _chain, _without_gradients, _flattened, _by_mask)}


class Normalised(torch.nn.Module):
    def __init__(self, track):
        super().__init__()
        torch.manual_seed(0)
        options = {"affine": True, "track_running_stats": track}
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3), torch.nn.InstanceNorm2d(8, **options), torch.nn.ReLU(inplace=True), torch.nn.Conv2d(8, 8, 3),
            torch.nn.InstanceNorm2d(8, **options), torch.nn.SiLU(),
        )  # fmt: skip

    def forward(self, x):
        return self.layers(x).square().mean()


def step_of(name):
    if name.startswith("instance norm"):
        return {"model": Normalised("running" in name).train(), "args": (IMAGES,)}
    return {"model": Written(WRITES[name]).train(), "args": (X,)}


NAMES = [*WRITES, "instance norm", "instance norm, running statistics"]
SGD = {"loss": lambda output: output, "optimizer": lambda parameters: torch.optim.SGD(parameters, 0.1)}


@pytest.mark.parametrize("name", NAMES)
def test_training_is_that_of_the_model_alone(name):
    step = step_of(name)
    expected = results({**step, **SGD}, copy.deepcopy(step["model"]), 3)
    forward = record(step["model"], step["args"])
    for seed in range(3):
        for saves in (False, True):
            rng, model = seeded(seed), copy.deepcopy(step["model"])
            rows = random_regions(forward, rng)
            plimsoll.apply(model, plan_between(forward, with_saved(forward, rows, rng) if saves else rows))
            assert same(results({**step, **SGD}, model, 3), expected), rows
            assert count_of(rows) > 3 and "checkpoint(" in model.forward.source


@pytest.mark.parametrize("name", NAMES)
def test_plans_of_the_planner_close_the_loop(name, tmp_path):
    builder = lambda: step_of(name)  # noqa: E731
    options = ("--granularity", "op", "--saved-sets", "on" if len(name) % 2 else "off")
    graph, plan = loop.trace(builder, tmp_path / "graph.plimsoll.json.gz", "cpu"), tmp_path / "plan.json"
    most, least = loop.span(graph, *options)
    for part in (0.5, 1.0):
        said = loop.cli("plan", graph, "--budget", most - int(part * (most - least)), "--export", plan, *options)
        assert said["verified"]
        loop.record(builder, plan, tmp_path / "stream.json", "cpu")
        result = loop.compare(graph, plan, tmp_path / "stream.json")
        assert result["equal"], result["first"]
        step = step_of(name)
        planned = copy.deepcopy(step["model"])
        plimsoll.apply(planned, plan)
        assert same(results({**step, **SGD}, planned), results({**step, **SGD}, step["model"]))
