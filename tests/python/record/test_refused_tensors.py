# SPDX-License-Identifier: Apache-2.0
"""Tensors and operators that no recording follows are refused by name, with what to do instead, and the model is as before."""

import plimsoll
import pytest
import torch
from helpers.plans import plan_file, region
from plimsoll import TraceError
from torch import nn
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.while_loop import while_loop
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.testing._internal.two_tensor import TwoTensor

BATCH = torch.randn(4, 8, generator=torch.Generator().manual_seed(0))


class Does(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.linear, self.way = nn.Linear(8, 8), way

    def forward(self, *args):
        return self.way(self.linear, *args)


def _flex(linear, x, mask=None):
    heads = linear(x).view(1, 1, 4, 8)
    return flex_attention(heads, heads, heads, block_mask=mask)


def _flex_masked(linear, x):
    return _flex(linear, x, create_block_mask(lambda batch, head, query, key: query >= key, 1, 1, 4, 4, device="cpu"))


def _nested(linear, x):
    return linear(torch.nested.nested_tensor([x[:1], x], layout=torch.jagged)).values()


OPERATORS = {
    "cond": (lambda linear, x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (linear(x),)), "operator cond .* in plain Python"),
    "while_loop": (
        lambda linear, x: while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, h.sin()), (torch.tensor(0), linear(x)))[1],
        "operator while_loop.* in plain Python",
    ),
    "map": (lambda linear, x: map_rows(torch.sin, linear(x)), "operator map_impl .* in plain Python"),
    "flex_attention": (_flex, "flex_attention has no backward on the CPU.*scaled_dot_product_attention in its place"),
    "flex_attention, masked": (_flex_masked, "flex_attention has no backward on the CPU.*scaled_dot_product_attention in its place"),
    "a jagged tensor": (_nested, "a nested tensor is made there.*pad to one length"),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_refused_with_the_line_and_the_way_out(name, tmp_path):
    way, sentence = OPERATORS[name]
    model = Does(way)
    before = {key: value.clone() for key, value in model.state_dict().items()}
    calls = [lambda target=target: plimsoll.trace(model, BATCH, target=target, out=tmp_path / "graph.json") for target in ("cuda", "cpu")]
    for call in (*calls, lambda: plimsoll.compile_step(model, loss=torch.sum)(BATCH)):
        with pytest.raises(TraceError, match=rf"^test_refused_tensors.py:\d+: .*{sentence}"):
            call()
    assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())
    assert not list(tmp_path.iterdir())


def test_inference_with_flex_attention_is_refused_by_name(tmp_path):
    with pytest.raises(TraceError, match=r"operator flex_attention .*scaled_dot_product_attention in its place"):
        plimsoll.trace(Does(_flex), BATCH, mode="inference", out=tmp_path / "graph.json")


def test_measure_refuses_a_higher_order_operator(tmp_path):
    with pytest.raises(TraceError, match="operator cond .* in plain Python"):
        plimsoll.measure(Does(OPERATORS["cond"][0]), None, BATCH, steps=1, out=tmp_path / "measured.json")


class Packed(nn.Parameter):
    """Like bitsandbytes' parameters: on its way to a device it packs its values."""

    def to(self, *args, **kwargs):
        return Packed((self.data * 7).to(torch.int8), requires_grad=False)


def _with_weight(weight):
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
    model[1].weight = weight
    return model


def _with_buffer():
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
    model.register_buffer("table", torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8))
    return model


JAGGED = torch.nested.nested_tensor([torch.ones(2, 8), torch.ones(3, 8)], layout=torch.jagged)
NESTED = torch.nested.nested_tensor([torch.ones(2, 8), torch.ones(3, 8)])
TENSORS = {
    "quantized": (_with_buffer, BATCH, r"^table is quantized \(qint8\).*before it is quantized"),
    "made of tensors": (
        lambda: _with_weight(nn.Parameter(TwoTensor(torch.ones(8, 8), torch.ones(8, 8)))), BATCH, "^1.weight is a TwoTensor, .*use plain tensors",
    ),
    "jagged": (lambda: Does(lambda linear, x: linear(x).values()), JAGGED, r"^args\[0\] is a nested tensor.*pad it to one length"),
    "nested": (lambda: Does(lambda linear, x: linear(x).to_padded_tensor(0.0)), NESTED, r"^args\[0\] is a nested tensor.*pad it to one length"),
}  # fmt: skip


@pytest.mark.parametrize("name", TENSORS)
def test_tensors_are_refused_before_anything_runs(name, tmp_path):
    make, batch, sentence = TENSORS[name]
    calls = []
    model = make()
    model.register_forward_pre_hook(lambda *_: calls.append(1))
    for call in (
        lambda: plimsoll.trace(model, batch, target="cuda", out=tmp_path / "graph.json"),
        lambda: plimsoll.trace(model, batch, target="cpu", out=tmp_path / "graph.json"),
        lambda: plimsoll.measure(model, None, batch, steps=1, out=tmp_path / "measured.json"),
        lambda: plimsoll.compile_step(model, loss=torch.sum)(batch),
    ):
        with pytest.raises(TraceError, match=sentence):
            call()
    assert calls == [] and not list(tmp_path.iterdir())


def test_parameters_that_pack_themselves_are_measured_but_not_traced(tmp_path):
    model = _with_weight(Packed(torch.ones(8, 8), requires_grad=False))
    sentence = "^1.weight is a Packed, which packs its values.*before it is quantized: a plan of whole blocks fits"
    for target in ("cuda", "cpu"):
        with pytest.raises(TraceError, match=sentence):
            plimsoll.trace(model, BATCH, target=target, out=tmp_path / "graph.json")
    with pytest.raises(TraceError, match=sentence):
        plimsoll.compile_step(model, loss=torch.sum)(BATCH)
    with_plan = plan_file([region(("1", "Linear"))])
    assert plimsoll.measure(model, with_plan, BATCH, steps=1, out=tmp_path / "measured.json").exists()


def test_modules_with_quantized_weights_are_refused_by_their_op(tmp_path):
    quantized = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(8, 8)))
    with pytest.raises(TraceError, match=r"quantized\.linear_dynamic.* works on quantized values.*before it is quantized"):
        plimsoll.trace(nn.Sequential(nn.Linear(8, 8), quantized), BATCH, out=tmp_path / "graph.json")


def test_subclasses_of_parameter_that_do_nothing_of_their_own_are_traced(tmp_path):
    class Named(nn.Parameter):
        pass

    assert plimsoll.trace(_with_weight(Named(torch.ones(8, 8))), BATCH, out=tmp_path / "graph.json").exists()
