# SPDX-License-Identifier: Apache-2.0
"""Which module an op runs in, and every call of a module during forward with its inputs and results."""

from __future__ import annotations

import dataclasses
from typing import Any, Iterator

import torch

from .kinds import LOSS, Call
from .sources import user_line


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Tensors of nested containers in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from tensors_in(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for item in dataclasses.fields(value):
            yield from tensors_in(getattr(value, item.name, None))


class ModuleTracker:
    """While entered, `torch.nn.Module.__call__` keeps a stack of the model's modules."""

    def __init__(self, model: torch.nn.Module, recorder: Any):
        self.rows: list[tuple[int, str, str]] = []
        self.calls: list[Call] = []
        self.stack: list[tuple[int, int]] = []  # (row of modules, row of calls)
        self._rows_of: dict[int, int] = {}
        self._recorder = recorder
        paths: dict[str, int] = {}
        for path, module in model.named_modules():
            parent = path.rpartition(".")[0]
            while path and parent not in paths:
                parent = parent.rpartition(".")[0]
            paths[path] = self._rows_of[id(module)] = len(self.rows)
            self.rows.append((paths[parent] if path else -1, path, type(module).__name__))

    def current(self) -> tuple[int, int]:
        return self.stack[-1] if self.stack else (-1, -1)

    def __enter__(self) -> "ModuleTracker":
        self._original = original = torch.nn.Module.__call__

        def tracked(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            row = self._rows_of.get(id(module))
            if row is None or not self._recorder.on:
                return original(module, *args, **kwargs)
            call = self._begin(row, args, kwargs)
            try:
                result = original(module, *args, **kwargs)
                self._end(call, result)
            finally:
                self.stack.pop()
            return result

        torch.nn.Module.__call__ = tracked
        return self

    def __exit__(self, *_: Any) -> None:
        torch.nn.Module.__call__ = self._original

    def _begin(self, row: int, args: Any, kwargs: Any) -> int:
        recorder = self._recorder
        call = -1
        recorder.note_autocast()
        if recorder.phase <= LOSS:
            call = len(self.calls)
            parent = self.stack[-1][1] if self.stack else -1
            first = len(recorder.ops)
            record = Call(row, parent, first, first - 1, user_line(3))
            record.inputs = [recorder.storages.tensor(t) for t in tensors_in((args, kwargs))]
            self.calls.append(record)
        self.stack.append((row, call))
        return call

    def _end(self, call: int, result: Any) -> None:
        if call >= 0:
            record = self.calls[call]
            record.last = len(self._recorder.ops) - 1
            record.outputs = [self._recorder.storages.tensor(t) for t in tensors_in(result)]
