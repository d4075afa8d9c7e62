# SPDX-License-Identifier: Apache-2.0
"""Traces with a GPU in sight are those without one, wherever model and batch lie; shown on the stand-in GPU."""

import json
from functools import cache

import pytest
from helpers import stand_in
from helpers.on_stand_in.traces import CASES, PLACES, digest, packed, shared, traced
from plimsoll.kernels.cuda_kernels import DEVICE


@cache
def with_gpu():
    return stand_in.result("helpers.on_stand_in.traces")


@pytest.mark.parametrize("way, dtype", CASES)
def test_autocast_is_that_of_a_trace_without_a_gpu(way, dtype):
    # Without a GPU, PyTorch leaves autocast("cuda") off around the call.
    here = traced("cpu", "asked" if way == "around" else way, dtype)
    assert here["autocast"] == dtype
    assert [with_gpu()[f"{place} {way} {dtype}"] for place in PLACES] == [digest(here)] * len(PLACES)


def test_shared_memory_is_that_of_a_trace_without_a_gpu():
    here = shared("cpu")
    assert [names for *_, names in here["storages"] if len(names) > 1] == [["whole", "part", "bits"], ["args[0]", "args[1]"]]
    assert [with_gpu()[f"{place} shared"] for place in PLACES] == [digest(here)] * len(PLACES)


def test_packed_sequences_are_those_of_a_trace_without_a_gpu():
    assert with_gpu()["packed"] == digest(packed())


def test_the_scripts_of_readme_and_manual_run_with_a_gpu_in_sight(tmp_path):
    traces = stand_in.result("helpers.on_stand_in.pages", str(tmp_path))
    assert {name for name, (target, _) in traces.items() if target == "cuda"} >= {"mine.plimsoll.json.gz", "varied.plimsoll.json.gz"}
    assert [name for name, (_, assumed) in traces.items() if DEVICE in assumed] == []  # PyTorch picked the kernels
    unplanned, planned = json.loads((tmp_path / "mine.measurement.json").read_text())["runs"]
    assert planned["allocator_peak_bytes"] < unplanned["allocator_peak_bytes"]
