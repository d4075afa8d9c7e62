# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that trace(), measure() and compile_step() share."""

from __future__ import annotations

import inspect
from typing import Any, Optional

import torch

from ..common.argument_errors import ArgumentTypeError, ArgumentValueError


def check_model(model: Any) -> None:
    if not isinstance(model, torch.nn.Module):
        raise ArgumentTypeError(f"model must be a torch.nn.Module, not a {type(model).__name__}: put the function into a module's forward")


def check_targets(loss: Any, targets: Any, given: Optional[int] = None, where: str = "") -> None:
    """Raises an error unless the loss takes the output and so many targets. `given`: number of positional arguments, if it is known."""
    if isinstance(targets, bool) or not isinstance(targets, int):
        raise ArgumentTypeError(f"targets must be the number of arguments that go to the loss, not a {type(targets).__name__}")
    if targets < 0:
        raise ArgumentValueError(f"targets must be 0 or the number of arguments that go to the loss, not {targets}")
    if given is not None and targets > given:
        raise ArgumentValueError(f"targets={targets}, but there are {given} positional arguments{where}")
    if targets and loss is None:
        raise ArgumentValueError("targets go to a loss function: give it as loss, or pass them to the model (targets=0)")
    if loss is None:
        return
    if not callable(loss):
        raise ArgumentTypeError(f"loss must be a function of the model's output, not a {type(loss).__name__}")
    try:
        signature = inspect.signature(loss.forward if isinstance(loss, torch.nn.Module) else loss)
    except (TypeError, ValueError):  # of a function made in C
        return
    try:
        signature.bind(*[None] * (1 + targets))
    except TypeError as error:
        raise ArgumentTypeError(
            f"loss can't be called with the model's output and {targets} targets ({error}): put what it takes besides the output at the end "
            "of the positional arguments, and say how many these are (targets=1 for labels)"
        ) from None
