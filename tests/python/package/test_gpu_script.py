# SPDX-License-Identifier: Apache-2.0
"""tests/gpu, as far as it can be checked without a GPU: the comparison of two streams, and what it says when there is no GPU."""

import csv
import gzip
import json
import subprocess
import sys

import torch
from helpers import EXHAUSTIVE, ROOT, loop, stand_in

sys.path.insert(0, str(ROOT / "tests" / "gpu"))

import compare  # noqa: E402 (needs the path)
from plimsoll.record.finish import finish  # noqa: E402
from plimsoll.record.record import record, warm_up  # noqa: E402
from plimsoll.training_step.environment import prepared  # noqa: E402
from streams import differences  # noqa: E402


def recorded(*layers, target="cpu", emulate=True):
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), *layers)
    with prepared(model, torch.zeros(4, 8), None, None, None, "train", target, emulate=emulate) as step:
        warm_up(step, target)
        return finish(record(step, target))


def test_equal_streams_have_no_differences():
    assert differences(recorded(torch.nn.ReLU()), recorded(torch.nn.ReLU())) == []


def test_an_op_of_one_stream_alone_is_named():
    found = differences(recorded(torch.nn.ReLU()), recorded(torch.nn.ReLU(), torch.nn.Tanh()))
    assert [line for line in found if "aten.tanh.default" in line] == ["op 3: only real has forward aten.tanh.default"]
    assert all(line.partition("only ")[2].startswith("real") for line in found)


def test_kernels_of_another_device_are_named():
    found = differences(recorded(torch.nn.Dropout(0.5), target="cuda"), recorded(torch.nn.Dropout(0.5)))
    assert "op 2: only emulated has forward aten.native_dropout.default" in found
    assert "op 3: only real has forward aten.bernoulli_.float" in found


def test_results_of_another_size_are_named():
    found = differences(recorded(torch.nn.Linear(8, 8)), recorded(torch.nn.Linear(8, 16)))
    assert any("forward aten.addmm.default results in ((128, (4, 8), (8, 1), 'float32'),) emulated" in line for line in found)


def test_arguments_move_together():
    tokens = torch.zeros(2, 3)
    moved = compare.on("meta", {"kwargs": {"a": tokens, "b": tokens}, "loss": lambda out, labels=tokens: out, "name": "x"})
    assert moved["kwargs"]["a"] is moved["kwargs"]["b"] and moved["kwargs"]["a"].device.type == "meta"
    assert moved["loss"].__defaults__[0].device.type == "meta" and moved["name"] == "x"


def test_without_a_gpu_it_says_so():
    done = stand_in.script(ROOT / "tests/gpu/compare.py", folder=ROOT, devices=0, expected=77)
    assert done.stdout == ""
    assert done.stderr == "compare.py: no GPU that torch can use is here, so nothing was compared.\n"


def test_the_allocator_takes_on_the_stand_in_what_was_predicted(tmp_path):
    """Allocated blocks keep remainders of up to 1 MiB, and products take workspaces of cuBLAS."""
    table = tmp_path / "gpu.md"
    budgets = ["80%", "60%"] if EXHAUSTIVE else ["60%"]
    arguments = ("--cli", loop.program("PLIMSOLL_CLI"), "--out", table, "--models", "GPT-2 small", "--budgets", *budgets)
    stand_in.script(ROOT / "tests/gpu/compare.py", *arguments, folder=tmp_path)
    lines = table.read_text().splitlines()
    assert lines[0].startswith("# Predictions against a GPU: ") and "stand-in GPU, compute capability 8.0" in lines[0]
    assert lines[1:3] == ["## Peaks", "| model | plan | predicted peak | requested by PyTorch | allocated by the GPU | predicted / allocated |"]
    peaks = {}
    for line in lines[4:]:
        name, plan, *figures, _ = line.strip("| ").split(" | ")
        peaks[plan] = [int(figure.replace(",", "")) for figure in figures]
        assert name == "GPT-2 small"
    assert list(peaks) == ["none", *budgets]
    for predicted, requested, allocated in peaks.values():
        assert abs(requested - predicted) < 512 * 1000 and 0 <= allocated - predicted < 12 << 20
    assert peaks["60%"][2] < 0.61 * peaks["none"][2]


def a_section_of_what_is_collected_runs_on_the_stand_in(tmp_path):
    """The recorded step begins and ends with the bytes that the graph traced beside it has before the step."""
    command = [sys.executable, str(ROOT / "tests/gpu/collect.py"), str(tmp_path), "record gpt2"]
    done = subprocess.run(command, capture_output=True, text=True, env=stand_in.environment(), timeout=280)
    assert done.returncode == 0, done.stderr[-2000:]
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert {name: row["status"] for name, row in summary.items()} == {"record gpt2": 0, "record gpt2_bfloat16": 0}
    graph = json.loads(gzip.decompress((tmp_path / "record_gpt2" / "gpt2.plimsoll.json.gz").read_bytes()))
    with gzip.open(tmp_path / "record_gpt2" / "gpt2.csv.gz", "rt", newline="") as file:
        rows = [(row["action"], int(row["bytes"]), row["op"]) for row in csv.DictReader(file)]
    of = {action: [size for kind, size, _ in rows if kind == action] for action in ("held", "alloc", "free", "reserved")}
    assert sum(of["held"]) == sum(row[0] for row in graph["storages"] if row[2] < 0) and sum(of["alloc"]) == sum(of["free"])
    assert {"native_layer_norm", "_efficient_attention_backward"} <= {op for _, _, op in rows}


if EXHAUSTIVE:  # a normal run has compare.py, which takes the same steps

    def test_a_section_of_what_is_collected(tmp_path):
        a_section_of_what_is_collected_runs_on_the_stand_in(tmp_path)
