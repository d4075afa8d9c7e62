# SPDX-License-Identifier: Apache-2.0
"""Planned models at full size, recorded again: PyTorch's own step equals what evaluate() says about the plan, at every op."""

import json
import os
import subprocess

import make
import plimsoll
import pytest
from plans import CASES, PLANS, plan_file
from plimsoll.stream import record_stream

MIB = 1 << 20
BUDGETS = [
    ("resnet18", 2100 * MIB),
    ("resnet18", 1800 * MIB),
    ("densenet121", 8100 * MIB),
    ("densenet121", 4500 * MIB),
    ("gpt2", 10240 * MIB),
    ("gpt2", 7168 * MIB),
    ("gpt2", 6600 * MIB),
]


def program(name):
    path = os.environ.get(name)
    assert path, f"{name} must name the built program; CTest sets it"
    return path


def record(sample, plan, path):
    handles = []

    def step():
        arguments = make.SAMPLES[sample]()
        arguments.pop("name")
        handles.append(plimsoll.apply(arguments["model"], plan))
        return arguments

    stream = record_stream(step)
    lives = [[s.nbytes, s.alloc, s.free] for s in stream.recording.storages]
    path.write_text(
        json.dumps(
            {
                "ops": stream.ops,
                "curve": stream.curve,
                "curve_rounded512": stream.curve_rounded512,
                "backward_start": stream.backward_start,
                "lives": lives,
            }
        )
    )
    return stream


def assert_equal_at_every_step(sample, plan_path, stream_path):
    command = [program("PLIMSOLL_LOOP_CHECK"), str(make.sample_path(sample)), str(plan_path), str(stream_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr or done.stdout
    return json.loads(done.stdout)


@pytest.mark.parametrize("sample, name", CASES)
def test_regions_given_by_hand(sample, name, tmp_path):
    plan = plan_file(PLANS[sample][name])
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    stream = record(sample, plan, tmp_path / "stream.json")
    result = assert_equal_at_every_step(sample, tmp_path / "plan.json", tmp_path / "stream.json")
    assert result["peak_bytes"] == max(stream.curve)
    assert any(repeated >= 0 for _, repeated in stream.ops)


@pytest.mark.parametrize("sample, budget", BUDGETS)
def test_plans_of_the_planner(sample, budget, tmp_path):
    path = tmp_path / "plan.json"
    command = [program("PLIMSOLL_CLI"), "plan", make.sample_path(sample), "--budget", str(budget), "--export", path]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plan = json.loads(path.read_text())
    assert plan["regions"]
    stream = record(sample, plan, tmp_path / "stream.json")
    assert_equal_at_every_step(sample, path, tmp_path / "stream.json")
    assert max(stream.curve_rounded512) == plan["evaluation"]["peak_bytes"] <= budget
