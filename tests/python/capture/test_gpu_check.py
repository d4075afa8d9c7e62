# SPDX-License-Identifier: Apache-2.0
"""`plimsoll-cli gpu-check` on the stand-in GPU: all agrees, what the stand-in CUPTI loses or says wrongly is named, and nothing runs without a driver."""

import json
import os
import subprocess

import pytest
from helpers import stand_in
from helpers.on_stand_in import capture_file
from helpers.on_stand_in.recorded import CLI, environment

CHECKS = ["device", "allocations", "pool", "pinned", "virtual-memory", "copies", "fills", "kernels", "held-bytes", "order", "nothing-else"]


def run(*arguments, variables=None, **settings):
    inject = {"PLIMSOLL_INJECT": str(stand_in.INJECT), "PLIMSOLL_NVTX": str(stand_in.INJECT.with_name("libplimsoll_nvtx.so"))}
    given = environment(**inject, **settings) if variables is None else variables
    return subprocess.run([CLI, "gpu-check", *arguments], capture_output=True, text=True, timeout=60, env=given)


def results(done):
    """(GPU, check): (result, detail)."""
    return {(row["gpu"], row["check"]): (row["result"], row["detail"]) for row in json.loads(done.stdout)["checks"]}


@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("late", ["0", "1"])
@pytest.mark.parametrize("version", ["26", "130202"])
def test_all_agrees_on_each_device(devices, late, version):
    """Also where buffers come back out of order: nothing is lost by that."""
    done = run("--json", devices=devices, STAND_IN_CUPTI_LATE=late, STAND_IN_CUPTI_VERSION=version)
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert (answer["status"], answer["stand_in"], answer["cupti_version"]) == ("ok", True, int(version))
    rows = results(done)
    assert list(rows) == [(None, "recording"), *((device, check) for device in range(devices) for check in CHECKS)]
    assert {result for result, _ in rows.values()} == {"ok"}
    for device in range(devices):
        assert rows[device, "virtual-memory"][1] == "10 calls" and rows[device, "order"][1] == "38 records in the order of the calls"
        assert rows[device, "held-bytes"][1] == f"at most {8 << 20} bytes, 0 at the end"


def test_the_text_has_a_row_for_each_check_and_says_what_it_ran_on():
    done = run(devices=2)
    lines = done.stdout.splitlines()
    assert (done.returncode, len(lines)) == (0, 2 + 2 * len(CHECKS))
    assert lines[1].split() == ["GPU", "0", "device", "ok:", "stand-in", "GPU,", "compute", "capability", "8.0"]
    assert lines[-1] == "This is the stand-in GPU of Plimsoll's tests: it says nothing of a real GPU."


@pytest.mark.parametrize(
    "setting, value, expected",
    [
        ("DROP_EACH", "10", {"recording": "5 records lost by CUPTI", "allocations": "the free of 1048576 bytes is not recorded", "held-bytes": "were held"}),
        ("CUT", "1", {"recording": "1 buffer of CUPTI's that ended within a record", "kernels": "the kernel of 3 blocks is not recorded"}),
        ("WRONG", "bytes", {"allocations": "the allocation of 1048576 bytes: 1049088 bytes are recorded", "pool": "are recorded for 2097152", "held-bytes": "are recorded"}),
        ("WRONG", "time", {"order": "earlier than what was called before it"}),
        ("WRONG", "kind", {"allocations": "kind 5 is recorded, not of 3", "pinned": "kind 5 is recorded, not of 2", "held-bytes": "at most 4194304 bytes"}),
        ("WRONG", "twice", {"nothing-else": "an allocation of 1048576 bytes of kind 3"}),
        ("SUBSCRIBER", "other", {"recording": "Another profiler (other)", "allocations": "is not recorded", "virtual-memory": "and 7 more"}),
    ],
)  # fmt: skip
def test_what_differs_is_named(setting, value, expected):
    done = run("--json", **{f"STAND_IN_CUPTI_{setting}": value})
    assert done.returncode == 5 and json.loads(done.stdout)["status"] == "differs"
    rows = {check: row for (_, check), row in results(done).items()}
    for check, words in expected.items():
        assert rows[check][0] == "differs" and words in rows[check][1], (check, rows[check])
    lost = setting != "WRONG"
    assert (rows["recording"][0] == "differs") == lost
    assert (rows["order"][0] == "not possible") == lost


def test_a_call_that_fails_differs_and_what_depends_on_it_is_not_possible():
    done = run("--json", memory=4 << 20)
    rows = results(done)
    assert done.returncode == 5
    assert rows[0, "allocations"][0] == "differs" and rows[0, "allocations"][1].startswith("cuMemAlloc_v2 failed with ")
    assert rows[0, "fills"] == ("not possible", "no call was made, since another one has failed before")
    assert rows[0, "kernels"] == ("ok", "3 calls")


def test_one_check_alone():
    assert list(results(run("--json", "--only", "pool", devices=2))) == [(0, "pool"), (1, "pool")]
    done = run("--only", "pools")
    assert done.returncode == 2 and done.stderr.startswith('There is no check "pools": use one of recording, device, ')


def test_the_recording_and_the_account_are_kept_where_asked_for(tmp_path):
    assert run("-o", str(tmp_path / "x.plmcap")).returncode == 0
    capture = capture_file.read(tmp_path / "x.plmcap")
    assert capture.ended and len(capture.of("mapping")) == 10
    (work,) = json.loads((tmp_path / "x.json").read_text())["devices"]
    assert len(work["steps"]) == 38 and sorted(os.listdir(tmp_path)) == ["x.json", "x.plmcap"]


@pytest.mark.parametrize(
    "settings, words",
    [
        (None, "There is no NVIDIA driver here (libcuda.so.1: cannot open"),
        ({"devices": 0}, "cuInit failed with"),
        ({"STAND_IN_CUPTI_NO_DRIVER": "1"}, "CUPTI finds no NVIDIA driver"),
        ({"PLIMSOLL_CUPTI": "/there/is/no/libcupti.so"}, "CUPTI can't be loaded"),
    ],
    ids=["no driver", "no GPU", "no driver for CUPTI", "no CUPTI"],
)
def test_without_a_gpu_it_says_so(settings, words):
    alone = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
    done = run("--json", **(settings or {"variables": alone}))
    assert done.returncode == 77 and words in done.stderr and done.stderr.count("\n") == 1
    answer = json.loads(done.stdout)
    assert (answer["status"], answer["reason"] + "\n", answer["checks"]) == ("no_gpu", done.stderr, [])
