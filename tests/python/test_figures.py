# SPDX-License-Identifier: Apache-2.0
"""Figures of the CPU profile, counted by a prototype that was compared with PyTorch's own counts on real tensors."""

import functools
from collections import Counter

import make
import plimsoll
import pytest
import torch
import torchvision
from plimsoll.tracing import trace_graph

# name: parameters, saved (without parameters and inputs), peak, ops of forward, loss, backward, engine sums in place, out of place
FIGURES = {
    "resnet18": (46_758_048, 2_762_499_588, 2_960_605_576, 110, 2, 142, 8, 0),
    "densenet121": (31_915_424, 16_610_028_292, 16_806_222_000, 674, 2, 1876, 477, 58),
    # The prototype's labels were another 65,536 bytes.
    "gpt2": (497_759_232, 25_279_242_244, 30_066_228_824 - 65_536, 895, 7, 1139, 48, 1),
}


@pytest.mark.parametrize("name", FIGURES)
def test_cpu_profile(graph_of_sample, name):
    graph = graph_of_sample(name, "cpu")
    parameters, saved, peak, forward, loss, backward, in_place, out_of_place = FIGURES[name]
    checks = graph["checks"]
    assert checks["bytes_by_class"]["parameter"] == parameters
    assert checks["bytes_by_class"]["activation"] == saved
    assert checks["peak_bytes"] == peak
    phases = checks["ops_by_phase"]
    assert (phases["forward"], phases["loss"], phases["backward"]) == (forward, loss, backward)
    sums = Counter(graph["targets"][op[0]] for op in graph["ops"] if op[8] & 8)
    assert (sums["aten.add_.Tensor"], sums["aten.add.Tensor"]) == (in_place, out_of_place)


def _vision(build, batch, optimizer):
    made = make.vision(build(), "", batch)
    return {**made, "optimizer": optimizer}


def _llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        hidden_size=2048, intermediate_size=5632, num_hidden_layers=8, num_attention_heads=16, num_key_value_heads=4,
        vocab_size=32_000, use_cache=False,
    )  # fmt: skip
    tokens = {name: torch.zeros(4, 2048, dtype=torch.int64) for name in ("input_ids", "labels")}
    return {"model": LlamaForCausalLM(config), "kwargs": tokens, "optimizer": ADAMW}


ADAMW = functools.partial(torch.optim.AdamW, lr=1e-3)
SGD = functools.partial(torch.optim.SGD, lr=0.1, momentum=0.9)
OTHERS = {
    "vit_b_16": (lambda: _vision(torchvision.models.vit_b_16, 64, ADAMW), 346_270_624, 7_524_004_356, 8_729_969_384, 538),
    "mobilenet_v3": (
        lambda: _vision(torchvision.models.mobilenet_v3_large, 128, SGD), 21_932_128, 5_570_125_124, 5_746_914_392, 305,
    ),
    "llama8": (_llama, 1_967_267_840, 11_725_799_428, 19_724_821_300, 596),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_cpu_profile_of_other_models(name):
    build, parameters, saved, peak, forward = OTHERS[name]
    with plimsoll.building():
        made = build()
    checks = trace_graph(made.pop("model"), target="cpu", **made)["checks"]
    assert checks["bytes_by_class"]["parameter"] == parameters
    assert checks["bytes_by_class"]["activation"] == saved
    assert checks["peak_bytes"] == peak
    assert checks["ops_by_phase"]["forward"] == forward


def test_for_loop_and_foreach_optimizers_are_told_apart(graph_of_sample):
    assert graph_of_sample("resnet18", "cpu")["optimizer"]["variant"] == "for-loop"
    assert graph_of_sample("resnet18", "cuda")["optimizer"] == {"class": "SGD", "variant": "foreach", "dtype": "float32"}


def test_gpt2_on_cuda_saves_what_its_kernels_save(graph_of_sample):
    checks = graph_of_sample("gpt2", "cuda")["checks"]
    assert checks["bytes_by_class"]["activation"] == 10_316_587_204
    # The prototype counted labels of their own and AdamW's 148 step counters of 4 bytes.
    assert checks["peak_bytes"] == 15_103_573_784 - 65_536 - 148 * 4
    assert checks["ops_by_phase"]["forward"] == 472
