# SPDX-License-Identifier: Apache-2.0
"""Turns what was recorded into what is written: classes, last uses, places of backward ops, no rows without memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from ..common.graph_rows import ACTIVATION, CONSTANT, GRADIENT, LOSS, OUTPUT, TEMPORARY, VIEW, Recording, TensorKey

def item_bytes(dtype: str) -> int:
    return int(getattr(torch, dtype).itemsize)


def finish(recording: Recording) -> Recording:
    _place_backward(recording)
    _classify(recording)
    _compact(recording)
    _last_uses(recording)
    _bytes_moved(recording)
    return recording


def _place_backward(recording: Recording) -> None:
    """Backward ops get the place of their forward op, recomputed ops that of the op that they recompute."""
    for op in recording.ops:
        if op.phase <= LOSS:
            continue
        origin = op.recompute_of if op.recompute_of >= 0 else op.forward_op
        if origin >= 0:
            # A forward op found through a recomputed op has the place of the original.
            forward = recording.ops[origin]
            if op.module < 0 or op.recompute_of < 0:
                op.module = forward.module
            op.call = forward.call
            op.source = op.source if op.recompute_of >= 0 else forward.source


def _classify(recording: Recording) -> None:
    saved = {recording.tensors[row.tensor].storage for row in recording.saved}
    gradients = {row[2] for row in recording.params}
    outputs = set(recording.outputs)
    for index, storage in enumerate(recording.storages):
        if storage.cls is not None:
            continue
        if storage.alloc < 0:
            storage.cls = CONSTANT  # autograd saved it before an op was seen to read it
        elif index in gradients:
            storage.cls = GRADIENT
        elif index in outputs and storage.free is None:
            storage.cls = OUTPUT
        elif index in saved and recording.ops[storage.alloc].phase <= LOSS:
            storage.cls = ACTIVATION
        else:
            storage.cls = TEMPORARY


def _renamed(value: Any, tensors: dict[int, int], old: list[TensorKey]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, tensors, old) for item in value]
    if isinstance(value, dict):
        row = value.get("t")
        if row is not None and len(value) == 1:
            return {"t": tensors[row]} if row in tensors else {"host": old[row].dtype}
        return {key: _renamed(item, tensors, old) for key, item in value.items()}
    return value


def _compact(recording: Recording) -> None:
    """Removes storages that became part of others and, with them, storages in host memory."""
    storages: dict[int, int] = {}
    for index, storage in enumerate(recording.storages):
        if storage.nbytes >= 0 and not storage.host:
            storages[index] = len(storages)
    recording.storages = [recording.storages[i] for i in storages]
    old = recording.tensors
    tensors: dict[int, int] = {}
    merged: dict[TensorKey, int] = {}
    for index, key in enumerate(old):
        if key.storage in storages:
            new = replace(key, storage=storages[key.storage])
            tensors[index] = merged.setdefault(new, len(merged))
    recording.tensors = list(merged)
    kept = lambda rows: [tensors[t] for t in rows if t in tensors]  # noqa: E731
    for op in recording.ops:
        op.reads, op.writes, op.outputs = kept(op.reads), kept(op.writes), kept(op.outputs)
        op.args, op.kwargs = _renamed(op.args, tensors, old), _renamed(op.kwargs, tensors, old)
    for call in recording.calls:
        call.inputs, call.outputs = kept(call.inputs), kept(call.outputs)
    recording.saved = [row for row in recording.saved if row.tensor in tensors]
    for row in recording.saved:
        row.tensor = tensors[row.tensor]
    recording.outputs = [storages[s] for s in recording.outputs if s in storages]
    recording.params = [
        (name, storages[storage], storages.get(gradient, -1), [storages[s] for s in states if s in storages])
        for name, storage, gradient, states in recording.params
    ]


def _last_uses(recording: Recording) -> None:
    for ordinal, op in enumerate(recording.ops):
        for tensor in (*op.reads, *op.writes, *op.outputs):
            recording.storages[recording.tensors[tensor].storage].last_use = ordinal


def _bytes_moved(recording: Recording) -> None:
    def size(tensor: int) -> int:
        key = recording.tensors[tensor]
        count = 1
        for extent in key.shape:
            count *= extent
        return min(count * item_bytes(key.dtype), recording.storages[key.storage].nbytes)

    for op in recording.ops:
        if not op.flags & VIEW:
            op.bytes_moved = sum(map(size, set(op.reads))) + sum(map(size, {*op.writes, *op.outputs}))
