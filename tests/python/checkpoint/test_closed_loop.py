# SPDX-License-Identifier: Apache-2.0
"""Regions given by hand at full size, recorded again: PyTorch's own step equals what evaluate() says about the plan, at every op."""

import json

import make
import pytest
from helpers import EXHAUSTIVE, loop
from helpers.plans import CASES, PLANS, plan_file

SOME = [(sample, name) for sample, name in CASES if sample == "resnet18" or (sample, name) == ("gpt2", "deep")]


@pytest.mark.parametrize("sample, name", CASES if EXHAUSTIVE else SOME)
def test_regions_given_by_hand(sample, name, tmp_path):
    plan = plan_file(PLANS[sample][name])
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    stream = loop.record(make.SAMPLES[sample], plan, tmp_path / "stream.json", "cuda")
    result = loop.compare(make.sample_path(sample), tmp_path / "plan.json", tmp_path / "stream.json")
    assert result["equal"], result["first"]
    assert result["peak_bytes"] == max(stream.curve)
    assert any(repeated >= 0 for _, repeated in stream.ops)
