# SPDX-License-Identifier: Apache-2.0
"""Compiled steps on the stand-in GPU: what PyTorch's allocator holds after every op and at the peak is what the plan's evaluation says."""

from functools import cache

import pytest
from helpers import ROOT, loop, stand_in
from helpers.zoo import ZOO

MODELS = ("resnet18", "unet", "awkward", "mixture", "gpt2")
PLANS = ("unplanned", "random", "planned")
TRAINING = (
    "recomputed_numbers", "own_checkpoint", "two_devices", "streams", "pinned", "scaled", "accumulated", "out_of_memory", "inference", "refusals",
)  # fmt: skip
CONVOLUTIONAL = ("resnet18", "unet")  # whose kernels take scratch: without cuDNN they unfold images
CONVOLUTIONS = {"aten.convolution.default", "aten.convolution_backward.default"}


def without_optimizer():
    return {key: value for key, value in ZOO["mixture"].lean().items() if key != "optimizer"}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("steps")
    loop.trace(without_optimizer, folder / "mixture.elsewhere.plimsoll.json", "cuda")
    return stand_in.result("helpers.on_stand_in.steps", str(folder), *MODELS)


@cache
def training():
    return stand_in.result("helpers.on_stand_in.training", *TRAINING, devices=2)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", MODELS)
def test_the_allocator_holds_what_the_plan_says(name, plan, outcomes):
    found = outcomes[name][plan]
    assert found["other"] == []  # ops after which PyTorch's allocator holds more or less than the step's stream
    assert found["equal"], found["first"]  # that stream, and evaluate()
    assert found["ops"] > 200
    if name in CONVOLUTIONAL:
        assert found["peak"] >= found["predicted"] and set(found["scratch"]) <= CONVOLUTIONS
    else:
        assert found["peak"] == found["predicted"] and found["scratch"] == []


def test_a_plan_made_without_a_gpu_runs_on_one(outcomes):
    found, here = outcomes["mixture"]["elsewhere"], outcomes["mixture"]["planned"]
    assert found["other"] == [] and found["equal"], found["first"]
    assert found["peak"] == found["predicted"] == here["predicted"]


def test_the_manual_shows_these_figures(outcomes):
    rows = []
    for name in MODELS:
        for plan in PLANS:
            ops, again, predicted, peak = (outcomes[name][plan][key] for key in ("ops", "again", "predicted", "peak"))
            rows.append(f"| {name} | {plan} | {ops} | {again} | {predicted:,} | {peak:,} | {peak - predicted:,} |")
    shown = (ROOT / "resources/manual/accuracy.md").read_text().splitlines()
    first = shown.index("| model | plan | ops | recomputed | predicted peak | requested by PyTorch | more |") + 2
    assert shown[first : first + len(rows)] == rows


def test_plans_lower_the_peak(outcomes):
    for name in MODELS:
        assert outcomes[name]["planned"]["predicted"] < outcomes[name]["unplanned"]["predicted"]
    assert sum(outcomes[name]["random"]["again"] > 0 for name in MODELS) == len(MODELS)


@pytest.mark.parametrize("device", ["cuda:0", "cuda:1"])
def test_recomputed_dropout_finds_the_state_that_it_found_at_first(device):
    found = training()["recomputed_numbers"][device]
    assert found["repeated"] > 0 and found["calls"] == 1 + found["repeated"]
    assert found["states"] == 1
    assert found["compiled"] == found["eager"] == [4, 0]  # the offset of the device's generator; the CPU's is untouched
    assert found["saves"] == 1 + found["repeated"]


def test_a_checkpoint_inside_the_model_restores_the_generator():
    found = training()["own_checkpoint"]
    assert found["compiled"] == found["eager"] == [8, 0]
    assert found["saves"] == found["loads"] == 2


@pytest.mark.parametrize("device", ["cuda:0", "cuda:1"])
def test_each_device_runs_its_own_model(device):
    found = training()["two_devices"][device]
    assert found["peak"] == found["predicted"] > 1 << 20 and found["other"] == 0
    assert found["loss"] == device and found["gradients"] == [device]


def test_all_memory_is_that_of_the_stream_of_the_call():
    assert training()["streams"] == {"streams": 1, "side": True, "recordings": 1}


def test_copies_from_pinned_memory_do_not_wait():
    found = training()["pinned"]
    assert (found["copies"], found["waits"], found["equal"]) == (1, 0, True)
    parameters = 4 * (64 * 256 + 256 + 2 * 256 + 256 * 10 + 10)
    assert found["resident"] == parameters + 4 * 2 * 256 + 8 + 8 * 512  # buffers and labels, but not the images


def test_a_scaled_loss_under_autocast_is_recorded_once():
    found = training()["scaled"]
    assert "run the step once without compile_step, so that it is there" in found["said"]
    assert found["recordings"] == 1 and found["casts"] > 0 and found["equal"]


def test_micro_steps_add_to_the_gradients_in_place():
    found = training()["accumulated"]
    assert found["same"] and found["equal"] and found["kept"] == 0
    assert found["peak"] == found["predicted"] > 1 << 20


def test_a_step_that_runs_out_of_memory_leaves_everything_as_it_was():
    assert training()["out_of_memory"] == {"said": "CUDA out of memory", "kept": 0, "gradients": 0, "state": True, "later": 6}


def test_inference_frees_what_variables_of_the_model_would_keep():
    found = training()["inference"]
    assert found["equal"] and found["peak"] == found["predicted"] < found["eager"]


@pytest.mark.parametrize(
    "kind, sentence",
    [
        ("seeding", "it sets the state of the random numbers"),
        ("record_stream", "can't be executed from a recording: it takes a Stream"),
        ("generator", "can't be executed from a recording: it takes a Generator"),
        ("elsewhere", "it runs on cuda:1, whereas the step's tensors are on cuda:0"),
        ("halves", "tensors of the step are on cuda:0 and cuda:1: a compiled step runs on one GPU"),
    ],
)
def test_what_stays_refused_says_why(kind, sentence):
    assert sentence in training()["refusals"][kind]
