# SPDX-License-Identifier: Apache-2.0
"""What can fail in a recording: each is one sentence, and the program runs on as if nothing were."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from helpers import stand_in
from helpers.on_stand_in import capture_file
from helpers.on_stand_in.recorded import CALLS, environment, record, record_calls

# Works on the GPU whether it is recorded or not.
WORK = "kept = allocate(2 << 20)\nlaunch(100)\nfree(kept)\nprint('worked')"


@pytest.mark.parametrize(
    "variables, code, words",
    [
        ({"PLIMSOLL_CUPTI": "/there/is/no/libcupti.so"}, 1, ["libcupti.so", "cannot open", "PLIMSOLL_CUPTI"]),
        ({"PLIMSOLL_CUPTI": str(stand_in.FOLDER / "libstand_in_gpu.so")}, 2, ["has no function cuptiGetVersion"]),
        ({"STAND_IN_CUPTI_VERSION": "17"}, 3, ["API version 17", "older than CUDA 12"]),
        ({"STAND_IN_CUPTI_NO_DRIVER": "1"}, 5, ["no NVIDIA driver", "999", "nvidia-smi"]),
        ({"STAND_IN_CUPTI_SUBSCRIBER": "CUPTI for Nsight"}, 6, ["Another profiler (CUPTI for Nsight)", "run without it"]),
    ],
    ids=["no CUPTI", "not CUPTI", "old CUPTI", "no driver", "another profiler"],
)
def test_why_nothing_is_recorded_is_told_in_one_sentence(tmp_path, variables, code, words):
    recorded = record_calls(tmp_path / "x.plmcap", WORK, **variables)
    assert (recorded.exit, recorded.out) == (0, "worked")
    (status,) = recorded.process["statuses"]
    assert (status["code"], status["severity"]) == (code, 2)
    assert recorded.answer["warnings"] == [status["text"]] and status["text"].endswith(".") and ". " not in status["text"]
    assert all(word in status["text"] for word in words), status["text"]
    assert recorded.process["records"]["memory"] == 0


@pytest.mark.parametrize("version, code", [("18", None), ("26", None), ("27", None), ("130001", None), ("130202", None), ("140000", 4)])
def test_every_version_from_cuda_12_on_is_recorded(tmp_path, version, code):
    process = record_calls(tmp_path / "x.plmcap", WORK, STAND_IN_CUPTI_VERSION=version).process
    assert [status["code"] for status in process["statuses"]] == ([code] if code else [])
    assert process["cupti_version"] == int(version)
    assert (process["records"]["memory"], process["records"]["kernels"], process["devices"][0]["peak_bytes"]) == (2, 100, 2 << 20)


def test_records_that_cupti_loses_are_counted(tmp_path):
    recorded = record_calls(tmp_path / "x.plmcap", "launch(1000)", STAND_IN_CUPTI_DROP_EACH="10")
    assert recorded.process["records"]["kernels"] + recorded.process["lost_records"] == 1000
    assert recorded.process["lost_records"] == 100
    assert recorded.answer["warnings"][0].startswith("100 records are missing in ")


def test_a_buffer_that_is_cut_is_counted(tmp_path):
    recorded = record_calls(tmp_path / "x.plmcap", "launch(1000)", STAND_IN_CUPTI_CUT="1")
    assert (recorded.process["cut_buffers"], recorded.process["records"]["kernels"]) == (1, 999)
    assert "1 buffer that ended within a record, so one record is missing" in recorded.answer["warnings"][0]


@pytest.mark.parametrize("version", ["26", "130202"], ids=["must get a buffer", "may be refused one"])
def test_memory_of_a_recording_is_bounded(tmp_path, version):
    """No buffer comes back before the end, and there are two."""
    code = "launch(60000)"
    bounds = {"PLIMSOLL_CAPTURE_BUFFERS": "2", "PLIMSOLL_CAPTURE_PERIOD": "60000", "STAND_IN_CUPTI_LATE": "1", "STAND_IN_CUPTI_VERSION": version}
    process = record_calls(tmp_path / "x.plmcap", code, **bounds).process
    assert process["lost_records"] > 30_000
    assert process["records"]["kernels"] + process["lost_records"] == 60_000


def test_a_limit_on_file_sizes_ends_the_recording_and_not_the_program(tmp_path):
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))\n" + CALLS + "launch(20000)\nprint('worked')"
    file = tmp_path / "x.plmcap"
    recorded = record(file, sys.executable, "-S", "-c", code)
    assert (recorded.exit, recorded.out) == (0, "worked")
    (status,) = recorded.process["statuses"]
    assert (status["code"], status["severity"]) == (8, 2)
    assert recorded.answer["warnings"] == [status["text"]]
    assert f"Writing {file} failed after " in status["text"] and "File too large" in status["text"]
    assert 0 < recorded.process["records"]["kernels"] < 20_000
    assert os.path.getsize(file) <= 400_000 and capture_file.read(file).left_over == 0


def run(code, **variables):
    """Without the verb."""
    return subprocess.run([sys.executable, "-S", "-c", CALLS + code], capture_output=True, text=True, timeout=60, env=stand_in.environment(**variables))


def test_a_full_disk_ends_the_recording_and_not_the_program():
    done = run("launch(20000)\nprint('worked')", capture="/dev/full")
    assert (done.returncode, done.stdout, done.stderr) == (0, "worked\n", "")


def test_a_place_that_cannot_be_written_is_told_by_the_program(tmp_path):
    done = run("print('worked')", capture=tmp_path / "missing" / "x.plmcap")
    assert (done.returncode, done.stdout) == (0, "worked\n")
    assert done.stderr.startswith("Plimsoll can't write ") and done.stderr.endswith("(No such file or directory), so nothing is recorded.\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("library, entry", [("libplimsoll_inject.so", "InitializeInjection"), ("libplimsoll_nvtx.so", "InitializeInjectionNvtx2")])
def test_the_library_shows_one_name_and_brings_its_own_runtime(library, entry):
    path = stand_in.INJECT.with_name(library)
    names = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout.split()
    assert names[2::3] == [entry]
    needed = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True).stdout.split("\n")
    needed = {line.split()[1] for line in needed if "NEEDED" in line}
    assert needed <= {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}


def test_nvidias_cupti_is_not_called_where_there_is_no_driver(tmp_path):
    """Version 13.2 calls itself there until the stack is full."""
    (cupti,) = Path(torch.__file__).parents[1].glob("nvidia/cu13/lib/libcupti.so.13")
    code = f"import ctypes; print(*(getattr(ctypes.CDLL({str(stand_in.INJECT.parent)!r} + '/libplimsoll_' + name), entry)(None) for name, entry in (('inject.so', 'InitializeInjection'), ('nvtx.so', 'InitializeInjectionNvtx2'))))"
    variables = {"PLIMSOLL_CUPTI": str(cupti), "PLIMSOLL_CAPTURE_FILE": str(tmp_path / "x.plmcap")}
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=os.environ | variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 0\n", "")
    (file,) = tmp_path.iterdir()
    (status,) = capture_file.read(file).statuses
    assert status.startswith("CUPTI finds no NVIDIA driver that it can use (its error 15)")


def test_programs_without_cuda_are_left_alone(tmp_path):
    done = subprocess.run(["true"], env=environment(CUDA_INJECTION64_PATH=str(stand_in.INJECT), PLIMSOLL_CAPTURE_FILE=str(tmp_path / "x.plmcap")))
    assert done.returncode == 0 and not list(tmp_path.iterdir())
