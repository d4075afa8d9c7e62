# SPDX-License-Identifier: Apache-2.0
"""plan(): the planners of plimsoll-cli from Python."""

from __future__ import annotations

import html
import json
import os
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from ..runtime.plan_file import load_plan
from . import command, gpu

Budget = Union[str, int]
_NOT_TAKEN = frozenset({"export", "json", "quiet", "list", "help", "explain", "flips", "frontier"})  # nothing of theirs would be returned
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


@dataclass(frozen=True)
class Prediction:
    """Of the planned step and the unplanned one, in bytes and nanoseconds. `reserved`: what PyTorch's caching allocator takes from the GPU
    for the planned step, with its default settings and with expandable segments."""

    budget_bytes: int
    peak_bytes: int
    step_time_ns: int
    unplanned_peak_bytes: int
    unplanned_step_time_ns: int
    reserved_bytes: Optional[int]
    reserved_expandable_bytes: Optional[int]

    def rows(self) -> list[tuple[str, str, str]]:
        """A table with a heading: what, of the planned step, of the unplanned one."""
        return [
            ("", "planned", "unplanned"),
            ("peak", _bytes_text(self.peak_bytes), _bytes_text(self.unplanned_peak_bytes)),
            ("step time", _time_text(self.step_time_ns), _time_text(self.unplanned_step_time_ns)),
            ("budget", _bytes_text(self.budget_bytes), ""),
        ]


def _bytes_text(count: int) -> str:
    for size, unit in _UNITS:
        if count >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


def _time_text(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e6:.3g} ms"


@dataclass(frozen=True, repr=False)
class Plan:
    """A plan that keeps within its budget. `apply()` and `compile_step()` take it as they take a plan file.

    `content` is what a plan file holds, `answer` all that `plimsoll-cli plan --json` says of it, `svg` a drawing of memory over the step.
    """

    content: dict[str, Any]
    answer: dict[str, Any]
    svg: str

    @property
    def prediction(self) -> Prediction:
        said = self.answer
        return Prediction(
            said["budget_bytes"], said["peak_bytes"], said["step_time_ns"], said["base_peak_bytes"], said["base_step_time_ns"],
            said["reserved_bytes"], said["reserved_expandable_bytes"],
        )  # fmt: skip

    def save(self, path: Union[str, os.PathLike[str]]) -> Path:
        """Writes the plan file to `path`, which it returns; the app and plimsoll-cli open it."""
        path = Path(path)
        path.write_text(json.dumps(self.content), encoding="utf-8")
        return path

    def _title(self) -> str:
        graph = self.content.get("graph") or {}
        return f"Plan of {graph.get('model', 'a model')} by planner {self.content.get('planner')}, runtime {self.content.get('runtime')}"

    def __repr__(self) -> str:
        widths = (12, 12, 0)
        lines = ("  " + "".join(text.ljust(width) for text, width in zip(row, widths)) for row in self.prediction.rows())
        return "\n".join([self._title(), *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        cells = ("".join(f"<td>{html.escape(text)}</td>" for text in row) for row in self.prediction.rows())
        table = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><caption>{html.escape(self._title())}</caption>{table}</table>{self.svg}"


def plan(
    graph: Union[str, os.PathLike[str]], *, budget: Optional[Budget] = None, planner: str = "auto", **options: Any
) -> Plan:
    """Finds what to recompute so that the step in a graph file fits a budget.

    Runs `plimsoll-cli plan`, so the same call gives the same plan in a shell, in the window and here.

    Args:
        graph: a file that `trace()` has written.
        budget: device memory that the step may use: "22GiB", "80%" of the unplanned peak, a number of bytes, or None for what this process
            can use of this machine's GPU. Then a training loop with the plan runs in PyTorch's caching allocator, whose settings this
            process has; with a given budget, such a plan is preferred.
        planner: a planner's name; see `plimsoll-cli plan --list`.
        **options: options of `plimsoll-cli plan`, with underscores for hyphens: `device="rtx-4090"`, `runtime="step"`,
            `pin=["keep:head"]`, `saved_sets=True`. Unless `reserve` is given, the budget has room for the workspaces that PyTorch gives
            cuBLAS on the GPU that this process uses, else on the `device`: `reserve=0` plans for tensors alone.

    Raises:
        NoPlan: no plan keeps within the budget, or none was found.
        ValueError: an option is unknown or its value makes no sense.
        FileNotFoundError: the graph file, or plimsoll-cli, isn't there.

    Example::

        >>> model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()) for _ in range(4)])
        >>> graph = plimsoll.trace(model, torch.zeros(1 << 17, 64), name="mine")
        >>> plan = plimsoll.plan(graph, budget="80%", planner="chen")
        >>> plan.prediction.peak_bytes < plan.prediction.unplanned_peak_bytes
        True
        >>> handle = plimsoll.apply(model, plan)
    """
    path = Path(graph)
    if not path.is_file():
        raise FileNotFoundError(f"There is no graph file {path}: write one with plimsoll.trace().")
    odd = sorted(_NOT_TAKEN & options.keys())
    if odd:
        raise ValueError(f"plan() has no option {odd[0]}; use plimsoll-cli plan --{odd[0]} for what it prints.")
    made = _run(path, {"budget": budget, "planner": planner, **options}) if budget is not None else _fitting(path, {"planner": planner, **options})
    for warning in made.answer["warnings"]:
        warnings.warn(warning, stacklevel=2)
    return made


def _run(path: Path, options: Mapping[str, Any]) -> Plan:
    with tempfile.TemporaryDirectory(prefix="plimsoll-") as folder:
        files = [Path(folder) / name for name in ("plan.json", "plan.svg")]
        here = {} if options.get("device") is not None else gpu.workspace_setting()
        said = json.loads(command.run("plan", path, {**options, "export": files}, here))
        return Plan(load_plan(files[0]), said, files[1].read_text(encoding="utf-8"))


def _fitting(path: Path, options: Mapping[str, Any]) -> Plan:
    """The plan to take where the device's memory is what this process can use of it: one that runs in PyTorch's allocator."""
    usable, expandable = gpu.usable_memory(), gpu.has_expandable_segments()
    made = _run(path, {**options, "budget": usable, "alloc_conf": f"expandable_segments:{expandable}"})
    run = made.answer["run"]
    if run is not None and run["status"] == "fails":
        raise command.NoPlan(
            f"With every plan found, PyTorch's allocator would need more than the {usable:,} B that this process can use of the GPU: give "
            "a budget to have one nevertheless; PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True leaves fewer gaps."
        )
    return made
