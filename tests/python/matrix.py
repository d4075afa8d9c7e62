# SPDX-License-Identifier: Apache-2.0
"""The matrix: what every model is planned with, and the table of what came out, resources/pytorch/MATRIX.md."""

from __future__ import annotations

import copy
import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

import loop
import torch
from allocator import Held
from proof import TAKE_SCRATCH, allowed_scratch
from tables import Table
from zoo import ZOO

AT_REAL_SIZE = ("budget MiB", "peak MiB", "unplanned MiB", "step", "again", "steps compared", "different")
ON_REAL_TENSORS = ("peak KiB", "allocator KiB", "in kernels", "kept aside")  # of a CPU's kernels: not compared with the table

SLOTS = ("--slots", 100)  # the default of 500 would take most of the tests' time, and finds nearly the same plans
STATE = torch.get_rng_state().numel()

# Budgets, of the way from the unplanned peak down to the smallest peak known.
SHARES = (0.3, 0.6, 0.9)
OPS = ("--granularity", "op")
KEEPING = ("--saved-sets", "on")
FREEZING = ("--freeze-stats", "on")
# By kind of plan, in the table's order: for each plan options that are tried in turn until it keeps results inside of regions, if
# it is to keep some and any of them does.
KINDS: dict[str, list[list[tuple[tuple[str, ...], float]]]] = {
    "modules": [[((), share)] for share in SHARES],
    "ops": [[(OPS, share)] for share in SHARES],
    "saved sets": [[*((KEEPING, share) for share in (0.75, 0.6, 0.45, 0.9)), ((*OPS, *KEEPING), 0.75), ((*OPS, *KEEPING), 0.45)]],
    "modules, frozen": [[(FREEZING, 0.9)]],
    "ops, frozen": [[((*OPS, *FREEZING), 0.6)]],
    "step": [[(("--runtime", "step"), share)] for share in SHARES],
}
FROZEN = ("modules, frozen", "ops, frozen")
WITH_STATISTICS = ("resnet18", "densenet121", "mobilenet_v3", "unet")  # of batch norms
CASES = [(name, kind) for name in ZOO for kind in KINDS if kind not in FROZEN or name in WITH_STATISTICS]
CHECKPOINTED = [case for case in CASES if case[1] != "step"]


@dataclass(frozen=True)
class Planned:
    """A plan that the CLI wrote. `most`: the unplanned peak; `again`: how many regions, or ops that a compiled step executes again."""

    path: Path
    key: tuple[str, str, str]
    budget: int
    most: int
    again: str
    said: dict[str, Any]


def plans(graph: Path, name: str, kind: str, folder: Path) -> Iterator[Planned]:
    most, least = loop.span(graph, *KINDS[kind][0][0][0], *SLOTS)
    assert least < most
    for tries in KINDS[kind]:
        yield next(_tried(graph, name, kind, tries, folder, most, least))


def _tried(
    graph: Path, name: str, kind: str, tries: list[tuple[tuple[str, ...], float]], folder: Path, most: int, least: int
) -> Iterator[Planned]:
    for number, (options, share) in enumerate(tries):
        budget = most - int(share * (most - least))
        path = folder / f"{kind} {number} {share}.json"
        said = loop.cli("plan", graph, "--budget", budget, "--export", path, *options, *SLOTS)
        plan = json.loads(path.read_text())
        assert said["verified"] and said["peak_bytes"] == plan["evaluation"]["peak_bytes"] <= budget
        regions, again = plan["regions"], sum(len(ops) for _, ops in plan.get("schedule", {"again": []})["again"])
        assert bool(regions or again) == (said["overhead_percent"] > 0)
        assert regions or kind == "step"  # whose values die with their last use, which can be enough
        kept = _kept(regions)
        if kept or number == len(tries) - 1:
            told = f"{len(regions)} regions, {kept} kept" if kind == "saved sets" else f"{len(regions) or again}"
            yield Planned(path, (name, f"rotor, {kind}", _way(tries)), budget, most, told, said)


def _way(tries: list[tuple[tuple[str, ...], float]]) -> str:
    return f"{tries[0][1]:.0%}" if len(tries) == 1 else "–"


_KEYS = [(name, f"rotor, {kind}", _way(tries)) for name, kind in CASES for tries in KINDS[kind]]
TABLE = Table("MATRIX.md", ("model", "plan", "way down"), (*AT_REAL_SIZE, *ON_REAL_TENSORS), _KEYS)


def _kept(regions: list[dict[str, Any]]) -> int:
    """Results that aren't computed again with their region."""
    return sum(len(row.get("save", ())) + _kept(row["nested"]) for row in regions)


class Lean:
    """A model in its lean size on the CPU, on real tensors, and the trace of its step at this size."""

    def __init__(self, name: str, folder: Path):
        self.name = name
        self.graph = loop.trace(ZOO[name].lean, folder / f"{name}.plimsoll.json.gz", "cpu")
        with gzip.open(self.graph) as file:
            self.targets = json.load(file)["targets"]
        torch.manual_seed(0)
        self.made = ZOO[name].lean()
        self.made["model"].train()

    def copy(self) -> torch.nn.Module:
        return copy.deepcopy(self.made["model"])

    def optimizer(self, model: torch.nn.Module) -> torch.optim.Optimizer:
        return self.made["optimizer"]([p for p in model.parameters() if p.requires_grad])

    def check_peak(self, planned: Planned, held: Held, copied: int = 0) -> None:
        """Results of ops hold what was evaluated, to the byte; what the allocator gave out beyond has names. `copied`: bytes that
        the step keeps a copy of while it runs."""
        said = loop.peak(self.graph, planned.path)
        predicted = said["peak_bytes"] - said["resident_bytes"]
        assert held.tensors == predicted
        assert 0 <= held.others - copied and (held.others - copied) % STATE < 512  # whole states, and some numbers of 8 bytes
        if held.peak - predicted - held.others > allowed_scratch(self.name, said["peak_bytes"]):
            assert held.op in TAKE_SCRATCH
        figures = (said["peak_bytes"], said["resident_bytes"] + held.peak, held.scratch, held.others)
        TABLE.check(planned.key, {name: f"{n / 1024:,.1f}" for name, n in zip(ON_REAL_TENSORS, figures)}, only_written=True)


def mib(count: int) -> str:
    return f"{count / (1 << 20):,.0f}"


def check_stream(planned: Planned, stream: Any, graph: Path, path: Path) -> None:
    """A recorded run of the planned model is what evaluate() says, at every step; `path`: where it is written."""
    result = loop.compare(graph, planned.path, path)
    assert result["equal"], result["first"]
    assert max(stream.curve_rounded512) == planned.said["peak_bytes"] and result["peak_bytes"] == max(stream.curve)
    peaks = map(mib, (planned.budget, planned.said["peak_bytes"], planned.most))
    step = f"+{planned.said['overhead_percent']:.2f} %"
    figures = [*peaks, step, planned.again, result["steps"], result["differences"]]
    TABLE.check(planned.key, dict(zip(AT_REAL_SIZE, figures)))
