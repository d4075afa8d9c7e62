# SPDX-License-Identifier: Apache-2.0
"""Autocast of a training step: around forward and loss, not around backward and optimizer, as PyTorch advises.

Autocast that is active when a step is recorded or measured is disabled, and enabled around these parts of each step: a block around many
steps would keep the cast weights of the first, which no training loop does.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Iterator

import torch

from ..common.argument_errors import ArgumentValueError
from ..common.graph_rows import TraceError

_DEVICES = ("cpu", "cuda")
_DTYPES = (torch.bfloat16, torch.float16)


@dataclass(frozen=True)
class Casting:
    """`casts`: kinds of devices for which autocast is on, with the dtype; `cached`: weights are cast once per block; `blocks`: their number
    around the call."""

    casts: tuple[tuple[str, torch.dtype], ...] = ()
    cached: bool = True
    blocks: int = 0

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for device, dtype in self.casts:
                stack.enter_context(torch.autocast(device, dtype=dtype, cache_enabled=self.cached))
            yield


def casting_to(dtype: Any, target: str) -> Casting:
    """The casting that trace(autocast=dtype) requests."""
    if dtype not in _DTYPES:
        raise ArgumentValueError(f"autocast must be torch.bfloat16 or torch.float16, not {dtype!r}")
    return Casting(((target, dtype),))


def _depth() -> int:
    """The number of enclosing autocast blocks."""
    depth = torch.autocast_increment_nesting() - 1
    torch.autocast_decrement_nesting()
    return depth


@contextlib.contextmanager
def taken_off() -> Iterator[Casting]:
    """While entered, autocast is as outside all its blocks; yields its previous state."""
    depth = _depth()
    dtypes = {device: torch.get_autocast_dtype(device) for device in _DEVICES}
    on = [device for device in _DEVICES if torch.is_autocast_enabled(device)]
    found = Casting(tuple((device, dtypes[device]) for device in on), torch.is_autocast_cache_enabled(), depth)
    for _ in range(depth):
        torch.autocast_decrement_nesting()
    for device in on:
        torch.set_autocast_enabled(device, False)
    torch.set_autocast_cache_enabled(True)
    torch.clear_autocast_cache()  # weights cast by others aren't memory of the step
    try:
        yield found
    finally:
        torch.clear_autocast_cache()  # and those of the step aren't theirs
        for _ in range(depth):
            torch.autocast_increment_nesting()
        for device in on:
            torch.set_autocast_enabled(device, True)
        for device, dtype in dtypes.items():
            torch.set_autocast_dtype(device, dtype)
        torch.set_autocast_cache_enabled(found.cached)


def check_emulated(found: Casting) -> None:
    """For a step for CUDA that runs without a GPU: raises TraceError if casts can't be what a GPU would do."""
    way_out = "pass autocast=torch.bfloat16 to trace(), or put torch.autocast into the model's forward"
    if "cpu" in dict(found.casts):
        raise TraceError(f'autocast("cpu") around the call casts nothing on a GPU: {way_out}, or trace with target="cpu"')
    if found.blocks and not found.casts:
        raise TraceError(f'autocast is off around the call, as PyTorch leaves autocast("cuda") off where there is no GPU: {way_out}')
