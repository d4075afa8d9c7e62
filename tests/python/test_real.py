# SPDX-License-Identifier: Apache-2.0
"""What is recorded on fakes against what PyTorch does with real tensors."""

import functools

import make
import pytest
import torch
from plimsoll.stream import record_stream
from plimsoll.tracing import trace_graph
from small import tied, tiny_gpt2

BUILDERS = {
    "resnet18": functools.partial(make.resnet18, 2),
    "densenet121": functools.partial(make.densenet121, 2),
    "tied": tied,
    "gpt2": tiny_gpt2,
}


def _strides(shape, strides):
    return [s for n, s in zip(shape, strides) if n > 1]


@pytest.mark.parametrize("name", ["resnet18", "tied", "gpt2"])
def test_the_fake_stream_is_the_real_stream(name):
    fake = record_stream(BUILDERS[name], target="cpu")
    real = record_stream(BUILDERS[name], target="cpu", fake=False)
    assert fake.ops == real.ops
    assert fake.curve == real.curve
    for mine, its in zip(fake.recording.ops, real.recording.ops):
        for a, b in zip((*mine.reads, *mine.outputs), (*its.reads, *its.outputs)):
            a, b = fake.recording.tensors[a], real.recording.tensors[b]
            assert (a.shape, a.offset, a.dtype) == (b.shape, b.offset, b.dtype), mine.target
            assert _strides(a.shape, a.strides) == _strides(b.shape, b.strides), mine.target


def _really_saved(made):
    """Bytes of distinct storages that real autograd saves, parameters, buffers and inputs left out."""
    model = made["model"]
    known = {t.untyped_storage()._cdata for t in (*model.parameters(), *model.buffers())}
    known |= {t.untyped_storage()._cdata for t in (*made.get("args", ()), *made.get("kwargs", {}).values())}
    if "loss" in made:
        known.add(made["loss"].keywords["target"].untyped_storage()._cdata)
    held = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage._cdata not in known:
            held[storage._cdata] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = model(*made.get("args", ()), **made.get("kwargs", {}))
        loss = made["loss"](output) if "loss" in made else output.loss  # noqa: F841 (keeps the graph alive)
        return sum(storage.nbytes() for storage in held.values())


@pytest.mark.parametrize("name", BUILDERS)
def test_saved_bytes_equal_those_of_real_autograd(name):
    made = BUILDERS[name]()
    saved = _really_saved(made)
    graph = trace_graph(made.pop("model"), target="cpu", **made)
    assert graph["checks"]["bytes_by_class"]["activation"] == saved


def _allocator_peak(made):
    """Largest sum of live bytes that the CPU allocator sees in a steady step, memory from before the step not counted."""
    model = made["model"]
    optimizer = made["optimizer"](model.parameters())

    def step():
        loss = model(**made["kwargs"]).loss
        loss.backward()
        optimizer.step()
        return loss

    step()
    optimizer.zero_grad(set_to_none=True)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        loss = step()  # noqa: F841
    live = peak = 0
    for event in sorted(profile.profiler.kineto_results.events(), key=lambda e: e.start_ns()):
        if event.name() == "[memory]":
            live += event.nbytes()
            peak = max(peak, live)
    return peak


def test_the_peak_is_the_allocators_peak():
    made = tiny_gpt2(8, 64)
    stream = record_stream(lambda: tiny_gpt2(8, 64), target="cpu")
    resident = sum(s.nbytes for s in stream.recording.storages if s.alloc < 0)
    allocated = _allocator_peak(made)
    assert max(stream.curve) - resident == pytest.approx(allocated, rel=2e-3)
