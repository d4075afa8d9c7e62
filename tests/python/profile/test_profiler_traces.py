# SPDX-License-Identifier: Apache-2.0
"""`plimsoll-cli` of traces that torch.profiler exported on the stand-in GPU, against the totals that PyTorch noted with each event: equal to the byte."""

import gzip
import json
import os
import subprocess
from decimal import Decimal

import pytest
from helpers import stand_in

MiB = 1 << 20
RECORDED = {"training": {}, "stacks": {}, "full": {"memory": 200 * MiB}, "streams": {"devices": 2}, "scheduled": {}}


def told(*arguments):
    done = subprocess.run([os.environ["PLIMSOLL_CLI"], *map(str, arguments), "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def memory_of(trace):
    """The events of each GPU's memory, sorted by time."""
    events = [event for event in trace["traceEvents"] if event["name"] in ("[memory]", "[OutOfMemory]") and event["args"]["Device Type"] == 1]
    events.sort(key=lambda event: event["ts"])
    return {device: [event for event in events if event["args"]["Device Id"] == device] for device in {event["args"]["Device Id"] for event in events}}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """By name: the trace's path, its content, what PyTorch counted, and what inspect says."""
    folder, known = tmp_path_factory.mktemp("traces"), {}

    def of(name):
        if name not in known:
            path = folder / f"{name}.pt.trace.json"
            counted = stand_in.result("helpers.on_stand_in.profiled", str(path), name, **RECORDED[name])
            known[name] = path, json.loads(path.read_bytes(), parse_float=Decimal), counted, told("inspect", path)
        return known[name]

    return of


@pytest.mark.parametrize("name", RECORDED)
def test_figures_are_those_of_pytorch(name, recorded):
    _, trace, counted, inspected = recorded(name)
    assert inspected["format"] == "kineto" and inspected["kind"] == "profile"
    found = {device["device"]: device for device in inspected["summary"]["per_device"]}
    by_device = memory_of(trace)
    assert found.keys() == by_device.keys() and by_device
    for ordinal, events in by_device.items():
        first, device = events[0]["args"], found[ordinal]
        totals = [event["args"]["Total Allocated"] for event in events]
        assert device["events"] == len(events)
        assert device["initial_bytes"] == first["Total Allocated"] - first["Bytes"]
        assert device["peak_bytes"] == max(device["initial_bytes"], *totals)
        assert device["end_bytes"] == totals[-1] and device["end_allocated_bytes"] is None
        assert device["peak_reserved_bytes"] == max(event["args"]["Total Reserved"] for event in events)
        assert device["ooms"] == sum(event["name"] == "[OutOfMemory]" for event in events)
        if name in ("training", "stacks"):
            assert device["peak_bytes"] == counted[ordinal]["peak_bytes"]
    assert "totals_that_differ" not in inspected["statistics"] and "totals_below_events" not in inspected["statistics"]


@pytest.mark.parametrize("name", RECORDED)
def test_live_bytes_are_the_totals_after_each_event(name, recorded):
    path, trace, _, _ = recorded(name)
    for device, events in memory_of(trace).items():
        # Each takes a process: of many events some from everywhere, and all around the peak.
        totals = [event["args"]["Total Allocated"] for event in events]
        peak = totals.index(max(totals))
        chosen = sorted({*range(0, len(events), max(1, len(events) // 25) if len(events) > 100 else 1), *range(max(0, peak - 3), min(len(events), peak + 4)), len(events) - 1})
        assert [told("live", path, "--device", device, "--at", index)["bytes"] for index in chosen] == [totals[index] for index in chosen]


def test_stacks_are_the_functions_that_were_running(recorded):
    path, trace, _, inspected = recorded("stacks")
    groups = told("live", path, "--at", "peak", "--by", "stack")["groups"]
    names = [frame.rsplit(":", 1)[-1] for group in groups for frame in group["frames"]]
    assert "aten::empty" in " ".join(frame for group in groups for frame in group["frames"]) and "resnet18" in names and "train" in names
    assert not any("with_stack" in gap for gap in inspected["summary"]["gaps"])
    # By frame: lines of the program itself, and not of torch, whose paths look alike.
    frames = [group["name"] for group in told("live", path, "--at", "peak", "--by", "frame")["groups"]]
    own = [frame for frame in frames if not frame.startswith("(")]
    assert own and all("programs.py:" in frame or "profiled.py:" in frame for frame in own), frames
    # The line is that of the call, which stands in what was called.
    lines = {event["args"]["CallFrom"] for event in trace["traceEvents"] if event.get("cat") == "python_function" and event["args"].get("CallFrom")}
    assert all(":".join(frame.split(":")[:2]) in lines for frame in own), own


def test_without_stacks_operators_are_named(recorded):
    path, _, _, inspected = recorded("training")
    assert any("with_stack=True" in gap for gap in inspected["summary"]["gaps"])
    frames = {frame for group in told("live", path, "--at", "peak", "--by", "stack")["groups"] for frame in group["frames"]}
    assert any(frame.endswith("aten::empty") for frame in frames) and any("the program" in frame for frame in frames)


def test_ranges_are_annotations(recorded):
    _, trace, _, inspected = recorded("scheduled")
    ranges = [event["name"] for event in trace["traceEvents"] if event.get("cat") == "user_annotation"]
    assert any(name.startswith("ProfilerStep#") for name in ranges)
    assert inspected["summary"]["annotations"] == len(ranges)


def test_classes_follow_from_stacks(recorded):
    path = recorded("stacks")[0]
    classes = {group["name"]: group["bytes"] for group in told("live", path, "--at", "peak", "--by", "class")["groups"]}
    assert {"optimizer_state", "gradients", "lasting", "before"} <= classes.keys()


def test_gzip_says_the_same(recorded, tmp_path):
    path, _, _, inspected = recorded("streams")
    again = tmp_path / "again.pt.trace.json.gz"
    again.write_bytes(gzip.compress(path.read_bytes()))
    assert told("inspect", again)["summary"] == inspected["summary"]


def test_a_trace_without_memory_says_how_to_record_it(tmp_path):
    path = tmp_path / "plain.json"
    code = "import sys, torch\nwith torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as p: torch.ones(3)\np.export_chrome_trace(sys.argv[1])"
    assert stand_in.run(code, str(path)).returncode == 0
    done = subprocess.run([os.environ["PLIMSOLL_CLI"], "inspect", path], capture_output=True, text=True)
    assert done.returncode == 3 and "profile_memory=True" in done.stderr and done.stderr.count("\n") == 1, done.stderr
