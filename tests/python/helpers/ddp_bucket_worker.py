# SPDX-License-Identifier: Apache-2.0
"""One of two processes that ask DDP for its buckets; prints what they are as one line of JSON. Arguments: rank, meeting file, settings.

A setting is [name of a model of the zoo, DDP's arguments, whether gradients are reduced by hand].
"""

import contextlib
import json
import sys

import torch
import torch.distributed as dist
from helpers.op_plans import made
from plimsoll import apply
from torch.nn.parallel import DistributedDataParallel


def loss_of(step, output):
    """As trace() takes it."""
    return step["loss"](output) if step.get("loss") else output.loss


def buckets(name, arguments, by_hand):
    """Sizes in bytes and names by bucket after three steps, and the distinct storages of gradients, as [bytes]."""
    step = made(name)
    model = step["model"]
    model.zero_grad(set_to_none=True)
    wrapped = DistributedDataParallel(model, **arguments)
    for _ in range(3):
        model.zero_grad(set_to_none=True)
        with wrapped.no_sync() if by_hand else contextlib.nullcontext():
            loss_of(step, wrapped(*step.get("args", ()), **step.get("kwargs", {}))).backward()
    told = wrapped._get_ddp_logging_data()
    names = [n for n, p in model.named_parameters() if p.requires_grad]
    rebuilt = bool(told.get("has_rebuilt_buckets"))
    sizes = told["rebuilt_bucket_sizes" if rebuilt else "bucket_sizes"]
    indices = told["rebuilt_per_bucket_param_indices"] if rebuilt else ""
    grads = {p.grad.untyped_storage().data_ptr(): p.grad.untyped_storage().nbytes() for p in model.parameters() if p.grad is not None}
    return {
        "sizes": [int(size) for size in sizes.split(",")],
        "names": [[names[int(i)] for i in bucket.split()] for bucket in indices.split(",")] if rebuilt else [],
        "gradient_storages": sorted(grads.values()),
    }


class Shared(torch.nn.Module):
    """One layer that two blocks have in common."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        layer = torch.nn.Linear(6, 6)
        self.first, self.second = (torch.nn.Sequential(layer, torch.nn.Tanh()) for _ in range(2))

    def forward(self, x):
        return self.second(self.first(x))


def hooks_of_shared(plan):
    """How often the layer's gradient is accumulated in a step, and the gradient; `plan`: None, or one with a region around each block."""
    model = Shared()
    if plan:
        apply(model, plan)
    wrapped = DistributedDataParallel(model)
    fired = []
    weight = model.first[0].weight
    weight.register_post_accumulate_grad_hook(lambda _: fired.append(1))
    wrapped(torch.full((2, 6), 1.0 + dist.get_rank())).sum().backward()
    return len(fired), weight.grad.tolist()


def main():
    rank, meeting = int(sys.argv[1]), sys.argv[2]
    given = json.loads(open(sys.argv[3], encoding="utf-8").read())
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    try:
        found = [buckets(*setting) for setting in given["settings"]]
        shared = [hooks_of_shared(plan) for plan in (None, given["plan"])]
        print(json.dumps({"buckets": found, "shared": shared}))
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
