# SPDX-License-Identifier: Apache-2.0
"""Memory that kernels take for themselves, as storages of a graph file: each is allocated and freed at its op."""

from __future__ import annotations

from typing import Any, Sequence

from ..common.graph_rows import CLASSES, SCRATCH, Storage
from ..record.checks import curve

_BYTES, _CLASS, _ALLOC, _FREE = 0, 1, 2, 3  # columns of storages
_OUTPUTS = 7  # column of ops
_TYPE = "uint8"
_NO_LAW = -1


def set_scratch(graph: dict[str, Any], scratch: Sequence[int]) -> None:
    """Gives each op that many bytes (0: none), in the place of those that an earlier measurement gave."""
    _remove(graph)
    storages, tensors = graph["storages"], graph["tensors"]
    for ordinal, nbytes in enumerate(scratch):
        if nbytes == 0:
            continue
        if _TYPE not in graph["dtypes"]:
            graph["dtypes"].append(_TYPE)
        graph["ops"][ordinal][_OUTPUTS].append(len(tensors))
        tensors.append([len(storages), [nbytes], [1], 0, graph["dtypes"].index(_TYPE)])
        storages.append([nbytes, SCRATCH, ordinal, ordinal, ordinal, ordinal, []])
    _fit(graph)


def _remove(graph: dict[str, Any]) -> None:
    """Scratch comes last in its tables and in the outputs of its op."""
    storages, tensors = graph["storages"], graph["tensors"]
    while storages and storages[-1][_CLASS] == SCRATCH:
        graph["ops"][storages.pop()[_ALLOC]][_OUTPUTS].pop()
        tensors.pop()


def _fit(graph: dict[str, Any]) -> None:
    """Counts anew what depends on the storages."""
    storages, checks, vary = graph["storages"], graph["checks"], graph.get("vary")
    if vary is not None:
        for table in ("storages", "tensors"):
            count = len(graph[table])
            vary[table] = (vary[table] + [_NO_LAW] * count)[:count]
    total = sum(row[_BYTES] for row in storages if row[_CLASS] == SCRATCH)
    checks["bytes_by_class"].pop(CLASSES[SCRATCH], None)
    if total > 0:
        checks["bytes_by_class"][CLASSES[SCRATCH]] = total
    live = curve([Storage(row[_BYTES], row[_ALLOC], free=row[_FREE]) for row in storages], len(graph["ops"]))
    peak = max(live, default=0)
    checks |= {
        "storages": len(storages), "tensors": len(graph["tensors"]), "peak_bytes": peak, "peak_op": live.index(peak) if live else 0,
    }  # fmt: skip
