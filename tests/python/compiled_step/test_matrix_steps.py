# SPDX-License-Identifier: Apache-2.0
"""Models x budgets x the planner's plans for a compiled step, on real tensors: eager's bits with two optimizers, and the peak."""

import functools
import itertools

import plimsoll
import pytest
import torch
from helpers.allocator import watched
from helpers.matrix import Lean, plans
from helpers.step_training import Training, assert_same_bits
from helpers.zoo import some

OPTIMIZERS = (functools.partial(torch.optim.AdamW, lr=1e-3), functools.partial(torch.optim.SGD, lr=1e-2, momentum=0.9))
STEPS = 3  # with each


def held_in(lean, step, optimizer):
    """In a whole training step; the optimizer has its states."""

    def once():
        loss = step(*lean.made.get("args", ()), **lean.made.get("kwargs", {}))
        optimizer.step()
        del loss
        optimizer.zero_grad(set_to_none=True)

    return watched(once, lean.targets).held


@pytest.mark.parametrize("name", some("resnet18", "llama", "lstm"))
def test_compiled_steps_on_real_tensors(name, tmp_path):
    lean = Lean(name, tmp_path)
    planned = list(plans(lean.graph, name, "step", tmp_path))
    model = lean.made["model"]
    kept = plimsoll.compile_step(model, loss=lean.made.get("loss"))
    steps = [kept.with_plan(plan.path) for plan in planned]
    numbers = itertools.count()
    for optimizer in OPTIMIZERS:
        training = Training({**lean.made, "optimizer": optimizer})
        for number in itertools.islice(numbers, STEPS):
            training.next_batch(number)
            expected = training.outcome(training.eager)
            for step in steps:
                assert_same_bits(expected, training.outcome(lambda: step(*training.args, **training.kwargs)))
            training.optimizer.step()
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    statistics = sum(buffer.nbytes for norm in norms for buffer in norm.buffers())  # for a step that fails
    optimizer = lean.optimizer(model)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    for plan, step in zip(planned, steps):
        assert step.corrections == []
        lean.check_peak(plan, held_in(lean, step, optimizer), statistics)
