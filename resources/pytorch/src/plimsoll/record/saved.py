# SPDX-License-Identifier: Apache-2.0
"""What autograd saves, when it unpacks it and when it releases it, seen through saved_tensors_hooks."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, Optional

import torch

from ..common.graph_rows import LOSS, Saved
from ..isolation.known_values import give_value, known_value


class _Packed:
    """Stands for one saved tensor in the autograd graph; its deallocation is the release."""

    __slots__ = ("tensor", "row", "__weakref__")

    def __init__(self, tensor: torch.Tensor, row: Saved):
        self.tensor = tensor
        self.row = row


class SavedTensors:
    """Hooks that record what they pack and keep it, so that lifetimes don't change."""

    def __init__(self, recorder: Any):
        self.rows: list[Saved] = []
        self._recorder = recorder
        self._watches: list[weakref.ref] = []
        self._handed: Optional[weakref.ref] = None  # what unpack returned last
        self._handed_row: Optional[Saved] = None

    def __enter__(self) -> "SavedTensors":
        self._recorder.on_detach = self._follow
        self._hooks = torch.autograd.graph.saved_tensors_hooks(self._pack, self._unpack)
        self._hooks.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._hooks.__exit__(*error)
        self._recorder.on_detach = None

    def _now(self) -> Optional[int]:
        return len(self._recorder.ops) - 1 if self._recorder.on else None

    def _pack(self, tensor: torch.Tensor) -> Any:
        recorder = self._recorder
        if not recorder.on:
            return tensor
        seq = recorder.sequence()
        after = bool(recorder.ops) and recorder.owns(seq)  # results are packed after the op has run, inputs before
        row = Saved(recorder.storages.tensor(tensor), len(recorder.ops) - int(after), int(after), seq)
        self.rows.append(row)
        # A node that kept its own result would hold itself; a detached result has no node.
        packed = _Packed(tensor.detach() if tensor.grad_fn is not None else tensor, row)
        self._watch(packed, row, "released")
        return packed

    def _unpack(self, packed: Any) -> torch.Tensor:
        if not isinstance(packed, _Packed):
            return packed
        row = packed.row
        if row.unpack is None:
            row.unpack = len(self._recorder.ops)
            # An in-place op first makes its node, then a copy of what it overwrites. The copy is packed while it looks like the op that
            # made the last node; only now is it known whose it is.
            node = self._recorder.unpacking_node(row.op + row.after)
            row.seq = row.seq if node is None else node
        handed = packed.tensor.detach()
        self._watch(handed, row, "dropped")
        self._handed, self._handed_row = weakref.ref(handed), row
        return handed

    def _follow(self, source: torch.Tensor, copy: torch.Tensor) -> None:
        """Autograd passes on a shallow copy of what the hook returned; its lifetime shows how long the node holds the tensor."""
        if self._handed is not None and self._handed() is source and self._handed_row is not None:
            self._watch(copy, self._handed_row, "dropped")
            self._handed = None

    def _watch(self, thing: Any, row: Saved, event: str) -> None:
        def ended(_: Any) -> None:
            now = self._now()
            if now is not None:
                setattr(row, event, now)

        self._watches.append(weakref.ref(thing, ended))


@dataclass(frozen=True)
class _Dropped:
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device
    value: Optional[torch.Tensor]  # the real tensor of known integers


class DroppedTensors:
    """Hooks that keep nothing that forward made, so that storages are freed with Python's last reference."""

    def __init__(self, recorder: Any):
        self._recorder = recorder

    def __enter__(self) -> "DroppedTensors":
        self._hooks = torch.autograd.graph.saved_tensors_hooks(self._pack, self._unpack)
        self._hooks.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._hooks.__exit__(*error)

    def _pack(self, tensor: torch.Tensor) -> Any:
        recorder = self._recorder
        if not recorder.on or recorder.phase > LOSS:
            return tensor
        storage = recorder.storages.find(tensor)
        if storage is not None and recorder.storages.rows[storage].alloc < 0:
            return tensor
        return _Dropped(tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor.device, known_value(tensor))

    def _unpack(self, packed: Any) -> torch.Tensor:
        if isinstance(packed, torch.Tensor):
            return packed
        on, self._recorder.on = self._recorder.on, False
        try:
            made = torch.empty_strided(packed.shape, packed.strides, dtype=packed.dtype, device=packed.device)
            if packed.value is not None:
                give_value(made, packed.value)
            return made
        finally:
            self._recorder.on = on
