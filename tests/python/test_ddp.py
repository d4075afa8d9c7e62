# SPDX-License-Identifier: Apache-2.0
"""Plans under DistributedDataParallel: two processes on this computer get the gradients that they get without a plan."""

import json
import os
import subprocess
import sys
from pathlib import Path

import torch
import zoo
from op_plans import plan_of, record, region, seeded, with_saved
from plans import plan_file
from plans import region as calls
from plimsoll.tracing import trace_graph

HERE = Path(__file__).resolve().parent


def plans():
    torch.manual_seed(0)
    model = zoo.Mixture(50, 16, 2, 32, 2, 2).train()
    tokens = torch.zeros(2, 8, dtype=torch.int64)
    traced = trace_graph(model, (tokens,), target="cpu")
    forward = record(model, (tokens,))
    regions = [region(1, 60, [region(10, 30)]), region(80, 120)]
    module = plan_file([calls(("blocks.0", "MixtureBlock"), ("blocks.1", "MixtureBlock"), nested=[calls(("blocks.1", "MixtureBlock"))])])
    return {"module": module, "op": plan_of(traced, regions), "saved": plan_of(traced, with_saved(forward, regions, seeded(0)))}


def test_two_processes_get_the_gradients_that_they_get_without_a_plan(tmp_path):
    file = tmp_path / "plans.json"
    file.write_text(json.dumps(plans()))
    package, samples = HERE.parents[1] / "resources/pytorch/src", HERE.parents[1] / "resources/samples"
    paths = os.pathsep.join(map(str, (package, samples, HERE)))
    start = lambda rank: subprocess.Popen(  # noqa: E731
        [sys.executable, str(HERE / "ddp_worker.py"), str(rank), str(tmp_path / "meeting"), str(file)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths, "GLOO_SOCKET_IFNAME": "lo"},
    )  # fmt: skip
    workers = [start(rank) for rank in range(2)]
    for worker in workers:
        out, errors = worker.communicate(timeout=240)
        assert worker.returncode == 0, errors
        found = json.loads(out.splitlines()[-1])
        assert found.pop("wrapper").endswith("Apply it to the model's 'module' instead.")
        assert found == {f"{mode} {name}": True for mode in ("plain", "unused", "static") for name in ("module", "op", "saved")}
