# SPDX-License-Identifier: Apache-2.0
"""Checks the first real step of a program: does every kernel return and write what the recording says?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

import torch

from ...common.graph_rows import TraceError
from ...common.tensors import tensors_in
from .program import Program
from .refusals import refusal
from .schedule import Execution

_KNOWN_NAMESPACE = "aten"


class FirstStep:
    """Called by a program's observed function. Wrong geometry in the recording is corrected in `geometry` and, after the step, in the
    program; anything that can't be corrected is an error. `corrections` are sentences."""

    def __init__(self, program: Program, executions: list[Execution]):
        self.geometry = {row: (key.shape, key.strides, key.offset) for row, key in enumerate(program.tensors)}
        self.corrections: list[str] = []
        self._program = program
        self._executions = executions
        self._touched: tuple = ()
        self._versions: list[tuple[int, torch.Tensor, int]] = []  # rows of the program, tensors and their version counters
        self._contents: list[tuple[torch.Tensor, torch.Tensor]] = []

    def before(self, step: int, touched: tuple) -> None:
        op = self._program.ops[self._executions[step].op]
        self._touched = touched
        rows = dict.fromkeys((*op.reads, *op.writes))
        self._versions = [(row, tensor, tensor._version) for row, tensor in zip(rows, touched) if not tensor.is_inference()]
        if not op.target.startswith(f"{_KNOWN_NAMESPACE}."):
            declared = {self._program.storage(row) for row in op.writes}
            self._contents = [(t, t.clone()) for row, t in zip(rows, touched) if self._program.storage(row) not in declared]

    def after(self, step: int, made: Any) -> Any:
        ordinal = self._executions[step].op
        op = self._program.ops[ordinal]
        declared = {self._program.storage(row) for row in op.writes}
        hidden = any(t._version != version and self._program.storage(row) not in declared
                     for row, t, version in self._versions)  # fmt: skip
        hidden = hidden or any(not torch.equal(t, before) for t, before in self._contents)
        touched, self._touched, self._versions, self._contents = self._touched, (), [], []
        if hidden:
            raise refusal("secret write", place=self._program.place(ordinal))
        if made is not None:
            self._compare(ordinal, op.result, made)
            made, copied = separated(self._program, ordinal, made, touched)
            if copied - self._program.copied:
                self._refuse_written(ordinal, copied)
                self.corrections.append(f"{self._program.place(ordinal)} returns memory that is another tensor's, too: copied")
            self._program.copied |= copied
        return made

    def _refuse_written(self, ordinal: int, copied: set[int]) -> None:
        """A copy equals the memory of eager PyTorch only until the memory that it was copied from is written."""
        op = self._program.ops[ordinal]
        shared = {self._program.storage(row) for row in (*copied, *op.outputs, *op.reads)}
        if any(self._program.storage(row) in shared for later in self._program.ops[ordinal + 1 :] for row in later.writes):
            raise self._wrong(ordinal, "memory of its own", "memory that is another tensor's, too, and written later")

    def _compare(self, ordinal: int, recorded: Any, made: Any) -> None:
        if isinstance(recorded, list):
            if not isinstance(made, (list, tuple)) or len(made) != len(recorded):
                raise self._wrong(ordinal, f"{len(recorded)} results", f"{len(list(tensors_in(made)))}")
            for mine, its in zip(recorded, made):
                self._compare(ordinal, mine, its)
        elif isinstance(recorded, dict) and "t" in recorded:
            if not isinstance(made, torch.Tensor):
                raise self._wrong(ordinal, "a tensor", type(made).__name__)
            self._compare_tensor(ordinal, recorded["t"], made)
        elif isinstance(made, torch.Tensor) or (isinstance(recorded, (bool, int)) and recorded != made):
            raise self._wrong(ordinal, repr(recorded), "a tensor" if isinstance(made, torch.Tensor) else repr(made))

    def _compare_tensor(self, ordinal: int, row: int, made: torch.Tensor) -> None:
        key = self._program.tensors[row]
        dtype = str(made.dtype).removeprefix("torch.")
        if (dtype, made.is_conj(), made.is_neg()) != (key.dtype, key.conj, key.neg):
            raise self._wrong(ordinal, key.dtype, dtype)
        found = (tuple(made.shape), made.stride(), made.storage_offset())
        known = self.geometry[row]
        if _seen(known) != _seen(found):
            self.corrections.append(
                f"{self._program.place(ordinal)} returned shape, strides and offset {found}, recorded were {known}"
            )
            self.geometry[row] = found
        storage = self._program.storages[key.storage]
        if storage.alloc == ordinal and storage.nbytes != made.untyped_storage().nbytes():
            self.corrections.append(
                f"{self._program.place(ordinal)} took {made.untyped_storage().nbytes()} bytes, recorded were {storage.nbytes}"
            )
            storage.nbytes = made.untyped_storage().nbytes()

    def _wrong(self, ordinal: int, recorded: str, found: str) -> TraceError:
        return refusal("other result", place=self._program.place(ordinal), found=found, recorded=recorded)

    def correct(self) -> None:
        """Applies the corrections to the program."""
        for row, (shape, strides, offset) in self.geometry.items():
            key = self._program.tensors[row]
            self._program.tensors[row] = replace(key, shape=shape, strides=strides, offset=offset)


def separated(program: Program, ordinal: int, made: Any, touched: tuple) -> tuple[Any, set[int]]:
    """An op's results, with copies of those that share memory although the recording gives each its own; also the rows of the copies."""
    owners = {tensor.untyped_storage()._cdata: -1 for tensor in touched}
    copied = set()

    def one(recorded: Any, result: Any) -> Any:
        if isinstance(recorded, list):
            return type(result)(one(a, b) for a, b in zip(recorded, result)) if recorded else result
        if not isinstance(result, torch.Tensor):
            return result
        storage = program.storage(recorded["t"])
        if program.storages[storage].alloc != ordinal:
            return result
        if owners.setdefault(result.untyped_storage()._cdata, storage) == storage:
            return result
        copied.add(recorded["t"])
        return result.clone()

    return one(program.ops[ordinal].result, made), copied


def _seen(found: Optional[tuple]) -> Any:
    """The geometry without strides of dimensions that have at most one element, which are meaningless."""
    shape, strides, offset = found
    if 0 in shape:
        return (shape, offset)
    return (shape, tuple(s for n, s in zip(shape, strides) if n > 1), offset)
