# SPDX-License-Identifier: Apache-2.0
"""Steps as a real GPU's allocator recorded them: what trace() predicts without a GPU is every allocation of theirs, to the byte.

What the GPU has besides is named in helpers/gpu_record.py, with its bytes and its place; no difference is tolerated.
"""

import json
import sys
from collections import Counter
from itertools import zip_longest

import plimsoll
import pytest
from helpers import EXHAUSTIVE, ROOT, loop
from helpers.gpu_record import PROGRAMS, held_besides, points, predicted, record_of, scratch_of
from helpers.once import once
from plimsoll.common.graph_rows import SCRATCH
from plimsoll.record.tracing import trace_graph

sys.path.insert(0, str(ROOT / "tests" / "gpu"))

import draw_curve  # noqa: E402 (needs the path)

CHOSEN = PROGRAMS if EXHAUSTIVE else ("medium_512_training", "medium_128_inference")
MANUAL = ROOT / "resources" / "manual" / "accuracy.md"
RMS_NORMS = 2 * 24 + 1
OWN = {"medium_256_training": 6520, "medium_512_training": 7487, "medium_128_inference": 1280, "medium_1024_inference": 1280}
RESERVED = 0.01  # of what the GPU's allocator has reserved: it depends on all that ran before, warm-up steps and the model's making


@pytest.fixture(scope="session")
def traced():
    def graph_of(name):
        with plimsoll.building():
            arguments = PROGRAMS[name].arguments()
        return trace_graph(arguments.pop("model"), target="cuda", name=name, **arguments)

    return once(graph_of, most=1)


@pytest.mark.parametrize("name", CHOSEN)
def test_every_allocation_is_the_gpus(traced, name):
    program, record = PROGRAMS[name], record_of(name)
    mine = predicted(traced(name), program)
    pairs = zip_longest(points(sum(mine.held) + besides(program), mine.events), points(sum(record.held), record.events))
    assert [pair for pair in enumerate(pairs) if pair[1][0] != pair[1][1]][:3] == []
    assert len(mine.own) == OWN[name]


@pytest.mark.parametrize("name", CHOSEN)
def test_what_is_there_before_the_step_is_the_gpus(traced, name):
    named = [size for sizes in held_besides(PROGRAMS[name]).values() for size in sizes]
    assert Counter([*predicted(traced(name), PROGRAMS[name]).held, *named]) == Counter(record_of(name).held)


@pytest.mark.parametrize("name", CHOSEN)
def test_the_peak_is_the_gpus(traced, name):
    """Scratch of kernels doesn't raise it: it is taken where less is live."""
    assert traced(name)["checks"]["peak_bytes"] + besides(PROGRAMS[name]) == record_of(name).peak


@pytest.mark.parametrize("name", CHOSEN)
def test_kernels_take_scratch_for_an_embedding_and_for_norms_alone(traced, name):
    found = Counter(kind for _, kind in predicted(traced(name), PROGRAMS[name]).scratch)
    if PROGRAMS[name].mode == "inference":
        assert not found
        return
    assert found.total() == 104
    assert found.pop("partial sums of an RMS norm's gradient") == found.pop("semaphores of their sum") == RMS_NORMS
    assert len(found) == 6 and set(found.values()) == {1}  # one sort


@pytest.mark.parametrize("name", CHOSEN)
def test_the_graph_has_what_the_sort_takes(traced, name):
    mine = [(graph_op, row[0]) for row in traced(name)["storages"] if row[1] == SCRATCH for graph_op in [row[2]]]
    if PROGRAMS[name].mode == "inference":
        assert not mine
        return
    ((op, taken),) = mine
    named = scratch_of(PROGRAMS[name], traced(name)["targets"][traced(name)["ops"][op][0]], []).values()
    assert taken == max(live for _, live in points(0, [event for events in named for event in events]))


@pytest.mark.parametrize("name", CHOSEN)
def test_what_the_replayed_allocator_reserves_is_the_gpus(traced, name, tmp_path):
    path = tmp_path / "step.plimsoll.json"
    path.write_text(json.dumps(traced(name)))
    plan = loop.cli("plan", path, "--planner", "none", "--budget", "100%", "--time-limit", 0.1)
    assert abs(plan["reserved_bytes"] - record_of(name).reserved) <= RESERVED * record_of(name).reserved
    assert f"{record_of(name).reserved:,} | {plan['reserved_bytes']:,} |" in MANUAL.read_text()


@pytest.mark.parametrize("name", CHOSEN)
def test_the_manual_says_so(traced, name):
    program, record = PROGRAMS[name], record_of(name)
    mine = predicted(traced(name), program)
    peak = traced(name)["checks"]["peak_bytes"]
    allocations = len(points(0, record.events)), len(mine.own), len(mine.scratch)
    figures = " | ".join(f"{value:,}" for value in (*allocations, record.peak, peak, besides(program), record.reserved))
    step = "training, float32" if program.mode == "train" else "inference, float32"
    step = "training, autocast in bfloat16" if program.autocast else step
    assert f"| {step}, context {program.context} | {figures} |" in MANUAL.read_text()
    if name in draw_curve.TITLES:
        assert draw_curve.panel(name, mine, record) in draw_curve.PICTURE.read_text()


def besides(program):
    return sum(size for sizes in held_besides(program).values() for size in sizes)
