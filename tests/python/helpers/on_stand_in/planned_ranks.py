# SPDX-License-Identifier: Apache-2.0
"""One of two processes that run planned steps under DistributedDataParallel, each on a stand-in GPU of its own, beside what was predicted for
them: `-m helpers.on_stand_in.planned_ranks RANK FOLDER MODEL/KIND/SHARE...`. Needs two devices that keep values: the ranks agree on the order of
their buckets through device memory."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from helpers.on_stand_in.planned import Planned, Requests, measured, prepare_process, step_of
from helpers.once import once
from torch.nn.parallel import DistributedDataParallel

DDP = "world=2"
WARM_UP_STEPS = 3  # buckets are built anew after the first


def planned(model: Planned, kind: str, share: int) -> dict[str, Any]:
    plan = model.plan(kind, share)
    exact = model.predicted(plan)
    return {
        "plan": str(plan), "predicted": exact["peak_bytes"], "resident": exact["resident_bytes"], "difference": model.first_difference(plan),
    }  # fmt: skip


def main() -> None:
    rank, folder = int(sys.argv[1]), Path(sys.argv[2])
    prepare_process()
    torch.cuda.set_device(rank)
    dist.init_process_group("gloo", init_method=f"file://{folder / 'meeting'}", rank=rank, world_size=2)
    model = once(lambda name: Planned(name, folder, DDP), most=1)
    requests, found = Requests(), {}
    for case in sys.argv[3:]:
        name, kind, share = case.split("/")
        told = [planned(model(name), kind, int(share)) if rank == 0 else None]
        dist.broadcast_object_list(told, src=0, device=torch.device("cpu"))
        requests.release()
        wrapped = lambda model: DistributedDataParallel(model, device_ids=[rank])  # noqa: E731
        events = folder / f"{rank} {name} {kind} {share}.txt"
        found[case] = told[0] | measured(step_of(name, Path(told[0]["plan"]), wrapped), requests, events, WARM_UP_STEPS)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
