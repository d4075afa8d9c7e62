# SPDX-License-Identifier: Apache-2.0
"""Numbers that the exporter counts from its own objects rather than from the rows that it writes."""

from __future__ import annotations

from typing import Any, Iterable

from ..common.graph_rows import CLASSES, PHASES, SCRATCH, Recording, Storage


def curve(storages: Iterable[Storage], ops: int, granule: int = 1) -> list[int]:
    """Bytes alive while each op runs, every storage rounded up to whole granules."""
    change = [0] * (ops + 1)
    for storage in storages:
        size = -(-storage.nbytes // granule) * granule
        change[max(storage.alloc, 0)] += size
        if storage.free is not None:
            change[max(storage.free, 0) + 1] -= size
    alive, curve = 0, []
    for ordinal in range(ops):
        alive += change[ordinal]
        curve.append(alive)
    return curve


def checks_of(recording: Recording) -> dict[str, Any]:
    live = curve(recording.storages, len(recording.ops))
    peak = max(live, default=0)
    saved = {recording.tensors[row.tensor].storage for row in recording.saved}
    by_class = dict.fromkeys(CLASSES[:SCRATCH], 0)  # no recording has scratch
    for storage in recording.storages:
        by_class[CLASSES[storage.cls]] += storage.nbytes
    return {
        "ops": len(recording.ops),
        "ops_by_phase": {name: sum(op.phase == i for op in recording.ops) for i, name in enumerate(PHASES)},
        "storages": len(recording.storages),
        "tensors": len(recording.tensors),
        "bytes_by_class": by_class,
        "saved_bytes": sum(recording.storages[s].nbytes for s in saved),
        "peak_bytes": peak,
        "peak_op": live.index(peak) if live else 0,
    }
