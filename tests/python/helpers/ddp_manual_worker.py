# SPDX-License-Identifier: Apache-2.0
"""One of two processes that reduce gradients by hand; prints what it found as one line of JSON. Arguments: rank, meeting file, plan."""

import contextlib
import copy
import json
import sys

import torch
import torch.distributed as dist
from helpers import ddp_worker
from plimsoll import apply, ddp
from torch.nn.parallel import DistributedDataParallel


class Branches(torch.nn.Module):
    """Rank 0 runs `a`, rank 1 runs `b`, nobody `c`."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b, self.c = (torch.nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        return (self.a if dist.get_rank() == 0 else self.b)(x)


def trained(model, inputs, targets, by_hand, steps=3):
    """Gradients, parameters and buffers after each step, each in one vector."""
    wrapped = DistributedDataParallel(model)
    assert ddp.manual_gradient_reduction(wrapped, by_hand) is by_hand and not ddp.manual_gradient_reduction(model, True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    found = []
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        with wrapped.no_sync() if by_hand else contextlib.nullcontext():
            if by_hand:
                ddp.manual_sync_params(wrapped)
            scores = wrapped(inputs)
            torch.nn.functional.cross_entropy(scores.flatten(0, -2), targets.flatten()).backward()
        if by_hand:
            ddp.manual_gradient_all_reduce(wrapped)
        optimizer.step()
        for tensors in ([p.grad for p in model.parameters()], model.parameters(), model.buffers()):
            found.append(torch.cat([torch.zeros(1), *(t.detach().flatten() for t in tensors)]))
    return found


def branches():
    """Means over two processes of which each ran another part."""
    model = Branches()
    x = torch.full((2, 4), 1.0 + dist.get_rank())
    wrapped = DistributedDataParallel(model)
    with wrapped.no_sync():
        wrapped(x).sum().backward()
    ddp.manual_gradient_all_reduce(wrapped)
    wanted = {"a": torch.full((4, 4), 2 * 1.0 / 2), "b": torch.full((4, 4), 2 * 2.0 / 2)}  # two rows each, halved
    return all(torch.equal(getattr(model, name).weight.grad, g) for name, g in wanted.items()) and model.c.weight.grad is None


def synced(rank):
    """Parameters and buffers are those of rank 0; buffers only where DDP hands them on."""
    result = {}
    for handed_on in (True, False):
        model = torch.nn.BatchNorm1d(3)
        wrapped = DistributedDataParallel(model, broadcast_buffers=handed_on)
        with torch.no_grad():
            model.weight.fill_(rank + 5.0)
            model.running_mean.fill_(rank + 7.0)
        with wrapped.no_sync():
            wrapped.require_forward_param_sync = False
            ddp.manual_sync_params(wrapped)
        result[f"flag {handed_on}"] = wrapped.require_forward_param_sync is False
        result[f"parameters {handed_on}"] = torch.equal(model.weight.detach(), torch.full((3,), 5.0))
        result[f"buffers {handed_on}"] = torch.equal(model.running_mean, torch.full((3,), 7.0 if handed_on else rank + 7.0))
    failing, dist.broadcast = dist.broadcast, None
    try:
        ddp.manual_sync_params(wrapped)
    except TypeError:
        result["flag after a fault"] = wrapped.require_forward_param_sync is False
    dist.broadcast = failing
    return result


def main():
    rank, meeting, plan = int(sys.argv[1]), sys.argv[2], json.loads(open(sys.argv[3], encoding="utf-8").read())
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    result = {"branches": branches(), **synced(rank)}
    model, inputs, targets = ddp_worker.normed()
    half = slice(len(inputs) // 2 * rank, len(inputs) // 2 * (rank + 1))
    expected = trained(copy.deepcopy(model), inputs[half], targets[half], False)
    result["as DDP"] = all(map(torch.equal, trained(copy.deepcopy(model), inputs[half], targets[half], True), expected))
    apply(model, plan)  # its statistics stay frozen in recomputations: they are updated once a step
    result["as DDP with a plan"] = all(map(torch.equal, trained(model, inputs[half], targets[half], True), expected))
    dist.destroy_process_group()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
