# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/varied.plimsoll.json, one head of attention traced at three sizes, and its re-trace at a fourth: `python helpers/make_varied.py`."""

import functools
import json
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "resources" / "pytorch" / "src"))

import plimsoll  # noqa: E402 (needs the path)
from plimsoll.record.tracing import trace_graph  # noqa: E402


class Head(torch.nn.Module):
    """Tokens (batch, sequence) in; scores of their successors (batch, sequence, 11) out."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(11, 8)
        self.query, self.key = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
        self.out = torch.nn.Linear(8, 11)

    def forward(self, tokens):
        hidden = self.embed(tokens)
        scores = self.query(hidden) @ self.key(hidden).transpose(1, 2)
        return self.out(scores.softmax(-1) @ hidden)


def write(name, batch, length, **options):
    with plimsoll.building():
        graph = trace_graph(
            Head(), (torch.zeros(batch, length, dtype=torch.int64),), optimizer=functools.partial(torch.optim.SGD, lr=0.1), target="cpu",
            name="head", **options,
        )  # fmt: skip
    path = ROOT / "tests" / "data" / name
    rows = lambda table: "[\n" + ",\n".join("  " + json.dumps(row, separators=(",", ":")) for row in table) + "\n]"  # noqa: E731
    tables = ("modules", "calls", "structures", "storages", "tensors", "ops", "saved", "params")
    text = ",\n".join(f"{json.dumps(k)}: {rows(v) if k in tables else json.dumps(v, separators=(',', ':'))}" for k, v in graph.items())
    path.write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    write("varied.plimsoll.json", 4, 6, vary={"batch": [2, 4, 5], "sequence": [6, 9, 10]})
    write("varied-7x13.plimsoll.json", 7, 13)
