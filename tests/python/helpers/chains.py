# SPDX-License-Identifier: Apache-2.0
"""Chains of blocks whose calls tensors alone don't tell apart; `way` says how the second half of the blocks is called."""

import collections
import dataclasses
import enum

import torch
import torch.nn.functional as F

Options = collections.namedtuple("Options", "causal scale")


class Kind(enum.Enum):
    A = 1
    B = 2


@dataclasses.dataclass
class Wrapped:
    value: torch.Tensor


class Config:
    def __call__(self, gradient):
        pass


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x, mask=None, causal=True, *, scale=1.0, options=None, wrapped=False):
        x = x.value if isinstance(x, Wrapped) else x
        y = self.down(F.gelu(self.up(x)))
        y = y * scale + (0 if mask is None else mask)
        x = x + (y if causal else 2 * y)
        if options in (Kind.B, "b", 1.0, -0.0) or (isinstance(options, Options) and options.causal):
            x = x + 1
        return Wrapped(x) if wrapped else x


class Chain(torch.nn.Module):
    def __init__(self, way, width=32, depth=8):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block(width) for _ in range(depth))
        self.way = way
        if way == "hooks":
            for block in self.blocks[::2]:
                block.register_forward_hook(lambda module, args, result: result * 1)

    def forward(self, x, mask):
        call, size, config = WAYS[self.way], None, Config()
        for i, block in enumerate(self.blocks):
            x = call(block, x, mask, i, config)
            size = size or getattr(x, "shape", (1,))
        x = x.value if isinstance(x, Wrapped) else x
        return x.sum() * size[0]


def _under(mode, function, *args):
    with mode:
        return function(*args)


WAYS = {
    "alike": lambda block, x, mask, i, config: block(x, mask, True, scale=0.5),
    "position": lambda block, x, mask, i, config: block(x, mask, i % 2 == 0),
    "keyword": lambda block, x, mask, i, config: block(x, causal=i % 2 == 0),
    "left out": lambda block, x, mask, i, config: block(x) if i % 2 else block(x, causal=False),
    "order of keywords": lambda block, x, mask, i, config: (
        block(x, causal=True, scale=0.5) if i % 2 else block(x, scale=0.5, causal=True)
    ),
    "none against tensor": lambda block, x, mask, i, config: block(x, mask if i % 2 else None),
    "float against int": lambda block, x, mask, i, config: block(x, scale=1 if i % 2 else 1.0),
    "signed zero": lambda block, x, mask, i, config: block(x, options=0.0 if i % 2 else -0.0),
    "nan": lambda block, x, mask, i, config: block(x, options=float("nan")),
    "enums": lambda block, x, mask, i, config: block(x, options=Kind.A if i % 2 else Kind.B),
    "same enum": lambda block, x, mask, i, config: block(x, options=Kind.B),
    "named tuples": lambda block, x, mask, i, config: block(x, options=Options(i % 2 == 0, 1)),
    "same named tuple": lambda block, x, mask, i, config: block(x, options=Options(True, 1)),
    "same object": lambda block, x, mask, i, config: block(x, options=config),
    "fresh objects": lambda block, x, mask, i, config: block(x, options=Config()),
    "big numbers": lambda block, x, mask, i, config: block(x, options=(2**70 + i, b"a" * 300, "t" * 500)),
    "slices": lambda block, x, mask, i, config: block(x, options=slice(0, 1)),
    "cloned mask": lambda block, x, mask, i, config: block(x, mask.clone()),
    "detached mask": lambda block, x, mask, i, config: block(x, mask.detach()),
    "detached": lambda block, x, mask, i, config: block(x.detach() if i % 2 else x),
    "data": lambda block, x, mask, i, config: block(x.data if i == 3 else x),
    "no gradients": lambda block, x, mask, i, config: _under(torch.set_grad_enabled(i != 3), block, x),
    "autocast": lambda block, x, mask, i, config: _under(torch.autocast("cpu", enabled=i % 4 > 1), block, x),
    "hook on the value": lambda block, x, mask, i, config: (x.register_hook(config), block(x))[1] if i else block(x),
    "gradient kept": lambda block, x, mask, i, config: (x.retain_grad(), block(x))[1] if i else block(x),
    "dataclasses": lambda block, x, mask, i, config: block(x, wrapped=True),
    "dataclass from here": lambda block, x, mask, i, config: block(Wrapped(x)),
    "hooks": lambda block, x, mask, i, config: block(x),
    "twice": lambda block, x, mask, i, config: block(block(x)),
}
# Neighbours that are called alike, everywhere or here and there: one region may hold some of them.
FUSED = {"alike", "nan", "same enum", "same named tuple", "same object", "twice", "data", "no gradients", "autocast"}


def step(way, batch=512):
    torch.manual_seed(0)
    x, mask = torch.randn(batch, 32), torch.randn(batch, 32)
    return Chain(way), (x, mask)
