# SPDX-License-Identifier: Apache-2.0
"""One of two processes of DistributedDataParallel on this computer; prints what it found as one line of JSON.

Arguments: rank, path of the meeting file, path of the plans. Each plan trains a copy of the model under DDP in each of DDP's modes, on
this rank's half of the batch; so does the model without a plan.
"""

import copy
import json
import sys

import torch
import torch.distributed as dist
import zoo
from plimsoll import PlanMismatch, apply
from torch.nn.parallel import DistributedDataParallel

MODES = {"plain": {}, "unused": {"find_unused_parameters": True}, "static": {"static_graph": True}}


def model_and_data(rank):
    torch.manual_seed(0)
    model = zoo.Mixture(50, 16, 2, 32, 2, 2).train()
    torch.manual_seed(1)
    tokens = torch.randint(0, 50, (4, 8))
    return model, tokens[2 * rank : 2 * rank + 2]


def trained(model, tokens, options, steps=3):
    """Gradients and parameters after each step, all in one vector per step."""
    wrapped = DistributedDataParallel(model, **options)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    found = []
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        scores = wrapped(tokens)
        torch.nn.functional.cross_entropy(scores.flatten(0, 1), tokens.flatten()).backward()
        optimizer.step()
        found += [torch.cat([p.grad.flatten() for p in model.parameters()]), torch.cat([p.detach().flatten() for p in model.parameters()])]
    return found


def main():
    rank, meeting, plans = int(sys.argv[1]), sys.argv[2], json.loads(open(sys.argv[3], encoding="utf-8").read())
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    model, tokens = model_and_data(rank)
    result = {}
    for mode, options in MODES.items():
        expected = trained(copy.deepcopy(model), tokens, options)
        for name, plan in plans.items():
            planned = copy.deepcopy(model)
            apply(planned, plan)
            try:
                found = trained(planned, tokens, options)
                result[f"{mode} {name}"] = all(map(torch.equal, found, expected))
            except PlanMismatch as error:
                result[f"{mode} {name}"] = str(error)
    try:
        apply(DistributedDataParallel(copy.deepcopy(model)), plans["op"])
    except PlanMismatch as error:
        result["wrapper"] = str(error)
    print(json.dumps(result))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
