# SPDX-License-Identifier: Apache-2.0
"""Reduces the gradients of a DistributedDataParallel model by hand, after backward, instead of in DDP's buckets.

Hooks that fire more than once per step then do no harm (reentrant checkpoints, parameters used in several regions). The price is that no
communication overlaps with backward; memory is the same, since DDP allocates its buckets in any case. One step on each process:

    by_hand = plimsoll.ddp.manual_gradient_reduction(model, flag)
    with model.no_sync() if by_hand else contextlib.nullcontext():
        if by_hand:
            plimsoll.ddp.manual_sync_params(model)
        loss_of(model(batch)).backward()
    if by_hand:
        plimsoll.ddp.manual_gradient_all_reduce(model)
    optimizer.step()
"""

from collections.abc import Iterator

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def manual_gradient_reduction(model: torch.nn.Module, flag: bool) -> bool:
    """Whether to reduce the gradients of `model` by hand: `flag` is set, and otherwise a DistributedDataParallel would reduce them."""
    return flag and isinstance(model, DistributedDataParallel)


def _parameters(ddp: DistributedDataParallel) -> Iterator[torch.nn.Parameter]:
    """The parameters that DDP handles."""
    for name, parameter in ddp.module.named_parameters():
        if parameter.requires_grad and name not in ddp.parameters_to_ignore:
            yield parameter


def manual_sync_params(ddp: DistributedDataParallel) -> None:
    """Gives every process the parameters of the group's first process, and its buffers if `ddp` would broadcast them.

    Under `no_sync()` DDP broadcasts nothing, so its flag `require_forward_param_sync` is on during the call; its old value is restored
    afterwards, even if a broadcast fails.
    """
    before = ddp.require_forward_param_sync
    ddp.require_forward_param_sync = True
    try:
        buffers = ddp.modules_buffers if ddp.will_sync_module_buffers() else ()
        source = dist.get_global_rank(ddp.process_group, 0)
        with torch.no_grad():
            works = [
                dist.broadcast(tensor.detach(), source, group=ddp.process_group, async_op=True)
                for tensor in (*_parameters(ddp), *buffers)
            ]
            for work in works:
                work.wait()
    finally:
        ddp.require_forward_param_sync = before


def manual_gradient_all_reduce(ddp: DistributedDataParallel) -> None:
    """Replaces each gradient of `ddp` by its mean over the processes of the group.

    A parameter that has no gradient on some processes counts as zero there, as with DDP's `find_unused_parameters`; one without a
    gradient on all processes keeps `None`.
    """
    parameters = list(_parameters(ddp))
    if not parameters:
        return
    has = torch.tensor([p.grad is not None for p in parameters], dtype=torch.int32, device=parameters[0].device)
    dist.all_reduce(has, dist.ReduceOp.MAX, group=ddp.process_group)
    reduced = [p for p, anybody in zip(parameters, has.tolist()) if anybody]
    for parameter in reduced:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
    with torch.no_grad():
        gradients = [p.grad for p in reduced if p.grad is not None]
        works = [dist.all_reduce(gradient, group=ddp.process_group, async_op=True) for gradient in gradients]
        for work in works:
            work.wait()
        for gradient in gradients:
            gradient.div_(dist.get_world_size(ddp.process_group))
