# SPDX-License-Identifier: Apache-2.0
"""cuBLAS's workspaces on the stand-in GPU: PyTorch takes what the device table and the planner say."""

import json

import pytest
from helpers import ROOT, stand_in

# A GPU of the device table for each compute capability, newest generation last.
GPUS = {"7.5": "t4", "8.0": "a100-80gb", "8.6": "a10", "8.9": "rtx-4090", "9.0": "h100", "10.0": "b200", "12.0": "rtx-5090"}
TAKEN = """
import json, torch

def taken(run):
    "Sizes of the blocks that an op frees, each once."
    torch.cuda.memory._record_memory_history(max_entries=1000, stacks="python")
    result = run()
    events = torch.cuda.memory._snapshot()["device_traces"][0]
    torch.cuda.memory._record_memory_history(None)
    return sorted({event["size"] for event in events if event["action"] == "free_completed"})

a, v = torch.empty(3, 256, 256, device="cuda"), torch.empty(256, device="cuda")
ops = {
    "mm": lambda: a[0] @ a[1], "bmm": lambda: torch.bmm(a, a), "baddbmm": lambda: torch.baddbmm(a, a, a), "addbmm": lambda: torch.addbmm(a[0], a, a),
    "mv": lambda: torch.mv(a[0], v), "addmv": lambda: torch.addmv(v, a[0], v), "dot": lambda: torch.dot(v, v),
    "addmm": lambda: torch.addmm(v, a[0], a[1]), "outer": lambda: torch.outer(v, v), "relu": lambda: torch.relu(a),
}
print(json.dumps({"size": torch._C._cuda_getCublasWorkspaceSize(), "taken": {name: taken(run) for name, run in ops.items()}}))
"""


def _answer(monkeypatch, config=None, **gpu):
    if config is None:
        monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG")
    else:
        monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", config)
    done = stand_in.run(TAKEN, **gpu)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("capability", GPUS)
def test_the_device_table_has_pytorchs_size(capability, monkeypatch):
    devices = {row["id"]: row for row in json.loads((ROOT / "resources" / "devices.json").read_text())["devices"]}
    row = devices[GPUS[capability]]["cublas_workspace_bytes"]
    assert f"compute capability {capability}" in row["source"]
    answer = _answer(monkeypatch, capability=capability)
    assert answer["size"] == row["value"]
    taken = answer["taken"]
    for op in ("mm", "bmm", "baddbmm", "addbmm", "mv", "addmv", "dot"):
        assert taken[op] == [row["value"]], op
    assert taken["addmm"] == [1 << 20]  # of cuBLASLt
    assert taken["outer"] == taken["relu"] == []


def test_the_environment_goes_before_the_table(monkeypatch):
    answer = _answer(monkeypatch, ":16:8")
    assert answer["size"] == 131_072 and answer["taken"]["mm"] == [131_072]
