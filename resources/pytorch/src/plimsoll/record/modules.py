# SPDX-License-Identifier: Apache-2.0
"""Which module an op runs in, and every call of a module during forward with its inputs and results."""

from __future__ import annotations

import functools
from typing import Any, Callable, Container, Optional

import torch

from ..common.graph_rows import CALLED_DIRECTLY, HAS_HOOKS, LOSS, Call
from ..common.module_hooks import has_hooks
from ..common.objects import tensors_in_objects
from ..common.source_lines import user_line
from ..common.tensors import tensors_in
from .structures import Structures


class DirectCalls:
    """While entered, records the modules of a model whose `forward` is called without `__call__`: a trace counts calls, while a plan is
    applied to forwards. The wrappers hold arguments longer than the model does, so nothing is recorded meanwhile."""

    def __init__(self, model: torch.nn.Module):
        self.modules: set[int] = set()  # identities
        self._model = model
        self._awaited: list[Optional[torch.nn.Module]] = []  # of each running call: the module whose forward it hasn't called yet
        self._own: list[tuple[dict, Any]] = []

    def __enter__(self) -> "DirectCalls":
        self._original = original = torch.nn.Module.__call__

        def called(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            self._awaited.append(module)
            try:
                return original(module, *args, **kwargs)
            finally:
                self._awaited.pop()

        torch.nn.Module.__call__ = called
        for module in self._model.modules():
            if not isinstance(module, torch.jit.ScriptModule):  # runs no Python
                own = vars(module).get("forward")
                self._own.append((vars(module), own))
                vars(module)["forward"] = noting = self._noting(module, module.forward)
                noting.instead_of = own  # type: ignore[attr-defined]  # read where changes of the module are detected
        return self

    def __exit__(self, *_: Any) -> None:
        torch.nn.Module.__call__ = self._original
        for attributes, own in self._own:
            del attributes["forward"]
            if own is not None:
                attributes["forward"] = own

    def _noting(self, module: torch.nn.Module, own: Callable) -> Callable:
        @functools.wraps(own)
        def forward(*args: Any, **kwargs: Any) -> Any:
            if self._awaited and self._awaited[-1] is module:
                self._awaited[-1] = None
            else:
                self.modules.add(id(module))
            return own(*args, **kwargs)

        return forward


class ModuleTracker:
    """While entered, `torch.nn.Module.__call__` keeps a stack of the model's modules."""

    def __init__(self, model: torch.nn.Module, recorder: Any, called_directly: Container[int] = ()):
        self.rows: list[tuple[int, str, str, int]] = []
        self.calls: list[Call] = []
        self.stack: list[tuple[int, int]] = []  # (row of modules, row of calls)
        self._rows_of: dict[int, int] = {}
        self._recorder = recorder
        self.structures = Structures(recorder.storages.tensor, recorder.storages.is_on_host, "cuda" if recorder._emulates_cuda else "")
        paths: dict[str, int] = {}
        for path, module in model.named_modules():
            parent = path.rpartition(".")[0]
            while path and parent not in paths:
                parent = parent.rpartition(".")[0]
            paths[path] = self._rows_of[id(module)] = len(self.rows)
            flags = HAS_HOOKS if has_hooks(module) else 0
            flags |= CALLED_DIRECTLY if id(module) in called_directly else 0
            self.rows.append((paths[parent] if path else -1, path, type(module).__name__, flags))

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
            record.arguments = self.structures.of_call(args, kwargs)
            self.calls.append(record)
        self.stack.append((row, call))
        return call

    def _end(self, call: int, result: Any) -> None:
        if call >= 0:
            record = self.calls[call]
            record.last = len(self._recorder.ops) - 1
            deep = tensors_in_objects(result) if record.parent < 0 else ()
            record.outputs = [self._recorder.storages.tensor(t) for t in (*tensors_in(result), *deep)]
            record.result = self.structures.of_result(result)
