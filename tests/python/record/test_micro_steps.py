# SPDX-License-Identifier: Apache-2.0
"""Gradient accumulation: several micro-steps before the optimizer, recorded as a training loop runs them."""

import functools
import json
import subprocess

import plimsoll
import pytest
import torch
from helpers.allocator import watched
from helpers.graph_rules import assert_sound
from helpers.loop import cli, compare, program
from helpers.proof import stream_of_graph
from helpers.small import tied, tiny_gpt2
from plimsoll.record.stream import record_stream
from plimsoll.record.tracing import trace_graph

COUNT = 3


def _divided(made):
    loss = made["loss"]
    return {**made, "loss": lambda output, labels=made["args"][0]: loss(output, target=labels) / COUNT}


STEPS = {"a loss function": lambda: _divided(tied()), "the model's own loss": functools.partial(tiny_gpt2, 4, 64)}


def _loop(made, optimizer):
    for _ in range(COUNT):
        if "loss" in made:
            output = made["model"](*made["args"])
            loss = made["loss"](output)
        else:
            loss = made["model"](**made["kwargs"]).loss / COUNT
        loss.backward()
    optimizer.step()
    return loss, locals().get("output")


@pytest.fixture(scope="module", params=STEPS)
def traced(request):
    made = STEPS[request.param]()
    return made, trace_graph(target="cpu", micro_steps=COUNT, **made)


def test_the_stream_is_that_of_a_plain_loop(traced):
    made, graph = traced
    assert_sound(graph)
    assert graph["micro_steps"] == COUNT and any(f"the last of {COUNT} micro-steps" in sentence for sentence in graph["assumed"])
    real = record_stream(lambda: {**made, "micro_steps": COUNT}, target="cpu", fake=False)
    assert [[graph["targets"][op[0]], op[15]] for op in graph["ops"]] == [list(op) for op in real.ops]
    assert max(real.curve) == graph["checks"]["peak_bytes"]
    phases = [op[1] for op in graph["ops"]]
    assert sum(a == 2 and b == 0 for a, b in zip(phases, phases[1:])) == COUNT - 1
    into = [graph["targets"][op[0]] for op in graph["ops"] if op[10] >= 0 and graph["nodes"][op[10]] == "AccumulateGrad"]
    used = sum(row[2] >= 0 for row in graph["params"])
    assert into.count("aten.add_.Tensor") == (COUNT - 1) * used and into.count("aten.detach.default") >= used


def test_the_peak_is_the_allocators(traced):
    made, graph = traced
    optimizer = made["optimizer"](made["model"].parameters())
    _loop(made, optimizer)
    optimizer.zero_grad(set_to_none=True)
    kept = []
    held = watched(lambda: kept.append(_loop(made, optimizer)), graph["targets"]).held
    predicted = graph["checks"]["peak_bytes"] - sum(row[0] for row in graph["storages"] if row[2] < 0)
    assert held.tensors == predicted and predicted <= held.peak <= predicted + 64 * 1024 and kept


def test_keeping_everything_evaluates_exactly_and_nothing_else_is_planned(traced, tmp_path):
    _, graph = traced
    paths = [tmp_path / name for name in ("step.plimsoll.json", "plan.json", "stream.json")]
    for path, content in zip(paths, (graph, {"regions": []}, stream_of_graph(graph))):
        path.write_text(json.dumps(content))
    told = compare(*paths)
    assert told["equal"], told["differences"]
    assert cli("inspect", paths[0])["summary"]["micro_steps"] == COUNT
    cli("plan", paths[0], "--budget", "100%", "--planner", "none")
    command = [program("PLIMSOLL_CLI"), "plan", str(paths[0]), "--budget", "90%"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and f"has {COUNT} micro-steps" in done.stderr and "micro_steps=1" in done.stderr


def test_micro_steps_may_have_batches_of_their_own():
    made = tiny_gpt2()
    batch = lambda rows: {"input_ids": torch.zeros(rows, 16, dtype=torch.int64), "labels": torch.ones(rows, 16, dtype=torch.int64)}  # noqa: E731
    graph = trace_graph(made["model"], optimizer=made["optimizer"], target="cpu", micro_steps=[batch(2), batch(3)])
    assert_sound(graph)
    inputs = {name: row[0] for row in graph["storages"] if row[1] == 4 for name in row[6]}
    assert inputs == {"input_ids": 256, "labels": 256, "micro_steps[1].input_ids": 384, "micro_steps[1].labels": 384}
    divisions = [op for op in graph["ops"] if graph["targets"][op[0]] == "aten.div.Tensor" and op[1] == 1]
    assert [op[16][1] for op in divisions] == [2, 2]


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"micro_steps": 0}, "micro_steps must be at least 1, not 0"),
        ({"micro_steps": "two"}, "micro_steps must be a number, or a list with the arguments of each micro-step"),
        ({"micro_steps": [torch.zeros(2)]}, "micro_steps must be a number, or a list"),
        ({"micro_steps": 2, "mode": "inference"}, "of which there are none in inference"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, sentence):
    with pytest.raises(plimsoll.TraceError, match=sentence):
        trace_graph(tied()["model"], tied()["args"], **arguments)
