# SPDX-License-Identifier: Apache-2.0
"""plimsoll.fit(): trace, plan and apply in one call."""

import json

import plimsoll
import pytest
import torch
from helpers import stand_in
from helpers.small import gated

BATCH = torch.linspace(-1, 1, 512 * 32).view(512, 32)


def loss(output):
    return output.square().mean()


def step(trained):
    """Bytes saved for backward, and the gradients."""
    sizes = {}

    def pack(tensor):
        sizes[tensor.untyped_storage()._cdata] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        value = loss(trained(BATCH))
    value.backward()
    return sum(sizes.values()), [parameter.grad for parameter in trained.parameters()]


def test_the_plan_is_applied_and_is_that_of_trace_and_plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    planned = gated()
    fitted = plimsoll.fit(planned, BATCH, loss=loss, optimizer=torch.optim.SGD, budget="75%", planner="chen")
    assert list(tmp_path.iterdir()) == []  # files of its own don't stay
    graph = plimsoll.trace(gated(), BATCH, loss=loss, optimizer=torch.optim.SGD)
    alone = plimsoll.plan(graph, budget="75%", planner="chen")
    assert fitted.plan.content["regions"] == alone.content["regions"] != []
    assert fitted.prediction == alone.prediction
    assert fitted.prediction.peak_bytes <= fitted.prediction.budget_bytes < fitted.prediction.unplanned_peak_bytes
    (plain, expected), (kept, gradients) = step(gated()), step(planned)
    assert kept < plain and all(map(torch.equal, expected, gradients))
    assert repr(fitted) == repr(alone) and "<svg" in fitted._repr_html_()


def test_removing_it_restores_the_model():
    planned = gated()
    with plimsoll.fit(planned, BATCH, loss=loss, budget="80%", planner="chen", target="cpu") as fitted:
        assert fitted.plan.content["graph"]["target"] == "cpu"
        assert "forward" in planned.__dict__ or any("forward" in module.__dict__ for module in planned.modules())
    assert not any("forward" in module.__dict__ for module in planned.modules())
    fitted.remove()


def test_a_budget_without_a_plan_leaves_the_model_as_it_is():
    planned = gated()
    with pytest.raises(plimsoll.NoPlan):
        plimsoll.fit(planned, BATCH, loss=loss, budget=1000)
    assert not any("forward" in module.__dict__ for module in planned.modules())


def test_a_recompute_schedule_is_refused_with_the_way_to_run_it():
    with pytest.raises(ValueError, match="compile_step"):
        plimsoll.fit(gated(), BATCH, loss=loss, budget="80%", runtime="step")


def test_a_function_is_no_model():
    with pytest.raises(TypeError, match="model must be a torch.nn.Module, not a function"):
        plimsoll.fit(loss, BATCH, budget="80%")


def test_gradient_accumulation_needs_no_argument():
    with pytest.raises(ValueError, match="runs in each micro-step"):
        plimsoll.fit(gated(), BATCH, loss=loss, budget="80%", micro_steps=2)


def test_without_a_budget_it_fits_this_gpu():
    code = """
import json, torch, plimsoll
model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512)) for _ in range(8)]).cuda()
batch = torch.zeros(8192, 512, device="cuda")
fitted = plimsoll.fit(model, batch, optimizer=torch.optim.AdamW)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    torch.cuda.reset_peak_memory_stats()
    model(batch).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    peak = torch.cuda.memory_stats()["reserved_bytes.all.peak"]
said = fitted.prediction
print(json.dumps([said.peak_bytes, said.reserved_expandable_bytes, said.unplanned_peak_bytes, peak]))
"""
    done = stand_in.run(code, memory=1 << 30, settings="expandable_segments:True")
    assert done.returncode == 0, done.stderr
    planned, reserved, unplanned, measured = json.loads(done.stdout.splitlines()[-1])
    assert planned <= reserved <= 1 << 30 < unplanned
    assert measured <= 1 << 30
