# SPDX-License-Identifier: Apache-2.0
"""Records memory profiles of a small Transformer's training with PyTorch: `python record_profiles.py training|out_of_memory FILE.pickle.gz`.

`training` is three steps. `out_of_memory` takes larger batches until one no longer fits, and its snapshot is written by the observer that PyTorch
calls when an allocation fails. Needs a GPU; the samples were recorded on the stand-in GPU of the tests: README.md beside this file.
"""

from __future__ import annotations

import gc
import gzip
import pickle
import sys
from pathlib import Path
from typing import Any

import torch
from torch.profiler import record_function

MOST_ENTRIES = 100_000


class Classifier(torch.nn.Module):
    def __init__(self, words: int = 8000, wide: int = 256, layers: int = 6) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(words, wide)
        self.layers = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(wide, 8, 4 * wide, dropout=0.1, activation="gelu", batch_first=True) for _ in range(layers)
        )
        self.head = torch.nn.Linear(wide, words)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = self.embedding(tokens)
        for layer in self.layers:
            hidden = layer(hidden)
        return self.head(hidden)


class Training:
    def __init__(self) -> None:
        self.model = Classifier().cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, foreach=False)

    def step(self, number: int, batch: int, length: int = 128) -> None:
        with record_function(f"step {number}"):
            tokens = torch.zeros(batch, length, dtype=torch.long, device="cuda")
            with record_function("forward"):
                scores = self.model(tokens)
                loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), tokens.flatten())
                del scores
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)


def warm_up() -> None:
    """What the first step waits for, such as kernels that are loaded; no memory is left."""
    Training().step(0, batch=1)
    gc.collect()
    torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.empty_cache()


def start_recording() -> None:
    warm_up()
    torch.cuda.memory._record_memory_history(max_entries=MOST_ENTRIES, stacks="python", global_record_annotations=True)


def shortened(snapshot: dict[str, Any]) -> dict[str, Any]:
    """File names without the folders of the machine that recorded them."""
    own = str(Path(__file__).resolve().parent) + "/"

    def short(name: str) -> str:
        _, package, rest = name.rpartition("site-packages/")
        return package + rest if package else name.removeprefix(own)

    done: set[int] = set()  # frames are shared
    parts = [entry for trace in snapshot["device_traces"] for entry in trace] + snapshot["segments"]
    parts += [block for segment in snapshot["segments"] for block in segment["blocks"]]
    for part in parts:
        for frame in part.get("frames", []):
            if id(frame) not in done:
                done.add(id(frame))
                frame["filename"] = short(frame["filename"])
    return snapshot


def write(snapshot: dict[str, Any], out: Path) -> None:
    with out.open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
        pickle.dump(shortened(snapshot), packed, protocol=4)


def training(out: Path) -> None:
    start_recording()
    run = Training()
    for number in range(1, 4):
        run.step(number, batch=32)
    write(torch.cuda.memory._snapshot(), out)


def out_of_memory(out: Path) -> None:
    start_recording()
    # The first failure: PyTorch frees what is cached and tries again before it gives up and calls this.
    torch._C._cuda_attach_out_of_memory_observer(lambda device, asked, total, free: write(torch.cuda.memory._snapshot(), out))
    run = Training()
    try:
        for number in range(1, 100):
            run.step(number, batch=16 + 8 * number)
    except torch.cuda.OutOfMemoryError as error:
        print(error)


if __name__ == "__main__":
    {"training": training, "out_of_memory": out_of_memory}[sys.argv[1]](Path(sys.argv[2]))
