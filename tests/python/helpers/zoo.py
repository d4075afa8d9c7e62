# SPDX-License-Identifier: Apache-2.0
"""The models that everything is proved with.

`small`: the real architecture at a batch that a CPU takes in seconds; `lean`: the same family with few parameters, so that
activations decide the peak and a plan has something to save; `real`: sizes that people train, for fake tensors only.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Callable

import models
import torch
import torch.nn.functional as F
from helpers.tables import EVERYTHING


class Experts(torch.nn.Module):
    """Mixture of experts with two experts a token and a fixed capacity, dispatched by products (Lepikhin et al. 2020, GShard).

    Tokens (count, width) in and out; a token beyond an expert's capacity passes by.
    """

    def __init__(self, width: int, inner: int, experts: int):
        super().__init__()
        self.gate = torch.nn.Linear(width, experts, bias=False)
        self.up = torch.nn.Parameter(torch.empty(experts, width, inner))
        self.down = torch.nn.Parameter(torch.empty(experts, inner, width))
        torch.nn.init.normal_(self.up, std=0.02)
        torch.nn.init.normal_(self.down, std=0.02)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        count, experts = tokens.shape[0], self.gate.out_features
        capacity = 2 * count // experts
        weights, chosen = self.gate(tokens).softmax(-1).topk(2, dim=-1)
        picked = F.one_hot(chosen, experts).transpose(0, 1).reshape(2 * count, experts)
        place = (picked.cumsum(0) - 1) * picked
        kept = picked * (place < capacity)
        slots = F.one_hot(place.clamp(max=capacity - 1), capacity) * kept.unsqueeze(-1)
        slots = slots.view(2, count, experts, capacity).to(tokens.dtype)
        combine = torch.einsum("tk,ktec->tec", weights, slots)
        dispatched = torch.einsum("tec,td->ecd", slots.sum(0), tokens)
        hidden = F.gelu(torch.bmm(dispatched, self.up))
        return torch.einsum("tec,ecd->td", combine, torch.bmm(hidden, self.down))


class MixtureBlock(torch.nn.Module):
    def __init__(self, width: int, heads: int, inner: int, experts: int):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.attention = torch.nn.MultiheadAttention(width, heads, batch_first=True)
        self.experts = Experts(width, inner, experts)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        normed = self.norm1(hidden)
        hidden = hidden + self.attention(normed, normed, normed, need_weights=False)[0]
        return hidden + self.experts(self.norm2(hidden).flatten(0, 1)).view_as(hidden)


class Mixture(torch.nn.Module):
    def __init__(self, vocabulary: int, width: int, heads: int, inner: int, experts: int, layers: int):
        super().__init__()
        self.embed = torch.nn.Embedding(vocabulary, width)
        self.blocks = torch.nn.Sequential(*(MixtureBlock(width, heads, inner, experts) for _ in range(layers)))
        self.head = torch.nn.Linear(width, vocabulary)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.embed(tokens)))


def _predicts(model: torch.nn.Module, name: str, batch: int, length: int, vocabulary: int) -> dict[str, Any]:
    """Tokens (batch, length) in, scores (batch, length, vocabulary) out."""
    tokens = torch.arange(batch * length).view(batch, length) * 31 % vocabulary
    return {
        "model": model,
        "args": (tokens,),
        "loss": lambda scores, labels=tokens.roll(1, 1): F.cross_entropy(scores.flatten(0, 1), labels.flatten()),
        "optimizer": functools.partial(torch.optim.AdamW, lr=1e-3),
        "name": name,
    }


def mixture(batch: int, length: int, vocabulary: int, width: int, heads: int, inner: int, experts: int, layers: int) -> dict[str, Any]:
    return _predicts(Mixture(vocabulary, width, heads, inner, experts, layers), "Mixture of experts", batch, length, vocabulary)


class Awkward(torch.nn.Module):
    """In-place residuals, in-place activations, dropout, batch norm, one weight under two names and a parameter without use."""

    def __init__(self, vocabulary: int, width: int, layers: int):
        super().__init__()
        self.embed = torch.nn.Embedding(vocabulary, width)
        self.unused = torch.nn.Parameter(torch.zeros(7, width))
        self.norms = torch.nn.ModuleList(torch.nn.BatchNorm1d(width) for _ in range(layers))
        self.bodies = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(layers))
        self.act = torch.nn.ReLU(inplace=True)
        self.drop = torch.nn.Dropout(0.1)
        self.head = torch.nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = self.embed(tokens)
        for norm, body in zip(self.norms, self.bodies):
            inner = self.drop(self.act(body(norm(hidden.transpose(1, 2)).transpose(1, 2))))
            inner += hidden
            hidden = inner
        return self.head(hidden)


def awkward(batch: int, length: int, vocabulary: int, width: int, layers: int) -> dict[str, Any]:
    return _predicts(Awkward(vocabulary, width, layers), "In place and tied", batch, length, vocabulary)


class Recurrent(torch.nn.Module):
    def __init__(self, vocabulary: int, width: int, layers: int):
        super().__init__()
        self.embed = torch.nn.Embedding(vocabulary, width)
        self.lstm = torch.nn.LSTM(width, width, layers, dropout=0.1, batch_first=True)
        self.head = torch.nn.Linear(width, vocabulary)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(self.embed(tokens))[0])


def lstm(batch: int, length: int, vocabulary: int, width: int, layers: int) -> dict[str, Any]:
    return _predicts(Recurrent(vocabulary, width, layers), "LSTM", batch, length, vocabulary)


def lean_vit(batch: int = 4, size: int = 64) -> dict[str, Any]:
    from torchvision.models import VisionTransformer

    return models.classifier(VisionTransformer(size, 8, 4, 4, 64, 128), "ViT", batch, size, models.adamw())


def lean_swin(batch: int = 4, size: int = 64) -> dict[str, Any]:
    from torchvision.models import SwinTransformer

    model = SwinTransformer([4, 4], embed_dim=24, depths=[2, 2], num_heads=[2, 4], window_size=[7, 7], num_classes=10)
    return models.classifier(model, "Swin", batch, size, models.adamw(), 10)


def lean_convnext(batch: int = 4, size: int = 64) -> dict[str, Any]:
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt

    model = ConvNeXt([CNBlockConfig(24, 48, 2), CNBlockConfig(48, None, 2)], num_classes=10)
    return models.classifier(model, "ConvNeXt", batch, size, models.adamw(), 10)


LEAN_TEXT = {"vocab_size": 200, "n_embd": 48, "n_layer": 4, "n_head": 4, "n_positions": 128}
LEAN_BERT = {"vocab_size": 200, "hidden_size": 48, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 96}
LEAN_T5 = {"vocab_size": 200, "d_model": 48, "d_kv": 12, "d_ff": 96, "num_layers": 3, "num_heads": 4}


@dataclass(frozen=True)
class Case:
    small: Callable[[], dict[str, Any]]  # one step takes seconds on a CPU
    lean: Callable[[], dict[str, Any]]
    real: Callable[[], dict[str, Any]]  # for fake tensors only
    convolutional: bool = False  # its kernels take scratch memory


ZOO = {
    "resnet18": Case(lambda: models.resnet18(4), lambda: models.resnet18(4, 96), models.resnet18, True),
    "densenet121": Case(lambda: models.densenet121(2), lambda: models.densenet121(2, 96), models.densenet121, True),
    "mobilenet_v3": Case(lambda: models.mobilenet_v3(4), lambda: models.mobilenet_v3(4, 128), models.mobilenet_v3, True),
    "vit_b_16": Case(lambda: models.vit_b_16(2), lean_vit, models.vit_b_16, True),  # patches are cut by a convolution
    "unet": Case(lambda: models.unet(2, 64, 32), lambda: models.unet(4, 96, 8), models.unet, True),
    "gpt2": Case(lambda: models.gpt2(2, 128), lambda: models.gpt2(4, 128, **LEAN_TEXT), models.gpt2),
    "bert": Case(lambda: models.bert(2, 64), lambda: models.bert(4, 128, **LEAN_BERT), models.bert),
    "llama": Case(
        lambda: models.llama(2, 64, layers=2, width=512, inner=1408, heads=8, groups=2, vocabulary=8000),
        lambda: models.llama(4, 128, layers=4, width=64, inner=172, heads=4, groups=2, vocabulary=200),
        models.llama,
    ),
    "t5": Case(lambda: models.t5(2, 64, 32, num_layers=2), lambda: models.t5(4, 128, 64, **LEAN_T5), models.t5),
    "swin": Case(lambda: models.swin(2), lean_swin, models.swin, True),
    "convnext": Case(lambda: models.convnext(2), lean_convnext, models.convnext, True),
    "mixture": Case(
        lambda: mixture(2, 64, 1000, 128, 4, 256, 4, 2),
        lambda: mixture(4, 64, 100, 32, 4, 64, 4, 4),
        lambda: mixture(8, 1024, 32000, 1024, 16, 4096, 8, 4),
    ),
    "awkward": Case(lambda: awkward(4, 32, 500, 128, 3), lambda: awkward(8, 64, 100, 32, 6), lambda: awkward(32, 512, 32000, 1024, 8)),
    "lstm": Case(lambda: lstm(4, 32, 500, 128, 2), lambda: lstm(8, 64, 50, 32, 2), lambda: lstm(64, 256, 32000, 1024, 2)),
}


def some(*names: str) -> tuple[str, ...]:
    """The models of a test in a normal run. The others run it with PLIMSOLL_EXHAUSTIVE=1, and in a normal run other tests."""
    assert set(names) <= set(ZOO)
    return tuple(ZOO) if EVERYTHING else names
