# SPDX-License-Identifier: Apache-2.0
"""One of two processes of DistributedDataParallel on this computer; prints what it found as one line of JSON.

Arguments: rank, path of the meeting file, path of the plans by model. Each plan trains a copy of its model under DDP in each of
DDP's modes and under autocast, on this rank's half of the batch; so does the model without a plan.
"""

import copy
import itertools
import json
import sys

import torch
import torch.distributed as dist
from helpers import zoo
from plimsoll import PlanMismatch, apply
from torch.nn.parallel import DistributedDataParallel

MODES = {"plain": {}, "unused": {"find_unused_parameters": True}, "static": {"static_graph": True}, "autocast": {}}


def mixture():
    torch.manual_seed(0)
    model = zoo.Mixture(50, 16, 2, 32, 2, 2).train()
    torch.manual_seed(1)
    tokens = torch.randint(0, 50, (4, 8))
    return model, tokens, tokens


def normed():
    """With batch norm, whose statistics DDP hands from process to process before each forward."""

    def block(given, made):
        return torch.nn.Sequential(torch.nn.Conv2d(given, made, 3, padding=1), torch.nn.BatchNorm2d(made), torch.nn.ReLU())

    torch.manual_seed(0)
    model = torch.nn.Sequential(block(3, 8), block(8, 8), torch.nn.Flatten(1), torch.nn.Linear(8 * 36, 50)).train()
    torch.manual_seed(1)
    return model, torch.randn(8, 3, 6, 6), torch.randint(0, 50, (8,))


MODELS = {"mixture": mixture, "normed": normed}


def trained(model, inputs, targets, mode, steps=3):
    """Gradients, parameters and buffers after each step, each in one vector."""
    wrapped = DistributedDataParallel(model, **MODES[mode])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    found = []
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=mode == "autocast"):
            scores = wrapped(inputs)
        torch.nn.functional.cross_entropy(scores.flatten(0, -2).float(), targets.flatten()).backward()
        optimizer.step()
        for tensors in ([p.grad for p in model.parameters()], model.parameters(), model.buffers()):
            found.append(torch.cat([torch.zeros(1), *(t.detach().flatten() for t in tensors)]))
    return found


def main():
    rank, meeting, plans = int(sys.argv[1]), sys.argv[2], json.loads(open(sys.argv[3], encoding="utf-8").read())
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    result = {}
    for (kind, made), mode in itertools.product(MODELS.items(), MODES):
        model, inputs, targets = made()
        half = slice(len(inputs) // 2 * rank, len(inputs) // 2 * (rank + 1))
        expected = trained(copy.deepcopy(model), inputs[half], targets[half], mode)
        for name, plan in plans[kind].items():
            if (mode == "autocast") is not ("autocast" in name):
                continue  # an op plan is of the casts that it was recorded with
            planned = copy.deepcopy(model)
            apply(planned, plan)
            try:
                found = trained(planned, inputs[half], targets[half], mode)
                result[f"{kind} {mode} {name}"] = all(map(torch.equal, found, expected))
            except PlanMismatch as error:
                result[f"{kind} {mode} {name}"] = str(error)
    try:
        apply(DistributedDataParallel(mixture()[0]), plans["mixture"]["op"])
    except PlanMismatch as error:
        result["wrapper"] = str(error)
    print(json.dumps(result))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
