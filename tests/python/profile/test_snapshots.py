# SPDX-License-Identifier: Apache-2.0
"""`plimsoll-cli inspect` of PyTorch's memory snapshots, recorded on the stand-in GPU, against PyTorch's own counters: equal to the byte."""

import gzip
import json
import os
import pickle
import subprocess

import pytest
from helpers import stand_in

MiB = 1 << 20
RECORDED = {  # the recording, and the GPU that it runs on
    "default": ("default", {}),
    "training": ("training", {}),
    "expandable": ("training", {"settings": "expandable_segments:True"}),
    "full": ("full", {"memory": 200 * MiB}),
    "ring": ("ring", {}),
    "streams": ("streams", {"late_events": True}),
    "two devices": ("completions", {"devices": 2, "settings": "expandable_segments:True"}),
    "pool": ("pool", {}),
    "notes": ("notes", {}),
}


def inspected(path):
    done = subprocess.run([os.environ["PLIMSOLL_CLI"], "inspect", path, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """By name: the snapshot's path, what PyTorch counted, and what inspect says."""
    folder, known = tmp_path_factory.mktemp("snapshots"), {}

    def of(name):
        if name not in known:
            recording, gpu = RECORDED[name]
            path = folder / f"{name}.pickle"
            counted = stand_in.result("helpers.on_stand_in.recordings", str(path), recording, **gpu)
            known[name] = path, counted, inspected(path)
        return known[name]

    return of


@pytest.mark.parametrize("name", RECORDED)
def test_figures_are_those_of_pytorch(name, recorded):
    _, counted, told = recorded(name)
    summary = told["summary"]
    found = {device["device"]: device for device in summary["per_device"]}
    assert told["format"] == "torch-snapshot" and told["kind"] == "profile"
    for ordinal, figures in enumerate(counted):
        if figures:
            assert {key: found[ordinal][key] for key in figures} == figures
    highest = max((device for device in found.values() if device["device"] >= 0), key=lambda device: device["peak_bytes"])
    assert all(summary[key] == highest[key] for key in ("peak_bytes", "peak_event", "initial_bytes", "end_bytes", "peak_reserved_bytes"))


@pytest.mark.parametrize("name", RECORDED)
def test_counts_are_those_of_the_pickle(name, recorded):
    path, _, told = recorded(name)
    root, summary = pickle.loads(path.read_bytes()), told["summary"]
    host = root.get("host_traces", [])
    events = [event for trace in root["device_traces"] for event in trace] + host
    segments = root["segments"] + root.get("host_segments", [])
    stacks = {tuple((f["filename"], f["line"], f["name"]) for f in part.get("frames", [])) for part in [*events, *segments]}
    stacks |= {tuple((f["filename"], f["line"], f["name"]) for f in block["frames"]) for part in segments for block in part["blocks"]}
    assert summary["events"] == len(events)
    assert summary["segments"] == len(segments)
    assert summary["stacks"] == len(stacks - {()})
    assert summary["ooms"] == sum(event["action"] == "oom" for event in events)
    assert summary["annotations"] == sum(mark["stage"] == "START" for mark in root.get("external_annotations", []))
    idle = [block["size"] for part in segments for block in part["blocks"] if block["state"] == "inactive"]
    assert sum(device["end_free_bytes"] for device in summary["per_device"]) == sum(idle)
    assert sum(device["end_free_blocks"] for device in summary["per_device"]) == len(idle)
    assert max(device["end_largest_free_bytes"] for device in summary["per_device"]) == max(idle, default=0)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_any_protocol_and_gzip_say_the_same(protocol, recorded, tmp_path):
    path, _, told = recorded("notes")
    again = tmp_path / "again.pickle.gz"
    again.write_bytes(gzip.compress(pickle.dumps(pickle.loads(path.read_bytes()), protocol)))
    found = inspected(again)
    assert found["summary"] == told["summary"] and found["statistics"] == told["statistics"]
    assert found["format_version"] == protocol


def test_every_feature_is_in_a_recording(recorded):
    """Else the tests above would prove less than they seem to."""
    roots = {name: pickle.loads(recorded(name)[0].read_bytes()) for name in RECORDED}
    events = {name: [event for trace in root["device_traces"] for event in trace] for name, root in roots.items()}
    blocks = {name: [block for part in root["segments"] for block in part["blocks"]] for name, root in roots.items()}
    has = lambda name, action: any(event["action"] == action for event in events[name])  # noqa: E731
    assert any("torch::" in frame["name"] for event in events["default"] for frame in event["frames"])
    assert any(not event["frames"] for event in events["training"]) and has("training", "segment_alloc")
    assert has("expandable", "segment_map") and any(part["is_expandable"] for part in roots["expandable"]["segments"])
    assert events["full"][-1]["action"] == "oom" and has("full", "segment_free")
    assert len(events["ring"]) == 1000
    assert any(block["state"] == "active_pending_free" for block in blocks["streams"])
    assert len({event["stream"] for event in events["streams"]}) > 1
    assert all(len(trace) > 0 for trace in roots["two devices"]["device_traces"]) and not has("two devices", "free_requested")
    assert any(event["pool_id"] != (0, 0) for event in events["pool"])
    assert has("notes", "annotate") and not has("notes", "free_completed")
    assert roots["notes"]["host_traces"] and roots["notes"]["external_annotations"]
    assert {event["user_metadata"] for event in events["notes"]} >= {"warm-up", '{"step":1}', "weights"}


def test_memory_before_the_recording_counts(recorded):
    _, _, told = recorded("default")
    assert told["summary"]["initial_bytes"] >= 4 * 3_000_001 + 4 * 5_000_000
    assert told["statistics"]["frees_without_allocation"] == 1 and told["statistics"]["active_without_event"] >= 1


def test_a_ring_that_ran_over_is_noticed(recorded):
    assert recorded("ring")[2]["summary"]["may_have_overflowed"]
    assert not recorded("default")[2]["summary"]["may_have_overflowed"]


def test_a_bare_list_of_segments_is_a_profile(recorded, tmp_path):
    path, counted, _ = recorded("pool")
    bare = tmp_path / "segments.pickle"
    bare.write_bytes(pickle.dumps(pickle.loads(path.read_bytes())["segments"]))
    found = inspected(bare)["summary"]
    assert found["events"] == 0 and found["end_bytes"] == counted[0]["end_bytes"]


def test_bad_files_end_with_a_sentence(recorded, tmp_path):
    path, _, _ = recorded("pool")
    whole = path.read_bytes()
    bad = {
        "cut": whole[: len(whole) // 2],
        "old": pickle.dumps({"segments": []}, 0),
        "foreign": pickle.dumps({"weights": [1, 2]}),
        "calls": pickle.dumps({"segments": os.getcwd}),
    }
    for name, content in bad.items():
        file = tmp_path / f"{name}.pickle"
        file.write_bytes(content)
        done = subprocess.run([os.environ["PLIMSOLL_CLI"], "inspect", file], capture_output=True, text=True)
        assert done.returncode == 3 and f"{name}.pickle at byte " in done.stderr and done.stderr.count("\n") == 1, done.stderr
