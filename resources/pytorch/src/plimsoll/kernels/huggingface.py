# SPDX-License-Identifier: Apache-2.0
"""Hides fake tensors from transformers, which would otherwise take different code paths in a trace."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator

import torch


@contextlib.contextmanager
def unnoticed() -> Iterator[None]:
    helpers: Any = sys.modules.get("transformers.utils.import_utils")
    names = [n for n in ("is_fake_tensor",) if helpers is not None and hasattr(helpers, n)]
    originals = {name: getattr(helpers, name) for name in names}
    try:
        for name in names:
            setattr(helpers, name, lambda *_: False)
        yield
    finally:
        for name, original in originals.items():
            setattr(helpers, name, original)


@contextlib.contextmanager
def loss_inside(model: torch.nn.Module, entered: Callable[[], None]) -> Iterator[None]:
    """Calls `entered` when the model starts to compute its own loss."""
    if not isinstance(getattr(type(model), "loss_function", None), property):
        yield
        return
    had = "_loss_function" in vars(model)
    original = model.loss_function

    def loss_function(*args: Any, **kwargs: Any) -> Any:
        entered()
        return original(*args, **kwargs)

    loss_function.instead_of = vars(model).get("_loss_function")  # type: ignore[attr-defined]  # as DirectCalls has it
    model._loss_function = loss_function
    try:
        yield
    finally:
        if had:
            model._loss_function = original
        else:
            vars(model).pop("_loss_function", None)
