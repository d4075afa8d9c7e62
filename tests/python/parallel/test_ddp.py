# SPDX-License-Identifier: Apache-2.0
"""Plans under DistributedDataParallel: two processes on this computer get the gradients that they get without a plan."""

import json

import torch
from helpers import ddp_worker, stand_in
from helpers.op_plans import plan_of, record, region, seeded, with_saved
from helpers.plans import plan_file
from helpers.plans import region as calls
from plimsoll.record.tracing import trace_graph


def plans():
    model, tokens, _ = ddp_worker.mixture()
    tokens = tokens[:2]
    traced = trace_graph(model, (tokens,), target="cpu")
    forward = record(model, (tokens,))
    regions = [region(1, 60, [region(10, 30)]), region(80, 120)]
    module = plan_file([calls(("blocks.0", "MixtureBlock"), ("blocks.1", "MixtureBlock"), nested=[calls(("blocks.1", "MixtureBlock"))])])
    return {"module": module, "op": plan_of(traced, regions), "saved": plan_of(traced, with_saved(forward, regions, seeded(0)))}


def frozen_plans():
    """Whose statistics, too, are those without a plan."""
    model, images, _ = ddp_worker.normed()
    images = images[:4]
    blocks = [calls(("0", "Sequential")), calls(("1", "Sequential"), nested=[calls(("1.1", "BatchNorm2d"))])]
    module = plan_file(blocks, freeze_stats=True)
    found = {"module": module, "module, autocast": module}
    for name, autocast in (("op", None), ("op, autocast", torch.bfloat16)):
        with torch.autocast("cpu", autocast or torch.bfloat16, enabled=autocast is not None):
            traced = trace_graph(model, (images,), target="cpu")
        names = [traced["targets"][op[0]] for op in traced["ops"] if op[1] == 0]
        norms = [n for n, target in enumerate(names) if "batch_norm" in target]
        assert len(norms) == 2
        regions = [region(1, norms[0] + 1), region(norms[1] - 1, norms[1])]
        found[name] = plan_of(traced, regions, freeze_stats=True)
    return found


def test_two_processes_get_the_gradients_that_they_get_without_a_plan(tmp_path):
    file = tmp_path / "plans.json"
    file.write_text(json.dumps({"mixture": plans(), "normed": frozen_plans()}))
    for found in stand_in.ranks("helpers.ddp_worker", tmp_path / "meeting", file):
        assert found.pop("wrapper").endswith("Apply it to the model's 'module' instead.")
        expected = [f"mixture {mode} {name}" for mode in ("plain", "unused", "static") for name in ("module", "op", "saved")]
        expected += [f"normed {mode} {name}" for mode in ("plain", "unused", "static") for name in ("module", "op")]
        expected += [f"normed autocast {name}, autocast" for name in ("module", "op")]
        assert found == dict.fromkeys(expected, True)


def test_gradients_reduced_by_hand_are_ddps(tmp_path):
    blocks = [calls(("0", "Sequential")), calls(("1", "Sequential"))]
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan_file(blocks, freeze_stats=True)))
    for found in stand_in.ranks("helpers.ddp_manual_worker", tmp_path / "meeting", file):
        assert len(found) == 10 and found == dict.fromkeys(found, True)
