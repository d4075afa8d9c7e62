# SPDX-License-Identifier: Apache-2.0
"""plimsoll.plan(): the same plans as plimsoll-cli's, and its refusals in Python's own errors."""

import json
import shutil

import plimsoll
import pytest
import torch
from helpers import ROOT, loop, stand_in

SAMPLE = ROOT / "resources/samples/resnet18.plimsoll.json.gz"


@pytest.fixture(scope="module")
def made():
    return plimsoll.plan(SAMPLE, budget="80%", planner="chen")


def test_it_is_the_plan_of_the_command(made, tmp_path):
    written = tmp_path / "plan.json"
    said = loop.cli("plan", SAMPLE, "--budget", "80%", "--planner", "chen", "--export", written)
    assert made.content == json.loads(written.read_text())
    assert made.prediction == plimsoll.Prediction(
        *(said[key] for key in ("budget_bytes", "peak_bytes", "step_time_ns", "base_peak_bytes", "base_step_time_ns", "reserved_bytes")),
        said["reserved_expandable_bytes"],
    )
    assert 0 < made.prediction.peak_bytes <= made.prediction.budget_bytes < made.prediction.unplanned_peak_bytes


def test_the_reserve_is_the_workspaces_of_cublas(made, monkeypatch):
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG")
    plain = plimsoll.plan(SAMPLE, budget="80%", planner="chen")
    assert [plain.answer[key] for key in ("reserve_bytes", "cublas_workspaces", "cublas_workspace_bytes")] == [2 * 8_519_680, 2, 8_519_680]
    assert plain.prediction.unplanned_peak_bytes - made.prediction.unplanned_peak_bytes == 2 * 8_519_680
    assert plimsoll.plan(SAMPLE, budget="80%", planner="chen", reserve=0).content == made.content
    assert plimsoll.plan(SAMPLE, budget="80%", planner="chen", device="h100").answer["reserve_bytes"] == 64 << 20


def test_it_is_shown_as_a_table_and_in_notebooks_with_the_curve(made):
    lines = repr(made).splitlines()
    assert lines[0] == "Plan of ResNet-18 by planner chen, runtime checkpoint"
    assert lines[1].split() == ["planned", "unplanned"]
    assert lines[2].split() == ["peak", "1.73", "GiB", "2.76", "GiB"]
    shown = made._repr_html_()
    assert "<td>peak</td><td>1.73 GiB</td><td>2.76 GiB</td>" in shown and shown.endswith("</svg>\n")


def test_a_saved_plan_is_the_plan(made, tmp_path):
    assert json.loads(made.save(tmp_path / "mine.json").read_text()) == made.content


def test_options_are_the_command_s():
    pinned = plimsoll.plan(SAMPLE, budget=2_600_000_000, planner="trunk", freeze_stats=True, pin=["recompute:layer1.*"], device="rtx-4090")
    assert (pinned.answer["budget_bytes"], pinned.answer["device"], pinned.answer["freeze_stats"]) == (2_600_000_000, "rtx-4090", True)
    assert [(pin["pin"], pin["matched"]) for pin in pinned.answer["pins"]] == [("recompute:layer1.*", 14)]


def test_a_budget_without_a_plan_is_an_error_with_the_numbers():
    with pytest.raises(plimsoll.NoPlan, match=r"within 1,000,000,000 B") as caught:
        plimsoll.plan(SAMPLE, budget=1_000_000_000, planner="chen")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"budget": "lots"}, "lots"),
        ({"budget": "80%", "planner": "nobody"}, "nobody"),
        ({"budget": "80%", "speed": 30}, "speed"),
        ({"budget": "80%", "json": True}, "plan() has no option json"),
    ],
)
def test_what_makes_no_sense_is_refused(options, said):
    with pytest.raises(ValueError) as caught:
        plimsoll.plan(SAMPLE, **options)
    assert said in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no graph file .*nothere.*: write one with plimsoll.trace()"):
        plimsoll.plan(tmp_path / "nothere.plimsoll.json.gz", budget="80%")


def test_a_file_that_is_no_graph_is_refused_with_the_command_s_sentence(tmp_path):
    odd = tmp_path / "odd.plimsoll.json"
    odd.write_text("{}")
    with pytest.raises(RuntimeError, match="odd.plimsoll.json"):
        plimsoll.plan(odd, budget="80%")


def test_without_the_command_it_says_where_to_get_it(monkeypatch, tmp_path):
    monkeypatch.delenv("PLIMSOLL_CLI")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="plimsoll-cli, which makes the plans, was not found"):
        plimsoll.plan(SAMPLE, budget="80%")
    monkeypatch.setenv("PLIMSOLL_CLI", str(tmp_path / "gone"))
    with pytest.raises(FileNotFoundError, match="PLIMSOLL_CLI names .*gone, which is no file"):
        plimsoll.plan(SAMPLE, budget="80%")


def test_it_is_found_on_the_search_path(monkeypatch, tmp_path):
    (tmp_path / "plimsoll-cli").symlink_to(shutil.which(loop.program("PLIMSOLL_CLI")))
    monkeypatch.delenv("PLIMSOLL_CLI")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert plimsoll.plan(SAMPLE, budget="90%", planner="chen").prediction.peak_bytes > 0


def test_without_a_gpu_a_budget_must_be_given():
    assert not torch.cuda.is_available()
    with pytest.raises(ValueError, match='There is no GPU here whose memory could be the budget: give one, such as budget="22GiB"'):
        plimsoll.plan(SAMPLE)


def test_without_a_budget_it_is_what_this_process_can_use_of_the_gpu(monkeypatch):
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG")
    code = (
        "import torch, plimsoll; kept = torch.empty(100 << 20, dtype=torch.uint8, device='cuda')\n"
        f"said = plimsoll.plan({str(SAMPLE)!r}, planner='chen').answer\n"
        "print(said['budget_bytes'], said['reserve_bytes'], said['reserved_bytes'], torch.cuda.mem_get_info()[0] + (100 << 20))"
    )
    done = stand_in.run(code, memory=5 * stand_in.GiB)
    assert done.returncode == 0, done.stderr
    budget, reserve, reserved, usable = map(int, done.stdout.split())
    assert budget == usable and 100 << 20 < reserved <= usable <= 5 * stand_in.GiB
    assert reserve == 2 * 8_519_680  # on compute capability 8.0


def test_with_a_budget_workspaces_are_those_of_the_gpu_that_is_used(monkeypatch):
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG")
    code = (
        "import torch, plimsoll\n"
        f"reserve = lambda **options: plimsoll.plan({str(SAMPLE)!r}, budget='90%', planner='chen', **options).answer['reserve_bytes']\n"
        "unused = reserve()\n"
        "used = torch.empty(1, device='cuda')\n"
        "print(unused, reserve(), reserve(device='t4'), reserve(reserve=0))"
    )
    done = stand_in.run(code, capability="9.0")
    assert done.returncode == 0, done.stderr
    assert [int(word) for word in done.stdout.split()] == [2 * 8_519_680, 64 << 20, 2 * 8_519_680, 0]
