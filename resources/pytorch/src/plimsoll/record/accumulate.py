# SPDX-License-Identifier: Apache-2.0
"""Undoes an effect of recording: the engine sums gradients in place, but not while a dispatch mode is active."""

from __future__ import annotations

from dataclasses import replace

from ..common.graph_rows import ACCUMULATION, Op, Recording


def _rewrite(recording: Recording, ordinal: int, op: Op, moved: dict[int, int]) -> None:
    """Turns the op into an in-place sum, whose result continues the old operand's storage."""
    old, new = op.reads[0], op.outputs[0]
    kept, gone = _now(recording.tensors[old].storage, moved), recording.tensors[new].storage
    moved[gone] = kept
    recording.storages[kept].free = recording.storages[gone].free
    op.target = "aten.add_.Tensor"
    op.writes = [old]
    op.outputs = [old]
    op.result = {"t": old}


def _now(storage: int, moved: dict[int, int]) -> int:
    while storage in moved:
        storage = moved[storage]
    return storage


def _fits(recording: Recording, ordinal: int, op: Op, moved: dict[int, int]) -> bool:
    old, new = recording.tensors[op.reads[0]], recording.tensors[op.outputs[0]]
    strides = lambda t: [stride for extent, stride in zip(t.shape, t.strides) if extent > 1]  # noqa: E731
    same = (old.shape, strides(old), old.offset, old.dtype) == (new.shape, strides(new), new.offset, new.dtype)
    storage = recording.storages[_now(old.storage, moved)]
    fresh = recording.storages[new.storage].alloc == ordinal
    # Nothing else may hold the old value: it is freed while the sum runs, or right after.
    return same and fresh and storage.alloc >= 0 and storage.free == ordinal


def correct_accumulation(recording: Recording) -> None:
    moved: dict[int, int] = {}
    for ordinal, op in enumerate(recording.ops):
        if op.engine_add:
            op.flags |= ACCUMULATION
            if op.reusable and _fits(recording, ordinal, op, moved):
                _rewrite(recording, ordinal, op, moved)
    recording.tensors = [replace(t, storage=_now(t.storage, moved)) for t in recording.tensors]
    recording.outputs = [_now(s, moved) for s in recording.outputs]
    recording.params = [
        (name, storage, _now(gradient, moved), states) for name, storage, gradient, states in recording.params
    ]
    for gone in moved:
        recording.storages[gone].nbytes = -1  # removed by compact()
