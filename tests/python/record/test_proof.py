# SPDX-License-Identifier: Apache-2.0
"""The proof: what trace() says about each model of the zoo is what PyTorch does with real tensors on a CPU."""

import gc
import json

import pytest
from helpers.graph_rules import assert_sound
from helpers.loop import cli, compare
from helpers.once import once
from helpers.proof import OTHERS_BYTES, TAKE_SCRATCH, allowed_scratch, prove, stream_of_graph
from helpers.tables import Table
from helpers.zoo import ZOO, some

RECORDED = ("ops", "saved", "saved with parameters", "peak", "above what was there")
KERNELS = ("allocator", "scratch", "%", "in")  # of a processor
TABLE = Table("PROOF.md", ("model",), (*RECORDED, *KERNELS, "add_/add"), [(name,) for name in ZOO])


# The size of which the table tells. In a normal run the others are proven in their lean size.
SMALL = some("resnet18", "unet", "llama", "mixture", "awkward", "lstm")
PROVEN = some(*(name for name in ZOO if name not in ("densenet121", "bert", "swin", "vit_b_16")))  # the longest; others have their layers


@pytest.fixture(scope="session")
def proven():
    def proved(name):
        gc.collect()  # of the model before
        return prove(ZOO[name].small if name in SMALL else ZOO[name].lean)

    return once(proved, most=1)


@pytest.mark.parametrize("name", PROVEN)
def test_the_fake_stream_is_the_real_stream(proven, name):
    assert proven(name).differences == []
    assert_sound(proven(name).graph)


@pytest.mark.parametrize("name", PROVEN)
def test_saved_bytes_are_those_of_real_autograd(proven, name):
    proof = proven(name)
    checks = proof.graph["checks"]
    assert checks["saved_bytes"] == proof.saved
    assert checks["bytes_by_class"]["activation"] == proof.saved_apart


@pytest.mark.parametrize("name", PROVEN)
def test_the_peak_is_the_allocators_less_the_scratch_of_kernels(proven, name):
    proof = proven(name)
    assert proof.held.tensors == proof.predicted
    # A lean model is so small that what oneDNN takes for itself on some processors is a large share: there it is the op's own.
    own = 0 if name in SMALL else proof.held.scratch
    assert 0 <= proof.scratch <= max(allowed_scratch(name, proof.peak), own)
    if proof.scratch > OTHERS_BYTES:
        assert proof.held.op in TAKE_SCRATCH


@pytest.mark.parametrize("name", PROVEN)
def test_at_every_op_the_allocator_holds_what_is_predicted(proven, name):
    assert proven(name).curve == []


@pytest.mark.parametrize("name", PROVEN)
def test_gradients_are_summed_in_place_as_the_engine_does(proven, name):
    proof = proven(name)
    assert {kind: proof.counted(kind) for kind in ("add_", "add")} == proof.adds


@pytest.mark.parametrize("name", PROVEN)
def test_keeping_everything_evaluates_to_the_exporters_own_counts(proven, name, tmp_path):
    graph = proven(name).graph
    paths = [tmp_path / file for file in ("step.plimsoll.json", "plan.json", "stream.json")]
    for path, content in zip(paths, (graph, {"regions": []}, stream_of_graph(graph))):
        path.write_text(json.dumps(content))
    told = compare(*paths)
    assert told["equal"], told["differences"]
    assert told["peak_bytes"] == graph["checks"]["peak_bytes"]
    inspected = cli("inspect", paths[0])["summary"]
    checks = graph["checks"]
    assert [inspected[key] for key in ("ops", "storages", "tensors", "bytes_by_class", "peak_bytes", "peak_op")] == [
        checks[key] for key in ("ops", "storages", "tensors", "bytes_by_class", "peak_bytes", "peak_op")
    ]
    assert inspected["saved_for_backward_bytes"] == checks["saved_bytes"]


@pytest.mark.parametrize("name", SMALL)
def test_the_table_says_so(proven, name):
    proof = proven(name)
    figures = (len(proof.graph["ops"]), proof.saved_apart, proof.saved, proof.peak, proof.predicted)
    adds = f"{proof.adds['add_']}/{proof.adds['add']}"
    TABLE.check((name,), {**{column: f"{n:,}" for column, n in zip(RECORDED, figures)}, "add_/add": adds})
    kernels = (f"{proof.held.peak:,}", f"{proof.scratch:,}", f"{100 * proof.scratch / proof.peak:.4f}", f"`{proof.held.op}`")
    TABLE.check((name,), dict(zip(KERNELS, kernels)), only_written=True)


def test_the_table_is_whole():
    TABLE.check_complete()
