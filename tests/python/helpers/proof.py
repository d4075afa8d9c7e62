# SPDX-License-Identifier: Apache-2.0
"""Counts taken from PyTorch itself on a model's real step, with no mode active, beside what trace() says about it."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from itertools import accumulate
from types import SimpleNamespace
from typing import Any, Callable

import torch
from helpers.allocator import Held, watched
from helpers.zoo import ZOO
from plimsoll.isolation.preserve import older_objects_spared
from plimsoll.measure.profiled import Profile, allocator_curve, matched
from plimsoll.record.finish import finish
from plimsoll.record.record import record
from plimsoll.record.saved import SavedTensors
from plimsoll.record.tracing import trace_graph
from plimsoll.record.writer import graph_of
from plimsoll.training_step.environment import prepared

_ENGINE = "autograd::engine::evaluate_function"
_ADDS = ("aten::add_", "aten::add")

# Of the peak, bytes that kernels may take for themselves: convolutions, oneDNN's recurrent layers (their backward orders the
# weights anew and asks for a scratchpad), everything else.
CONVOLUTIONS, RECURRENT, OTHERS, OTHERS_BYTES = 0.05, 0.12, 0.0001, 64 * 1024
TAKE_SCRATCH = {"aten::convolution", "aten::convolution_backward", "aten::mkldnn_rnn_layer_backward"}


@dataclass
class Proof:
    """All that the tests of one model compare; sizes are bytes."""

    graph: dict[str, Any]
    differences: list[str]  # between the fake and the real stream
    saved: int  # by real autograd, each storage once
    saved_apart: int  # likewise, without what was there before the step
    held: Held  # by the allocator
    curve: list[str]  # the ops during which results of ops hold other bytes than predicted
    adds: dict[str, int] = field(default_factory=dict)  # that the engine ran in backward

    @property
    def peak(self) -> int:
        return self.graph["checks"]["peak_bytes"]

    @property
    def predicted(self) -> int:
        """The peak above what is there before the step."""
        return self.peak - sum(row[0] for row in self.graph["storages"] if row[2] < 0)

    @property
    def scratch(self) -> int:
        """By which kernels, for themselves, raise the peak above that of all results, which is what a stream of ops shows."""
        return self.held.peak - self.predicted

    def counted(self, name: str) -> int:
        """The engine's sums of gradients, in place ("add_") or not ("add")."""
        rows = (op for op in self.graph["ops"] if op[8] & 8)
        return sum(self.graph["targets"][op[0]] == f"aten.{name}.Tensor" for op in rows)


@older_objects_spared()
def prove(builder: Callable[[], dict[str, Any]]) -> Proof:
    """Three real steps: the first counts what is saved, the second is profiled, the third recorded."""
    torch.manual_seed(0)
    made = builder()
    graph = json.loads(json.dumps(trace_graph(made["model"], **_arguments(made), target="cpu")))
    made["optimizer"] = made["optimizer"]([p for p in made["model"].parameters() if p.requires_grad])
    saved, apart = _really_saved(made)
    seen = watched(lambda: plain_step(made), graph["targets"])
    differing = curve_differences(graph, seen.tensors)
    return Proof(graph, _differences(graph, _real_graph(made)), saved, apart, seen.held, differing, _adds(seen.raw))


def allowed_scratch(name: str, peak: int) -> float:
    if name == "lstm":
        return RECURRENT * peak
    return CONVOLUTIONS * peak if ZOO[name].convolutional else max(OTHERS * peak, OTHERS_BYTES)


def _arguments(made: dict[str, Any]) -> dict[str, Any]:
    return {key: made[key] for key in ("args", "kwargs", "loss", "optimizer", "name", "autocast", "keep_output") if key in made}


def plain_step(made: dict[str, Any]) -> None:
    """As a training loop has it: with a loss function the output lives on, else only the loss does, unless `keep_output` says otherwise."""
    model, optimizer = made["model"], made["optimizer"]
    keeps = made.get("keep_output", "loss" in made)
    with torch.autocast("cpu", made["autocast"]) if "autocast" in made else contextlib.nullcontext():
        output = model(*made.get("args", ()), **made.get("kwargs", {}))
        loss = made["loss"](output) if "loss" in made else output.loss
        if not keeps:
            output = None
    loss.backward()
    optimizer.step()
    del output
    optimizer.zero_grad(set_to_none=True)


def _really_saved(made: dict[str, Any]) -> tuple[int, int]:
    model = made["model"]
    before = {t.untyped_storage()._cdata for t in (*model.parameters(), *model.buffers(), *_given(made))}
    held: dict[int, Any] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        held[storage._cdata] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        plain_step(made)
    sizes = {address: storage.nbytes() for address, storage in held.items()}
    return sum(sizes.values()), sum(size for address, size in sizes.items() if address not in before)


def _given(made: dict[str, Any]) -> list[torch.Tensor]:
    loss = made.get("loss")
    brought = [*getattr(loss, "keywords", {}).values(), *(getattr(loss, "__defaults__", None) or ())]
    return [t for t in (*made.get("args", ()), *made.get("kwargs", {}).values(), *brought) if isinstance(t, torch.Tensor)]


def _events(profile: Any) -> list[Any]:
    return sorted(profile.profiler.kineto_results.events(), key=lambda event: (event.start_ns(), -event.duration_ns()))


def _adds(profile: Any) -> dict[str, int]:
    """Sums right under the engine's own function: those of nodes are one level deeper."""
    adds = dict.fromkeys(_ADDS, 0)
    running: list[tuple[int, str]] = []  # end, name
    for event in _events(profile):
        if event.name() == "[memory]":
            continue
        while running and running[-1][0] <= event.start_ns():
            running.pop()
        if running and running[-1][1].startswith(_ENGINE) and event.name() in adds:
            adds[event.name()] += 1
        running.append((event.start_ns() + event.duration_ns(), event.name()))
    return {name.removeprefix("aten::"): count for name, count in adds.items()}


def _real_graph(made: dict[str, Any]) -> dict[str, Any]:
    """The recorder on real tensors. A trace records the second step: step counters are set back to the first."""
    for state in made["optimizer"].state.values():
        if "step" in state:
            state["step"].fill_(1)
    arguments = _arguments(made)
    arguments.pop("name", None)
    args, kwargs, loss = arguments.pop("args", ()), arguments.pop("kwargs", None), arguments.pop("loss", None)
    given = (made["model"], args, kwargs, loss, made["optimizer"], "train", "cpu")
    with prepared(*given, fake=False, autocast=made.get("autocast"), keep_output=made.get("keep_output")) as step:
        return json.loads(json.dumps(graph_of(finish(record(step, "cpu", SavedTensors)), {})))


def _differences(fake: dict[str, Any], real: dict[str, Any]) -> list[str]:
    """The first differences, op by op; strides only where a dimension has more than one element."""
    if len(fake["ops"]) != len(real["ops"]):
        return [f"{len(fake['ops'])} ops on fakes, {len(real['ops'])} on real tensors"]
    found = []
    for ordinal, (mine, its) in enumerate(zip(fake["ops"], real["ops"])):
        a, b = _op(fake, mine), _op(real, its)
        found += [f"op {ordinal} {fake['targets'][mine[0]]}: {key} {a[key]} on fakes, {b[key]} on real tensors" for key in a if a[key] != b[key]]
    python_free = 5
    for number, (mine, its) in enumerate(zip(fake["storages"], real["storages"])):
        if [v for i, v in enumerate(mine) if i != python_free] != [v for i, v in enumerate(its) if i != python_free]:
            found.append(f"storage {number}: {mine} on fakes, {its} on real tensors")
    tensor = lambda graph, row: [_tensor(graph, row[0]), *row[1:]]  # noqa: E731
    if [tensor(fake, row) for row in fake["saved"]] != [tensor(real, row) for row in real["saved"]]:
        found.append("different tensors are saved")
    if fake["params"] != real["params"] or len(fake["storages"]) != len(real["storages"]):
        found.append("parameters or storages differ")
    return found


def _op(graph: dict[str, Any], row: list[Any]) -> dict[str, Any]:
    geometry = lambda tensors: [_tensor(graph, t) for t in tensors]  # noqa: E731
    target, phase, _, _, _, reads, writes, outputs, flags, seq, node, forward_op, flops, moved, _, again, args, kwargs = row
    return {
        "target": graph["targets"][target], "phase": phase, "reads": geometry(reads), "writes": geometry(writes),
        "outputs": geometry(outputs), "flags": flags, "seq": seq, "node": node, "forward_op": forward_op, "flops": flops,
        "bytes_moved": moved, "recompute_of": again, "args": _resolved(graph, args), "kwargs": _resolved(graph, kwargs),
    }  # fmt: skip


def _tensor(graph: dict[str, Any], row: int) -> tuple[Any, ...]:
    storage, shape, strides, offset, dtype = graph["tensors"][row]
    return storage, shape, [stride for extent, stride in zip(shape, strides) if extent > 1], offset, graph["dtypes"][dtype]


def _resolved(graph: dict[str, Any], value: Any) -> Any:
    if isinstance(value, list):
        return [_resolved(graph, item) for item in value]
    if isinstance(value, dict):
        return _tensor(graph, value["t"]) if set(value) == {"t"} else {k: _resolved(graph, v) for k, v in value.items()}
    return value


def curve_differences(graph: dict[str, Any], profile: Profile) -> list[str]:
    """Every op is looked at. Numbers as tensors (4 or 8 bytes) that PyTorch makes outside of ops when nobody watches may be missing."""
    ops = [
        SimpleNamespace(target=graph["targets"][op[0]], seq=op[9], node=graph["nodes"][op[10]] if op[10] >= 0 else "") for op in graph["ops"]
    ]
    predicted, numbers = live_bytes(graph), live_bytes(graph, "aten.scalar_tensor.default")
    events = matched(ops, profile)
    held, _, _ = allocator_curve(events, profile, 0)
    found = []
    for ordinal, op in enumerate(ops):
        if events[ordinal] is None and op.target != "aten.scalar_tensor.default":
            found.append(f"op {ordinal} {op.target}: not in the profile")
        elif events[ordinal] is not None and not predicted[ordinal] - numbers[ordinal] <= held[ordinal] <= predicted[ordinal]:
            found.append(f"op {ordinal} {op.target}: {predicted[ordinal]} B predicted, {held[ordinal]} B held")
    return found


def live_bytes(graph: dict[str, Any], made_by: str = "") -> list[int]:
    """During each op, of storages that the step allocates; with `made_by` of those that ops of this target allocate."""
    change = [0] * (len(graph["ops"]) + 1)
    for nbytes, _, alloc, free, *_ in graph["storages"]:
        if alloc >= 0 and made_by in ("", graph["targets"][graph["ops"][alloc][0]]):
            change[alloc] += nbytes
            change[len(graph["ops"]) if free is None else free + 1] -= nbytes
    return list(accumulate(change[:-1]))


def stream_of_graph(graph: dict[str, Any]) -> dict[str, Any]:
    """The exporter's own lifetimes as closed_loop_check reads them, counted here by plain sums."""
    ops, storages = len(graph["ops"]), graph["storages"]
    curves = {}
    for key, granule in (("curve", 1), ("curve_rounded512", 512)):
        change = [0] * (ops + 1)
        for nbytes, _, alloc, free, *_ in storages:
            size = -(-nbytes // granule) * granule
            change[max(alloc, 0)] += size
            change[ops if free is None else max(free, 0) + 1] -= size
        live, curve = 0, []
        for step in change[:ops]:
            live += step
            curve.append(live)
        curves[key] = curve
    return {
        "ops": [[graph["targets"][op[0]], op[15]] for op in graph["ops"]],
        **curves,
        "backward_start": next(i for i, op in enumerate(graph["ops"]) if op[1] >= 2),
        "lives": [[row[0], row[2], row[3]] for row in storages],
    }
