# SPDX-License-Identifier: Apache-2.0
"""Figures of the CPU profile, counted by a prototype that was compared with PyTorch's own counts on real tensors."""

from collections import Counter

import models
import plimsoll
import pytest
from helpers import EXHAUSTIVE
from plimsoll.record.tracing import trace_graph

LONG = ("densenet121", "vit_b_16", "mobilenet_v3")
# name: parameters, saved (without parameters and inputs), peak, ops of forward, loss, backward, engine sums in place, out of place
FIGURES = {
    "resnet18": (46_758_048, 2_762_499_588, 2_960_605_576, 110, 2, 142, 8, 0),
    "densenet121": (31_915_424, 16_610_028_292, 16_806_222_000, 674, 2, 1876, 477, 58),
    # The prototype's labels were another 65,536 bytes, here and below.
    "gpt2": (497_759_232, 25_279_242_244, 30_066_228_824 - 65_536, 895, 7, 1139, 48, 1),
}


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in LONG or EXHAUSTIVE])
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


OTHERS = {
    "vit_b_16": (346_270_624, 7_524_004_356, 8_729_969_384, 538),
    "mobilenet_v3": (21_932_128, 5_570_125_124, 5_746_914_392, 305),
    "llama": (1_967_267_840, 11_725_799_428, 19_724_821_300 - 65_536, 596),
}


@pytest.mark.parametrize("name", [name for name in OTHERS if name not in LONG or EXHAUSTIVE])
def test_cpu_profile_of_other_models(name):
    parameters, saved, peak, forward = OTHERS[name]
    with plimsoll.building():
        made = getattr(models, name)()
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
    # The prototype counted seed and offset of 12 attention kernels, which are in host memory, as are AdamW's 148 step counters
    # of 4 bytes; and it had labels of their own.
    assert checks["bytes_by_class"]["activation"] == 10_316_587_204 - 12 * 16
    assert checks["peak_bytes"] == 15_103_573_784 - 65_536 - 148 * 4 - 12 * 16
    assert checks["ops_by_phase"]["forward"] == 472
