# SPDX-License-Identifier: Apache-2.0
"""Functions of PyTorch that take a different code path for fake tensors, made to take that of real tensors."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from ..common.real_values import skip_numbers_of_cpu
from .in_place import Noting


class _Names(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.add(str(func))
        return func(*args, **(kwargs or {}))


@functools.lru_cache(maxsize=None)
def _looks_at_both_ends() -> bool:
    """Whether one_hot of this PyTorch finds the smallest and the largest class in one op."""
    with _disable_current_modes(), _Names() as names, torch.no_grad():
        torch._C._nn.one_hot(torch.zeros(1, dtype=torch.int64), 1)
    return "aten.aminmax.default" in names.seen


def _largest(indices: torch.Tensor) -> int:
    ends = torch.aminmax(indices) if _looks_at_both_ends() else None
    (indices.min() if ends is None else ends.min).item()
    return int((indices.max() if ends is None else ends.max).item())


def _look_at_classes(indices: torch.Tensor) -> None:
    """The real function raises an error for classes out of range; data_dependent.py assumes them to be in range."""
    _largest(indices)


def _one_hot(indices: torch.Tensor, classes: int, target: str) -> torch.Tensor:
    """On a CPU, the real function checks the classes first; on fakes, PyTorch compares with arange() instead of scattering."""
    if target == "cuda":
        skip_numbers_of_cpu(1 if classes == -1 else 2)  # the smallest and the largest class
    if classes == -1:
        classes = (_largest(indices) if target == "cpu" else int(indices.max().item())) + 1
    elif target == "cpu":
        _look_at_classes(indices)
    place = {"dtype": indices.dtype, "layout": indices.layout, "device": indices.device}
    return torch.ops.aten.zeros.default([*indices.shape, classes], **place).scatter_(-1, indices.unsqueeze(-1), 1)


class EagerPaths(Noting):
    """While entered, calls run the ops of a real run on the target ("cpu", "cuda")."""

    def __init__(self, target: str):
        super().__init__()
        self._target = target

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch._C._nn.one_hot:
            indices = args[0] if args else kwargs["input"]
            classes = args[1] if len(args) > 1 else kwargs.get("num_classes", -1)
            if isinstance(indices, FakeTensor) and indices.numel() > 0:
                return _one_hot(indices, classes, self._target)
        return super().__torch_function__(func, types, args, kwargs)


def eager_path() -> contextlib.AbstractContextManager:
    """The modes active now, to be entered again when the autograd engine, which drops such modes, runs a recomputation."""
    entered = (mode for mode in _get_current_function_mode_stack() if isinstance(mode, EagerPaths))
    return next(entered, contextlib.nullcontext())
