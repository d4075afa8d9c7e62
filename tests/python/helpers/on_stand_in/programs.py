# SPDX-License-Identifier: Apache-2.0
"""Programs that run on the stand-in GPU, and what PyTorch's counters and its own memory snapshot say of each: `-m helpers.on_stand_in.programs NAME...`."""

from __future__ import annotations

import gc
import json
import sys
from typing import Any, Callable

import torch

Program = Callable[[], None]


def train(model: torch.nn.Module, loss: Callable[[torch.nn.Module], torch.Tensor], steps: int = 2) -> None:
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(steps):
        loss(model).backward()
        optimizer.step()
        optimizer.zero_grad()


def resnet18() -> None:
    from torchvision.models import resnet18 as build

    images = torch.randn(8, 3, 96, 96, device="cuda")
    labels = torch.zeros(8, dtype=torch.long, device="cuda")
    train(build(num_classes=10).cuda(), lambda model: torch.nn.functional.cross_entropy(model(images), labels))


def gpt2() -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    tokens = torch.zeros(4, 128, dtype=torch.long, device="cuda")
    model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=256, n_head=4, attn_implementation="eager")).cuda()
    train(model, lambda model: model(tokens, labels=tokens).loss)


def encoder() -> None:
    layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True)
    values = torch.randn(8, 200, 256, device="cuda")
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        train(torch.nn.TransformerEncoder(layer, 4).cuda(), lambda model: model(values).sum())


def side_streams() -> None:
    """Tensors that another stream uses, a private pool, and the last device beside the first."""
    side, pool, kept = torch.cuda.Stream(), torch.cuda.MemPool(), []
    last = f"cuda:{torch.cuda.device_count() - 1}"
    for i in range(40):
        first = torch.empty(1_000_000 * (i % 7 + 1), device="cuda")
        with torch.cuda.stream(side):
            second = torch.empty(3_000_000, device="cuda")
            first.record_stream(side)
        with torch.cuda.use_mem_pool(pool):
            third = torch.empty(777_777, device="cuda")
        other = torch.empty(2_345_678, device=last)
        kept += [(first, third), (second,), (other,), ()][i % 4]


def out_of_memory() -> None:
    """Asks for more until there is no more: PyTorch releases what it has cached, tries again and gives up."""
    cached = [torch.empty(5_000_000, device="cuda") for _ in range(3)]
    del cached
    kept = []
    try:
        while True:
            kept.append(torch.empty(12_000_000, device="cuda"))
    except torch.OutOfMemoryError:
        pass


PROGRAMS: dict[str, Program] = {program.__name__: program for program in (resnet18, gpt2, encoder, side_streams, out_of_memory)}


def replayed(events: list[dict[str, Any]], before: dict[str, int]) -> dict[str, int]:
    """Peaks of a device by the events of PyTorch's snapshot, from what there was before them."""
    requested, reserved = before["requested"], before["reserved"]
    peaks = dict(before)
    for event in events:
        match event["action"]:
            case "alloc":
                requested += event["size"]
            case "free_completed":
                requested -= event["size"]
            case "segment_alloc" | "segment_map":
                reserved += event["size"]
            case "segment_free" | "segment_unmap":
                reserved -= event["size"]
        peaks = {"requested": max(peaks["requested"], requested), "reserved": max(peaks["reserved"], reserved)}
    return peaks


def counters(device: int, when: str) -> dict[str, int]:
    stats = torch.cuda.memory_stats(device)
    return {name: stats.get(f"{name}_bytes.all.{when}", 0) for name in ("requested", "reserved")}


def outcome(program: Program) -> list[dict[str, Any]]:
    """Of each device. The program begins with an empty cache."""
    gc.collect()
    torch.cuda.empty_cache()
    devices = range(torch.cuda.device_count())
    for device in devices:
        torch.cuda.reset_peak_memory_stats(device)
    before = [counters(device, "current") for device in devices]
    torch.cuda.memory._record_memory_history(max_entries=1_000_000, stacks="python")
    program()
    traces = torch.cuda.memory._snapshot()["device_traces"]
    torch.cuda.memory._record_memory_history(None)
    found = []
    for device in devices:
        stats = torch.cuda.memory_stats(device)
        found.append({
            "events": len(traces[device]), "replayed": replayed(traces[device], before[device]), "counted": counters(device, "peak"),
            "allocated": stats.get("allocated_bytes.all.peak", 0), "retries": stats.get("num_alloc_retries", 0), "ooms": stats.get("num_ooms", 0),
        })  # fmt: skip
    return found


def main() -> None:
    torch.backends.cudnn.enabled = False
    torch.cuda.init()
    print(json.dumps({name: outcome(PROGRAMS[name]) for name in sys.argv[1:]}))


if __name__ == "__main__":
    main()
