# SPDX-License-Identifier: Apache-2.0
"""A recorded step that can be executed: the ops of forward, loss and backward, and the tensors to which they are bound."""

from __future__ import annotations

import json
import weakref
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ...common.graph_rows import RANDOM, Op, Recording, Storage, TensorKey
from ...common.op_schema import overload_of
from ...isolation import preserve
from ...isolation.watch import Watch
from ...record.record import record
from ...record.recorder import Recorder
from ...training_step.step import Step
from ..structures import Structure
from .random_points import RandomPoint, RandomPoints
from .refusals import device_of, refusal

PARAMETERS, BUFFERS, INPUTS = "parameter", "buffer", "input"
_MOST_CONSTANT = 1 << 26  # bytes of all constants that a program keeps
ENGINE_STORES = "AccumulateGrad"
_NO_REPLAY = {"resize_": "resize_", "resize_as_": "resize_", "set_": "set_"}  # by the name of the op


@dataclass(frozen=True)
class Bound:
    """A tensor that exists before the step. `name`: that of the parameter or buffer; for an input, its number among the step's."""

    kind: str
    name: str
    row: int


@dataclass
class Constant:
    """A tensor that the step's code brings along: `held` is an object that outlives the step, else `data` is a copy."""

    data: Optional[torch.Tensor]
    held: Optional[torch.Tensor] = None


@dataclass
class Program:
    """Ops in order. Tensors are (storage, geometry); equal ones have one row. `outputs`: rows of what the step returns, the loss of a training
    step; `gradients`: rows by the parameter's name. `device`: the GPU on which the step runs, else the CPU; beside a GPU, storages in host
    memory are marked."""

    device: str
    ops: list[Op]
    tensors: list[TensorKey]
    storages: list[Storage]
    bound: list[Bound]
    outputs: list[int]
    gradients: dict[str, int]
    modules: list[str]  # paths by row
    constants: dict[int, Constant] = field(default_factory=dict)
    random: list[RandomPoint] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    structure: Optional[Structure] = None  # of what an inference step returns
    copied: set[int] = field(default_factory=set)  # results that a kernel returns in other results' memory, recorded as memory of their own

    def storage(self, row: int) -> int:
        return self.tensors[row].storage

    def allocates(self, ordinal: int) -> list[int]:
        """The storages that the op allocates."""
        made = (self.storage(row) for row in self.ops[ordinal].outputs)
        return list(dict.fromkeys(s for s in made if self.storages[s].alloc == ordinal))

    def generator(self, ordinal: int) -> Optional[str]:
        """The device from whose generator the op draws; None if it draws nothing."""
        op = self.ops[ordinal]
        if not op.flags & RANDOM:
            return None
        in_host_memory = all(self.storages[self.storage(row)].host for row in (*op.outputs, *op.writes))
        return "cpu" if in_host_memory else self.device

    @property
    def generators(self) -> list[str]:
        """The devices whose generators the step changes."""
        drawn = (self.generator(ordinal) for ordinal in range(len(self.ops)))
        return sorted({device for device in drawn if device is not None} | {point.device for point in self.random})

    def place(self, ordinal: int) -> str:
        """The op's origin, as sentences name it."""
        op = self.ops[ordinal]
        path = self.modules[op.module] if op.module >= 0 else ""
        return " ".join(part for part in (f"op {ordinal} {op.target}", f"in '{path}'" if path else "", op.source) if part)


def gradient_op(program: Program, name: str) -> int:
    """The op with which the engine stores a parameter's gradient."""
    row = program.gradients[name]
    for ordinal in range(len(program.ops) - 1, -1, -1):
        op = program.ops[ordinal]
        if op.node == ENGINE_STORES and row in op.outputs:
            return ordinal
    raise refusal("stored by nobody", name=name)


class _Details:
    """What a recording must know beyond a graph file: constants' data, random number states, rows of what the step is bound to."""

    def __init__(self, recorder: Recorder):
        self._recorder = recorder
        self._random = RandomPoints(lambda: len(recorder.ops))
        self.constants: dict[int, tuple[Optional[torch.Tensor], Any]] = {}  # data, weak reference to the object

    def __enter__(self) -> "_Details":
        self._recorder.on_constant = self._note
        self._random.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._random.__exit__(*error)
        self._recorder.on_constant = None

    @property
    def points(self) -> list[RandomPoint]:
        return self._random.points

    def _note(self, row: int, tensor: torch.Tensor) -> None:
        data = None  # fakes have no data
        if not isinstance(tensor, FakeTensor):
            with _unwatched():
                data = tensor.detach().clone()
        self.constants[row] = (data, weakref.ref(tensor))


def _unwatched() -> Any:
    """No dispatch mode is active inside."""
    from torch.utils._python_dispatch import _disable_current_modes

    return _disable_current_modes()


def bound_tensors(step: Step) -> Iterator[tuple[str, str, torch.Tensor]]:
    """(kind, name, tensor) of everything that exists before a step, in an order that is always the same."""
    for name, parameter in step.model.named_parameters():
        yield PARAMETERS, name, parameter
    for name, buffer in step.model.named_buffers():
        yield BUFFERS, name, buffer
    for number, (_, tensor) in enumerate(step.inputs()):
        yield INPUTS, str(number), tensor


def _record_once(step: Step, target: str) -> tuple[Program, dict[int, Any]]:
    seen: dict[str, Any] = {}

    def hooks(recorder: Recorder) -> _Details:
        seen["details"] = _Details(recorder)
        return seen["details"]

    def at_end(recorder: Recorder, returned: Any) -> None:
        row = recorder.storages.tensor
        structure = seen["structure"] = _structure_of(returned) if step.mode == "inference" else None
        seen["outputs"] = [row(tensor) for tensor in (returned[:1] if structure is None else structure.tensors)]
        seen["gradients"] = {n: row(p.grad) for n, p in step.model.named_parameters() if p.grad is not None}
        seen["bound"] = [Bound(kind, name, row(tensor)) for kind, name, tensor in bound_tensors(step)]

    before = _watch(step)
    numbers = preserve.python_numbers(before.generators)
    recording = record(step, target, hooks, at_end)
    _refuse_changed(before, _watch(step))
    if numbers != preserve.python_numbers(before.generators):
        raise refusal("Python's numbers")
    rows = _distinct(recording.tensors)
    program = Program(
        device=device_of(tensor for *_, tensor in bound_tensors(step)),
        ops=[_renamed_op(op, rows) for op in recording.ops],
        tensors=recording.tensors,
        storages=recording.storages,
        bound=[Bound(b.kind, b.name, rows[b.row]) for b in seen["bound"]],
        outputs=[rows[row] for row in seen["outputs"]],
        gradients={name: rows[row] for name, row in seen["gradients"].items()},
        modules=[path for _, path, *_ in recording.modules],
        random=seen["details"].points,
        assumed=recording.assumed,
        structure=seen["structure"] and seen["structure"].without_tensors(),
    )
    return program, {rows[row]: constant for row, constant in seen["details"].constants.items()}


def _structure_of(returned: Any) -> Structure:
    structure = Structure(returned, takes_objects=True)
    unknown = structure.opaque() or (structure.objects if structure.is_held() else [])
    if unknown:
        raise refusal("output", name=type(unknown[0]).__name__)
    return structure


def record_program(step: Step, target: str, on_fakes: bool) -> Program:
    """Records the step twice and refuses it if the recordings differ. The step must be warmed up. `on_fakes`: it will run on them."""
    program, constants = _record_once(step, target)
    second, others = _record_once(step, target)
    _compare(program, second)
    if constants.keys() != others.keys():
        raise refusal("unstable", what="other constants")
    total = 0
    for row, (data, reference) in constants.items():
        held = reference()
        other, other_reference = others[row]
        if held is not None and held is other_reference():
            if isinstance(held, FakeTensor) and not on_fakes:
                raise refusal("made at first", shape=tuple(held.shape))
            program.constants[row] = Constant(None, held)
            continue
        if data is None:
            raise refusal("not given", shape=tuple(program.tensors[row].shape))
        if not _same_bits(data, other):
            raise refusal("unstable", what=f"another constant of shape {tuple(data.shape)}")
        program.constants[row] = Constant(data)
        total += data.untyped_storage().nbytes()
    if total > _MOST_CONSTANT:
        raise refusal("constants", mib=total >> 20)
    for ordinal, op in enumerate(program.ops):
        _refuse_op(program, ordinal, op)
    return program


def _same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    same = (a.shape, a.stride(), a.dtype, a.device) == (b.shape, b.stride(), b.dtype, b.device)
    with _unwatched():
        return same and torch.equal(a.contiguous().flatten().view(torch.uint8), b.contiguous().flatten().view(torch.uint8))


def _watch(step: Step) -> Watch:
    return Watch((("", step.model), ("loss", step.loss)), same_tensors=True, with_made=False)


def _refuse_changed(before: Watch, after: Watch) -> None:
    changed = before.key.difference(after.key)
    if changed is not None:
        raise refusal("changes", changed=changed)


def _distinct(tensors: list[TensorKey]) -> list[int]:
    """For every row, the first row equal to it: joined storages lead to equal rows."""
    first: dict[TensorKey, int] = {}
    return [first.setdefault(key, row) for row, key in enumerate(tensors)]


def renamed(value: Any, rows: list[int]) -> Any:
    """An encoded value with other tensor rows."""
    if isinstance(value, list):
        return [renamed(item, rows) for item in value]
    if isinstance(value, dict) and "t" in value:
        return {"t": rows[value["t"]]}
    return value


def _renamed_op(op: Op, rows: list[int]) -> Op:
    op.reads, op.writes, op.outputs = ([rows[t] for t in listed] for listed in (op.reads, op.writes, op.outputs))
    op.args, op.result = renamed(op.args, rows), renamed(op.result, rows)
    op.kwargs = {name: renamed(value, rows) for name, value in op.kwargs.items()}
    return op


def _compare(one: Program, other: Program) -> None:
    for ordinal, (a, b) in enumerate(zip(one.ops, other.ops)):
        if a.target != b.target:
            raise refusal("unstable", what=f"{one.place(ordinal)} against {b.target}")
        mine, its = ([op.args, op.kwargs, op.result, op.flags] for op in (a, b))
        if json.dumps(mine) != json.dumps(its):
            raise refusal("unstable", what=f"{one.place(ordinal)} is called with other values")
    if len(one.ops) != len(other.ops):
        raise refusal("unstable", what=f"{len(one.ops)} against {len(other.ops)} ops")
    same = ("tensors", "bound", "outputs", "gradients", "random")
    for name in same:
        if getattr(one, name) != getattr(other, name):
            raise refusal("unstable", what=f"other {name}")
    if one.structure is not None and one.structure.key() != other.structure.key():  # type: ignore[union-attr] (of the same step)
        raise refusal("unstable", what="other results")


def _refuse_op(program: Program, ordinal: int, op: Op) -> None:
    place, kind = program.place(ordinal), _NO_REPLAY.get(op.target.split(".")[1])
    arguments = [op.args, list(op.kwargs.values())]
    foreign = _first(arguments, "other")
    device = _first(arguments, "device")
    if foreign is not None:
        raise refusal("argument", place=place, kind=foreign)
    if device not in (None, "cpu", program.device, program.device.partition(":")[0]):
        raise refusal("other device", place=place, device=device, own=program.device)
    if kind is None and _shape_depends_on_values(program, op):
        kind = "values"
    if kind is None and changes_geometry(op.target) and any(program.storages[program.storage(row)].alloc < 0 for row in op.writes):
        kind = "other shape"
    if kind is not None:
        raise refusal(kind, place=place)


def _shape_depends_on_values(program: Program, op: Op) -> bool:
    if torch.Tag.dynamic_output_shape not in overload_of(op.target).tags:
        return False
    indices = op.args[1] if op.target == "aten.index.Tensor" else None
    if indices is None:
        return True
    return any(index is not None and program.tensors[index["t"]].dtype in ("bool", "uint8") for index in indices)


def changes_geometry(target: str) -> bool:
    """Whether the op gives its argument another shape in place (as_strided_, t_, squeeze_)."""
    return torch.Tag.inplace_view in overload_of(target).tags


def _first(value: Any, kind: str) -> Optional[str]:
    """The first encoded argument of a kind: "device", or "other" for the type of one that can't be encoded, such as a generator."""
    if isinstance(value, dict):
        return value.get(kind)
    if isinstance(value, list):
        return next((found for item in value if (found := _first(item, kind))), None)
    return None
