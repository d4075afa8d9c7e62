# SPDX-License-Identifier: Apache-2.0
"""Steps of models that checkpoint themselves."""

import make
import models
import pytest
import torch
from helpers.graph_rules import assert_sound
from plimsoll.record.stream import record_stream
from plimsoll.record.tracing import trace_graph
from torch.utils.checkpoint import checkpoint

MIB = 2**20


def wrapped(name, chosen, *sizes):
    def build():
        made = make.SAMPLES[name](*sizes)
        for path, module in made["model"].named_modules():
            if chosen(path, type(module).__name__):
                forward = module.forward
                module.forward = lambda *a, _f=forward, **k: checkpoint(_f, *a, use_reentrant=False, **k)
        return made

    return build


def _blocks(path, name):
    return name == "BasicBlock"


def _nested(path, name):
    return name == "BasicBlock" or path in ("layer1", "layer2", "layer3", "layer4")


@pytest.mark.parametrize(
    "chosen, mib", [(_blocks, 1971), (lambda path, name: name in ("BasicBlock", "MaxPool2d"), 1776)], ids=["blocks", "and-pool"]
)
def test_resnet18_peaks(chosen, mib):
    assert round(max(record_stream(wrapped("resnet18", chosen)).curve) / MIB) == mib


def test_gpt2_peak_with_every_block_checkpointed():
    stream = record_stream(wrapped("gpt2", lambda path, name: name == "GPT2Block"))
    assert max(stream.curve) == 6_792_560_216 - 65_536 - 148 * 4  # see test_figures


@pytest.mark.parametrize("chosen", [_blocks, _nested], ids=["flat", "nested"])
def test_recomputed_ops_name_the_forward_op_that_they_repeat(chosen):
    stream = record_stream(wrapped("resnet18", chosen, 2))
    plain = record_stream(lambda: models.resnet18(2))
    assert [t for t, _ in stream.ops[: stream.backward_start]] == [t for t, _ in plain.ops[: plain.backward_start]]
    ops = stream.recording.ops
    recomputed = [op for op in ops if op.recompute_of >= 0]
    assert len(recomputed) >= 80
    for op in recomputed:
        original = ops[op.recompute_of]
        assert (op.target, op.module, op.call) == (original.target, original.module, original.call)
    # Take the recomputed ops away, and the plain step remains.
    assert [t for t, again in stream.ops if again < 0] == [t for t, _ in plain.ops]


@pytest.mark.parametrize("chosen", [_blocks, _nested], ids=["flat", "nested"])
def test_the_fake_stream_is_the_real_stream(chosen):
    fake = record_stream(wrapped("resnet18", chosen, 2), target="cpu")
    real = record_stream(wrapped("resnet18", chosen, 2), target="cpu", fake=False)
    assert fake.ops == real.ops
    assert fake.curve == real.curve


def test_trace_writes_what_the_stream_holds():
    build = wrapped("resnet18", _blocks, 2)
    stream = record_stream(build)
    made = build()
    graph = trace_graph(made.pop("model"), **made)
    assert_sound(graph)
    assert [(graph["targets"][op[0]], op[15]) for op in graph["ops"]] == stream.ops
    assert graph["checks"]["peak_bytes"] == max(stream.curve)


def test_dropout_and_attention_are_recomputed_with_the_same_kernels():
    stream = record_stream(wrapped("gpt2", lambda path, name: name == "GPT2Block", 1, 64))
    again = {target for target, origin in stream.ops if origin >= 0}
    assert "aten.native_dropout.default" in again
    assert "aten._scaled_dot_product_efficient_attention.default" in again


def test_curves_round_as_cudas_allocator():
    stream = record_stream(lambda: models.resnet18(2))
    assert all(0 <= b - a < 512 * 600 for a, b in zip(stream.curve, stream.curve_rounded512))
    assert all(b % 512 == 0 for b in stream.curve_rounded512)
    assert torch.is_grad_enabled()


def test_a_checkpoint_before_the_first_op_saves_its_input_before_that():
    first, last = torch.nn.Linear(8, 8), torch.nn.Linear(8, 2)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = first, last

        def forward(self, x):
            return self.last(checkpoint(lambda t: torch.sigmoid(self.first(t)), x, use_reentrant=False))

    graph = trace_graph(Model(), (torch.randn(4, 8, requires_grad=True),))
    assert_sound(graph)
    assert graph["saved"][0][1:3] == [0, 0]
