# SPDX-License-Identifier: Apache-2.0
"""One of two processes that train under fully_shard() or ZeroRedundancyOptimizer; prints what they saw as one line of JSON.

Arguments: rank, meeting file, cases. A case is [ZeRO's stage, units, plan or None].
"""

import json
import os
import sys

import plimsoll
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = torch.nn.Linear(16, width)
        self.b = torch.nn.Linear(width, 16)

    def forward(self, x):
        return x + self.b(self.a(x).relu())


class Model(torch.nn.Module):
    """Blocks of different sizes, none of which two processes share evenly."""

    def __init__(self):
        super().__init__()
        self.e = torch.nn.Linear(8, 16)
        self.g = torch.nn.Sequential(Block(17), Block(25))
        self.h = torch.nn.Sequential(Block(33), Block(9))
        self.o = torch.nn.Linear(16, 5)

    def forward(self, x):
        return self.o(self.h(self.g(self.e(x))))


def made():
    """As trace() takes it."""
    torch.manual_seed(0)
    model = Model()
    return {"model": model, "args": (torch.ones(4, 8),), "loss": lambda output: output.sum(), "optimizer": torch.optim.Adam(model.parameters())}


def storage_bytes(tensor):
    return tensor.untyped_storage().nbytes()


class Watch:
    """What fully_shard() holds, asked for at ops of the model: [where, gathered, all-gathers' results, reduce-scatters' inputs]."""

    def __init__(self, model, units):
        self.rows, self.gathers, self.reductions = [], [], []
        modules = [model, *(model.get_submodule(unit) for unit in units)]
        self.groups = {unit: m._get_fsdp_state()._fsdp_param_groups[0] for unit, m in zip(["", *units], modules)}
        self.comm = next(iter(self.groups.values())).comm_ctx
        for unit, group in self.groups.items():
            self._note(unit, group)
        for name, module in model.named_modules():
            if isinstance(module, torch.nn.Linear):
                module.register_forward_pre_hook(lambda *_, name=name: self._ask(f"forward {name}"))

    def watch_gradients(self, model):
        """Those of parameters as backward finds them, which are not those of the optimizer."""
        for group in self.groups.values():
            for parameter in group.fsdp_params:
                unsharded = parameter._unsharded_param
                unsharded.register_post_accumulate_grad_hook(lambda _, name=parameter._param_fqn: self._ask(f"gradient {name}"))

    def _note(self, unit, group):
        unshard, reduce = group.unshard, group.post_backward

        def unshard_and_note(*arguments, **named):
            before = group._all_gather_result
            unshard(*arguments, **named)
            if before is None and group._all_gather_result is not None:
                self.gathers.append([unit, storage_bytes(group._all_gather_result.all_gather_output)])

        def reduce_and_note(*arguments):
            reduce(*arguments)
            state = self.comm.reduce_scatter_states[-1] if self.comm.reduce_scatter_states else None
            if state is not None:
                self.reductions.append([unit, storage_bytes(state.reduce_scatter_input)])

        group.unshard, group.post_backward = unshard_and_note, reduce_and_note

    def _ask(self, where):
        gathered = sum(storage_bytes(t) for g in self.groups.values() for p in g.fsdp_params for t in p.all_gather_outputs)
        results = [g._all_gather_result.all_gather_output for g in self.groups.values() if g._all_gather_result is not None]
        if self.comm.all_gather_state is not None:
            results.append(self.comm.all_gather_state.all_gather_result.all_gather_output)
        reducing = [state.reduce_scatter_input for state in self.comm.reduce_scatter_states]
        self.rows.append([where, gathered, sum(map(storage_bytes, results)), sum(map(storage_bytes, reducing))])


def sharded(mesh, stage, units, plan):
    step = made()
    model = step["model"]
    if plan:
        plimsoll.apply(model, plan)
    stays = {"reshard_after_forward": False} if stage == 2 else {}
    for unit in units:
        fully_shard(model.get_submodule(unit), mesh=mesh, **stays)
    fully_shard(model, mesh=mesh, **stays)
    optimizer = torch.optim.Adam(model.parameters())
    shards = {name: storage_bytes(p.to_local()) for name, p in model.named_parameters()}
    for _ in range(2):
        step["loss"](model(*step["args"])).backward()
        optimizer.step()
        optimizer.zero_grad()
    watch = Watch(model, units)
    watch.watch_gradients(model)
    step["loss"](model(*step["args"])).backward()
    states = sum(storage_bytes(t.to_local() if hasattr(t, "to_local") else t) for s in optimizer.state.values() for t in s.values())
    return {"rows": watch.rows, "gathers": watch.gathers, "reductions": watch.reductions, "shards": shards, "states": states}


def redundancy():
    """Bytes of the optimizer's state in this process under ZeRO-1."""
    step = made()
    model = torch.nn.parallel.DistributedDataParallel(step["model"])
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.Adam)
    step["loss"](model(*step["args"])).backward()
    optimizer.step()
    return {"states": sum(storage_bytes(t) for s in optimizer.optim.state.values() for t in s.values())}


def main():
    rank, meeting = int(sys.argv[1]), sys.argv[2]
    cases = json.loads(open(sys.argv[3], encoding="utf-8").read())
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    found = [redundancy() if stage == 1 else sharded(mesh, stage, units, plan) for stage, units, plan in cases]
    dist.barrier()
    print(json.dumps(found), flush=True)
    os._exit(0)  # gloo's threads sometimes end a process that unloads them: "terminate called without an active exception"


if __name__ == "__main__":
    main()
