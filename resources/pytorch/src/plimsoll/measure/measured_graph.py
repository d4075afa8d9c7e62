# SPDX-License-Identifier: Apache-2.0
"""Writes measured times and scratch memory of ops back into a graph file."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional, Sequence, Union

import torch

from ..common.argument_errors import ArgumentValueError
from ..common.graph_rows import VIEW, Op, TraceError
from ..common.paths import file_to_read
from ..record.scratch import set_scratch
from ..record.writer import write
from .profiled import Watched, matched, median_times, scratch_of

_TIME = 14  # column of `ops`
_NEEDED = ("ops", "targets", "nodes", "storages")
_LEAST = 0.95  # of the ops that compute must be in the profile, or the graph belongs to another step


def write_measured(path: Path, watched: Watched, ran: int, device: torch.device, measurement: Path) -> None:
    """Sets what the kernels of each op took for themselves and, if steps were timed, `time_ns` of each op that the unplanned steps (of `ran`
    ops) contain, and null for the others. Raises TraceError and leaves the file unchanged if it isn't a graph of the measured step; the
    error then names the file `measurement`, which has been written."""
    graph = _read(path, device)
    ops = [
        Op(graph["targets"][row[0]], row[1], row[2], row[3], "", flags=row[8], seq=row[9], node=graph["nodes"][row[10]] if row[10] >= 0 else "")
        for row in graph["ops"]
    ]
    ops = _as_recorded(ops, watched.ops)
    found = matched(ops, watched.memory)
    computing = [ordinal for ordinal, op in enumerate(ops) if not op.flags & VIEW]
    missing = [ordinal for ordinal in computing if found[ordinal] is None]
    kept = f"The measurement was written to {measurement}, the graph file is as before"
    if len(ops) < _LEAST * ran:
        raise TraceError(f"{path} is another step's graph: it has {len(ops)} ops, the measured step has {ran}. {kept}")
    if len(missing) > (1 - _LEAST) * len(computing):
        raise TraceError(
            f"{path} is another step's graph: of its {len(computing)} ops that compute, {len(missing)} are not in the measured step, "
            f"first op {missing[0]}, {ops[missing[0]].target}. {kept}"
        )
    if watched.timed:
        for row, time in zip(graph["ops"], median_times(ops, watched.timed, device)):
            row[_TIME] = time
    set_scratch(graph, scratch_of(found, watched.memory))
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        write(graph, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _as_recorded(ops: Sequence[Op], recorded: Sequence[Op]) -> Sequence[Op]:
    """The graph's ops with autograd's numbers as the step on real tensors has them. Both steps run the same ops, but a gradient of a write
    into a view may make other views on fakes, and all numbers behind them differ then."""
    computing = [op for op in recorded if not op.flags & VIEW]
    if [op.target for op in ops if not op.flags & VIEW] != [op.target for op in computing]:
        return ops
    if [op.target for op in ops] == [op.target for op in recorded]:
        return recorded
    real = iter(computing)
    return [replace(op, seq=-1) if op.flags & VIEW else next(real) for op in ops]


def graph_to_write_into(given: Union[str, Path, None], device: torch.device, measurement: Path) -> Optional[Path]:
    """The graph file of that name. Raises TraceError if it can't get times of steps on this device, whatever they are."""
    path = file_to_read(given, "graph") if given is not None else None
    if path is not None:
        if measurement.exists() and path.samefile(measurement):
            raise ArgumentValueError(f"out and graph are the same file {path}: give the measurement a name of its own")
        _read(path, device)
    return path


def _read(path: Path, device: torch.device) -> dict[str, Any]:
    try:
        content = path.read_bytes()
        graph = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        raise TraceError(f"{path} can't be read as a graph file: {error}") from error
    if not isinstance(graph, dict) or graph.get("format") != "plimsoll-graph" or graph.get("version") != 1:
        raise TraceError(f"{path} is no graph file of version 1")
    missing = next((key for key in _NEEDED if not isinstance(graph.get(key), list)), None)
    if missing is not None:
        raise TraceError(f"{path} is no whole graph file: it has no {missing}")
    if graph.get("execution") == "step":
        raise TraceError(f"{path} is a plan written out as a graph: give the graph that was traced, and plan that again")
    if graph.get("target") != device.type:
        raise TraceError(f"{path} was traced with target=\"{graph.get('target')}\", but the model lies on {device.type}: its ops have other times there")
    return graph
