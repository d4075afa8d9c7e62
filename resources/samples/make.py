# SPDX-License-Identifier: Apache-2.0
"""Regenerates the sample graphs: `python make.py [name ...]`. The functions are used by tests, too."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # with a GPU its choice of kernels would be recorded: another one on another GPU
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "pytorch" / "src"), str(HERE)]

import models  # noqa: E402 (needs the path)

NAMES = ("resnet18", "densenet121", "gpt2", "vit_b_16", "bert", "llama", "llama_7b", "unet", "gpt2_prompt")
SAMPLES = {name: getattr(models, name) for name in NAMES}

# What these are recorded at beside their own size.
VARY = {"gpt2": {"batch": [4, 8, 16], "sequence": [256, 512, 1024]}}


def sample_path(name: str) -> Path:
    return HERE / f"{name}.plimsoll.json.gz"


def make(name: str) -> Path:
    import plimsoll

    with plimsoll.building():
        arguments = SAMPLES[name]()
    return plimsoll.trace(arguments.pop("model"), out=sample_path(name), target="cuda", vary=VARY.get(name), **arguments)


if __name__ == "__main__":
    for sample in sys.argv[1:] or SAMPLES:
        begin = time.time()
        path = make(sample)
        print(f"{path.name}: {path.stat().st_size} bytes, {time.time() - begin:.1f} s")
