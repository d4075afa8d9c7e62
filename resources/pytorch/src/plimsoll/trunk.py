# SPDX-License-Identifier: Apache-2.0
"""Divides a model's trunk into buckets of layers, all but the last one checkpointed: for models that are a row of blocks.

    buckets = plimsoll.trunk.checkpoint_trunk({"stem": stem, "layer1": layer1, "layer2": layer2}, ["layer2"], splits=4)
    for bucket in buckets.values():
        x = bucket(x)

Plimsoll's planner `trunk` makes the same splits and tells the time and memory of each number of buckets.
"""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import torch
from torch.utils.checkpoint import checkpoint

from .common.module_hooks import has_hooks
from .runtime.checkpoint.saved_sets import Contexts

Block = Union[torch.nn.Module, Sequence[torch.nn.Module]]

_SPLIT = "activation_split_"


class Bucket(torch.nn.Sequential):
    """Layers that run one after the other, as one checkpoint if `is_checkpointed`.

    Batch norm's running statistics are updated once per step, since the recomputation doesn't update them. Random numbers are drawn as
    before.
    """

    def __init__(self, layers: Sequence[torch.nn.Module], is_checkpointed: bool):
        super().__init__(*layers)
        self.is_checkpointed = is_checkpointed

    def forward(self, input: Any) -> Any:
        """Returns what the last layer makes of the tensor `input`, which may have any shape that the first layer accepts."""
        if not (self.is_checkpointed and torch.is_grad_enabled()):
            return super().forward(input)
        # New contexts each time: counters of batches may have moved to another device.
        return checkpoint(super().forward, input, use_reentrant=False, context_fn=Contexts((), (), 0, self))


def layer_splittable_before(module: torch.nn.Module) -> bool:
    """Whether a checkpoint may begin with `module`: not if it overwrites its input, which the recomputation needs unchanged.

    This relies on what PyTorch's modules declare (`inplace`: activations, dropout), for a sequence on its first layer. In-place writes
    in a forward of your own can't be detected.
    """
    if isinstance(module, torch.nn.Sequential) and len(module) > 0:
        return layer_splittable_before(next(iter(module)))
    return not getattr(module, "inplace", False)


def checkpoint_trunk(blocks: Mapping[str, Block], boundaries: Sequence[str], splits: int) -> dict[str, torch.nn.Sequential]:
    """Divides the layers of `blocks` into at least `splits` buckets, in order: run one after the other, they are the trunk.

    `blocks`: modules by name, in the order in which they run, each taking the result of the previous one. Lists of modules and plain
    sequences are divided into their layers. `boundaries`: names of blocks, or of layers in them (`layer3.1`), whose results are needed:
    a bucket of that name ends there. Everything after the last boundary is dropped.

    The longest bucket that can be cut is halved, repeatedly; the left part of the n-th cut is named `activation_split_<n>`. There is
    never a cut before a layer that overwrites its input, so there are fewer buckets if no cut is left. Every bucket but the last one is
    checkpointed: its saved tensors are recomputed in backward, whose gradients are the same bit for bit.

    Raises ValueError for a boundary that is no block or layer of one, for one (except the last) before a layer that overwrites its
    result, for no boundary at all, and for fewer than one split.
    """
    layers = [layer for name, block in blocks.items() for layer in _layers(name, block)]
    _check(blocks, boundaries, splits, [name for name, _ in layers])
    buckets = _buckets(layers, _ends(layers, boundaries))
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


def _check(blocks: Mapping[str, Block], boundaries: Sequence[str], splits: int, layers: Sequence[str]) -> None:
    if isinstance(boundaries, str) or not boundaries:
        raise ValueError("A trunk ends at a boundary: give a list with the name of at least its last block.")
    unknown = [name for name in boundaries if name not in blocks and name not in layers]
    if unknown:
        nearest = difflib.get_close_matches(str(unknown[0]), [*blocks, *layers], 3, 0.0)
        raise ValueError(f"The boundary {unknown[0]!r} is no block of the trunk: nearest are {', '.join(map(repr, nearest))}.")
    taken = [name for name in boundaries if name.startswith(_SPLIT)]
    if taken:
        raise ValueError(f"The block {taken[0]!r} has a name that splits get: give it another one.")
    if isinstance(splits, bool) or not isinstance(splits, int) or splits < 1:
        raise ValueError(f"{splits!r} is no number of splits: give 1 (no checkpoint) or more.")


def _layers(name: str, block: Block) -> list[tuple[str, torch.nn.Module]]:
    """The layers of a block by name, if all that it does is to run them in sequence."""
    if isinstance(block, (list, tuple, torch.nn.ModuleList)):
        layers = [(f"{name}.{place}", layer) for place, layer in enumerate(block)]
        if not layers:
            raise ValueError(f"The block {name!r} is empty: leave it out.")
    elif _is_plain_sequence(block):
        # Not named_children(), which lists a layer that runs twice only once.
        children = [(child, layer) for child, layer in block.named_modules(remove_duplicate=False) if child and "." not in child]
        layers = [(f"{name}.{child}", layer) for child, layer in children]
    else:
        layers = [(name, block)]
    strange = next((layer for _, layer in layers if not isinstance(layer, torch.nn.Module)), None)
    if strange is not None:
        raise ValueError(f"The block {name!r} holds something of type {type(strange).__name__}: give modules.")
    return layers


def _ends(layers: Sequence[tuple[str, torch.nn.Module]], boundaries: Sequence[str]) -> dict[int, str]:
    """Boundaries by the number of layers up to there, rising; if several end at the same place, the one named first."""
    ends: dict[int, str] = {}
    for name in boundaries:
        last = max(place for place, (layer, _) in enumerate(layers) if layer == name or layer.startswith(f"{name}."))
        ends.setdefault(last + 1, name)
    for end in sorted(ends)[:-1]:
        if not layer_splittable_before(layers[end][1]):
            raise ValueError(
                f"The boundary {ends[end]!r} is in front of {layers[end][0]!r}, which overwrites what {layers[end - 1][0]!r} returns: "
                f"name {layers[end][0]!r} instead."
            )
    return dict(sorted(ends.items()))


def _buckets(layers: Sequence[tuple[str, torch.nn.Module]], ends: Mapping[int, str]) -> list[tuple[str, list[torch.nn.Module]]]:
    begins = [0, *ends]
    return [(name, [layer for _, layer in layers[begin:end]]) for begin, (end, name) in zip(begins, ends.items())]


def _is_plain_sequence(block: Any) -> bool:
    """Whether its forward isn't replaced and it has no hooks."""
    return (
        isinstance(block, torch.nn.Sequential)
        and len(block) > 0
        and type(block).forward is torch.nn.Sequential.forward
        and "forward" not in vars(block)
        and not has_hooks(block)
    )


def _cut(layers: Sequence[torch.nn.Module]) -> Optional[int]:
    """The first layer of the right half: the nearest to the middle before which a cut is allowed, on a tie the later one."""
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
