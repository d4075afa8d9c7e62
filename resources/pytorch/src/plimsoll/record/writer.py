# SPDX-License-Identifier: Apache-2.0
"""Writes a recording as a graph file, byte for byte the same for the same recording."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

from ..common.graph_rows import FORMAT_VERSION, Op, Recording
from .checks import checks_of


class _Strings:
    """A table of distinct strings; "" is no string and has index -1."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}

    def index(self, text: str) -> int:
        return self._rows.setdefault(text, len(self._rows)) if text else -1

    def rows(self) -> list[str]:
        return list(self._rows)


def graph_of(recording: Recording, header: dict[str, Any]) -> dict[str, Any]:
    targets, sources, dtypes, nodes = _Strings(), _Strings(), _Strings(), _Strings()

    def op_row(op: Op) -> list[Any]:
        return [
            targets.index(op.target), op.phase, op.module, op.call, sources.index(op.source), op.reads, op.writes, op.outputs,
            op.flags, op.seq, nodes.index(op.node), op.forward_op, op.flops, op.bytes_moved, None, op.recompute_of, op.args, op.kwargs,
        ]  # fmt: skip

    storages = [[s.nbytes, s.cls, s.alloc, s.free, s.last_use, s.python_free, s.names] for s in recording.storages]
    tensors = [[t.storage, t.shape, t.strides, t.offset, dtypes.index(t.dtype)] for t in recording.tensors]
    ops = [op_row(op) for op in recording.ops]
    calls = [
        [c.module, c.parent, c.first, c.last, c.inputs, c.outputs, sources.index(c.source), c.arguments, c.result]
        for c in recording.calls
    ]
    saved = [[s.tensor, s.op, s.after, s.seq, s.unpack, s.dropped, s.released] for s in recording.saved]
    return {
        "format": "plimsoll-graph",
        "version": FORMAT_VERSION,
        **header,
        "targets": targets.rows(),
        "sources": sources.rows(),
        "dtypes": dtypes.rows(),
        "nodes": nodes.rows(),
        "modules": recording.modules,
        "calls": calls,
        "structures": recording.structures,
        "storages": storages,
        "tensors": tensors,
        "ops": ops,
        "saved": saved,
        "params": recording.params,
        "checks": checks_of(recording),
    }


def text_of(graph: dict[str, Any]) -> bytes:
    """The content of a graph file before compression."""
    return json.dumps(graph, separators=(",", ":"), allow_nan=False).encode()


def write(graph: dict[str, Any], path: Path) -> None:
    text = text_of(graph)
    if path.suffix == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
            stream.write(text)
        text = packed.getvalue()
    path.write_bytes(text)
