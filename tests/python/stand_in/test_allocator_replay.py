# SPDX-License-Identifier: Apache-2.0
"""core/allocator against PyTorch's own caching allocator: requested, allocated, active, reserved and inactive split bytes at their peaks."""

import os
import subprocess

import pytest
from helpers import ROOT, stand_in

CHECK = os.environ.get("PLIMSOLL_ALLOCATOR_CHECK", str(ROOT / "build/dev/bin/allocator_check"))
MiB = 1 << 20
TRAININGS = ("resnet18", "gpt2", "encoder")
SETTINGS = {
    "default": "",
    "expandable": "expandable_segments:True",
    "split limit": "max_split_size_mb:32",
    "rounded": "roundup_power2_divisions:8",
    "rounded by size": "roundup_power2_divisions:[1:4,8:2,>:1]",
    "expandable, rounded": "expandable_segments:True,roundup_power2_divisions:4",
}


def replayed(folder, device, settings, memory):
    """Rows as on_stand_in/events.py prints them."""
    with open(folder / f"{device}.txt") as events:
        done = subprocess.run([CHECK, settings, str(memory)], stdin=events, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [[int(number) for number in row.split()] for row in done.stdout.splitlines()]


def check(folder, programs, *, settings="", memory=80 * stand_in.GiB, **gpu):
    counted = stand_in.result("helpers.on_stand_in.events", str(folder), *programs, settings=settings, memory=memory, **gpu)
    found = [replayed(folder, device, settings, memory) for device in range(len(counted))]
    assert found == counted
    return counted


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_training_needs_what_the_replay_says(settings, tmp_path):
    (peaks,) = check(tmp_path, (*TRAININGS, "side_streams"), settings=settings)
    assert all(requested <= allocated <= active <= reserved for requested, allocated, active, reserved, _, _ in peaks)


@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
@pytest.mark.parametrize("settings", [SETTINGS["default"], SETTINGS["expandable"]], ids=["default", "expandable"])
def test_streams_pools_and_two_devices_too(settings, late, tmp_path):
    first, last = check(tmp_path, ("side_streams",), devices=2, late_events=late, settings=settings)
    assert first[0][0] > 0 and last[0][0] > 0


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_device_that_gets_full_too(settings, tmp_path):
    """What is cached is released and the allocation tried again, as often as PyTorch does it."""
    (peaks,) = check(tmp_path, ("gpt2", "out_of_memory", "encoder", "out_of_memory"), settings=settings, memory=760 * MiB)
    assert peaks[-1][-1] >= 2
