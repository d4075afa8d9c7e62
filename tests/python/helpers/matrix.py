# SPDX-License-Identifier: Apache-2.0
"""The matrix: what every model is planned with, and the table of what came out, resources/pytorch/MATRIX.md.

A normal run has some models of each kind of plan, other ones at real size than on real tensors, at one of the budgets; with PLIMSOLL_EXHAUSTIVE=1,
or to write the table, all models run with all kinds at all budgets.
"""

from __future__ import annotations

import copy
import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Optional

import torch
from helpers import loop
from helpers.allocator import Held
from helpers.once import once
from helpers.proof import TAKE_SCRATCH, allowed_scratch
from helpers.tables import EVERYTHING, Table
from helpers.zoo import ZOO

AT_REAL_SIZE = ("budget MiB", "peak MiB", "unplanned MiB", "step", "again", "steps compared", "different")
ON_REAL_TENSORS = ("peak KiB", "allocator KiB", "in kernels", "kept aside")  # of a CPU's kernels: not compared with the table

SLOTS = ("--planner", "rotor", "--slots", 100)  # the default of 500 would take most of the tests' time, and finds nearly the same plans
STATE = torch.get_rng_state().numel()

# Budgets: shares of the way from the unplanned peak down to the smallest peak known; None: where keeping results gains
# most, of plans that aren't slower than SLOWEST unplanned steps.
SHARES = (0.3, 0.6, 0.9)
SLOWEST = 1.5
OPS = ("--granularity", "op")
KEEPING = ("--saved-sets", "on")
FREEZING = ("--freeze-stats", "on")
# By kind of plan, in the table's order: the planner's options and the budgets.
KINDS: dict[str, tuple[tuple[str, ...], tuple[Optional[float], ...]]] = {
    "modules": ((), SHARES),
    "ops": (OPS, SHARES),
    "saved sets": (KEEPING, (None,)),
    "modules, frozen": (FREEZING, (0.9,)),
    "ops, frozen": ((*OPS, *FREEZING), (0.6,)),
    "step": (("--runtime", "step"), SHARES),
}
FROZEN = ("modules, frozen", "ops, frozen")
WITH_STATISTICS = ("resnet18", "densenet121", "mobilenet_v3", "unet")  # of batch norms
CASES = [(name, kind) for name in ZOO for kind in KINDS if kind not in FROZEN or name in WITH_STATISTICS]
CHECKPOINTED = [case for case in CASES if case[1] != "step"]
# Of these in a normal run: at real size those with few ops or whose trace is a sample, on real tensors others.
SOME_AT_REAL_SIZE = {
    "modules": ("resnet18", "awkward"),
    "ops": ("resnet18", "unet", "llama", "lstm"),
    "saved sets": ("resnet18", "unet", "awkward"),
    "modules, frozen": ("unet",),
    "ops, frozen": ("resnet18",),
}
SOME_ON_REAL_TENSORS = {
    "modules": ("swin", "lstm"),
    "ops": ("gpt2", "mixture"),
    "saved sets": ("bert",),
    "modules, frozen": ("resnet18",),
    "ops, frozen": ("unet",),
}


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
    options = KINDS[kind][0]
    most, points = _frontier(graph, *options)
    least = min(peak for peak, _ in points)
    assert least < most
    for share in chosen_shares(name, kind):
        budget = _best_kept(graph, points) if share is None else most - int(share * (most - least))
        path = folder / f"{kind} {share}.json"
        said = loop.cli("plan", graph, "--budget", budget, "--export", path, *options, *SLOTS)
        plan = json.loads(path.read_text())
        assert said["verified"] and said["peak_bytes"] == plan["evaluation"]["peak_bytes"] <= budget
        regions, again = plan["regions"], sum(len(ops) for _, ops in plan.get("schedule", {"again": []})["again"])
        assert bool(regions or again) == (said["overhead_percent"] > 0)
        assert regions or kind == "step"  # whose values die with their last use, which can be enough
        kept = _kept(regions)
        assert bool(kept) == (kind == "saved sets")
        told = f"{len(regions)} regions, {kept} kept" if kept else f"{len(regions) or again}"
        yield Planned(path, (name, f"rotor, {kind}", _way(share)), budget, most, told, said)


_frontier = once(lambda graph, *options: loop.frontier(graph, *options, *SLOTS))


def checkpointed(some: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """The cases of a test: `some` by kind of plan, or all."""
    return CHECKPOINTED if EVERYTHING else [(name, kind) for name, kind in CHECKPOINTED if name in some[kind]]


def chosen_shares(name: str, kind: str) -> tuple[Optional[float], ...]:
    """Each budget has its turn as models and kinds go on."""
    shares = KINDS[kind][1]
    turn = (list(ZOO).index(name) + list(KINDS).index(kind)) % len(shares)
    return shares if EVERYTHING else shares[turn : turn + 1]


def _best_kept(graph: Path, points: list[tuple[int, int]]) -> int:
    """The peak of that plan which, as it keeps results, is faster by most than any that keeps none and needs no more."""
    _, without = _frontier(graph)
    most = SLOWEST * min(time for _, time in points)
    gains = {peak: min((t for p, t in without if p <= peak), default=0) - time for peak, time in points if time <= most}
    return max(gains, key=lambda peak: (gains[peak], peak))


def _way(share: Optional[float]) -> str:
    return "–" if share is None else f"{share:.0%}"


_KEYS = [(name, f"rotor, {kind}", _way(share)) for name, kind in CASES for share in KINDS[kind][1]]
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
