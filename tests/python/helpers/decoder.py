# SPDX-License-Identifier: Apache-2.0
"""A decoder language model and its optimizer, written by hand down to the softmax: the program of the GPU's records in tests/data/gpu_records."""

from __future__ import annotations

import functools
from typing import Any, Iterable

import torch

LAYERS, WIDTH, HEADS, INNER, VOCABULARY, BATCH = 24, 1024, 16, 4096, 10_000, 4


class Projection(torch.nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(outputs, inputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.einsum("...i,oi->...o", x, self.weight)


class Embedding(torch.nn.Module):
    def __init__(self, rows: int, width: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(rows, width))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.weight[tokens]


class RMSNorm(torch.nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        given = x.dtype
        x = x.to(torch.float32)
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        x = x * scale
        return (self.weight * x).to(given)


class Rotary(torch.nn.Module):
    """Turns neighbours by angles that grow with the position; its table is shared by all layers and not in the state dict."""

    def __init__(self, context: int, width: int) -> None:
        super().__init__()
        self.register_buffer("table", torch.empty(2, context, width // 2), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        cosine, sine = self.table
        even, odd = x.reshape(*x.shape[:-1], -1, 2).movedim(-1, 0)
        turned_even = cosine * even - sine * odd
        turned_odd = sine * even + cosine * odd
        return torch.cat((turned_even.unsqueeze(-1), turned_odd.unsqueeze(-1)), -1).flatten(-2)


def softmax(x: torch.Tensor) -> torch.Tensor:
    shifted = x - torch.max(x, -1, keepdim=True)[0]
    powers = torch.exp(shifted)
    return powers / torch.sum(powers, -1, keepdim=True)


def attended(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    scores = torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5
    scores = torch.where(mask, scores, float("-inf"))
    weights = softmax(scores)
    return torch.einsum("...qk,...kd->...qd", weights, v)


class Attention(torch.nn.Module):
    def __init__(self, width: int, heads: int, rotary: Rotary) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (Projection(width, width) for _ in range(4))
        self.rotary = rotary

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.query(x), self.key(x), self.value(x)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        q = self.rotary(q)
        k = self.rotary(k)
        positions = torch.arange(x.shape[1], device=x.device)
        mask = positions.view(-1, 1) >= positions.view(1, -1)
        mixed = attended(q, k, v, mask)
        mixed = mixed.transpose(1, 2).flatten(-2).contiguous()
        return self.out(mixed)


def silu(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(x)


class Gated(torch.nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.up, self.down, self.gate = Projection(width, inner), Projection(inner, width), Projection(width, inner)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(silu(self.up(x)) * self.gate(x))


class Block(torch.nn.Module):
    def __init__(self, width: int, heads: int, inner: int, rotary: Rotary) -> None:
        super().__init__()
        self.attention, self.mlp = Attention(width, heads, rotary), Gated(width, inner)
        self.before_attention, self.before_mlp = RMSNorm(width), RMSNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mixed = self.attention(self.before_attention(x))
        between = x + mixed
        moved = self.mlp(self.before_mlp(between))
        return between + moved


class Decoder(torch.nn.Module):
    def __init__(self, context: int) -> None:
        super().__init__()
        self.embedding = Embedding(VOCABULARY, WIDTH)
        rotary = Rotary(context, WIDTH // HEADS)
        self.blocks = torch.nn.ModuleList(Block(WIDTH, HEADS, INNER, rotary) for _ in range(LAYERS))
        self.norm, self.head = RMSNorm(WIDTH), Projection(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        embedded = self.embedding(tokens)  # lives until forward returns
        x = embedded
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        return self.head(x)


def log_softmax(x: torch.Tensor) -> torch.Tensor:
    most = torch.max(x, -1, keepdim=True)[0]
    x = x - most
    return x - torch.log(torch.sum(torch.exp(x), -1, keepdim=True))


def cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    costs = -log_softmax(logits)
    return torch.mean(torch.gather(costs, -1, targets.unsqueeze(-1)))


class AdamW(torch.optim.Optimizer):
    """Makes both moments anew in each step; those before live until the loop comes to the next parameter."""

    def __init__(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        super().__init__(parameters, {"lr": 1e-3, "decay": 0.01, "betas": (0.9, 0.999), "eps": 1e-8})

    def step(self, closure: Any = None) -> None:
        for group in self.param_groups:
            first, second = group["betas"]
            for parameter in group["params"]:
                state, gradient = self.state[parameter], parameter.grad.data
                parameter.data -= group["lr"] * group["decay"] * parameter.data
                m = state.get("m", torch.zeros_like(parameter.data))
                v = state.get("v", torch.zeros_like(parameter.data))
                state["m"] = first * m + (1 - first) * gradient
                state["v"] = second * v + (1 - second) * torch.square(gradient)
                parameter.data -= group["lr"] * state["m"] / (torch.sqrt(state["v"]) + group["eps"])


def decoder(context: int) -> dict[str, Any]:
    """trace()'s arguments for a training step."""
    tokens, targets = (torch.zeros(BATCH, context, dtype=torch.int64) for _ in range(2))
    return {"model": Decoder(context), "args": (tokens,), "loss": functools.partial(cross_entropy, targets=targets), "optimizer": AdamW}
