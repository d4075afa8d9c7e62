# SPDX-License-Identifier: Apache-2.0
"""Copies of arguments and loss functions with other tensors in them."""

from __future__ import annotations

import functools
import types
from typing import Any

import torch

from ..common.arguments import is_named_tuple


class Exchanger:
    """Subclasses define in `one` what replaces a tensor."""

    def one(self, tensor: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError

    def all(self, value: Any) -> Any:
        """The same containers with other tensors in them."""
        if isinstance(value, torch.Tensor):
            return self.one(value)
        if isinstance(value, dict):
            return {k: self.all(v) for k, v in value.items()} if type(value) is dict else value
        if is_named_tuple(type(value)):
            return type(value)(*(self.all(v) for v in value))
        if isinstance(value, (list, tuple)):
            return type(value)(self.all(v) for v in value)
        return value

    def function(self, function: Any) -> Any:
        """A loss function that brings other tensors along (partial arguments, closure, defaults)."""
        if isinstance(function, functools.partial):
            keywords = {k: self.all(v) for k, v in function.keywords.items()}
            return functools.partial(self.function(function.func), *self.all(function.args), **keywords)
        if not isinstance(function, types.FunctionType) or not (function.__closure__ or function.__defaults__):
            return function
        cells = tuple(types.CellType(self.all(cell.cell_contents)) for cell in function.__closure__ or ())
        defaults = self.all(function.__defaults__)
        made = types.FunctionType(function.__code__, function.__globals__, function.__name__, defaults, cells)
        made.__kwdefaults__ = self.all(function.__kwdefaults__)
        return made
