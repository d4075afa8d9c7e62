# SPDX-License-Identifier: Apache-2.0
"""Memory that kernels take for themselves, as storages of a graph file: each is allocated and freed at its op."""

from __future__ import annotations

from typing import Any, Sequence

from ..common.graph_rows import CLASSES, SCRATCH, Storage
from .checks import curve

_BYTES, _CLASS, _ALLOC, _FREE = 0, 1, 2, 3  # columns of storages
_UNUSED = -1  # by any op, as a value
_NO_LAW = -1


def set_scratch(graph: dict[str, Any], scratch: Sequence[Sequence[int]]) -> None:
    """Gives each op blocks of so many bytes, in the place of those that it had, which come last."""
    storages, checks, vary = graph["storages"], graph["checks"], graph.get("vary")
    while storages and storages[-1][_CLASS] == SCRATCH:
        storages.pop()
    recorded = len(storages)
    storages += [[nbytes, SCRATCH, op, op, _UNUSED, op, []] for op, blocks in enumerate(scratch) for nbytes in blocks]
    if vary is not None:
        vary["storages"][recorded:] = [_NO_LAW] * (len(storages) - recorded)
    checks["bytes_by_class"].pop(CLASSES[SCRATCH], None)
    if len(storages) > recorded:
        checks["bytes_by_class"][CLASSES[SCRATCH]] = sum(map(sum, scratch))
    live = curve([Storage(row[_BYTES], row[_ALLOC], free=row[_FREE]) for row in storages], len(graph["ops"]))
    peak = max(live, default=0)
    checks |= {"storages": len(storages), "peak_bytes": peak, "peak_op": live.index(peak) if live else 0}
