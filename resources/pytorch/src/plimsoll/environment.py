# SPDX-License-Identifier: Apache-2.0
"""The surroundings in which a step is recorded, undone whatever happens: fakes, kernels, modes, optimizer variant."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from . import huggingface
from .cuda_kernels import cuda_kernels
from .fakes import Lender, mode_of
from .kinds import TraceError
from .step import Step


@contextlib.contextmanager
def _training_flags(model: torch.nn.Module, mode: str) -> Iterator[None]:
    flags = [(module, module.training) for module in model.modules()]
    try:
        if mode == "inference":
            model.eval()
        elif not model.training:
            model.train()
        yield
    finally:
        for module, flag in flags:
            module.training = flag


@contextlib.contextmanager
def _foreach(optimizer: Any) -> Iterator[None]:
    """CUDA takes the foreach variant by itself, but not for fake tensors: ask for it."""
    groups = [g for g in optimizer.param_groups if g.get("foreach", True) is None and not g.get("fused")]
    for group in groups:
        group["foreach"] = True
    try:
        yield
    finally:
        for group in groups:
            group["foreach"] = None


def variant_of(optimizer: Any) -> str:
    options = optimizer.param_groups[0]
    return "fused" if options.get("fused") else "foreach" if options.get("foreach") else "for-loop"


@contextlib.contextmanager
def prepared(
    model: torch.nn.Module, args: Any, kwargs: Optional[dict], loss: Optional[Callable], optimizer: Any, mode: str,
    target: str, *, fake: bool = True,
) -> Iterator[Step]:  # fmt: skip
    """A step whose tensors are fakes (`fake` False, for tests: the real ones)."""
    if target not in ("cuda", "cpu"):
        raise TraceError(f'target must be "cuda" or "cpu", not {target!r}')
    args = tuple(args) if isinstance(args, (list, tuple)) else (args,)
    kwargs = dict(kwargs or {})
    with contextlib.ExitStack() as stack:
        if fake:
            lender = Lender(mode_of(model) or FakeTensorMode(allow_non_fake_inputs=True))
            stack.enter_context(lender.lend_to_model(model))
            if optimizer is not None and hasattr(optimizer, "param_groups"):
                stack.enter_context(lender.lend_to_optimizer(optimizer))
            args, kwargs, loss = lender.fake_all(args), lender.fake_all(kwargs), lender.fake_function(loss)
            stack.enter_context(lender.mode)
        if optimizer is not None and not hasattr(optimizer, "param_groups"):
            optimizer = optimizer([p for p in model.parameters() if p.requires_grad])
        if optimizer is not None and target == "cuda":
            stack.enter_context(_foreach(optimizer))
        stack.enter_context(_training_flags(model, mode))
        stack.enter_context(huggingface.unnoticed())
        step = Step(model, args, kwargs, loss, optimizer if mode == "train" else None, mode)
        if target == "cuda":
            stack.enter_context(cuda_kernels(step.assumed))
        yield step
