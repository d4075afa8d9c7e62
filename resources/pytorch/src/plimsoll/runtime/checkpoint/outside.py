# SPDX-License-Identifier: Apache-2.0
"""Notices that a training loop goes past the forward of a model to which a plan between ops is applied, which has no effect there."""

from __future__ import annotations

import functools
from typing import Any

import torch

from .region_runner import warn_outside


class UntilCalled:
    """Watches a model, whose forward a plan replaces, until that forward runs or one of the modules inside has run twice without it: once may
    come before it (an embedding that the loop computes itself)."""

    def __init__(self, model: torch.nn.Module):
        self._model = model
        self._ran_once: set[str] = set()
        self._handles: list[Any] = []
        for name, module in model.named_modules():
            if module is not model and not isinstance(module, torch.jit.ScriptModule):
                self._handles.append(module.register_forward_pre_hook(functools.partial(self._ran, name)))

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _ran(self, name: str, module: torch.nn.Module, args: Any) -> None:
        if not torch.is_grad_enabled() or not self._model.training:
            return
        if name in self._ran_once:
            self.remove()
            warn_outside(name, 2)
        self._ran_once.add(name)
