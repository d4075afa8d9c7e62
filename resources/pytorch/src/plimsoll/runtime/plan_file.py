# SPDX-License-Identifier: Apache-2.0
"""Reads plan files, and refuses those that are invalid or belong to another runtime."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Protocol, Union

import torch

from ..common.plan_mismatch import PlanMismatch

_FORMAT, _VERSION = "plimsoll-plan", 1


class PlanObject(Protocol):
    """What plan() returns."""

    content: dict[str, Any]


PlanLike = Union[str, os.PathLike[str], dict, PlanObject]


class MissingPlanError(PlanMismatch, FileNotFoundError):
    """The file of a plan doesn't exist."""

    __str__ = Exception.__str__


def load_plan(plan: PlanLike) -> Any:
    """The content of a plan file or of what plan() returned, unchanged; a content is returned as it is."""
    plan = getattr(plan, "content", plan)
    if isinstance(plan, dict):
        return plan
    path = os.fspath(plan)
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file, object_pairs_hook=_object)
    except FileNotFoundError as error:
        raise MissingPlanError(f"{path} can't be read as a plan: there is no such file") from error
    except (ValueError, OSError, RecursionError) as error:
        raise PlanMismatch(f"{path} can't be read as a plan: {error}") from error


def read_plan(plan: PlanLike, runtime: str, use: str) -> dict[str, Any]:
    """The content of a plan (a path, what plan() returned, or the content itself) made for `runtime`; `use` is what runs plans of the other runtime."""
    content = load_plan(plan)
    _check_header(content, runtime, use)
    return content


def freezes_stats(plan: dict[str, Any]) -> bool:
    """Whether recomputations leave batch norm's statistics alone."""
    word = plan.get("freeze_stats", False)
    if not isinstance(word, bool):
        raise PlanMismatch(f'The plan is damaged: its "freeze_stats" is {word!r}, neither true nor false.')
    return word


def _object(pairs: list) -> dict:
    """An object of the file; duplicate keys are refused, since readers differ on which one counts."""
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise ValueError(f'the key "{key}" stands there for the second time in one object')
        keys.add(key)
    return dict(pairs)


def _check_header(plan: Any, runtime: str, use: str) -> None:
    if not isinstance(plan, dict) or plan.get("format") != _FORMAT:
        raise PlanMismatch(f'This is no plan: its "format" isn\'t "{_FORMAT}".')
    version = plan.get("version")
    if not isinstance(version, int) or version < 1:
        raise PlanMismatch("The plan has no version.")
    if version > _VERSION:
        raise PlanMismatch(f"The plan has version {version}; this package reads up to version {_VERSION}.")
    if plan.get("runtime") != runtime:
        raise PlanMismatch(f"The plan is made for the runtime {plan.get('runtime')!r}, not \"{runtime}\": {use}.")
    if runtime == "step" and "freeze_stats" in plan:
        raise PlanMismatch('The plan is damaged: it is made for runtime "step", which has no use for "freeze_stats".')
    graph = plan.get("graph") or {}
    if not isinstance(graph, dict):
        raise PlanMismatch('The plan is damaged: its "graph" is no object.')
    minor = [".".join(str(text).split("+")[0].split(".")[:2]) for text in (graph.get("torch", ""), torch.__version__)]
    if graph.get("torch") and minor[0] != minor[1]:
        warnings.warn(
            f"The plan was made with torch {minor[0]}, this is {minor[1]}: results stay the same, but memory may differ.",
            stacklevel=4,
        )
