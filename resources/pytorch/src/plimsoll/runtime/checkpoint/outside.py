# SPDX-License-Identifier: Apache-2.0
"""Warns once when the training loop calls planned modules past the model's forward (encode() and decode(), a training_step()): the plan has no
effect there."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import torch


def warn_outside(name: str) -> None:
    warnings.warn(
        f"{name} runs outside of the model's forward, where the plan has no effect: call the model itself, or trace and plan "
        "the module whose forward the training loop calls.",
        stacklevel=_levels_to_caller(),
    )


def _levels_to_caller() -> int:
    """The level of the line that calls the module, past the module's own call and the frames of torch and of this folder."""
    level = 2
    frame = sys._getframe(level)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("torch.", __package__)):
        frame, level = frame.f_back, level + 1
    return level


class UntilCalled:
    """Watches a model, whose forward a plan replaces, until that forward runs or one of the modules inside runs without it."""

    def __init__(self, model: torch.nn.Module):
        self._model = model
        self._handles: list[Any] = []
        for module in model.modules():
            if module is not model and not isinstance(module, torch.jit.ScriptModule):
                self._handles.append(module.register_forward_pre_hook(self._ran))

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _ran(self, module: torch.nn.Module, args: Any) -> None:
        if torch.is_grad_enabled() and self._model.training:
            self.remove()
            warn_outside(next(name for name, other in self._model.named_modules() if other is module))
