# SPDX-License-Identifier: Apache-2.0
"""`plimsoll-cli diagnose` of recordings made with PyTorch's real allocator on the stand-in GPU: what it says that other settings reserve is
what PyTorch reserves with them, to the byte; an allocation that failed is diagnosed as PyTorch's error tells it."""

import json
import os
import subprocess

import pytest
from helpers import stand_in

MiB = 1 << 20
EXPANDABLE = "expandable_segments:True"
OPTIONS = (EXPANDABLE, "max_split_size_mb:64", "max_split_size_mb:128", "roundup_power2_divisions:4", "roundup_power2_divisions:8")
FULL = {"fragments": 200 * MiB, "batch": 700 * MiB, "growing": 920 * MiB, "side_by_side": 150 * MiB}


def diagnosed(*arguments, text=None):
    done = subprocess.run([os.environ["PLIMSOLL_CLI"], "diagnose", *arguments, "--json"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """By program, settings and bytes of the device: the snapshot's path, and what PyTorch says."""
    folder, known = tmp_path_factory.mktemp("diagnosed"), {}

    def of(name, settings="", memory=80 * stand_in.GiB):
        if (name, settings, memory) not in known:
            path = folder / f"{len(known)}.pickle"
            told = stand_in.result("helpers.on_stand_in.diagnosed", str(path), name, settings=settings, memory=memory)
            known[name, settings, memory] = path, told
        return known[name, settings, memory]

    return of


@pytest.mark.parametrize("settings", ["", EXPANDABLE, "max_split_size_mb:64"])
def test_the_recorded_settings_reserve_what_was_recorded(settings, recorded):
    path, told = recorded("trainings", settings)
    replay = diagnosed(path)["replay"]
    assert replay["how_known"] == "replay" and replay["doubts"] == []
    assert replay["settings"] == settings and replay["peak_reserved_bytes"] == told["peak_reserved"]


@pytest.mark.parametrize("program", ["trainings", "releases", "growing"])
def test_other_settings_reserve_what_pytorch_reserves_with_them(program, recorded):
    replay = diagnosed(recorded(program)[0])["replay"]
    assert replay["how_known"] == "replay"
    found = {run["option"]: run["peak_reserved_bytes"] for run in replay["runs"] if run["option"] in OPTIONS}
    assert found == {option: recorded(program, option)[1]["peak_reserved"] for option in OPTIONS}
    assert len({*found.values(), replay["peak_reserved_bytes"]}) > 2  # the settings differ, or this would prove little


def test_settings_are_replayed_from_expandable_segments_too(recorded):
    replay = diagnosed(recorded("trainings", EXPANDABLE)[0])["replay"]
    (without,) = (run for run in replay["runs"] if run["option"] == "expandable_segments:False")
    assert without["peak_reserved_bytes"] == recorded("trainings")[1]["peak_reserved"]


@pytest.mark.parametrize("program", FULL)
def test_a_failure_is_diagnosed_as_pytorch_tells_it(program, recorded):
    path, told = recorded(program, memory=FULL[program])
    found = diagnosed(path)
    assert told["ooms"] == 1 and found["failed"]
    assert (found["free_bytes"], found["reserved_bytes"], found["live_bytes"]) == (told["free"], told["reserved"], told["live"])
    assert found["idle"]["known"] == "state" and found["idle_bytes"] == told["reserved"] - told["allocated"]
    assert found["live_bytes"] + (found["rounding_bytes"] or 0) == told["allocated"]
    # The error names the segment that the driver refused.
    assert found["replay"]["needed_bytes"] == told["reserved"] + told["asked"]
    assert found["missing_bytes"] == told["asked"] - told["free"]
    said = diagnosed("-", text=f"Traceback (most recent call last):\n  File \"train.py\"\ntorch.OutOfMemoryError: {told['message']}\n")
    exact = {"asked_bytes": told["asked"], "free_bytes": told["free"], "capacity_bytes": told["capacity"], "reserved_bytes": told["reserved"]}
    exact |= {"live_bytes": told["allocated"], "idle_bytes": told["reserved"] - told["allocated"]}
    for key, value in exact.items():
        assert abs(said[key] - value) <= said["uncertain_by"][key], key
    assert said["device"] == 0 and said["by_class"] is None


@pytest.mark.parametrize("program", ["fragments", "growing"])
def test_settings_that_would_have_had_memory_really_have(program, recorded):
    path, _ = recorded(program, memory=FULL[program])
    found = diagnosed(path)
    assert found["replay"]["how_known"] == "replay"
    outcome = {run["option"]: run["failed_event"] is None for run in found["replay"]["runs"] if run["option"] in OPTIONS}
    assert outcome == {option: recorded(program, option, FULL[program])[1]["ooms"] == 0 for option in OPTIONS}
    assert any(remedy["id"] == "expandable_segments" for remedy in found["remedies"]) == outcome[EXPANDABLE]


def test_the_best_remedy_is_the_one_that_pytorch_confirms(recorded):
    found = diagnosed(recorded("fragments", memory=FULL["fragments"])[0])
    first = found["remedies"][0]
    assert first["id"] == "expandable_segments" and first["suffices"] and first["how_known"] == "replay"
    assert first["saves_bytes"] == found["missing_bytes"] == 60 * MiB
    assert recorded("fragments", EXPANDABLE, FULL["fragments"])[1]["peak_reserved"] == found["replay"]["needed_bytes"] - first["saves_bytes"]


def test_fragmentation_is_what_no_block_could_hold(recorded):
    found = diagnosed(recorded("fragments", memory=FULL["fragments"])[0])
    assert found["asked_bytes"] == 60 * MiB and found["largest_idle_bytes"] < 60 * MiB
    assert found["idle"]["too_small_bytes"] == found["idle_bytes"] > 60 * MiB


def test_classes_of_a_training_that_fails_in_forward(recorded):
    found = diagnosed(recorded("batch", memory=FULL["batch"])[0])
    classes = {group["name"]: group["bytes"] for group in found["by_class"]}
    parameters = 8 * (2048 * 2048 + 2048) * 4
    assert 2 * parameters <= classes["optimizer_state"] <= 2 * parameters + 4096
    assert classes["activations"] > 0 and sum(classes.values()) == found["live_bytes"]
    remedies = {remedy["id"]: remedy for remedy in found["remedies"]}
    assert remedies["optimizer_offload"]["saves_bytes"] == classes["optimizer_state"]
    assert "smaller_batch" in remedies and remedies["checkpointing"]["saves_bytes"] is None


def test_streams_make_it_an_estimate(recorded):
    path, _ = recorded("side_by_side", memory=FULL["side_by_side"])
    replay = diagnosed(path)["replay"]
    assert replay["how_known"] == "estimate" and any("which stream" in doubt for doubt in replay["doubts"])
