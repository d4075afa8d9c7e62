# SPDX-License-Identifier: Apache-2.0
"""Traces of steps whose model and batch lie in different places, under autocast, with shared memory, with packed sequences:
`-m helpers.on_stand_in.traces` prints a digest of each as JSON."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import json
from typing import Any, Iterator

import plimsoll
import torch
from helpers import EXHAUSTIVE
from plimsoll.record.tracing import trace_graph
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PLACES = ("cpu", "cuda", "building")
WAYS = ("asked", "around", "inside")  # trace(autocast=), torch.autocast around the call, in the model's forward
DTYPES = ("bfloat16", "float16")
CASES = [(way, dtype) for way in WAYS for dtype in DTYPES if EXHAUSTIVE or dtype == DTYPES[0] or way == WAYS[0]]
OF_THE_GPU = ("kernels", "assumed")  # which tell who picked the kernels


class Model(torch.nn.Module):
    """Attention, norms of two kinds, convolution, dropout and a loss of mixed types, of which autocast treats each in a way of its own."""

    def __init__(self, dtype: Any = None):
        super().__init__()
        self.dtype = dtype
        self.cut = torch.nn.Sequential(torch.nn.Conv2d(3, 32, 4, 4), torch.nn.BatchNorm2d(32), torch.nn.ReLU(inplace=True))
        self.layer = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.head = torch.nn.Linear(32, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cuda", dtype=self.dtype) if self.dtype else contextlib.nullcontext():
            patches = self.cut(images).flatten(2).transpose(1, 2)
            return self.head(self.layer(patches).mean(1))


class Shared(torch.nn.Module):
    """Views of one memory, as buffers and as arguments: equal addresses stay equal when fakes are made for a GPU."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.register_buffer("whole", torch.zeros(10, 8))
        self.register_buffer("part", self.whole[2:6])
        self.register_buffer("bits", self.whole.view(torch.int32)[:4])

    def forward(self, first: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
        self.part.add_(1)
        return (self.body(first) + self.body(last) + self.part + self.whole[:4] + self.bits).sum()


def loss(output: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.mse_loss(output.float().softmax(-1), torch.ones_like(output, dtype=torch.float32))


def traced(place: str, way: str, dtype: str) -> dict[str, Any]:
    given = getattr(torch, dtype)
    with plimsoll.building() if place == "building" else torch.device(place):
        model, images = Model(given if way == "inside" else None), torch.zeros(2, 3, 32, 32)
    with torch.autocast("cuda", dtype=given) if way == "around" else contextlib.nullcontext():
        return trace_graph(
            model, images, loss=loss, optimizer=functools.partial(torch.optim.AdamW, lr=0.1), autocast=given if way == "asked" else None
        )  # fmt: skip


def shared(place: str) -> dict[str, Any]:
    with plimsoll.building() if place == "building" else torch.device(place):
        model, values = Shared(), torch.zeros(9, 8)
    return trace_graph(model, (values[:4], values[5:]), optimizer=functools.partial(torch.optim.SGD, lr=0.1))


class Packed(torch.nn.Module):
    """Sentences of several lengths, which stay in host memory."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.LSTM(16, 16, batch_first=True)

    def forward(self, words: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        rows, found = pad_packed_sequence(self.layer(pack_padded_sequence(words, lengths, batch_first=True))[0])
        assert found.tolist() == lengths.tolist()
        return rows.sum()


def packed() -> dict[str, Any]:
    """Without the ops' arguments, of which the device of the lengths is one."""
    graph = trace_graph(Packed(), (torch.zeros(5, 8, 16), torch.tensor([7, 5, 5, 2, 1])), loss=lambda loss: loss, values="real")
    return graph | {"ops": [op[:-2] for op in graph["ops"]]}


def without_index(value: Any) -> Any:
    """Fakes that stand for CUDA's have no number of a device."""
    if isinstance(value, dict):
        return {key: "cuda" if (key, item) == ("device", "cuda:0") else without_index(item) for key, item in value.items()}
    return [without_index(item) for item in value] if isinstance(value, list) else value


def digest(graph: dict[str, Any]) -> str:
    rows = {key: without_index(value) for key, value in graph.items() if key not in OF_THE_GPU}
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def all_of_them() -> Iterator[tuple[str, str]]:
    for place, (way, dtype) in itertools.product(PLACES, CASES):
        yield f"{place} {way} {dtype}", digest(traced(place, way, dtype))
    for place in PLACES:
        yield f"{place} shared", digest(shared(place))
    yield "packed", digest(packed())


if __name__ == "__main__":
    print(json.dumps(dict(all_of_them())))
