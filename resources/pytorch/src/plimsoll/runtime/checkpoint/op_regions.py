# SPDX-License-Identifier: Apache-2.0
"""Regions of a plan between arbitrary ops: read from the plan, applied to a recorded forward, and refused where they would be wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, Optional, Union

from ...common.plan_mismatch import PlanMismatch
from .op_trace import Forward, Statement, operands


@dataclass
class Region:
    """Ops first..last, both included, in the plan's numbering."""

    first: int
    last: int
    path: tuple[int, ...]
    save: list[int]
    nested: list["Region"] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "region_" + "_".join(map(str, self.path))

    @property
    def text(self) -> str:
        return f"The plan's region of ops {self.first} to {self.last}"

    def all(self) -> Iterator["Region"]:
        yield self
        for nested in self.nested:
            yield from nested.all()


def read_regions(rows: Any, parent: Optional[Region] = None) -> list[Region]:
    """The region tree of a plan. Raises PlanMismatch for one that can't run."""
    regions: list[Region] = []
    for position, row in enumerate(rows):
        region = Region(row["first"], row["last"], (*(parent.path if parent else ()), position), read_saved(row))
        whole = all(type(n) is int for n in (region.first, region.last))
        if not whole or not 0 <= region.first <= region.last:
            raise PlanMismatch(f"The plan is damaged: a region goes from op {region.first!r} to op {region.last!r}.")
        if regions and region.first <= regions[-1].last:
            raise PlanMismatch(f"{region.text} doesn't follow the one before it, which ends with op {regions[-1].last}.")
        if parent is not None:
            outside = region.first < parent.first or region.last > parent.last
            if outside or (region.first, region.last) == (parent.first, parent.last):
                raise PlanMismatch(f"{region.text} doesn't lie strictly inside of the region of ops {parent.first} to {parent.last}.")
        region.nested = read_regions(row.get("nested", ()), region)
        check_saved(region.save, region.first, region.last, [(n.first, n.last) for n in region.nested])
        regions.append(region)
    return regions


def read_saved(row: dict) -> list[int]:
    saved = row.get("save", [])
    if not isinstance(saved, list) or any(type(op) is not int for op in saved):
        raise PlanMismatch('The plan is damaged: a region\'s "save" is no list of ops.')
    return saved


def check_saved(saved: list[int], first: int, last: int, nested: list[tuple[int, int]]) -> None:
    for position, op in enumerate(saved):
        if not first <= op <= last or (position and op <= saved[position - 1]):
            raise PlanMismatch(f"The plan is damaged: the saved ops of the region of ops {first} to {last} don't rise inside of it.")
        if any(a <= op <= b for a, b in nested):
            raise PlanMismatch(f"The plan is damaged: the saved op {op} lies in a nested region, which would have to save it.")


@dataclass
class Part:
    """A function of the code: the whole forward (`region` None) or a region. `items`: statements and nested parts, in order."""

    region: Optional[Region]
    first: int  # statements, both included
    last: int
    items: list[Union[int, "Part"]]
    arguments: list[int] = field(default_factory=list)  # values in the order of their first use
    results: list[int] = field(default_factory=list)  # values in the order in which they are made

    def regions(self) -> Iterator["Part"]:
        for item in self.items:
            if isinstance(item, Part):
                yield item
                yield from item.regions()


def lay_out(forward: Forward, regions: list[Region]) -> Part:
    """Divides the forward into parts."""
    at = [i for i, statement in enumerate(forward.statements) if statement.ordinal >= 0]
    whole = Part(None, 0, len(forward.statements) - 1, [])
    _cut(whole, regions, at)
    whole.arguments = [i for i, value in enumerate(forward.values) if type(value.leaf) is int]
    whole.results = list(dict.fromkeys(forward.results))
    used_last = _last_uses(forward, whole)
    for part in whole.regions():
        _pass(forward, part, used_last)
    return whole


def _cut(part: Part, regions: list[Region], at: list[int]) -> None:
    here = part.first
    for region in regions:
        first, last = at[region.first], at[region.last]
        part.items += range(here, first)
        inner = Part(region, first, last, [])
        _cut(inner, region.nested, at)
        part.items.append(inner)
        here = last + 1
    part.items += range(here, part.last + 1)


def _last_uses(forward: Forward, whole: Part) -> dict[int, int]:
    last: dict[int, int] = {}
    for i, statement in enumerate(forward.statements):
        if not statement.is_look:
            last.update((value, i) for value in operands(statement))
    last.update((value, len(forward.statements)) for value in whole.results)
    return last


def _pass(forward: Forward, part: Part, used_last: dict[int, int]) -> None:
    made: dict[int, None] = {}
    taken: dict[int, None] = {}
    for statement in forward.statements[part.first : part.last + 1]:
        if statement.is_look:
            continue
        for value in operands(statement):
            if value not in made and passes(forward, value):
                taken[value] = None
        for result in statement.results:
            if result is not None and forward.values[result].leaf is None and result not in taken:
                made[result] = None
    part.arguments = list(taken)
    part.results = [value for value in made if used_last.get(value, -1) > part.last]


def passes(forward: Forward, value: int) -> bool:
    """Whether a value is passed from function to function; tensors of modules and constants are read where they are used."""
    leaf = forward.values[value].leaf
    return leaf is None or type(leaf) is int


class Checker:
    """Refuses regions whose recomputation would read values that differ from forward's. See LIFETIMES.md of core/lower/checkpoint."""

    def __init__(self, forward: Forward):
        self._forward = forward
        self._written: dict[int, int] = {}  # storage -> last statement that writes it
        for i, statement in enumerate(forward.statements):
            self._written.update((storage, i) for storage in statement.writes)

    def check(self, part: Part) -> None:
        statements = self._forward.statements
        for i in range(part.first, part.last + 1):
            self._check_statement(part, i, statements[i])
        for value in part.arguments:
            storage = self._forward.values[value].storage
            late = self._written.get(storage, -1)
            if late > part.last:
                raise PlanMismatch(
                    f"{part.region.text} takes a tensor that op {statements[late].ordinal} ({statements[late].func}, "
                    f"{statements[late].place}) overwrites afterwards, so it could not be recomputed: end the region behind that op."
                )
            if part.first <= late <= part.last:
                raise PlanMismatch(
                    f"{part.region.text} takes a view of a buffer that op {statements[late].ordinal} ({statements[late].func}, "
                    f"{statements[late].place}) overwrites, so it could not be recomputed: begin the region where the view is made."
                )
        last = statements[part.last]
        if last.is_copy:
            raise PlanMismatch(
                f"{part.region.text} ends between the copy that an op in place makes of what it overwrites and that op ("
                f"{statements[part.last + 1].func}, {last.place}): end it behind both."
            )
        self._check_saved(part)
        self._check_random(part)

    def _check_statement(self, part: Part, here: int, statement: Statement) -> None:
        forward = self._forward
        what = f"op {statement.ordinal} ({statement.func}, {statement.place})"
        for storage in statement.writes:
            if forward.made_by[storage] < part.first and storage not in forward.buffers:
                raise PlanMismatch(
                    f"{part.region.text} cuts in front of an op in place: {what} overwrites a tensor from before the region, which "
                    "the recomputation would find overwritten. Let the region begin where that tensor is made."
                )
        for storage in statement.reads - statement.writes:
            if forward.made_by[storage] < 0 and self._written.get(storage, -1) >= part.first:
                writer = forward.statements[self._written[storage]]
                raise PlanMismatch(
                    f"{part.region.text} reads in {what} what op {writer.ordinal} ({writer.func}, {writer.place}) overwrites, and its "
                    "recomputation would find other values there."
                )

    def _check_saved(self, part: Part) -> None:
        forward, region = self._forward, part.region
        ops = forward.ops
        for op in region.save:
            statement = ops[op]
            what = f"The plan saves op {op} ({statement.func}, {statement.place})"
            made = [r for r in statement.results if r is not None]
            storages = {forward.values[r].storage for r in made}
            alias = any(given.alias_info is not None for given in statement.func._schema.returns)
            if not made or alias or statement.writes - forward.buffers or any(ops_index(forward, s) != op for s in storages):
                raise PlanMismatch(f"{what}, which makes no tensor of its own: save the op that allocates the memory.")
            late = max((self._written.get(s, -1) for s in storages), default=-1)
            if late >= 0:
                writer = forward.statements[late]
                raise PlanMismatch(f"{what}, but op {writer.ordinal} ({writer.func}, {writer.place}) overwrites its result.")

    def _check_random(self, part: Part) -> None:
        region, ops = part.region, self._forward.ops
        draws = [op for op in range(region.first, region.last + 1) if ops[op].random]
        saved = set(region.save)
        skipped = next((op for op in draws if op in saved), None)
        recomputed = [op for op in draws if op not in saved]
        if skipped is not None and recomputed and recomputed[-1] > skipped:
            raise PlanMismatch(
                f"The plan saves op {skipped} ({ops[skipped].func}), which draws random numbers, but not op {recomputed[-1]} "
                f"({ops[recomputed[-1]].func}), which draws after it and would draw other ones in the recomputation: save both or neither."
            )
        devices = {self._forward.values[value].tensor.device for value in part.arguments}
        for op in draws:
            made = {self._forward.values[r].tensor.device for r in ops[op].results if r is not None}
            unseen = [device for device in made - devices if device.type != "cpu"]
            if unseen:
                raise PlanMismatch(
                    f"{part.region.text} draws random numbers on {unseen[0]} in op {op}, but takes no tensor from there, so that "
                    "PyTorch's checkpoint would not keep that device's random state: begin the region earlier."
                )


def ops_index(forward: Forward, storage: int) -> int:
    """The op that allocates a storage; -1 for older ones."""
    made = forward.made_by[storage]
    return forward.statements[made].ordinal if made >= 0 else -1


def check_sequence(forward: Forward, expected: list[str], for_cuda: bool) -> None:
    """Compares the model's ops with the plan's (forward and loss), up to the end of the model's forward."""
    ops = forward.ops
    for ordinal, op in enumerate(ops):
        target = expected[ordinal] if ordinal < len(expected) else "none: its forward and loss have ended"
        if str(op.func) != target:
            other = for_cuda and not any(value.tensor.is_cuda for value in forward.values)
            hint = ' The plan comes from a trace for CUDA; for a run on the CPU, trace with target="cpu".' if other else ""
            raise PlanMismatch(f"Op {ordinal} of the model's forward is {op.func} ({op.place}), but the plan was made for {target}.{hint}")


def check_inside(regions: list[Region], count: int) -> None:
    for region in regions:
        if region.last >= count:
            raise PlanMismatch(
                f"{region.text} reaches beyond the model's forward, which has {count} ops: what is outside, such as a loss computed "
                "by the training loop, isn't the model's to recompute."
            )
