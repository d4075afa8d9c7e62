# SPDX-License-Identifier: Apache-2.0
"""`diff GRAPH PROFILE [PLAN]` of recordings on the stand-in GPU: where the measured peak comes from, to the byte, against PyTorch's own counters."""

import json
import subprocess
import sys

import pytest
from helpers import stand_in
from helpers.on_stand_in.language import language
from helpers.on_stand_in.recorded import CLI, environment

TRAIN = (
    '''
"""Trains an MLP of six blocks: train.py BATCH plain|kept [PLAN]; `train.py BATCH trace` records its step without a GPU. With STACKS it has PyTorch
record its memory, with stacks of that kind, to SNAPSHOT."""
import ctypes, json, os, sys
import plimsoll, torch
'''
    + language(6)
    + '''
def batch_of(size, device):
    return [torch.zeros(size, 128, dtype=torch.long, device=device) for _ in range(2)]

FOREIGN = 3 << 20
size, way, rest = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
if way == "trace":
    plimsoll.trace(Language(), tuple(batch_of(size, "cpu")), loss=loss_of, targets=1, optimizer=torch.optim.AdamW, name="language")
    sys.exit()
if "STACKS" in os.environ:
    torch.cuda.memory._record_memory_history(stacks=os.environ["STACKS"])
model = Language().cuda()
assert ctypes.CDLL("libcuda.so.1").cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(FOREIGN)) == 0  # as another library
if rest:
    plimsoll.apply(model, rest[0])
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    tokens, labels = batch_of(size, "cuda")
    if way == "kept":
        scores = model(tokens)
        loss_of(scores, labels).backward()
    else:
        loss_of(model(tokens), labels).backward()
    optimizer.step()
    optimizer.zero_grad()
if "STACKS" in os.environ:
    torch.cuda.memory._dump_snapshot(os.environ["SNAPSHOT"])
stats = torch.cuda.memory_stats()
print(json.dumps({name: stats[f"{name}_bytes.all.peak"] for name in ("requested", "allocated", "reserved")}))
'''
)
CUBLAS = 8_519_680  # CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8, PyTorch's default on capability 8.0
FOREIGN = 3 << 20
OUTPUT = 8 * 128 * 1000 * 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("waterfall")
    (folder / "train.py").write_text(TRAIN)
    stand_in.script(folder / "train.py", 8, "trace", folder=folder)
    return folder


def recorded(folder, name, *arguments):
    """PyTorch's counters; the recordings are NAME.pickle and NAME.plmcap."""
    command = [CLI, "record", "--snapshot", "-o", f"{name}.plmcap", "--", sys.executable, "train.py", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, cwd=folder, env=environment(CUBLAS_WORKSPACE_CONFIG=None))
    assert done.returncode == 0, done.stderr[-3000:]
    return counters(done)


def counters(done):
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


def snapshot(folder, name, *arguments, stacks="python"):
    """PyTorch's counters; NAME.pickle is what PyTorch itself writes."""
    variables = {"CUBLAS_WORKSPACE_CONFIG": None, "STACKS": stacks, "SNAPSHOT": f"{name}.pickle"}
    return counters(stand_in.script(folder / "train.py", *arguments, folder=folder, **variables))


def diff(folder, *arguments, exit=0):
    done = subprocess.run([CLI, "diff", *map(str, arguments), "--json"], capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.returncode == exit, done.stderr
    return json.loads(done.stdout) if exit == 0 else done.stderr


def rows(answer):
    """Those that aren't 0."""
    return {row["key"]: row["bytes"] for row in answer["rows"] if row["bytes"]}


@pytest.fixture(scope="module")
def plain(folder):
    return recorded(folder, "plain", 8, "plain")


GRAPH = "language.plimsoll.json.gz"


def test_the_rows_are_those_of_the_step_to_the_byte(plain, folder):
    answer = diff(folder, GRAPH, "plain.plmcap")  # with the snapshot beside it
    assert answer["predicted_peak_bytes"] == 124_446_440
    assert answer["measured_peak_bytes"] == plain["requested"] == 122_853_000
    assert (answer["allocated_peak_bytes"], answer["reserved_peak_bytes"]) == (plain["allocated"], plain["reserved"])
    assert answer["driver_peak_bytes"] == plain["reserved"] + FOREIGN
    assert rows(answer) == {
        "other_place": -6_017_120,  # live at the product in backward, instead of at the loss's backward
        "workspaces": CUBLAS,
        "outputs": -OUTPUT,  # kept by assumption, and let go of by the loop
        "rounding": plain["allocated"] - plain["requested"],
        "fragmentation": plain["reserved"] - plain["allocated"],
        "foreign": FOREIGN,
    }
    assert answer["not_explained_bytes"] == 0
    assert answer["matched"]["found"] == answer["matched"]["predicted"]
    assert {key: answer["step"][key] for key in ("from", "name", "number", "count")} == {"from": "phases", "name": "", "number": 3, "count": 3}
    (workspace,) = (row for row in answer["rows"] if row["key"] == "workspaces")
    assert len(workspace["allocations"]) == 1 and answer["measured_at"]["target"] == "aten.mm.default"


def test_phases_and_classes_add_up(plain, folder):
    answer = diff(folder, "plain.pickle", GRAPH)  # in either order
    assert sum(each["measured_bytes"] for each in answer["classes"]) == plain["requested"]
    assert sum(each["predicted_bytes"] for each in answer["classes"]) == 124_446_440
    differences = {each["class"]: each["difference_bytes"] for each in answer["classes"]}
    assert [differences[same] for same in ("parameters", "optimizer_state", "buffers", "inputs", "not_predicted")] == [0] * 5
    assert differences["workspaces"] == CUBLAS
    phases = {each["phase"]: each["difference_bytes"] for each in answer["phases"]}
    # cuBLASLt's workspace in forward, nothing in the loss; in the optimizer the output and the loss are gone.
    assert phases == {"forward": 1 << 20, "loss": 0, "backward": 122_853_000 - 124_446_440, "optimizer": -OUTPUT - 4}


def test_workspaces_are_recognised_by_their_stacks(folder):
    snapshot(folder, "frames", 8, "plain", stacks="all")
    (workspace,) = (row for row in diff(folder, GRAPH, "frames.pickle")["rows"] if row["key"] == "workspaces")
    assert workspace["bytes"] == CUBLAS and "recognised by their stacks: 1 x 8,519,680 B" in workspace["text"]


def test_an_output_that_the_loop_keeps_is_no_difference(folder):
    counted = snapshot(folder, "kept", 8, "kept")
    answer = diff(folder, GRAPH, "kept.pickle")
    assert answer["measured_peak_bytes"] == counted["requested"]
    assert answer["not_explained_bytes"] == 0 and "outputs" not in rows(answer)


def test_a_planned_step_is_compared_with_its_plan(folder):
    subprocess.run([CLI, "plan", GRAPH, "--budget", "80%", "--export", "plan.json"], check=True, capture_output=True, cwd=folder)
    counted = snapshot(folder, "planned", 8, "plain", "plan.json")
    answer = diff(folder, GRAPH, "planned.pickle", "plan.json")
    assert diff(folder, "plan.json", GRAPH, "planned.pickle")["rows"] == answer["rows"]  # in any order
    assert answer["measured_peak_bytes"] == counted["requested"] < 122_853_000
    assert answer["matched"]["found"] == answer["matched"]["predicted"]
    assert answer["not_explained_bytes"] == 0


def test_another_batch_is_refused(folder):
    snapshot(folder, "half", 4, "plain")
    said = diff(folder, GRAPH, "half.pickle", exit=3)
    assert "half.pickle: The recording is one of another model, batch or plan" in said
    assert "the first that isn't there is 1,048,576 B of embedding · aten.embedding (forward), where " in said


def test_a_capture_alone_has_no_tensors(plain, folder):
    (folder / "alone.plmcap").write_bytes((folder / "plain.plmcap").read_bytes())
    said = diff(folder, GRAPH, "alone.plmcap", exit=3)
    assert "The recording has the driver's blocks, as a capture does, not tensors: compare the snapshot of the same run." in said
