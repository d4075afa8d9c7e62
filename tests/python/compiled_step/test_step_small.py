# SPDX-License-Identifier: Apache-2.0
"""Compiled steps of the models in their usual widths and depths, on small batches: everything kept and a random plan in turn."""

import models
import plimsoll
import pytest
import torch
from helpers import EXHAUSTIVE
from helpers.step_plans import plan_of, random_again, traced
from helpers.step_training import Training, assert_same_bits
from helpers.zoo import ZOO, some

STEPS = 5 if EXHAUSTIVE else 2
# Whose steps take seconds: a batch of one runs the same ops.
SMALLER = {"vit_b_16": lambda: models.vit_b_16(1), "gpt2": lambda: models.gpt2(1, 128), "bert": lambda: models.bert(1, 64)}


@pytest.mark.parametrize("name", some("resnet18", "llama", "awkward", "lstm"))
def test_steps_give_eagers_bits(name):
    torch.manual_seed(0)
    made = SMALLER.get(name, ZOO[name].small)()
    graph = traced(made)
    training = Training(made)
    kept = plimsoll.compile_step(training.model, loss=training.loss)
    planned = kept.with_plan(plan_of(graph, random_again(graph, 7, 0.4)))
    for number in range(STEPS):
        step = planned if number % 2 else kept
        training.next_batch(number)
        expected = training.outcome(training.eager)
        assert_same_bits(expected, training.outcome(lambda: step(*training.args, **training.kwargs)))
        assert step.corrections == []
        training.optimizer.step()
