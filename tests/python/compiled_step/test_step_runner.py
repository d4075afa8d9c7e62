# SPDX-License-Identifier: Apache-2.0
"""compile_step() on models of each architecture: bits of eager PyTorch over optimizer steps, and live bytes as the rules of the runtime say."""

import plimsoll
import pytest
import torch
from helpers import EXHAUSTIVE
from helpers.step_plans import assert_as_the_rules_say, plan_of, random_again, traced
from helpers.step_training import Training, assert_same_bits
from helpers.zoo import ZOO, some

STEPS = 5 if EXHAUSTIVE else 3
SHARES = (0.25, 0.7)  # of the activations, dropped


@pytest.mark.parametrize("name", some("unet", "gpt2", "awkward"))
def test_steps_give_eagers_bits_under_every_plan(name):
    torch.manual_seed(0)
    made = ZOO[name].lean()
    graph = traced(made)
    plans = [[], *(random_again(graph, seed, share) for seed, share in enumerate(SHARES))]
    assert all(plans[1:])
    training = Training(made)
    step = plimsoll.compile_step(training.model, loss=training.loss)
    steps = [step.with_plan(plan_of(graph, again)) for again in plans]
    times = [[] for _ in range(1 + len(plans))]
    for number in range(STEPS):
        training.next_batch(number)
        expected = training.outcome(training.eager)
        times[0].append(training.seconds)
        for index, planned in enumerate(steps):
            found = training.outcome(lambda: planned(*training.args, **training.kwargs))
            times[1 + index].append(training.seconds)
            assert_same_bits(expected, found)
        training.optimizer.step()
    for again, planned in zip(plans, steps):
        assert planned.corrections == []
        streams = []
        training.outcome(lambda: streams.append(planned.stream(*training.args, **training.kwargs)) or torch.zeros(()))
        assert_as_the_rules_say(streams[0], graph, again)
        assert len(streams[0].ops) == len(plans[0]) + sum(len(ops) for _, ops in again) + graph["checks"]["ops"]
    eager, kept, *planned = (min(seconds[1:]) for seconds in times)
    count = graph["checks"]["ops"]
    print(
        f"{name}: {count} ops, eager {eager * 1e3:.1f} ms, runner {kept * 1e3:.1f} ms "
        f"({(kept - eager) / count * 1e6:+.1f} us per op), planned {', '.join(f'{s * 1e3:.1f}' for s in planned)} ms"
    )
