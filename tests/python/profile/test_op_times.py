# SPDX-License-Identifier: Apache-2.0
"""`--times` with a trace that torch.profiler recorded on the stand-in GPU: each op has the time of its kernels, as the trace says it."""

import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from decimal import Decimal

import plimsoll
import pytest
import torch
from helpers import stand_in

MODEL = "torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.LayerNorm(64), torch.nn.Dropout(0.1), torch.nn.Linear(64, 8))"
TRAIN = f"""
import sys, torch
from torch.profiler import ProfilerActivity, profile, schedule
model = {MODEL}.cuda()
optimizer = torch.optim.AdamW(model.parameters())
inputs, labels = torch.zeros(16, 64, device="cuda"), torch.zeros(16, dtype=torch.long, device="cuda")
activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
with profile(activities=activities, record_shapes=True, schedule=schedule(wait=1, warmup=1, active=2)) as profiler:
    for _ in range(4):
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()  # copies to the host: no op of the graph
        profiler.step()
profiler.export_chrome_trace(sys.argv[1])
"""
OTHER = "torch.nn.Sequential(*(layer for size in (64, 64, 64, 8) for layer in (torch.nn.Conv1d(64, size, 1), torch.nn.GELU())), torch.nn.Flatten())"
WORK = ("kernel", "gpu_memcpy", "gpu_memset")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With the graph of a step and a trace of it."""
    folder = tmp_path_factory.mktemp("times")
    variables = stand_in.environment()
    variables["LD_PRELOAD"] += f":{stand_in.FOLDER / 'libstand_in_cupti.so'}"  # in place of the one that torch brings
    done = subprocess.run([sys.executable, "-c", TRAIN, "run.pt.trace.json"], capture_output=True, text=True, timeout=120, cwd=folder, env=variables)
    assert done.returncode == 0, done.stderr[-3000:]
    batch = (torch.zeros(16, 64), torch.zeros(16, dtype=torch.long))
    plimsoll.trace(eval(MODEL), batch, loss=torch.nn.functional.cross_entropy, targets=1, optimizer=torch.optim.AdamW, out=folder / "net.plimsoll.json.gz")
    return folder


def cli(folder, *arguments, exit=0):
    done = subprocess.run([os.environ["PLIMSOLL_CLI"], *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=folder)
    assert done.returncode == exit, done.stderr
    return done


def plan(folder, *arguments):
    return json.loads(cli(folder, "plan", "net.plimsoll.json.gz", "--budget", "100%", "--json", *arguments).stdout)


def work_of_step(folder, step):
    """By (name of an operator, its begin): nanoseconds of what it launched, of one step of the trace."""
    events = json.loads((folder / "run.pt.trace.json").read_bytes(), parse_float=Decimal)["traceEvents"]
    (span,) = (event for event in events if event.get("cat") == "user_annotation" and event["name"] == step)
    operators = {event["args"]["External id"]: event for event in events if event.get("cat") == "cpu_op"}
    times = Counter()
    for event in events:
        if event.get("cat") in WORK:
            operator = operators[event["args"]["External id"]]
            if span["ts"] <= operator["ts"] < span["ts"] + span["dur"]:
                times[operator["name"], operator["ts"]] += int(Decimal(event["dur"]) * 1000)
    return times


def test_all_ops_are_found_and_have_the_times_of_their_kernels(folder):
    answer = plan(folder, "--times", "run.pt.trace.json")
    times = answer["times"]
    # cuBLAS is the stand-in's own: its products launch no kernel, and so they have no time.
    products = sum(target in ("addmm", "mm") for target in targets_of(folder / "net.plimsoll.json.gz"))
    assert (times["step"], times["measured_ops"], times["modelled_ops"]) == ("ProfilerStep#3", answer_ops(folder) - products, products)
    assert products > 0 and times["modelled_time_ns"] > 0
    work = work_of_step(folder, "ProfilerStep#3")
    assert len(work) > 10 and times["measured_time_ns"] + times["other_time_ns"] == sum(work.values())
    assert times["other_time_ns"] > 0  # the copy of item()
    assert answer["base_step_time_ns"] == times["measured_time_ns"] + times["modelled_time_ns"] and plan(folder)["times"] is None
    assert times["device"].startswith("stand-in GPU") and "not the times of a GPU" in times["notes"][0]
    assert times["notes"][1:] == [f"{products} ops that compute have no time of the GPU in the profile and are not measured."]


def targets_of(graph):
    content = json.loads(gzip.decompress(graph.read_bytes()))
    return [content["targets"][op[0]].split(".")[1] for op in content["ops"]]


def answer_ops(folder):
    return json.loads(cli(folder, "inspect", "net.plimsoll.json.gz", "--json").stdout)["summary"]["ops"]


def test_a_graph_is_written_with_them(folder):
    cli(folder, "export", "net.plimsoll.json.gz", "--times", "run.pt.trace.json", "-o", "timed.plimsoll.json.gz")
    graph = json.loads(gzip.decompress((folder / "timed.plimsoll.json.gz").read_bytes()))
    of_ops, of_trace = Counter(), Counter()
    for op in graph["ops"]:
        of_ops[graph["targets"][op[0]].split(".")[1]] += op[14] or 0
    for (name, _), time in work_of_step(folder, "ProfilerStep#3").items():
        of_trace[name.removeprefix("aten::")] += time
    same = ("native_layer_norm_backward", "_log_softmax_backward_data", "native_dropout_backward", "threshold_backward")  # call no others
    assert all(of_ops[name] == of_trace[name] > 0 for name in same), (of_ops, of_trace)
    assert any("measured in ProfilerStep#3 of run.pt.trace.json" in sentence for sentence in graph["assumed"])
    timed = json.loads(cli(folder, "plan", "timed.plimsoll.json.gz", "--budget", "100%", "--json").stdout)
    assert timed["base_step_time_ns"] == plan(folder, "--times", "run.pt.trace.json")["base_step_time_ns"]


def test_another_batch_and_another_model_are_refused(folder):
    for name, model, size in (("large", MODEL, 32), ("other", OTHER, 16)):
        inputs = torch.zeros(size, 64) if name == "large" else torch.zeros(size, 64, 1)
        plimsoll.trace(eval(model), (inputs, torch.zeros(size, dtype=torch.long)), loss=torch.nn.functional.cross_entropy, targets=1,
                       out=folder / f"{name}.plimsoll.json.gz")  # fmt: skip
        error = cli(folder, "plan", f"{name}.plimsoll.json.gz", "--budget", "100%", "--times", "run.pt.trace.json", exit=3).stderr
        assert ("at another size" if name == "large" else "is not a recording of this graph's step") in error and error.count("\n") == 1, error
