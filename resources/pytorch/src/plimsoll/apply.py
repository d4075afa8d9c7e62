# SPDX-License-Identifier: Apache-2.0
"""Applies a plan file to a model: its regions run under torch.utils.checkpoint."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Union

import torch

from .apply_runtime import Handle, PlanMismatch, apply_regions, remove
from .modules import data_parallel_in

__all__ = ["Handle", "PlanMismatch", "apply", "remove"]

_FORMAT, _VERSION = "plimsoll-plan", 1


def apply(model: torch.nn.Module, plan: Union[str, "os.PathLike[str]", dict]) -> Handle:
    """Makes a model's training step recompute what the plan says; returns a handle whose `remove()` restores the model.

    `plan` is the path of a plan file (`plimsoll-cli plan --export`) or its content. Modules are matched by path, class and
    call, never by shapes, so the plan holds at any batch. Raises PlanMismatch, naming the first difference, and changes
    nothing when plan and model don't fit; a difference that only a forward can show is raised by that forward.
    """
    if not isinstance(plan, dict):
        path = os.fspath(plan)
        try:
            with open(path, encoding="utf-8") as file:
                plan = json.load(file, object_pairs_hook=_object)
        except (ValueError, OSError, RecursionError) as error:
            raise PlanMismatch(f"{path} can't be read as a plan: {error}") from error
    _check_header(plan)
    wrapper = data_parallel_in(model) if isinstance(model, torch.nn.Module) else None
    if wrapper is not None:
        raise PlanMismatch(
            f"DataParallel wraps {wrapper}, and runs copies that don't take a plan along: apply the plan to the module inside (its "
            ".module) and run that on one GPU, or in DistributedDataParallel."
        )
    try:
        return apply_regions(model, plan["regions"], (plan.get("graph") or {}).get("model_class"))
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise PlanMismatch(f"The plan is damaged: {error!r}.") from error


def _object(pairs: list) -> dict:
    """An object of the file; of two equal keys readers would differ about which one counts."""
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise ValueError(f'the key "{key}" stands there for the second time in one object')
        keys.add(key)
    return dict(pairs)


def _check_header(plan: Any) -> None:
    if not isinstance(plan, dict) or plan.get("format") != _FORMAT:
        raise PlanMismatch(f'This is no plan: its "format" isn\'t "{_FORMAT}".')
    version = plan.get("version")
    if not isinstance(version, int) or version < 1:
        raise PlanMismatch("The plan has no version.")
    if version > _VERSION:
        raise PlanMismatch(f"The plan has version {version}; this package reads up to version {_VERSION}.")
    if plan.get("runtime") != "checkpoint":
        raise PlanMismatch(f"The plan is made for the runtime {plan.get('runtime')!r}; this package runs \"checkpoint\".")
    graph = plan.get("graph") or {}
    if not isinstance(graph, dict):
        raise PlanMismatch('The plan is damaged: its "graph" is no object.')
    minor = [".".join(str(text).split("+")[0].split(".")[:2]) for text in (graph.get("torch", ""), torch.__version__)]
    if graph.get("torch") and minor[0] != minor[1]:
        warnings.warn(
            f"The plan was made with torch {minor[0]}, this is {minor[1]}: results stay the same, but memory may differ.",
            stacklevel=3,
        )
