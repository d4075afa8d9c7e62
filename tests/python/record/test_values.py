# SPDX-License-Identifier: Apache-2.0
"""Questions about values: answered as the tensors given have them, or assumed and written down, or refused."""

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.graph_rules import assert_sound
from plimsoll.record.stream import record_stream
from plimsoll.record.tracing import trace_graph

MASK = torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0]])


class Masked(torch.nn.Module):
    """`way(x, mask)` makes the output of the projected input (2, 4, 8) and a mask (2, 4)."""

    def __init__(self, way):
        super().__init__()
        self.project, self.way = torch.nn.Linear(8, 8), way

    def forward(self, x, mask):
        return self.way(self.project(x), mask)


def _by_mask(x, mask):
    return x[mask.bool()].relu()


def _by_positions(x, mask):
    rows, columns = mask.nonzero(as_tuple=True)
    return x[rows, columns].relu()


def _by_length(x, mask):
    longest = int(mask.sum(1).max())
    return x[:, :longest].relu()


def _unless_whole(x, mask):
    return x.relu() if bool(mask.all()) else x.relu() * mask.unsqueeze(-1)


def _in_place(x, mask):
    kept = mask.clone()
    kept[:, 0] = 0
    kept += 1
    return x[kept == 2].relu()


WAYS = {"mask": (_by_mask, (4, 8)), "positions": (_by_positions, (4, 8)), "length": (_by_length, (2, 3, 8)),
        "all": (_unless_whole, (2, 4, 8)), "in place": (_in_place, (2, 8))}  # fmt: skip


@pytest.mark.parametrize("way, shape", WAYS.values(), ids=WAYS)
def test_masks_given_are_looked_at_as_in_a_real_run(way, shape):
    made = {"model": Masked(way), "args": (torch.randn(2, 4, 8), MASK)}
    real = record_stream(lambda: dict(made), target="cpu", fake=False)
    graph = trace_graph(made["model"], made["args"], target="cpu")
    assert_sound(graph)
    assert [graph["targets"][op[0]] for op in graph["ops"]] == [target for target, _ in real.ops]
    relu = next(op for op in graph["ops"] if graph["targets"][op[0]] == "aten.relu.default")
    assert graph["tensors"][relu[7][0]][1] == shape
    line = way.__code__.co_firstlineno
    assert any(sentence.startswith(tuple(f"test_values.py:{line + i}" for i in (1, 2, 3, 4))) for sentence in graph["assumed"])


@pytest.mark.parametrize("way, _", [WAYS["mask"], WAYS["length"], WAYS["all"]])
def test_without_data_they_are_refused(way, _):
    with plimsoll.building():
        model, args = Masked(way), (torch.randn(2, 4, 8), torch.ones(2, 4, dtype=torch.int64))
    with pytest.raises(plimsoll.TraceError, match=rf"test_values.py:{way.__code__.co_firstlineno + 1}: .*depends on"):
        trace_graph(model, args)


def test_the_tensors_given_are_left_alone():
    mask = MASK.clone()
    trace_graph(Masked(lambda x, m: x * m.sub_(1).unsqueeze(-1)), (torch.randn(2, 4, 8), mask))
    assert torch.equal(mask, MASK)


def test_one_hot_runs_the_ops_of_real_tensors():
    class Hot(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Linear(5, 3)

        def forward(self, classes):
            return self.body(F.one_hot(classes, 5).float()) + self.body(torch.nn.functional.one_hot(classes).float())

    classes = torch.tensor([[0, 4, 1], [2, 3, 3]])
    made = {"model": Hot(), "args": (classes,)}
    graph = trace_graph(made["model"], made["args"], target="cpu")
    real = record_stream(lambda: made, target="cpu", fake=False)
    assert [graph["targets"][op[0]] for op in graph["ops"]] == [target for target, _ in real.ops]
    with plimsoll.building():
        made = {"model": Hot(), "args": (torch.zeros(2, 3, dtype=torch.int64),)}
    with pytest.raises(plimsoll.TraceError, match="depends on the value"):  # how many classes there are, in the second call
        trace_graph(made["model"], made["args"], target="cpu")


def _bert(**tensors):
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
    return {"model": BertModel(config), "kwargs": tensors, "loss": lambda output: output.last_hidden_state.sum()}


def test_a_mask_that_leaves_tokens_out_reaches_attention():
    graphs = []
    for mask in (MASK, torch.ones_like(MASK)):
        made = _bert(input_ids=torch.zeros(2, 4, dtype=torch.int64), attention_mask=mask)
        real = record_stream(lambda: made, target="cpu", fake=False)
        graphs.append(trace_graph(target="cpu", **made))
        assert [graphs[-1]["targets"][op[0]] for op in graphs[-1]["ops"]] == [target for target, _ in real.ops]
    assert len(graphs[0]["ops"]) > len(graphs[1]["ops"])
    assert all(any("masking_utils.py" in sentence for sentence in graph["assumed"]) for graph in graphs)


def test_a_mask_without_data_is_assumed_to_leave_nothing_out():
    with plimsoll.building():
        made = _bert(input_ids=torch.zeros(2, 4, dtype=torch.int64), attention_mask=torch.ones(2, 4, dtype=torch.int64))
    graph = trace_graph(target="cpu", **made)
    assert "transformers asks whether the attention mask leaves tokens out: answered with no" in graph["assumed"]
