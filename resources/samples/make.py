# SPDX-License-Identifier: Apache-2.0
"""Regenerates the sample graphs: `python make.py [name ...]`. The functions are used by tests, too."""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pytorch" / "src"))


def vision(model: torch.nn.Module, name: str, batch: int) -> dict[str, Any]:
    labels = torch.zeros(batch, dtype=torch.int64)
    return {
        "model": model,
        "args": (torch.zeros(batch, 3, 224, 224),),
        "loss": functools.partial(F.cross_entropy, target=labels),
        "optimizer": functools.partial(torch.optim.SGD, lr=0.1, momentum=0.9),
        "name": name,
    }


def resnet18(batch: int = 128) -> dict[str, Any]:
    from torchvision.models import resnet18 as build

    return vision(build(), "ResNet-18", batch)


def densenet121(batch: int = 128) -> dict[str, Any]:
    from torchvision.models import densenet121 as build

    return vision(build(), "DenseNet-121", batch)


def gpt2(batch: int = 8, length: int = 1024) -> dict[str, Any]:
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(vocab_size=50257, resid_pdrop=0.1, embd_pdrop=0.1, attn_pdrop=0.1, use_cache=False))
    tokens = torch.zeros(batch, length, dtype=torch.int64)
    return {
        "model": model,
        "kwargs": {"input_ids": tokens, "labels": tokens},
        "optimizer": functools.partial(torch.optim.AdamW, lr=1e-4),
        "name": "GPT-2 small",
    }


SAMPLES = {"resnet18": resnet18, "densenet121": densenet121, "gpt2": gpt2}


def sample_path(name: str) -> Path:
    return HERE / f"{name}.plimsoll.json.gz"


def make(name: str) -> Path:
    import plimsoll

    with plimsoll.building():
        arguments = SAMPLES[name]()
    return plimsoll.trace(arguments.pop("model"), out=sample_path(name), target="cuda", **arguments)


if __name__ == "__main__":
    for sample in sys.argv[1:] or SAMPLES:
        begin = time.time()
        path = make(sample)
        print(f"{path.name}: {path.stat().st_size} bytes, {time.time() - begin:.1f} s")
