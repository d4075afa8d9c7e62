# SPDX-License-Identifier: Apache-2.0
"""Notices that a training loop goes past the forward of a model to which a plan between ops is applied, which has no effect there."""

from __future__ import annotations

from typing import Any

import torch

from .region_runner import warn_outside


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
            warn_outside(next(name for name, other in self._model.named_modules() if other is module), 2)
