# SPDX-License-Identifier: Apache-2.0
"""Packed sequences are recorded as a real step on the same lengths runs, with values="real"."""

import itertools

import pytest
import torch
from helpers.graph_rules import assert_sound
from plimsoll import TraceError
from plimsoll.record.stream import record_stream
from plimsoll.record.tracing import trace_graph
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence

SORTED, UNSORTED = [7, 5, 5, 2, 1], [2, 7, 5, 1, 5]
DEEP = {"bidirectional": True, "num_layers": 2, "dropout": 0.1}


def LOSS(loss):
    return loss


class Reader(nn.Module):
    """Sentences of several lengths through a recurrent layer."""

    def __init__(self, kind, total, **options):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.layer = getattr(nn, kind)(16, 24, **options)
        self.out = nn.Linear(24 * (1 + options.get("bidirectional", False)) if "proj_size" not in options else options["proj_size"], 5)
        self.total = total

    def forward(self, text, lengths):
        first = self.layer.batch_first
        packed = pack_padded_sequence(self.words(text if first else text.t()), lengths, batch_first=first, enforce_sorted=False)
        result, _ = self.layer(packed)
        padded, found = pad_packed_sequence(result, batch_first=first, padding_value=-1.0, total_length=self.total)
        assert found.tolist() == lengths.tolist()
        return self.out(padded).sum() / found.sum()


def reader(kind, lengths, total=None, **options):
    torch.manual_seed(0)
    return {"model": Reader(kind, total, **options), "args": (torch.randint(0, 50, (5, 8)), torch.tensor(lengths)), "loss": LOSS}


def without_views(ops, storages):
    """Ops but for the views with which gradients of a write into a view find their place, as PyTorch makes them on fakes, and the life of
    each storage among these ops."""
    kept = [op not in ("aten.slice.Tensor", "aten.as_strided.default") for op in ops]
    at = list(itertools.accumulate(kept, initial=0))
    moment = lambda op: op if op is None or op < 0 else at[op]  # noqa: E731
    return [op for op, keeps in zip(ops, kept) if keeps], [[nbytes, moment(begin), moment(end)] for nbytes, begin, end in storages]


def check(made):
    real = record_stream(lambda: made, target="cpu", fake=False)
    graph = trace_graph(target="cpu", values="real", **made)
    assert_sound(graph)
    mine = without_views([graph["targets"][op[0]] for op in graph["ops"]], [row[:1] + row[2:4] for row in graph["storages"]])
    assert mine == without_views([target for target, _ in real.ops], [(s.nbytes, s.alloc, s.free) for s in real.recording.storages])


@pytest.mark.parametrize("kind, lengths, total, options", [
    ("LSTM", SORTED, None, {"batch_first": True}),
    ("LSTM", UNSORTED, 12, {"batch_first": True, **DEEP}),
    ("LSTM", UNSORTED, None, {"proj_size": 6}),
    ("LSTM", [4] * 5, None, {}),
    ("GRU", UNSORTED, None, {"batch_first": True, **DEEP}),
    ("GRU", SORTED, 9, {}),
    ("RNN", UNSORTED, None, {**DEEP}),
    ("RNN", [8, 1, 1, 1, 1], None, {"nonlinearity": "relu"}),
])  # fmt: skip
def test_a_step_is_recorded_with_its_memory(kind, lengths, total, options):
    check(reader(kind, lengths, total, **options))


def test_sequences_packed_one_by_one_are_recorded():
    class Packing(nn.LSTM):
        def forward(self, *sequences):
            result, _ = super().forward(pack_sequence(sequences))
            return result.data.sum()

    torch.manual_seed(0)
    check({"model": Packing(16, 24), "args": tuple(torch.randn(length, 16) for length in SORTED), "loss": LOSS})


def test_without_a_real_step_the_way_out_is_named():
    with pytest.raises(TraceError, match='values="real"'):
        trace_graph(target="cpu", **reader("LSTM", SORTED))


@pytest.mark.parametrize("kind, gates", [("LSTM", 5), ("GRU", 6), ("RNN", 1)])
def test_cudnn_runs_on_the_packed_rows(kind, gates):
    """Its result has a row for each word; what it keeps for backward depends on the longest sequence and the number of sequences."""
    graph = trace_graph(target="cuda", values="real", **reader(kind, UNSORTED, batch_first=True))
    assert_sound(graph)
    (op,) = [op for op in graph["ops"] if graph["targets"][op[0]] == "aten._cudnn_rnn.default"]
    outputs = [graph["tensors"][row] for row in op[7]]
    assert (sum(UNSORTED), 24) in [tuple(row[1]) for row in outputs]
    assert 256 + gates * 7 * 5 * 24 * 4 in [graph["storages"][row[0]][0] for row in outputs]
    assert [5, 4, 3, 3, 3, 1, 1] in op[16]  # its arguments


def test_lengths_stay_in_host_memory():
    """(5, 4, 3, 3, 3, 1, 1) sequences in seven time steps, 56 bytes, and the five lengths that are found again, 40 bytes."""
    sizes = {}
    for target in ("cpu", "cuda"):
        graph = trace_graph(target=target, values="real", **reader("LSTM", UNSORTED, batch_first=True))
        made = {graph["targets"][op[0]]: [graph["tensors"][row] for row in op[7]] for op in graph["ops"]}
        sizes[target] = [row[1:2] for op in ("aten._pack_padded_sequence.default", "aten.empty.memory_format") for row in made.get(op, ())]
    assert sizes == {"cpu": [[(20, 16)], [(7,)], [(5,)]], "cuda": [[(20, 16)]]}
