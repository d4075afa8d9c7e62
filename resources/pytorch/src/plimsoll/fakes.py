# SPDX-License-Identifier: Apache-2.0
"""Fake tensors in a model's place: building a model without memory, and lending fakes to a model that exists."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import types
from collections import defaultdict
from typing import Any, Iterator, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from .values import values_of


def _initialisers() -> list[Any]:
    modules = [torch.nn.init]
    if importlib.util.find_spec("transformers") is not None:
        with contextlib.suppress(ImportError):  # older versions have no functions of their own
            modules.append(importlib.import_module("transformers.initialization"))
    return modules


@contextlib.contextmanager
def building() -> Iterator[FakeTensorMode]:
    """Models and tensors made inside have shapes but no data; initialisation does nothing."""
    patched = []
    for module in _initialisers():
        for name, value in list(vars(module).items()):
            if name.endswith("_") and not name.startswith("_") and callable(value):
                patched.append((module, name, value))
                setattr(module, name, lambda tensor, *_, **__: tensor)
    try:
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            yield mode
    finally:
        for module, name, value in patched:
            setattr(module, name, value)


def mode_of(model: torch.nn.Module) -> Optional[FakeTensorMode]:
    """The fake mode that the model was built under, None for a real model."""
    for tensor in (*model.parameters(), *model.buffers()):
        if isinstance(tensor, FakeTensor):
            return tensor.fake_mode
    return None


def _copy_hooks(tensor: torch.Tensor, fake: torch.Tensor) -> None:
    """Hooks on a parameter's gradient run in every step."""
    for hook in (getattr(tensor, "_backward_hooks", None) or {}).values():
        fake.register_hook(hook)
    for hook in (getattr(tensor, "_post_accumulate_grad_hooks", None) or {}).values():
        fake.register_post_accumulate_grad_hook(hook)


class Lender:
    """Puts fakes in the place of real tensors; equal objects and shared storages stay equal and shared."""

    def __init__(self, mode: FakeTensorMode, device: str = "cpu"):
        self.mode = mode
        self._device = device  # on which the fakes lie
        self._fakes: dict[int, torch.Tensor] = {}
        self._held: list[torch.Tensor] = []  # ids stay valid while we hold the originals

    def fake(self, tensor: torch.Tensor) -> torch.Tensor:
        if isinstance(tensor, FakeTensor) and tensor.device.type == self._device:
            return tensor
        known = self._fakes.get(id(tensor))
        if known is None:
            with torch.no_grad():
                made = isinstance(tensor, FakeTensor)
                known = tensor.detach() if made else self.mode.from_tensor(tensor.detach(), static_shapes=True)
            if known.device.type != self._device:
                known = self._moved(known)
            if isinstance(tensor, torch.nn.Parameter):
                known = torch.nn.Parameter(known, requires_grad=tensor.requires_grad)
            elif tensor.requires_grad:
                known.requires_grad_()
            _copy_hooks(tensor, known)
            values_of(self.mode).give(known, tensor)
            self._fakes[id(tensor)] = known
            self._held.append(tensor)
        return known

    def _moved(self, tensor: torch.Tensor) -> torch.Tensor:
        with self.mode:
            return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=self._device)

    def fake_all(self, value: Any) -> Any:
        """The same containers with fakes in them."""
        if isinstance(value, torch.Tensor):
            return self.fake(value)
        if isinstance(value, dict):
            return {k: self.fake_all(v) for k, v in value.items()} if type(value) is dict else value
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.fake_all(v) for v in value))
        if isinstance(value, (list, tuple)):
            return type(value)(self.fake_all(v) for v in value)
        return value

    def fake_function(self, function: Any) -> Any:
        """A loss function that sees fakes where it brings tensors along (partial arguments, closure, defaults)."""
        if isinstance(function, functools.partial):
            keywords = {k: self.fake_all(v) for k, v in function.keywords.items()}
            return functools.partial(self.fake_function(function.func), *self.fake_all(function.args), **keywords)
        if not isinstance(function, types.FunctionType) or not (function.__closure__ or function.__defaults__):
            return function
        cells = tuple(types.CellType(self.fake_all(cell.cell_contents)) for cell in function.__closure__ or ())
        defaults = self.fake_all(function.__defaults__)
        made = types.FunctionType(function.__code__, function.__globals__, function.__name__, defaults, cells)
        made.__kwdefaults__ = self.fake_all(function.__kwdefaults__)
        return made

    @contextlib.contextmanager
    def lend_to_model(self, model: torch.nn.Module) -> Iterator[None]:
        undo: list[tuple[Any, Any, Any]] = []
        try:
            for module in model.modules():
                for table in (module._parameters, module._buffers):
                    for name, tensor in table.items():
                        if tensor is not None:
                            undo.append((table, name, tensor))
                            table[name] = self.fake(tensor)
                for name, value in list(vars(module).items()):  # recurrent layers keep lists of their weights
                    if isinstance(value, list) and any(isinstance(v, torch.nn.Parameter) for v in value):
                        undo.append((vars(module), name, value))
                        vars(module)[name] = [self.fake(v) if isinstance(v, torch.Tensor) else v for v in value]
            yield
        finally:
            for table, name, value in reversed(undo):
                table[name] = value

    @contextlib.contextmanager
    def lend_to_optimizer(self, optimizer: Any) -> Iterator[None]:
        groups, state = [list(g["params"]) for g in optimizer.param_groups], optimizer.state
        lent: Any = defaultdict(dict)
        for parameter, values in state.items():
            lent[self.fake(parameter)] = {k: self.fake_all(v) for k, v in values.items()}
        try:
            for group in optimizer.param_groups:
                group["params"] = [self.fake(p) for p in group["params"]]
            optimizer.state = lent
            yield
        finally:
            for group, parameters in zip(optimizer.param_groups, groups):
                group["params"] = parameters
            optimizer.state = state
