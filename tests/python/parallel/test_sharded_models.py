# SPDX-License-Identifier: Apache-2.0
"""Models that processes hold in parts are refused before anything runs, and train afterwards as if nobody had asked. One process is enough."""

import copy
import os

import plimsoll
import pytest
import torch
import torch.distributed as dist
from helpers.plans import plan_file, region
from plimsoll import PlanMismatch, TraceError
from torch import nn
from torch.distributed._composable import replicate
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

BATCH = torch.randn(4, 8, generator=torch.Generator().manual_seed(0))
PLAN = plan_file([region(("1", "Sequential"))])
STEP_PLAN = {"format": "plimsoll-plan", "version": 1, "runtime": "step"}


@pytest.fixture(scope="module", autouse=True)
def process_group(tmp_path_factory):
    before = os.environ.get("GLOO_SOCKET_IFNAME")
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group("gloo", init_method=f"file://{tmp_path_factory.mktemp('group') / 'meeting'}", rank=0, world_size=1)
    yield
    dist.destroy_process_group()
    os.environ.pop("GLOO_SOCKET_IFNAME") if before is None else os.environ.update(GLOO_SOCKET_IFNAME=before)


def plain():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8)))


def sharded(model):
    for block in model:
        fully_shard(block)
    return fully_shard(model)


def blocks_sharded(model):
    fully_shard(model[1])
    return model


def parallel(model):
    return parallelize_module(model[1], init_device_mesh("cpu", (1,)), {"0": ColwiseParallel(), "2": RowwiseParallel()}) and model


MADE = {
    "whole": (sharded, r"the model is sharded by fully_shard\(\)"),
    "blocks": (blocks_sharded, r"the module '1' is sharded by fully_shard\(\)"),
    "tensor parallel": (parallel, r"1.0.weight is a DTensor"),
}
WAY_OUT = r"apply the plan before fully_shard\(\)"


def trained(model):
    """Loss and gradients of two steps."""
    found = []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        loss = model(BATCH).square().mean()
        loss.backward()
        optimizer.step()
        whole = (getattr(p.grad, "full_tensor", lambda p=p: p.grad)() for p in model.parameters())
        found += [loss.detach(), *(gradient.clone() for gradient in whole)]
    return found


def ways(model, tmp_path):
    """Everything that takes a model, each with the error that it raises."""
    yield TraceError, lambda: plimsoll.trace(model, BATCH, out=tmp_path / "graph.json")
    yield TraceError, lambda: plimsoll.measure(model, None, BATCH, steps=1, out=tmp_path / "measured.json")
    yield TraceError, lambda: plimsoll.measure(model, PLAN, BATCH, steps=1, out=tmp_path / "measured.json")
    yield TraceError, lambda: plimsoll.compile_step(model, loss=torch.sum)
    yield TraceError, lambda: plimsoll.compile_step(model, STEP_PLAN, loss=torch.sum)
    yield PlanMismatch, lambda: plimsoll.apply(model, PLAN)


@pytest.mark.parametrize("name", MADE)
def test_sharded_models_are_refused_and_stay_whole(name, tmp_path):
    make, sentence = MADE[name]
    model = make(plain())
    for error, call in ways(model, tmp_path):
        with pytest.raises(error, match=f"(?i){sentence}.*{WAY_OUT}"):
            call()
    assert not list(tmp_path.iterdir())
    assert all(map(torch.equal, trained(model), trained(plain())))


@pytest.mark.parametrize("name", MADE)
def test_a_model_sharded_later_is_refused_by_its_compiled_step(name):
    make, sentence = MADE[name]
    model = plain()
    step = plimsoll.compile_step(model, loss=torch.sum)
    step(BATCH)
    make(model).zero_grad()
    with pytest.raises(TraceError, match=sentence):
        step(BATCH)
    assert all(map(torch.equal, trained(model), trained(plain())))


def test_a_sharded_teacher_of_the_loss_is_refused_and_stays_whole(tmp_path):
    teacher, student = sharded(plain()).requires_grad_(False), plain()
    expected = teacher(BATCH).clone()
    teacher.reshard()
    with pytest.raises(TraceError, match=r"loss\.teacher\..*weight is a DTensor.*plain tensors"):
        plimsoll.trace(student, BATCH, loss=lambda output: (output - teacher(BATCH)).square().mean(), out=tmp_path / "graph.json")
    assert torch.equal(teacher(BATCH), expected)


def test_a_model_in_replicate_is_refused_and_stays_whole(tmp_path):
    model = replicate(plain())
    with pytest.raises(TraceError, match="the model is (wrapped for several processes|sharded)"):
        plimsoll.trace(model, BATCH, out=tmp_path / "graph.json")
    assert all(map(torch.equal, trained(model), trained(plain())))


@pytest.mark.parametrize("name", MADE)
def test_a_plan_applied_before_works_as_the_sentence_says(name):
    make, _ = MADE[name]
    model = plain()
    plimsoll.apply(model, PLAN)
    calls = []
    model[1][1].register_forward_hook(lambda *_: calls.append(1))
    found = trained(make(model))
    assert len(calls) == 4  # twice in each step
    assert all(map(torch.equal, found, trained(make(copy.deepcopy(plain())))))
