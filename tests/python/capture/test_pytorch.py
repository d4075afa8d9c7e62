# SPDX-License-Identifier: Apache-2.0
"""What `record` asks of PyTorch: single tensors, and its own memory snapshots."""

import json
import pickle
import subprocess
import sys

from helpers import stand_in
from helpers.on_stand_in import capture_file
from helpers.on_stand_in.recorded import CLI, record

MiB = 1 << 20


def test_tensors_are_allocations_of_their_own(tmp_path):
    code = """
import torch
kept = [torch.empty(1 << 10, device="cuda") for _ in range(50)]
del kept
"""
    recorded = record(tmp_path / "x.plmcap", sys.executable, "-c", code, options=("--tensors",))
    (device,) = recorded.process["devices"]
    assert recorded.exit == 0
    assert (device["allocations"], device["releases"], device["peak_bytes"], device["end_bytes"]) == (50, 50, 50 * 4096, 0)


SNAPSHOT = """
import os, sys, torch
assert os.environ["OWN"] == "ran", "the user's sitecustomize"
torch.cuda.nvtx.range_push("lost: before CUDA")
kept = torch.empty(8 << 20, device="cuda", dtype=torch.uint8)
torch.cuda.nvtx.range_push("full")
for _ in range(2):
    try:
        torch.empty(1 << 40, device="cuda", dtype=torch.uint8)
    except torch.OutOfMemoryError as error:
        print("full")
torch.cuda.nvtx.range_pop()
later = torch.empty(30 << 20, device="cuda", dtype=torch.uint8)
sys.exit(5)
"""


def test_pytorch_writes_snapshots_at_the_end_and_when_memory_is_full(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import os; os.environ['OWN'] = 'ran'\n")
    file = tmp_path / "x.plmcap"
    environment = stand_in.environment(PLIMSOLL_CUPTI=str(stand_in.FOLDER / "libstand_in_cupti.so"))
    environment["PYTHONPATH"] = str(own)
    command = [CLI, "record", "--json", "--snapshot", "-o", str(file), "--", sys.executable, "-c", SNAPSHOT]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 5, done.stderr
    assert done.stdout.splitlines()[:-1] == ["full", "full"]
    assert json.loads(done.stdout.splitlines()[-1])["warnings"] == []
    assert f"{tmp_path / 'x.pickle'}: PyTorch's memory snapshot." in done.stderr
    at_end, when_full = (pickle.loads((tmp_path / name).read_bytes()) for name in ("x.pickle", "x.oom.pickle"))
    assert [entry["action"] for entry in when_full["device_traces"][0]][-1] == "oom"
    assert sum(segment["total_size"] for segment in when_full["segments"]) == 20 * MiB
    capture = capture_file.read(file)
    assert capture.device_bytes()[0][1] == sum(segment["total_size"] for segment in at_end["segments"]) == 50 * MiB
    assert [entry["action"] for entry in at_end["device_traces"][0]].count("oom") == 2
    names = [capture.texts.get(marker["name"]) for marker in capture.of("marker")]
    assert names == ["full", None]
    # Failed calls are seen, too.
    assert [call["status"] for call in capture.of("call")].count(2) >= 2


FOREIGN = """
import ctypes, torch
gpu = ctypes.CDLL("libcuda.so.1")
def allocate(size):
    address = ctypes.c_void_p()
    assert gpu.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(size)) == 0
    return address
first = torch.empty(8 << 20, device="cuda", dtype=torch.uint8)
torch.cuda.nvtx.range_push("step")
passing, staying = allocate(12 << 20), allocate(3 << 20)
second = torch.empty(30 << 20, device="cuda", dtype=torch.uint8)
assert gpu.cudaFree(passing) == 0
third = torch.empty(50 << 20, device="cuda", dtype=torch.uint8)
del second
torch.cuda.nvtx.range_pop()
print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
"""


def test_recording_and_snapshot_are_one_document(tmp_path):
    file = tmp_path / "x.plmcap"
    done = record(file, sys.executable, "-c", FOREIGN, options=("--snapshot",))
    peak, reserved = map(int, done.out.split())

    def inspect():
        told = subprocess.run([CLI, "inspect", "--json", str(file)], capture_output=True, text=True)
        assert told.returncode == 0, told.stderr
        return json.loads(told.stdout)["summary"]

    both = inspect()
    assert (both["peak_bytes"], both["peak_reserved_bytes"]) == (peak, reserved)
    # What others got from the driver, by address; what is free in PyTorch's segments is not foreign.
    assert (both["peak_foreign_bytes"], both["end_foreign_bytes"]) == (15 * MiB, 3 * MiB)
    assert both["annotations"] == 1 and not any("the tensors within" in gap for gap in both["gaps"])
    snapshot = tmp_path / "x.pickle"
    snapshot.write_bytes(snapshot.read_bytes()[:100])
    alone = inspect()
    assert alone["peak_bytes"] == reserved + 15 * MiB - 12 * MiB and alone["peak_foreign_bytes"] is None
    assert any(f"{snapshot} beside the recording is not used: " in gap for gap in alone["gaps"])


def test_tensors_and_snapshots_exclude_each_other(tmp_path):
    done = subprocess.run([CLI, "record", "--tensors", "--snapshot", "-o", str(tmp_path / "x.plmcap"), "--", "true"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("--tensors and --snapshot exclude each other") and not list(tmp_path.iterdir())


def test_a_program_without_pytorch_has_no_snapshot(tmp_path):
    recorded = record(tmp_path / "x.plmcap", sys.executable, "-c", "print(1)", options=("--snapshot",))
    assert (recorded.exit, recorded.out) == (0, "1")
    assert recorded.answer["warnings"][1].startswith("PyTorch wrote no memory snapshot: ")
