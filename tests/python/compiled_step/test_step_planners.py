# SPDX-License-Identifier: Apache-2.0
"""Plans of the planners that choose single values, run for real: the unplanned step's loss and gradients, bit for bit."""

import plimsoll
import pytest
import torch
from helpers import EXHAUSTIVE
from helpers.loop import cli
from helpers.step_plans import traced
from helpers.step_training import Training, assert_same_bits
from helpers.zoo import ZOO
from plimsoll.record.writer import write


# A normal run leaves out what takes as long as all others.
CASES = [(name, planner) for name in ("resnet18", "awkward", "lstm") for planner in ("capuchin", "remat") if EXHAUSTIVE or (name, planner) != ("resnet18", "remat")]


@pytest.mark.parametrize("name, planner", CASES)
def test_plans_give_eagers_bits(name, planner, tmp_path):
    torch.manual_seed(0)
    made = ZOO[name].small()
    graph = tmp_path / "graph.plimsoll.json"
    write(traced(made), graph)
    plan = tmp_path / "plan.json"
    known = cli("plan", graph, "--planner", planner, "--budget", "100%", "--frontier", 2)
    least = known["frontier"][0]["peak_bytes"]
    made_plan = cli("plan", graph, "--planner", planner, "--budget", least, "--export", plan)
    assert made_plan["recompute_time_ns"] > 0 and made_plan["peak_bytes"] < known["base_peak_bytes"]
    training = Training(made)
    step = plimsoll.compile_step(training.model, loss=training.loss).with_plan(plan)
    for number in range(3):
        training.next_batch(number)
        expected = training.outcome(training.eager)
        assert_same_bits(expected, training.outcome(lambda: step(*training.args, **training.kwargs)))
        training.optimizer.step()
