# SPDX-License-Identifier: Apache-2.0
"""The planners that stand for flags of today against the flags themselves, recorded."""

import functools
import itertools

import models
import pytest
import torch
from helpers import EXHAUSTIVE, loop
from torch.utils.checkpoint import checkpoint_sequential

_GPT2 = functools.partial(models.gpt2, 2, 128, n_layer=4, n_embd=64, n_head=4, vocab_size=200, attn_pdrop=0.0)
_LLAMA = functools.partial(models.llama, 2, 128, layers=4, width=64, inner=172, heads=4, groups=2, vocabulary=200)


BUILDERS = {"llama": _LLAMA, **({"gpt2": _GPT2} if EXHAUSTIVE else {})}


def _with_flag(builder):
    made = builder()
    made["model"].train()
    made["model"].gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    return made


def _offered(graph, *options):
    """Unplanned peak, and the peaks that the flag's settings give, smallest first."""
    known = loop.cli("plan", graph, "--budget", "100%", "--frontier", 1000, "--device", "a100-80gb", *options)
    return known["base_peak_bytes"], sorted({point["peak_bytes"] for point in known["frontier"]})


@pytest.mark.parametrize("builder", BUILDERS.values(), ids=BUILDERS)
def test_every_block_is_what_hugging_face_does(builder, tmp_path):
    plain = loop.trace(builder, tmp_path / "plain.plimsoll.json", "cpu")
    flagged = loop.trace(lambda: _with_flag(builder), tmp_path / "flagged.plimsoll.json", "cpu")
    base, peaks = _offered(plain, "--planner", "every-block")
    recorded, _ = _offered(flagged, "--planner", "none")
    assert peaks == [recorded, base]
    assert recorded < base


class _Chain(torch.nn.Module):
    """Seven linear layers under checkpoint_sequential() in as many segments as told, or plain."""

    def __init__(self, segments):
        super().__init__()
        widths = [64, 512, 64, 256, 64, 512, 64, 8]
        self.layers = torch.nn.Sequential(*(self._layer(a, b) for a, b in itertools.pairwise(widths)))
        self.segments = segments

    @staticmethod
    def _layer(given, made):
        return torch.nn.Sequential(torch.nn.Linear(given, made), torch.nn.Tanh(), torch.nn.Linear(made, made), torch.nn.Tanh())

    def forward(self, x):
        if self.segments is None:
            return self.layers(x)
        return checkpoint_sequential(self.layers, self.segments, x, use_reentrant=False)


def _chain(segments):
    return {"model": _Chain(segments), "args": (torch.zeros(256, 64),), "loss": torch.sum}


@pytest.mark.parametrize("segments", [2, 3, 7])
def test_sequential_is_what_checkpoint_sequential_does(segments, tmp_path):
    plain = loop.trace(lambda: _chain(None), tmp_path / "plain.plimsoll.json", "cpu")
    flagged = loop.trace(lambda: _chain(segments), tmp_path / "flagged.plimsoll.json", "cpu")
    base, peaks = _offered(plain, "--planner", "sequential-k", "--segments", segments)
    recorded, _ = _offered(flagged, "--planner", "none")
    assert peaks == [recorded, base]
    assert recorded < base
