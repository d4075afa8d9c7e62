# SPDX-License-Identifier: Apache-2.0
"""The stand-in GPU itself: PyTorch's counters against PyTorch's own snapshot, and what fails as on a GPU."""

from functools import cache

import pytest
from helpers import stand_in

MiB = 1 << 20
EXPANDABLE = "expandable_segments:True"
TRAININGS = ("resnet18", "gpt2", "encoder")


@cache
def outcomes(*programs, **gpu):
    """Of each program its devices."""
    return stand_in.result("helpers.on_stand_in.programs", *programs, **gpu)


@pytest.mark.parametrize("settings", ["", EXPANDABLE, "max_split_size_mb:32"])
@pytest.mark.parametrize("program", TRAININGS)
def test_peaks_of_training_are_those_of_the_snapshot(program, settings):
    (device,) = outcomes(*TRAININGS, settings=settings)[program]
    assert device["events"] > 1000
    assert device["counted"] == device["replayed"]
    assert device["counted"]["requested"] <= device["allocated"] <= device["counted"]["reserved"]
    assert (device["retries"], device["ooms"]) == (0, 0)


@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
@pytest.mark.parametrize("settings", ["", EXPANDABLE])
def test_peaks_with_streams_pools_and_two_devices_are_those_of_the_snapshot(settings, late):
    devices = outcomes("side_streams", devices=2, late_events=late, settings=settings)["side_streams"]
    assert len(devices) == 2
    assert all(device["counted"] == device["replayed"] and device["counted"]["requested"] > 0 for device in devices)


def test_late_events_keep_what_another_stream_used():
    at_once, late = (outcomes("side_streams", devices=2, late_events=late, settings="")["side_streams"][0] for late in (False, True))
    assert late["counted"]["requested"] > at_once["counted"]["requested"]


@pytest.mark.parametrize("settings", ["", EXPANDABLE])
def test_a_full_device_is_an_error_of_pytorch_after_a_retry(settings):
    (device,) = outcomes("out_of_memory", memory=200 * MiB, settings=settings)["out_of_memory"]
    assert device["ooms"] == 1 and device["retries"] >= 1
    assert device["counted"] == device["replayed"]
    # What was cached was given back: four blocks of 46 MiB fit, the fifth does not.
    assert 4 * 48_000_000 <= device["counted"]["reserved"] <= 200 * MiB


def test_properties_are_those_asked_for():
    code = "import torch; p = torch.cuda.get_device_properties(1); print(p.major, p.minor, p.total_memory, torch.cuda.device_count())"
    assert stand_in.run(code, devices=3, memory=24 * stand_in.GiB, capability="9.0").stdout.split() == ["9", "0", str(24 * stand_in.GiB), "3"]


@pytest.mark.parametrize("settings", ["", EXPANDABLE])
@pytest.mark.parametrize("values, expected", [(False, [0, 0, 0]), (True, [7, 8, 9])])
def test_values_are_kept_where_asked_for(values, expected, settings):
    code = "import torch; t = torch.tensor([7, 8, 9]).cuda(); del t; t = torch.tensor([7, 8, 9]).cuda(); print(t.clone().tolist(), t.to('cuda:1').tolist())"
    assert stand_in.run(code, values=values, devices=2, settings=settings).stdout == f"{expected} {expected}\n"


def test_a_function_that_is_not_there_fails_with_its_name():
    done = stand_in.run("import torch; torch.linalg.svd(torch.ones(3, 3, device='cuda'))")
    assert done.returncode != 0
    assert "stand-in GPU: cusolverDn" in done.stderr and "is not implemented." in done.stderr


@pytest.mark.parametrize(
    "name, value, wanted",
    [
        ("STAND_IN_GPU_MEMORY", "lots", "the bytes of a device"),
        ("STAND_IN_GPU_CAPABILITY", "8", "a compute capability"),
        ("STAND_IN_GPU_DEVICES", "99", "a number of devices from 0 to 16"),
        ("STAND_IN_GPU_LATE_EVENTS", "yes", "0 or 1"),
        ("STAND_IN_GPU_VALUES", "2", "0 or 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(name, value, wanted, monkeypatch):
    monkeypatch.setattr(stand_in, "environment", lambda real=stand_in.environment: real() | {name: value})
    done = stand_in.run("import torch; torch.cuda.device_count()")
    assert done.returncode == 2
    assert f'{name} is "{value}", but must be {wanted}' in done.stderr


def test_the_injected_library_is_called_once(tmp_path):
    import subprocess

    source, library = tmp_path / "inject.c", tmp_path / "inject.so"
    source.write_text('#include <stdio.h>\nint InitializeInjection(void) { fputs("injected\\n", stderr); return 1; }\n')
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
    code = f"import os; os.environ['CUDA_INJECTION64_PATH'] = {str(library)!r}; import torch; torch.ones(1, device='cuda'); torch.ones(1, device='cuda')"
    assert stand_in.run(code).stderr.count("injected") == 1
