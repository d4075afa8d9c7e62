# SPDX-License-Identifier: Apache-2.0
"""trace() as a user calls it: on real models, which it leaves alone, with errors that name the user's line."""

import copy
import gzip
import json
import subprocess
import sys

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import ROOT
from helpers.graph_rules import assert_sound
from helpers.small import Tied, tied
from plimsoll.record.tracing import trace_graph


def _everything(model):
    return [(name, id(t), t.clone()) for name, t in (*model.named_parameters(), *model.named_buffers())]


def _assert_untouched(model, before):
    for (name, t), (old_name, identity, value) in zip((*model.named_parameters(), *model.named_buffers()), before):
        assert (name, id(t)) == (old_name, identity)
        assert type(t) in (torch.Tensor, torch.nn.Parameter) and torch.equal(t, value)
        assert t.grad is None


def test_a_file_is_written_and_the_model_left_alone(tmp_path):
    made = tied()
    model = made.pop("model").eval()
    before = _everything(model)
    path = plimsoll.trace(model, out=tmp_path / "tied.plimsoll.json.gz", name="tied", **made)
    graph = json.loads(gzip.decompress(path.read_bytes()))
    assert_sound(graph)
    assert (graph["format"], graph["version"], graph["model"]) == ("plimsoll-graph", 1, "tied")
    assert not model.training
    _assert_untouched(model, before)
    assert model.head.weight is model.embed.weight
    assert F.dropout.__module__ == "torch.nn.functional"
    assert torch.nn.Module.__call__.__module__ == "torch.nn.modules.module"


def test_tied_weights_are_one_storage_with_both_names():
    made = tied()
    graph = trace_graph(made.pop("model"), **made)
    assert [s[6] for s in graph["storages"] if "embed.weight" in s[6]] == [["embed.weight", "head.weight"]]
    assert [p[0] for p in graph["params"]].count("embed.weight") == 1
    assert all(p[2] >= 0 and len(p[3]) == 2 for p in graph["params"])


def test_a_real_optimizer_is_lent_fakes_and_left_alone():
    made = tied()
    model = made.pop("model")
    optimizer = torch.optim.AdamW(model.parameters())
    made["optimizer"] = optimizer
    made["loss"](model(*made["args"])).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    state = copy.deepcopy(optimizer.state_dict())
    before = _everything(model)
    graph = trace_graph(model, **made)
    assert graph["optimizer"]["variant"] == "foreach"
    _assert_untouched(model, before)
    assert optimizer.param_groups[0]["foreach"] is None
    assert all(p is q for p, q in zip(optimizer.param_groups[0]["params"], model.parameters()))
    for old, new in zip(state["state"].values(), optimizer.state_dict()["state"].values()):
        assert all(torch.equal(old[k], new[k]) for k in old)


class Asks(Tied):
    def forward(self, tokens):
        hidden = super().forward(tokens)
        if hidden.sum() > 0:  # ASKS
            hidden = hidden * 2
        return hidden


def _line_of(mark):
    return next(i for i, line in enumerate(open(__file__), 1) if line.rstrip().endswith("# " + mark))


def test_a_question_about_values_names_the_users_line_and_the_model_is_restored():
    model = Asks()
    before = _everything(model)
    with pytest.raises(plimsoll.TraceError, match=rf"test_trace.py:{_line_of('ASKS')}: .*depends on the value"):
        trace_graph(model, tied()["args"])
    _assert_untouched(model, before)
    assert torch.nn.Module.__call__.__module__ == "torch.nn.modules.module"


@torch.library.custom_op("plimsoll_test::opaque", mutates_args=())
def opaque(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


class Opaque(Tied):
    def forward(self, tokens):
        return opaque(super().forward(tokens))  # OPAQUE


def test_an_op_without_fake_implementation_is_named():
    message = rf"test_trace.py:{_line_of('OPAQUE')}: plimsoll_test.opaque.default has no implementation for fake"
    with pytest.raises(plimsoll.TraceError, match=message), torch.no_grad():
        trace_graph(Opaque(), tied()["args"], mode="inference")


def test_a_result_whose_shape_depends_on_values_is_named():
    class Indexes(Tied):
        def forward(self, tokens):
            return super().forward(tokens[self.norm.weight[tokens % 16] > 3])  # INDEXES

    with pytest.raises(plimsoll.TraceError, match=rf"test_trace.py:{_line_of('INDEXES')}: .*depends on values"):
        trace_graph(Indexes(), tied()["args"])


def test_inference_saves_nothing():
    graph = trace_graph(Tied(), tied()["args"], mode="inference")
    assert_sound(graph)
    assert graph["saved"] == [] and graph["mode"] == "inference" and graph["optimizer"] is None
    assert graph["checks"]["bytes_by_class"]["output"] == 8 * 40 * 4


def test_half_precision_attention_takes_flash():
    class Attends(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.project = torch.nn.Linear(64, 192, dtype=torch.bfloat16)

        def forward(self, x):
            q, k, v = self.project(x).view(2, 16, 3, 4, 16).permute(2, 0, 3, 1, 4)
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    graph = trace_graph(Attends(), torch.zeros(2, 16, 64, dtype=torch.bfloat16))
    assert "aten._scaled_dot_product_flash_attention.default" in graph["targets"]
    assert any("flash" in sentence for sentence in graph["assumed"])
    assert_sound(graph)


def test_autocast_for_cuda_is_recorded():
    class Casts(Tied):
        def forward(self, tokens):
            with torch.autocast("cuda", dtype=torch.bfloat16):
                return super().forward(tokens)

    made = tied()
    graph = trace_graph(Casts(), made["args"], loss=made["loss"])
    assert graph["autocast"] == "bfloat16" and "bfloat16" in graph["dtypes"]
    assert any("autocast" in sentence for sentence in graph["assumed"])
    assert_sound(graph)


def test_a_tensor_given_twice_is_one_input():
    made = tied()
    tokens = made["args"][0]
    for loss in (made["loss"], lambda out: F.cross_entropy(out, tokens), lambda out, goal=tokens: F.cross_entropy(out, goal)):
        graph = trace_graph(Tied(), tokens, loss=loss)
        assert graph["checks"]["bytes_by_class"]["input"] == tokens.untyped_storage().nbytes()
        assert graph["checks"]["bytes_by_class"]["constant"] == 0


def test_importing_the_command_does_not_hide_the_function(tmp_path):
    import plimsoll.trace  # noqa: F401

    made = tied()
    path = plimsoll.trace(made.pop("model"), out=tmp_path / "a.json", **made)
    assert path.exists()


def test_recurrent_layers_keep_their_own_list_of_weights():
    model = torch.nn.LSTM(8, 8)
    before = _everything(model)
    weights = list(model._flat_weights)
    graph = trace_graph(model, torch.zeros(4, 2, 8), loss=lambda out: out[0].sum(), target="cpu")
    assert all(p[2] >= 0 for p in graph["params"])
    _assert_untouched(model, before)
    assert all(a is b for a, b in zip(weights, model._flat_weights))


def test_layer_norm_backward_is_contiguous():
    class Norms(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.LayerNorm(8)
            self.scale = torch.nn.Parameter(torch.ones(4, 8, 8))

        def forward(self, x):
            return self.norm(x * self.scale).transpose(1, 2).contiguous().relu()

    graph = trace_graph(Norms(), torch.zeros(4, 8, 8), target="cpu")
    op = next(o for o in graph["ops"] if graph["targets"][o[0]] == "aten.native_layer_norm_backward.default")
    assert graph["tensors"][op[7][0]][1:3] == [(4, 8, 8), (64, 8, 1)]


def test_bad_choices_are_refused_in_a_sentence():
    with pytest.raises(plimsoll.TraceError, match='target must be "cuda" or "cpu"'):
        trace_graph(Tied(), tied()["args"], target="tpu")
    with pytest.raises(plimsoll.TraceError, match='mode must be "train" or "inference"'):
        trace_graph(Tied(), tied()["args"], mode="evaluation")


def test_the_command_line_traces_a_function(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import torch\n"
        "def step():\n"
        "    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())\n"
        "    return {'model': model, 'args': (torch.zeros(2, 4),), 'name': 'mine'}\n"
    )
    environment = {"PYTHONPATH": str(ROOT / "resources" / "pytorch" / "src"), "PATH": ""}
    command = [sys.executable, "-m", "plimsoll.trace", "mine:step", "-o", "mine.json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "mine.json"), done.stderr
    assert json.loads((tmp_path / "mine.json").read_text())["model"] == "mine"
