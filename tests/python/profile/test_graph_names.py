# SPDX-License-Identifier: Apache-2.0
"""`live --graph` of a recording on the stand-in GPU without frames of C++: each allocation has the op that PyTorch's own frames name."""

import json
import pickle
import re
import subprocess

import pytest
from helpers import stand_in
from helpers.on_stand_in.language import language
from helpers.on_stand_in.recorded import CLI

TRAIN = (
    '''
"""Trains an MLP of three blocks and dumps a snapshot; `train.py trace` records its step without a GPU."""
import sys
import plimsoll, torch
'''
    + language(3)
    + """
def batch_of(device):
    return [torch.zeros(8, 64, dtype=torch.long, device=device) for _ in range(2)]

if sys.argv[1] == "trace":
    plimsoll.trace(Language(), tuple(batch_of("cpu")), loss=loss_of, targets=1, optimizer=torch.optim.AdamW, name="language")
    sys.exit()
torch.cuda.memory._record_memory_history(stacks="all")
model = Language().cuda()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    tokens, labels = batch_of("cuda")
    loss_of(model(tokens), labels).backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.memory._dump_snapshot("all.pickle")
"""
)
GRAPH = "language.plimsoll.json.gz"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With all.pickle, and python.pickle: the same recording as with stacks="python"."""
    folder = tmp_path_factory.mktemp("names")
    (folder / "train.py").write_text(TRAIN)
    for way in ("trace", "train"):
        stand_in.script(folder / "train.py", way, folder=folder)
    snapshot = pickle.loads((folder / "all.pickle").read_bytes())
    for events in snapshot["device_traces"]:
        for event in events:
            event["frames"] = [frame for frame in event.get("frames", []) if frame["filename"].endswith(".py")]
    (folder / "python.pickle").write_bytes(pickle.dumps(snapshot))
    return folder


def live(folder, event, *options):
    done = subprocess.run([CLI, "live", "python.pickle", "--at", str(event), "--json", *options], capture_output=True, text=True, timeout=60, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ops_of(event):
    """The ops of PyTorch whose functions are in a stack."""
    return {match[1] for frame in event["frames"] if (match := re.search(r"at::_ops::(\w+?)(?:_out)?::(?:call|redispatch)", frame["name"]))}


def test_backward_gets_the_ops_that_pytorch_names(folder):
    (events,) = (trace for trace in pickle.loads((folder / "all.pickle").read_bytes())["device_traces"] if trace)
    backward = [i for i, event in enumerate(events) if event["action"] == "alloc" and any("autograd::Engine" in frame["name"] for frame in event["frames"])]
    last = backward[-(len(backward) // 3) :]  # of three steps
    seen = {block["alloc_event"]: block for event in last for block in live(folder, event, "--graph", GRAPH)["known"]}
    named = {event: seen[event] for event in last}  # every one
    assert len(named) >= 30
    for event, block in named.items():
        assert block["phase"] == "backward"
        assert block["bytes"] == events[event]["size"]
        assert block["source"].startswith("train.py:") or not block["module"]
        op = block["op"].removeprefix("aten.")
        assert any(each == op or each.startswith(f"{op}_") for each in ops_of(events[event])), (block, ops_of(events[event]))


def test_modules_and_sources_come_from_the_graph(folder):
    plain, named = live(folder, "peak"), live(folder, "peak", "--graph", GRAPH)
    nameless = {name: sum(group["bytes"] for group in answer["groups"] if group["name"] == "(no Python frame)") for name, answer in (("plain", plain), ("named", named))}
    assert nameless["named"] < nameless["plain"]
    assert named["graph"]["agreeing_steps"] == named["graph"]["steps"] == 3
    modules = {group["name"] for group in live(folder, "peak", "--graph", GRAPH, "--by", "module")["groups"]}
    assert {"blocks.0.up", "blocks.2.down"} & modules
