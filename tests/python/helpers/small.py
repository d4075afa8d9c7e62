# SPDX-License-Identifier: Apache-2.0
"""Small models of the tests."""

import functools

import torch
import torch.nn.functional as F


class Tied(torch.nn.Module):
    """Embedding and head share one weight; the body is a plain residual block with dropout and batch norm."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(40, 16)
        self.norm = torch.nn.BatchNorm1d(16)
        self.drop = torch.nn.Dropout(0.2)
        self.body = torch.nn.Linear(16, 16)
        self.head = torch.nn.Linear(16, 40, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        hidden = self.norm(self.embed(tokens))
        hidden = hidden + self.drop(F.gelu(self.body(hidden)))
        return self.head(hidden)


class Gated(torch.nn.Module):
    """A residual block of plain modules and a product that no module makes."""

    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(width), torch.nn.Linear(width, 4 * width), torch.nn.Linear(2 * width, width)

    def forward(self, x):
        a, b = self.up(self.norm(x)).chunk(2, dim=-1)
        return x + self.down(a * torch.sigmoid(b))


def gated():
    torch.manual_seed(0)
    return torch.nn.Sequential(*[Gated(32) for _ in range(4)])


def tied(batch=8):
    torch.manual_seed(0)
    tokens = torch.randint(0, 40, (batch,))
    return {
        "model": Tied(),
        "args": (tokens,),
        "loss": functools.partial(F.cross_entropy, target=tokens),
        "optimizer": functools.partial(torch.optim.AdamW, lr=1e-3),
    }


def tiny_gpt2(batch=2, length=32):
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=101, n_embd=32, n_layer=2, n_head=2, n_positions=64, use_cache=False)
    tokens = torch.zeros(batch, length, dtype=torch.int64)
    return {
        "model": GPT2LMHeadModel(config).train(),
        "kwargs": {"input_ids": tokens, "labels": tokens},
        "optimizer": functools.partial(torch.optim.AdamW, lr=1e-3),
    }


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2

    @staticmethod
    def backward(context, gradient):
        return gradient * 2


class Model(torch.nn.Module):
    """One linear layer around which `body(model, hidden)` does something of interest."""

    def __init__(self, body, width=8):
        super().__init__()
        self.body = body
        self.first = torch.nn.Linear(width, width)
        self.last = torch.nn.Linear(width, width)

    def forward(self, x, *args, **kwargs):
        return self.last(self.body(self, self.first(x), *args, **kwargs)).square().mean()


def batch(count=4, width=8, seed=0):
    return torch.randn(count, width, generator=torch.Generator().manual_seed(seed))
