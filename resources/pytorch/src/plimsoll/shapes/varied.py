# SPDX-License-Identifier: Apache-2.0
"""The numbers of one step recorded at several sizes, each as a row of a table of polynomials (see `vary` in FORMAT.md of plimsoll_graph)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence

from ..common.graph_rows import Recording, TensorKey, TraceError
from .agreement import is_size, place_of
from .laws import Laws

NO_LAW = -1


@dataclass
class Sample:
    """One recording, and the text of its header that states the sizes of its arguments."""

    recording: Recording
    batch: str


class _Fit:
    """Turns the values of one number at all points into a row of the table."""

    def __init__(self, laws: Laws, points: Sequence[str]):
        self._laws = laws
        self._points = points

    def law(self, values: tuple[int, ...], what: str) -> int:
        row = self._laws.fit(values)
        if row is None:
            shown = ", ".join(f"{value} at {point}" for value, point in zip(values, self._points))
            raise TraceError(f"{what} is {shown}: no polynomial, affine in the batch and quadratic in the sequence, gives these; trace each size by itself")
        return row

    def law_or_none(self, values: tuple[int, ...], what: str) -> int:
        return NO_LAW if len(set(values)) == 1 else self.law(values, what)


def _tensor_places(recording: Recording) -> Iterator[tuple[Any, Any]]:
    """(container, key) of every row of `tensors` that is written somewhere, in an order that is always the same."""
    for op in recording.ops:
        for rows in (op.reads, op.writes, op.outputs):
            yield from ((rows, i) for i in range(len(rows)))
        yield from _tensors_of(op.args)
        yield from _tensors_of(op.kwargs)
    for call in recording.calls:
        for rows in (call.inputs, call.outputs):
            yield from ((rows, i) for i in range(len(rows)))
    yield from ((vars(row), "tensor") for row in recording.saved)


def _tensors_of(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict) and list(value) == ["t"]:
        yield value, "t"
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors_of(item)


class Joined:
    """The tensors at all points, row by row: views that are equal at one size and differ at another get separate rows."""

    def __init__(self, recordings: Sequence[Recording]):
        self._places = [list(_tensor_places(recording)) for recording in recordings]
        self._used = [tuple(container[key] for container, key in row) for row in zip(*self._places)]
        self._distinct = sorted(dict.fromkeys(self._used), key=lambda rows: rows[0])
        self._recordings = recordings

    def rows(self) -> list[tuple[TensorKey, ...]]:
        return [tuple(r.tensors[row] for r, row in zip(self._recordings, rows)) for rows in self._distinct]

    def apply(self) -> None:
        """Brings the tables of the first recording, which is the one written, into this form."""
        index = {rows: i for i, rows in enumerate(self._distinct)}
        self._recordings[0].tensors = [rows[0] for rows in self.rows()]
        for (container, key), rows in zip(self._places[0], self._used):
            container[key] = index[rows]


def _numbers_in(value: Any, path: str) -> Iterator[tuple[str, int]]:
    if is_size(value):
        yield path, value
    elif isinstance(value, (list, dict)) and not (isinstance(value, dict) and list(value) == ["t"]):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _numbers_in(item, f"{path}/{key}")


class _Shared:
    """Distinct rows in order of first appearance."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._known: dict[str, int] = {}

    def index(self, row: Any) -> int:
        known = self._known.setdefault(json.dumps(row), len(self.rows))
        if known == len(self.rows):
            self.rows.append(row)
        return known


def _geometry(fit: _Fit, keys: Sequence[TensorKey], row: int) -> Optional[list[Any]]:
    """[shape, strides, offset] as rows of the table; None if nothing varies."""
    shapes = [(key.shape, key.strides, key.offset) for key in keys]
    if len(set(shapes)) == 1:
        return None
    if len({(key.storage, key.dtype, len(key.shape)) for key in keys}) > 1:
        raise TraceError(f"tensor {row} is of another storage, dtype or number of dimensions at other sizes; trace each size by itself")
    law = lambda values, what: fit.law(values, f"the {what} of tensor {row} of storage {keys[0].storage}")  # noqa: E731
    return [
        [law(values, "size") for values in zip(*(key.shape for key in keys))],
        [law(values, "stride") for values in zip(*(key.strides for key in keys))],
        law(tuple(key.offset for key in keys), "offset"),
    ]


def _tensors(fit: _Fit, joined: Joined) -> dict[str, Any]:
    shared, rows = _Shared(), []
    for row, keys in enumerate(joined.rows()):
        geometry = _geometry(fit, keys, row)
        rows.append(NO_LAW if geometry is None else shared.index(geometry))
    return {"geometries": shared.rows, "tensors": rows}


def _ops(fit: _Fit, recordings: list[Recording]) -> dict[str, Any]:
    here = recordings[0]
    shared = _Shared()
    table: dict[str, Any] = {"flops": [], "bytes_moved": [], "numbers": shared.rows, "args": []}
    for ordinal, ops in enumerate(zip(*(recording.ops for recording in recordings))):
        where = f"op {ordinal}, {place_of(here, ops[0])}"
        for name in ("flops", "bytes_moved"):
            table[name].append(fit.law_or_none(tuple(getattr(op, name) for op in ops), f"{name} of {where},"))
        varying = []
        for found in zip(*(_numbers_in({"args": op.args, "kwargs": op.kwargs}, "") for op in ops)):
            path = found[0][0]
            law = fit.law_or_none(tuple(number for _, number in found), f"the number at {path} of {where},")
            if law != NO_LAW:
                varying.append([path, law])
        table["args"].append(shared.index(varying) if varying else NO_LAW)
    return table


def _storages(fit: _Fit, recordings: list[Recording]) -> list[int]:
    rows = []
    for index, storages in enumerate(zip(*(recording.storages for recording in recordings))):
        made = storages[0].alloc
        where = f" made by {place_of(recordings[0], recordings[0].ops[made])}" if made >= 0 else ""
        rows.append(fit.law_or_none(tuple(s.nbytes for s in storages), f"the bytes of storage {index}{where}"))
    return rows


def _batch(fit: _Fit, texts: Sequence[str]) -> list[Any]:
    """The header's text in pieces: a text, or the row of a number that varies."""
    pieces: list[Any] = [""]
    for values in zip(*(re.split(r"(\d+)", text) for text in texts)):
        if len(set(values)) == 1:
            pieces[-1:] = [pieces[-1] + values[0]] if isinstance(pieces[-1], str) else [pieces[-1], values[0]]
        else:
            pieces.append(fit.law(tuple(map(int, values)), "a size of the arguments"))
    return [piece for piece in pieces if piece != ""]


def fitted(samples: Sequence[Sample], laws: Laws, points: Sequence[str]) -> dict[str, Any]:
    """All tables but the axes; that of tensors applies once they are joined. The samples must agree except for sizes."""
    fit = _Fit(laws, points)
    recordings = [sample.recording for sample in samples]
    tables = {
        "storages": _storages(fit, recordings),
        **_tensors(fit, Joined(recordings)),
        **_ops(fit, recordings),
        "batch": _batch(fit, [sample.batch for sample in samples]),
    }
    return {"polynomials": laws.rows, **tables}
