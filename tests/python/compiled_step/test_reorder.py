# SPDX-License-Identifier: Apache-2.0
"""Plans that run independent ops in another order (planner remat, --reorder on): less memory, the same bits; orders that would change
results are refused.
"""

import json
import re
import subprocess

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import loop
from helpers.loop import cli
from helpers.step_training import Training, assert_same_bits

from plimsoll import PlanMismatch


class Branches(torch.nn.Module):
    """Makes all its large values before it reduces the first of them: in place, at random, by slices."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(32, 32)
        self.weights = torch.nn.ParameterList(torch.randn(32, 512) / 6 for _ in range(5))
        self.scale = torch.nn.Parameter(torch.ones(5))
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        hidden = torch.tanh(self.inner(x))
        wide = [hidden @ weight for weight in self.weights]
        wide[1].mul_(0.5)
        wide[2][:, ::2].add_(1.0)
        self.calls += 1
        narrow = [value.reshape(-1, 16, 32).sum(-1) for value in wide]
        narrow = [F.dropout(value, 0.25) for value in narrow]
        return torch.stack([value * scale for value, scale in zip(narrow, self.scale)]).sum(0)


def made():
    torch.manual_seed(0)
    return {
        "model": Branches(),
        "args": (torch.randn(256, 32),),
        "loss": lambda out: out.square().mean(),
        "optimizer": lambda parameters: torch.optim.Adam(parameters, lr=1e-3),
    }


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return loop.trace(made, tmp_path_factory.mktemp("graphs") / "branches.plimsoll.json", "cpu")


def planned(graph, path, *options):
    """A plan for little more than the least peak, and what the program says of it."""
    least = min(peak for peak, _ in loop.frontier(graph, "--planner", "remat")[1])
    said = cli("plan", graph, "--planner", "remat", *options, "--budget", least * 21 // 20, "--export", path)
    return json.loads(path.read_text()), said


def ahead(plan):
    return [op for before, ops in plan["schedule"]["again"] for op in ops if op > before]


@pytest.fixture(scope="module")
def reordered(graph, tmp_path_factory):
    return planned(graph, tmp_path_factory.mktemp("plans") / "plan.json", "--reorder", "on")


def test_the_order_changes_only_when_asked(graph, reordered, tmp_path):
    plain, said = planned(graph, tmp_path / "plain.json")
    assert ahead(plain) == [] and ahead(reordered[0]) != []
    assert reordered[1]["step_time_ns"] < said["step_time_ns"] and reordered[1]["recompute_time_ns"] < said["recompute_time_ns"] / 2
    assert reordered[1]["verified"] and cli("check", tmp_path / "plain.json", graph)["verified"]


def test_trains_as_without_and_lives_as_predicted(graph, reordered, tmp_path):
    plan = reordered[0]
    plain, other = Training(made()), Training(made())
    step = plimsoll.compile_step(other.model, loss=other.loss).with_plan(plan)
    for number in range(3):
        for training in (plain, other):
            training.next_batch(number)
        assert_same_bits(plain.outcome(plain.eager), other.outcome(lambda: step(*other.args, **other.kwargs)))
        for training in (plain, other):
            training.optimizer.step()
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    stream = tmp_path / "stream.json"
    with plimsoll.building():
        built = made()
    faked = plimsoll.compile_step(built["model"], loss=built["loss"]).with_plan(plan)
    stream.write_text(json.dumps(faked.stream(*built["args"]).as_json()))
    result = loop.compare(graph, path, stream)
    assert result["equal"], result["first"]


def test_a_graph_of_its_step_is_not_written(graph, reordered, tmp_path):
    """Nobody could tell which op of the model each of that graph's is; the plan itself is what runs."""
    plan, written = tmp_path / "plan.json", tmp_path / "written.plimsoll.json"
    plan.write_text(json.dumps(reordered[0]))
    done = subprocess.run([loop.program("PLIMSOLL_CLI"), "export", graph, plan, "-o", written], capture_output=True, text=True)
    first = min(ahead(reordered[0]))
    assert done.returncode == 2 and not written.exists()
    assert re.match(r"This plan reorders ops: op \d+ runs before op \d+, .* or plan with reorder off\.\n$", done.stderr)
    assert int(re.search(r"op (\d+) runs before", done.stderr)[1]) == first


def _with_again(plan, again):
    return {**plan, "schedule": {"again": again}}


def _refusal(plan):
    built = made()
    with pytest.raises(PlanMismatch) as error:
        plimsoll.compile_step(built["model"], loss=built["loss"]).with_plan(plan)(*built["args"])
    return str(error.value)


def test_orders_that_change_results_are_refused(reordered):
    plan = reordered[0]
    targets = [plan["sequence"]["targets"][i] for i in plan["sequence"]["ops"]]
    drawn = [op for op, target in enumerate(targets) if "dropout" in target or "bernoulli" in target]
    assert len(drawn) >= 2
    made_for = targets.index("aten.empty_like.default", drawn[0])  # what the second of them fills
    assert "draw random numbers" in _refusal(_with_again(plan, [[drawn[0], [made_for, drawn[1]]]]))
    forward = plan["graph"]["forward_ops"]
    assert "backward before its first op" in _refusal(_with_again(plan, [[forward, [forward + 1]]]))
    written, reader = targets.index("aten.mul_.Tensor"), targets.index("aten.sum.dim_IntList") + 2
    assert targets[reader] == "aten.sum.dim_IntList"
    assert "was written 0 times instead of 1" in _refusal(_with_again(plan, [[written, [reader]]]))
