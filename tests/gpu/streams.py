# SPDX-License-Identifier: Apache-2.0
"""Two recordings of one step, op by op: what one has and the other hasn't, and results of other sizes."""

from __future__ import annotations

import difflib
from typing import Any

from plimsoll.common.graph_rows import PHASES, Recording


def _row(recording: Recording, op: Any) -> tuple:
    """What must be equal: target, phase, and bytes and shapes of the results."""
    tensors = [recording.tensors[t] for t in op.outputs]
    return PHASES[op.phase], op.target, tuple((recording.storages[t.storage].nbytes, t.shape, t.strides, t.dtype) for t in tensors)


def _named(rows: list[tuple]) -> list[str]:
    return [f"{phase} {target}" for phase, target, _ in rows]


def differences(one: Recording, other: Recording, names: tuple[str, str] = ("emulated", "real")) -> list[str]:
    """A line for each place at which the recordings differ; none when they are equal."""
    rows = [_row(one, op) for op in one.ops], [_row(other, op) for op in other.ops]
    left, right = map(_named, rows)
    lines = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            lines += [f"op {i}: only {names[0]} has {left[i]}" for i in range(a, b)]
            lines += [f"op {i}: only {names[1]} has {right[i]}" for i in range(c, d)]
            continue
        for i, j in zip(range(a, b), range(c, d)):
            if rows[0][i][2] != rows[1][j][2]:
                lines.append(f"op {i}: {left[i]} results in {rows[0][i][2]} {names[0]}, {rows[1][j][2]} {names[1]}")
    return lines
