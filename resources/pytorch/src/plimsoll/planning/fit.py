# SPDX-License-Identifier: Apache-2.0
"""fit(): traces a step, plans it and applies the plan in one call."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Optional

import torch

from ..record.tracing import trace
from ..runtime.checkpoint.apply import Handle, apply
from ..training_step.arguments import check_model
from .plan import Budget, Plan, Prediction, plan

_OF_TRACE = ("target", "autocast", "progress", "assume", "values", "keep_output")


class Fitted:
    """A model with a plan applied: `plan`, `prediction`, and `remove()`, which restores the model, as leaving the `with` block does."""

    def __init__(self, handle: Handle, made: Plan) -> None:
        self._handle = handle
        self.plan = made

    @property
    def prediction(self) -> Prediction:
        return self.plan.prediction

    def remove(self) -> None:
        """Removes the plan from the model; a second call does nothing."""
        self._handle.remove()

    def __enter__(self) -> Fitted:
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()

    def __repr__(self) -> str:
        return repr(self.plan)

    def _repr_html_(self) -> str:
        return self.plan._repr_html_()


def fit(
    model: torch.nn.Module, args: Any = (), kwargs: Optional[Mapping[str, Any]] = None, *, loss: Optional[Callable] = None,
    optimizer: Any = None, budget: Optional[Budget] = None, planner: str = "auto", **options: Any,
) -> Fitted:  # fmt: skip
    """Makes a model's training step fit a budget: traces it, finds a plan and applies it.

    Args:
        model, args, kwargs, loss, optimizer: the step, as for `trace()`.
        budget: device memory that the step may use: "22GiB", "80%" of the unplanned peak, a number of bytes, or None for what this process
            can use of the model's GPU, as for `plan()`.
        planner: a planner's name; see `plimsoll-cli plan --list`.
        **options: `target`, `autocast`, `progress`, `assume`, `values` and `keep_output` as for `trace()`; everything else as for `plan()`.
            The runtime is "checkpoint"; for recompute schedules use `plan(..., runtime="step")` and `compile_step()`.

    Raises:
        TraceError: the step can't be recorded.
        NoPlan: no plan keeps within the budget, or none was found.
        ValueError: an option is unknown or its value makes no sense.

    Example::

        >>> model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()) for _ in range(4)])
        >>> fitted = plimsoll.fit(model, torch.zeros(1 << 17, 64), optimizer=torch.optim.AdamW, budget="80%", planner="chen")
        >>> fitted.prediction.peak_bytes <= fitted.prediction.budget_bytes
        True
    """
    check_model(model)
    if options.get("runtime", "checkpoint") != "checkpoint":
        raise ValueError('fit() applies plans of runtime "checkpoint": for a recompute schedule use plan(..., runtime="step") and compile_step().')
    traced = {name: options.pop(name) for name in _OF_TRACE if name in options}
    if "micro_steps" in options:
        raise ValueError("fit() takes no micro_steps: fit one step, and the plan runs in each micro-step of a loop that accumulates gradients.")
    on_gpu = [torch.cuda.device(parameter.device) for parameter in model.parameters() if parameter.is_cuda]
    with tempfile.TemporaryDirectory(prefix="plimsoll-") as folder, on_gpu[0] if on_gpu else contextlib.nullcontext():
        kept = None if kwargs is None else dict(kwargs)
        graph = trace(model, args, kept, loss=loss, optimizer=optimizer, out=Path(folder) / "step.plimsoll.json.gz", **traced)
        made = plan(graph, budget=budget, planner=planner, **options)
    return Fitted(apply(model, made), made)
