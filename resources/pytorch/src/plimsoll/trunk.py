# SPDX-License-Identifier: Apache-2.0
"""A model's trunk in buckets of layers, all but the last one checkpointed: few lines for models that are a row of blocks.

    buckets = plimsoll.trunk.checkpoint_trunk({"stem": stem, "layer1": layer1, "layer2": layer2}, ["layer2"], splits=4)
    for bucket in buckets.values():
        x = bucket(x)

The planner `trunk` of Plimsoll makes the same splits and says what each number of them costs and spares.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import torch
from torch.utils.checkpoint import checkpoint

from .applying.saved_sets import Contexts

Block = Union[torch.nn.Module, Sequence[torch.nn.Module]]

_SPLIT = "activation_split_"
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


class Bucket(torch.nn.Sequential):
    """Layers that run one after the other, as one checkpoint if `is_checkpointed`.

    Batch norm's running statistics are updated once a step: the recomputation leaves them alone. Random numbers are drawn as before.
    """

    def __init__(self, layers: Sequence[torch.nn.Module], is_checkpointed: bool):
        super().__init__(*layers)
        self.is_checkpointed = is_checkpointed

    def forward(self, input: Any) -> Any:
        """What the last layer returns for the tensor `input`, of any shape that the first one takes."""
        if not (self.is_checkpointed and torch.is_grad_enabled()):
            return super().forward(input)
        # Anew each time: counters of batches may have moved to another device.
        return checkpoint(super().forward, input, use_reentrant=False, context_fn=Contexts((), (), 0, self))


def layer_splittable_before(module: torch.nn.Module) -> bool:
    """Whether a checkpoint may begin with `module`: not with one that overwrites its input, which the recomputation needs as it was.

    Known by what PyTorch's modules say of themselves (`inplace`: activations, dropout), of a sequence by its first layer. What a
    forward of your own writes in place, no module tells.
    """
    if isinstance(module, torch.nn.Sequential) and len(module) > 0:
        return layer_splittable_before(next(iter(module)))
    return not getattr(module, "inplace", False)


def checkpoint_trunk(blocks: Mapping[str, Block], boundaries: Sequence[str], splits: int) -> dict[str, torch.nn.Sequential]:
    """Divides the layers of `blocks` into at least `splits` buckets, in order: run one after the other they are the trunk.

    `blocks`: modules by name, in the order in which they run, each taking what the one before returned. Lists of modules and plain
    sequences are taken apart into their layers. `boundaries`: names of blocks whose results are asked for: a bucket of that name ends
    there. What comes behind the last of them is dropped.

    The longest bucket that can be cut is halved, again and again; the left part of the n-th cut is named `activation_split_<n>`.
    Never cut in front of what overwrites its input: fewer buckets come out where no cut is left. Every bucket but the last one is
    checkpointed: its saved tensors are made anew in backward, whose gradients are the same bit for bit.

    Raises ValueError for a boundary that is no block, for no boundary at all, and for fewer splits than one.
    """
    _check(blocks, boundaries, splits)
    buckets: list[tuple[str, list[torch.nn.Module]]] = []
    layers: list[torch.nn.Module] = []
    for name, block in blocks.items():
        layers.extend(_layers(name, block))
        if name in boundaries:
            buckets.append((name, layers))
            layers = []
    count = 0
    while len(buckets) < splits:
        place = _longest(buckets)
        if place is None:
            break
        name, whole = buckets[place]
        at = _cut(whole)
        buckets[place : place + 1] = [(f"{_SPLIT}{count}", whole[:at]), (name, whole[at:])]
        count += 1
    return {name: Bucket(whole, place + 1 < len(buckets)) for place, (name, whole) in enumerate(buckets)}


def _check(blocks: Mapping[str, Block], boundaries: Sequence[str], splits: int) -> None:
    unknown = [name for name in boundaries if name not in blocks]
    if unknown:
        raise ValueError(f"The boundary {unknown[0]!r} is no block of the trunk: choose among {', '.join(map(repr, blocks))}.")
    if isinstance(boundaries, str) or not boundaries:
        raise ValueError("A trunk ends at a boundary: give a list with the name of at least its last block.")
    taken = [name for name in boundaries if name.startswith(_SPLIT)]
    if taken:
        raise ValueError(f"The block {taken[0]!r} has a name that splits get: give it another one.")
    if isinstance(splits, bool) or not isinstance(splits, int) or splits < 1:
        raise ValueError(f"{splits!r} is no number of splits: give 1 (no checkpoint) or more.")


def _layers(name: str, block: Block) -> list[torch.nn.Module]:
    """What a block is made of, if running its parts in a row is all that it does."""
    if isinstance(block, (list, tuple, torch.nn.ModuleList)):
        layers = list(block)
        if not layers:
            raise ValueError(f"The block {name!r} is empty: leave it out.")
    elif _is_plain_sequence(block):
        layers = list(block)
    else:
        layers = [block]
    strange = next((layer for layer in layers if not isinstance(layer, torch.nn.Module)), None)
    if strange is not None:
        raise ValueError(f"The block {name!r} holds something of type {type(strange).__name__}: give modules.")
    return layers


def _is_plain_sequence(block: Any) -> bool:
    """Nobody replaced its forward or waits for its calls."""
    return (
        isinstance(block, torch.nn.Sequential)
        and len(block) > 0
        and type(block).forward is torch.nn.Sequential.forward
        and "forward" not in vars(block)
        and not any(getattr(block, hooks, None) for hooks in _HOOKS)
    )


def _cut(layers: Sequence[torch.nn.Module]) -> Optional[int]:
    """First layer of the right half, the nearest to the middle that may be one, a later one rather."""
    middle = len(layers) // 2
    for away in range(len(layers)):
        for at in (middle + away, middle - away):
            if 0 < at < len(layers) and layer_splittable_before(layers[at]):
                return at
    return None


def _longest(buckets: Sequence[tuple[str, list[torch.nn.Module]]]) -> Optional[int]:
    """The first of the longest ones that can be cut."""
    places = [place for place, (_, layers) in enumerate(buckets) if _cut(layers) is not None]
    return max(places, key=lambda place: len(buckets[place][1]), default=None)
