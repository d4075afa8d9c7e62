# SPDX-License-Identifier: Apache-2.0
"""Activations in place that keep a copy of what they overwrite: whose copy it is, and plans that compute it again."""

import functools
import json
import os
import subprocess

import plimsoll
import pytest
import torch
from helpers.graph_rules import assert_sound
from helpers.loop import ROTOR
from plimsoll.record.stream import record_stream
from plimsoll.record.tracing import trace_graph
from helpers.outcomes import assert_same, results


def _step(activation, width=16, size=32, batch=8):
    torch.manual_seed(0)
    block = lambda i: torch.nn.Sequential(  # noqa: E731
        torch.nn.Conv2d(width if i else 3, width, 3, padding=1, bias=False), torch.nn.BatchNorm2d(width), activation(inplace=True)
    )
    model = torch.nn.Sequential(*(block(i) for i in range(6)), torch.nn.Flatten(), torch.nn.Linear(width * size * size, 4))
    return {"model": model, "args": (torch.randn(batch, 3, size, size),), "loss": torch.sum,
            "optimizer": functools.partial(torch.optim.SGD, lr=0.1)}  # fmt: skip


ACTIVATIONS = [torch.nn.Hardswish, torch.nn.SiLU, torch.nn.Mish, torch.nn.Hardsigmoid]


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_copy_belongs_to_the_op_that_overwrites(activation):
    step = _step(activation)
    graph = trace_graph(step.pop("model"), step.pop("args"), **step)
    assert_sound(graph)
    names = [graph["targets"][op[0]] for op in graph["ops"]]
    copies = 0
    for tensor, op, after, seq, *_ in graph["saved"]:
        if names[op] != "aten.clone.default":
            continue
        copies += 1
        assert after == 1 and names[op + 1].endswith("_.default")
        assert graph["ops"][op + 1][9] == seq  # the node that it made
        backward = [at for at, row in enumerate(graph["ops"]) if row[1] == 2 and row[9] == seq]
        assert [graph["ops"][at][11] for at in backward] == [op + 1] * len(backward) and backward
    assert copies == 6


@pytest.mark.parametrize("activation, granularity", [*((a, "module") for a in ACTIVATIONS), (torch.nn.Hardswish, "op"), (torch.nn.Mish, "op")])
def test_plans_compute_the_copy_again(activation, granularity, tmp_path):
    step, target = _step(activation), "cuda" if granularity == "module" else "cpu"  # the CPU's ops must run here
    plain = results(step["model"], lambda model: model(*step["args"]).sum())
    graph = plimsoll.trace(step["model"], step["args"], loss=step["loss"], optimizer=step["optimizer"], target=target,
                           out=tmp_path / "step.plimsoll.json")  # fmt: skip
    path, stream_path = tmp_path / "plan.json", tmp_path / "stream.json"
    command = [os.environ["PLIMSOLL_CLI"], "plan", graph, "--budget", "70%", "--granularity", granularity, "--export", path, *map(str, ROTOR)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plan = json.loads(path.read_text())
    assert plan["regions"]

    def planned():
        made = _step(activation)
        plimsoll.apply(made["model"], plan)
        return made

    stream = record_stream(planned, target=target)
    lives = [[s.nbytes, s.alloc, s.free] for s in stream.recording.storages]
    stream_path.write_text(json.dumps({"ops": stream.ops, "curve": stream.curve, "curve_rounded512": stream.curve_rounded512,
                                       "backward_start": stream.backward_start, "lives": lives}))  # fmt: skip
    done = subprocess.run([os.environ["PLIMSOLL_LOOP_CHECK"], graph, path, stream_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr or done.stdout
    assert max(stream.curve_rounded512) == plan["evaluation"]["peak_bytes"]
    with plimsoll.apply(step["model"], plan):
        assert_same(results(step["model"], lambda model: model(*step["args"]).sum()), plain)
