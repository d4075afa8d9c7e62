# SPDX-License-Identifier: Apache-2.0
"""Whether the training loop holds the model's output during backward is an assumption that the user can change: each way is the allocator's."""

import json

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.proof import prove
from plimsoll.record.tracing import trace_graph
from torch import nn

KEPT, DROPPED = "keeps the model's output until the step ends", "keeps only the loss of the model's output"
FREE = 3  # column of `storages`
LABELS = torch.randint(0, 500, (64,))


class Output:
    def __init__(self, logits, loss):
        self.logits, self.loss = logits, loss


class Classifier(nn.Module):
    """Its logits take most of the memory."""

    def __init__(self, has_loss):
        super().__init__()
        self.body, self.head, self.has_loss = nn.Linear(32, 32), nn.Linear(32, 500), has_loss

    def forward(self, x):
        logits = self.head(self.body(x).relu())
        return Output(logits, F.cross_entropy(logits, LABELS)) if self.has_loss else logits


def made(has_loss, keep):
    step = {"model": Classifier(has_loss), "args": (torch.randn(64, 32),), "optimizer": lambda p: torch.optim.SGD(p, 0.1)}
    return step | ({} if has_loss else {"loss": lambda logits: F.cross_entropy(logits, LABELS)}) | ({} if keep is None else {"keep_output": keep})


@pytest.mark.parametrize("has_loss", [True, False])
@pytest.mark.parametrize("keep", [True, False, None])
def test_what_the_loop_holds_is_recorded(has_loss, keep):
    proof = prove(lambda: made(has_loss, keep))
    assert proof.differences == [] and proof.curve == []
    assert proof.held.tensors == proof.predicted
    keeps = not has_loss if keep is None else keep
    assert [any(sentence in told for told in proof.graph["assumed"]) for sentence in (KEPT, DROPPED)] == [keeps, not keeps]
    logits = next(row for row in proof.graph["storages"] if row[0] == 64 * 500 * 4)
    assert (logits[FREE] is None or logits[FREE] < 0) == keeps  # or freed within the step


def test_both_ways_to_give_the_loss_agree():
    peaks = {keep: {trace_graph(**made(has_loss, keep), target="cpu")["checks"]["peak_bytes"] for has_loss in (True, False)} for keep in (True, False)}
    assert all(len(found) == 1 for found in peaks.values())
    assert peaks[True].pop() - peaks[False].pop() == 64 * 500 * 4


def test_measured_steps_hold_the_same(tmp_path):
    peaks = []
    for keep in (True, False):
        step = made(False, keep)
        plimsoll.measure(step.pop("model"), steps=1, times=False, out=tmp_path / f"{keep}.json", **step)
        peaks.append(json.loads((tmp_path / f"{keep}.json").read_text())["runs"][0]["live_peak_bytes"])
    assert peaks[0] - peaks[1] == 64 * 500 * 4
