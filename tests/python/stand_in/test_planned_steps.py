# SPDX-License-Identifier: Apache-2.0
"""Planned steps on the stand-in GPU: PyTorch's counters against what was predicted, to the byte; what a kernel takes besides has a name."""

import itertools
import os
import subprocess
from functools import cache

import pytest
from helpers import EXHAUSTIVE, ROOT, stand_in
from helpers.on_stand_in.planned import KINDS
from helpers.tables import WRITING, Table
from helpers.zoo import ZOO

CHECK = os.environ.get("PLIMSOLL_ALLOCATOR_CHECK", str(ROOT / "build/dev/bin/allocator_check"))
MEMORY = 80 * stand_in.GiB
SHARES = (30, 60, 90)  # of the way down from the unplanned peak
NONE = "unplanned"
MODELS = (*ZOO, "gpt2:bfloat16", "convnext:bfloat16")
ACCUMULATING = ("gpt2*2", "resnet18*3", "gpt2:bfloat16*2")  # which planners refuse
DDP = ", DDP"  # two processes, each on a device of its own
UNDER_DDP = [(f"{name}{DDP}", kind, share) for name in ("resnet18", "gpt2", "gpt2:bfloat16") for kind, share in ((NONE, 0), *((kind, 60) for kind in KINDS))]
ALL = [case for name in MODELS for case in ((name, NONE, 0), *itertools.product((name,), KINDS, SHARES))]
ALL += [(name, NONE, 0) for name in ACCUMULATING] + UNDER_DDP
ALWAYS = [
    ("resnet18", "modules", 60), ("awkward", NONE, 0), ("gpt2:bfloat16", "ops", 60), ("gpt2:bfloat16", "saved sets", 30),
    ("gpt2*2", NONE, 0), (f"gpt2:bfloat16{DDP}", NONE, 0), (f"gpt2:bfloat16{DDP}", "ops", 60),
]  # fmt: skip
CASES = ALL if EXHAUSTIVE or WRITING else ALWAYS

# Kernels that take memory for themselves, at a peak.
TAKE_SCRATCH = {
    "slow_conv2d_forward_out_cuda", "slow_conv2d_backward_out_cuda", "_efficient_attention_backward", "structured_softmax_backward_cuda_out",
}  # fmt: skip


def key(name, kind, share):
    return name, kind, f"{share}%" if share else "–"


COMPARED = 4  # requested, allocated, active and reserved; free parts of blocks depend on the addresses that the driver gives

COLUMNS = ("predicted", "requested", "more", "taken by", "allocated", "reserved")
TABLE = Table("STAND_IN.md", ("model", "plan", "way down"), COLUMNS, [key(*case) for case in ALL])


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Of a model's cases, run in one process, or under DDP in two: what each of these found."""

    @cache
    def of_model(model):
        mine = [case for case in CASES if case[0] == model]
        folder, name = str(tmp_path_factory.mktemp(model)), model.removesuffix(DDP)
        texts = [f"{name}/{'modules' if kind == NONE else kind}/{share}" for _, kind, share in mine]
        if name != model:
            found = stand_in.ranks("helpers.on_stand_in.planned_ranks", folder, *texts, devices=2, memory=MEMORY, values=True, seconds=600)
        else:
            found = [stand_in.result("helpers.on_stand_in.planned", folder, *texts, seconds=1200, memory=MEMORY)]
        return {case: [told[text] for told in found] for case, text in zip(mine, texts)}

    return of_model


def replayed(events):
    """PyTorch's counters, as on_stand_in/events.py prints them."""
    with open(events) as file:
        done = subprocess.run([CHECK, "", str(MEMORY)], stdin=file, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [int(number) for number in done.stdout.split()]


@pytest.mark.parametrize("name, kind, share", CASES)
def test_a_planned_step_takes_what_was_predicted(outcomes, name, kind, share):
    for step in outcomes(name)[name, kind, share]:
        check(step, key(name, kind, share))


def check(step, row):
    requested, allocated, active, reserved, *_ = step["peaks"]
    more = requested - step["predicted"]
    assert step["difference"] is None
    assert step["before"][0] == step["resident"] < step["predicted"]
    assert more == 0 or (more > 0 and step["kernel"] in TAKE_SCRATCH)
    assert replayed(step["events"])[:COMPARED] == step["peaks"][:COMPARED]
    assert requested <= allocated == active <= reserved
    bytes_of = (step["predicted"], requested, more, None, allocated, reserved)
    cells = {column: f"{count:,}" for column, count in zip(COLUMNS, bytes_of) if count is not None}
    TABLE.check(row, {**cells, "taken by": f"`{step['kernel']}`" if more else "–"})


def test_the_table_is_complete():
    TABLE.check_complete()
