# SPDX-License-Identifier: Apache-2.0
"""Plans of every planner there is, for every runtime it offers, run for real on small models: the unplanned step's bits, and the live
bytes that were predicted. The list is the program's own, so that a new planner is in here at once.
"""

import json
import subprocess

import plimsoll
import pytest
import torch
from helpers import EXHAUSTIVE, loop
from helpers.allocator import watched
from helpers.loop import cli, program
from helpers.once import once
from helpers.proof import plain_step
from helpers.small import tiny_gpt2
from helpers.step_training import Training, assert_same_bits
from helpers.trunks import Trunk

KEEPS_ALL = "none"  # the planner whose plans repeat nothing, on any model


class Functions(torch.nn.Module):
    """Ops only, no modules to put under a checkpoint."""

    def __init__(self):
        super().__init__()
        self.weights = torch.nn.ParameterList(torch.randn(64, 64) / 8 for _ in range(6))

    def forward(self, x):
        for weight in self.weights:
            x = torch.tanh(x @ weight)
        return x


def _sgd(parameters):
    return torch.optim.SGD(parameters, lr=1e-3)


def _trunk():
    return {"model": Trunk(), "args": (torch.ones(4, 3, 32, 32),), "loss": lambda out: out.square().sum(), "optimizer": _sgd}


def _functions():
    return {"model": Functions(), "args": (torch.ones(512, 64),), "loss": torch.sum, "optimizer": _sgd}


MODELS = {"gpt2": tiny_gpt2, "trunk": _trunk, "functions": _functions}
# (model, planner, runtime) without a plan that saves anything; on the other models the planner has one.
WITHOUT = {
    ("functions", "auto", "checkpoint"),
    ("functions", "rotor", "checkpoint"),
    ("functions", "chen", "checkpoint"),
    ("functions", "trunk", "checkpoint"),
    ("functions", "every-block", "checkpoint"),
    ("functions", "sequential-k", "checkpoint"),
    ("functions", "rotor", "step"),
    ("functions", "torch-budget", "step"),  # of equal products its knapsack keeps the first ones, and all others run again at once
}
# They stand for flags that recompute batch norms like everything else, which updates the running statistics twice.
UPDATE_TWICE = {("every-block", "checkpoint"), ("sequential-k", "checkpoint")}


def updates_twice(said):
    return any("running statistics" in sentence for sentence in said["not_modelled"])


def without_statistics(outcome):
    return {name: value for name, value in outcome.items() if not name.startswith("buffer")}


def offered():
    """(planner, runtime, options): one row for each runtime of each planner in the program's list, another one for schedules that are
    not persistent. Statistics of batch norms are frozen where that is an option, as the unplanned step updates them once."""
    for planner in cli("plan", "--list")["planners"]:
        options = {option["name"]: option for option in planner["options"]}
        for runtime in options["runtime"]["choices"] if "runtime" in options else ["checkpoint"]:
            chosen = ["--planner", planner["id"]]
            if "runtime" in options:
                chosen += ["--runtime", runtime]
            if "freeze-stats" in options and runtime == "checkpoint":
                chosen += ["--freeze-stats", "on"]
            yield planner["id"], runtime, tuple(chosen)
            if "nonpersistent" in options and runtime == "step":
                yield planner["id"], runtime, (*chosen, "--nonpersistent", "on")


OFFERED = list(offered())
# A normal run has a plan of each planner for the small models, and these for the one that takes most of the time.
ON_GPT2 = {
    ("rotor", "checkpoint"), ("rotor", "step"), ("auto", "step"), ("remat", "checkpoint"), ("torch-budget", "step"), ("every-block", "checkpoint"),
}  # fmt: skip
CASES = [(model, *row) for row in OFFERED for model in MODELS if EXHAUSTIVE or model != "gpt2" or row[:2] in ON_GPT2]


def made_of(model):
    torch.manual_seed(0)
    return MODELS[model]()


@pytest.fixture(scope="module")
def graph_file(tmp_path_factory):
    """A model's traced step as a file."""
    folder = tmp_path_factory.mktemp("graphs")

    @once
    def written(model):
        return loop.trace(MODELS[model], folder / f"{model}.plimsoll.json", "cpu")

    return written


def span(graph, options):
    """Least and largest peak of the planner's plans."""
    peaks = [peak for peak, _ in loop.frontier(graph, *options)[1]]
    return min(peaks), max(peaks)


class Planned:
    """A model with a plan on it, whichever runtime executes it."""

    def __init__(self, model, runtime, plan):
        self.made = made_of(model)
        self.training = Training(self.made)
        self.is_step = runtime == "step"
        if self.is_step:
            self._step = plimsoll.compile_step(self.training.model, loss=self.training.loss).with_plan(plan)
        else:
            plimsoll.apply(self.training.model, plan)

    def run(self):
        if not self.is_step:
            return self.training.eager()
        return self._step(*self.training.args, **self.training.kwargs)

    def held(self, targets):
        """The most that results of ops held together during a whole step, as PyTorch's allocator has it."""
        optimizer = self.training.optimizer
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return watched(lambda: self._once(optimizer), targets).held.tensors

    def _once(self, optimizer):
        if not self.is_step:
            plain_step({**self.made, "model": self.training.model, "optimizer": optimizer})
            return
        loss = self._step(*self.made.get("args", ()), **self.made.get("kwargs", {}))
        optimizer.step()
        del loss
        optimizer.zero_grad(set_to_none=True)


def record(model, runtime, plan, path):
    """The planned step's ops and live bytes, recorded on fakes, for loop.compare()."""
    if runtime == "checkpoint":
        loop.record(MODELS[model], plan, path, "cpu")
        return
    with plimsoll.building():
        made = MODELS[model]()
    step = plimsoll.compile_step(made["model"], loss=made.get("loss")).with_plan(plan)
    path.write_text(json.dumps(step.stream(*made.get("args", ()), **made.get("kwargs", {})).as_json()))


@pytest.mark.parametrize("model, planner, runtime, options", CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_plans_train_as_without_and_live_as_predicted(model, planner, runtime, options, graph_file, tmp_path):
    graph = graph_file(model)
    least, most = span(graph, options)
    assert (least < most) == (planner != KEEPS_ALL and (model, planner, runtime) not in WITHOUT)
    plan = tmp_path / "plan.json"
    said = cli("plan", graph, *options, "--budget", (least + most) // 2, "--export", plan)
    assert said["verified"] and said["runtime"] == runtime and said["peak_bytes"] <= (least + most) // 2
    assert bool(said["recomputed"]) == (least < most)
    plain, planned = Training(made_of(model)), Planned(model, runtime, plan)
    for number in range(2):
        for training in (plain, planned.training):
            training.next_batch(number)
        expected, found = plain.outcome(plain.eager), planned.training.outcome(planned.run)
        if (planner, runtime) in UPDATE_TWICE and updates_twice(said):
            expected, found = without_statistics(expected), without_statistics(found)
        assert_same_bits(expected, found)
        for training in (plain, planned.training):
            training.optimizer.step()
    evaluated = loop.peak(graph, plan)
    assert planned.held(json.loads(graph.read_text())["targets"]) == evaluated["peak_bytes"] - evaluated["resident_bytes"]
    record(model, runtime, plan, tmp_path / "stream.json")
    result = loop.compare(graph, plan, tmp_path / "stream.json")
    assert result["equal"], result["first"]


@pytest.mark.parametrize("model", ["gpt2", "trunk"])
def test_values_let_go_of_in_between_come_back(model, graph_file, tmp_path):
    """A plan that only schedules that are not persistent have: faster than any other of rotor's at its peak."""
    options = ("--planner", "rotor", "--runtime", "step")
    graph = graph_file(model)
    persistent = loop.frontier(graph, *options)[1]
    options += ("--nonpersistent", "on")
    better = [
        (peak, time) for peak, time in loop.frontier(graph, *options)[1] if all(other > time for size, other in persistent if size <= peak)
    ]
    peak, time = better[0]
    plan = tmp_path / "plan.json"
    said = cli("plan", graph, *options, "--budget", peak, "--export", plan)
    assert (said["peak_bytes"], said["step_time_ns"], said["verified"]) == (peak, time, True)
    plain, planned = Training(made_of(model)), Planned(model, "step", plan)
    for training in (plain, planned.training):
        training.next_batch(0)
    assert_same_bits(plain.outcome(plain.eager), planned.training.outcome(planned.run))
    evaluated = loop.peak(graph, plan)
    assert planned.held(json.loads(graph.read_text())["targets"]) == evaluated["peak_bytes"] - evaluated["resident_bytes"]


@pytest.mark.parametrize("model, planner, runtime", sorted(WITHOUT))
def test_who_has_nothing_says_so(model, planner, runtime, graph_file):
    options = next(options for name, its, options in OFFERED if (name, its) == (planner, runtime))
    graph = graph_file(model)
    least, _ = span(graph, options)
    command = [program("PLIMSOLL_CLI"), "plan", graph, *options, "--budget", str(least - 1)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 4
    assert f"No plan was found within {least - 1:,} B: the smallest peak of a plan is {least:,} B (1 B more)" in done.stderr
    assert any((other, planner, runtime) not in WITHOUT for other in MODELS)
