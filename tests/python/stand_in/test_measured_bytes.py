# SPDX-License-Identifier: Apache-2.0
"""measure() on the stand-in GPU: bytes, without times; plimsoll-cli diff lays them over the prediction."""

import json

import pytest
from helpers import loop, stand_in


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of the files, and what was printed."""
    folder = tmp_path_factory.mktemp("measured")
    return folder, stand_in.result("helpers.on_stand_in.measured", str(folder))


@pytest.mark.parametrize("kind", ["checkpoint", "step"])
def test_bytes_are_those_predicted_and_times_are_left_out(kind, made):
    folder, told = made
    measured = json.loads((folder / f"{kind}.measurement.json").read_text())
    assert measured["device"].startswith("stand-in GPU") and measured["backend"] == "cuda"
    unplanned, planned = measured["runs"]
    for run in (unplanned, planned):
        assert run["step_time_ns"] is None and run["step_times_ns"] == []
        assert all(row[3] is None for row in run["ops"])
        assert (folder / run["snapshot"]).stat().st_size > 1000
        assert run["allocator_peak_bytes"] < run["reserved_peak_bytes"]
    predicted = told["measured"][kind]["predicted"]
    if kind == "checkpoint":
        assert planned["live_peak_bytes"] == predicted < unplanned["live_peak_bytes"]
    assert predicted <= planned["allocator_peak_bytes"] < predicted + 512 * 100 < unplanned["allocator_peak_bytes"]


def test_the_command_line_says_that_times_are_missing(made):
    path = made[0] / "checkpoint.measurement.json"
    runs = loop.cli("inspect", path)["summary"]["runs"]
    assert [run["step_time_ns"] for run in runs] == [None, None] and [run["steps"] for run in runs] == [0, 0]


@pytest.mark.parametrize("kind", ["checkpoint", "step"])
def test_the_command_line_lays_it_over_the_prediction(kind, made):
    folder, _ = made
    said = loop.cli("diff", folder / f"{kind}.measurement.json", folder / "graph.plimsoll.json", folder / f"{kind}.json")
    for run in said["runs"]:
        rows = {row["name"]: row for row in run["rows"]}
        assert rows["step_time"]["measured_ns"] is None and rows["time_of_ops"]["measured_ns"] is None
        if run["same_ops"] is None:  # of a compiled step only the allocator is known
            continue
        assert run["same_ops"] is True
        assert rows["saved"]["difference_bytes"] == 0
        # Predicted sizes are rounded to 512 bytes also before the step.
        rounding = -rows["resident"]["difference_bytes"]
        assert 0 <= rounding < 512 * 100 and rows["allocator_peak"]["difference_bytes"] == -rounding
        if not run["planned"]:
            above = [gap["target"] for gap in run["gaps"] if gap["measured_bytes"] - gap["predicted_bytes"] != -rounding]
            assert set(above) == {"aten._scaled_dot_product_efficient_attention_backward.default"}  # scratch of this kernel


def test_what_cannot_be_measured_is_refused_and_leaves_everything_as_it_was(made):
    refused = made[1]["refused"]
    times, full = refused.pop("said")
    assert times == "the stand-in GPU runs no kernels, so there are no times to measure: pass times=False"
    assert full.startswith("cuda:0 has too little memory for the step (CUDA out of memory. Tried to allocate 1024.00 MiB)")
    assert refused == {"kept": 0, "same": True, "gradients": 0, "written": False}
