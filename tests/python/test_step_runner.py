# SPDX-License-Identifier: Apache-2.0
"""compile_step() on all models: bits of eager PyTorch over five optimizer steps, and live bytes as the rules of the runtime say."""

import plimsoll
import pytest
import torch
from plimsoll.tracing import trace_graph
from step_plans import curve_of, lives_of, plan_of, random_again
from step_training import Training, assert_same_bits
from zoo import ZOO

STEPS = 5
SHARES = (0.25, 0.7)  # of the activations, dropped


def traced(made):
    given = {name: value for name, value in made.items() if name in ("args", "kwargs", "loss")}
    return trace_graph(made["model"], target="cpu", **given)


def loss_storage(graph):
    """Of what the step returns, the loss is made last."""
    return max((s for s, row in enumerate(graph["storages"]) if row[1] == 8), key=lambda s: graph["storages"][s][2])


def assert_as_the_rules_say(stream, graph, again):
    lives = lives_of(graph, again, loss_storage(graph))
    assert stream.curve == curve_of(lives, len(stream.ops))
    assert stream.curve_rounded512 == curve_of(lives, len(stream.ops), 512)
    assert sorted(map(repr, lives)) == sorted(repr(list(life)) for life in stream.lives)


@pytest.mark.parametrize("name", ZOO)
def test_five_steps_give_eagers_bits_under_every_plan(name):
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


@pytest.mark.parametrize("name", ZOO)
def test_real_sizes_on_fakes_live_as_the_rules_say(name):
    with plimsoll.building():
        made = ZOO[name].real()
    graph = traced(made)
    again = random_again(graph, 5, 0.3)
    assert again
    step = plimsoll.compile_step(made["model"], plan_of(graph, again), loss=made.get("loss"))
    stream = step.stream(*made.get("args", ()), **made.get("kwargs", {}))
    assert_as_the_rules_say(stream, graph, again)
