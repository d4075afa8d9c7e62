# SPDX-License-Identifier: Apache-2.0
"""The forward of a model as a list of aten calls, recorded on fakes of its arguments; an op plan's code is generated from it.

Nothing is functionalised: in-place writes, views and changes of the gradient mode are ordinary statements. Ordinals count ops as a graph
file does: `detach` is a statement without an ordinal.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional, Union

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from ...common.graph_rows import FORWARD, TraceError
from ...common.op_schema import is_collective, is_counted, is_op, is_random, is_view, written_arguments
from ...common.plan_mismatch import PlanMismatch
from ...common.source_lines import user_line
from ...common.tensors import tensors_in
from ...isolation import data_dependent
from ...isolation import preserve
from ...isolation.fakes import lender_for
from ...isolation.foreign import refuse_real_writes
from ...isolation.known_values import follow, give_value, known_value
from ...isolation.reach import Reach
from ...kernels import fake_results, huggingface
from ...kernels.cuda_kernels import Kernels, recurrent_kernels
from ...kernels.eager_paths import EagerPaths
from ...kernels.in_place import Transparent, without_modes
from ...kernels.looks import Looks
from ...kernels.packed_sequences import PackedSequences
from ..structures import Structure
from . import op_refusals

aten = torch.ops.aten


@dataclass(frozen=True)
class Ref:
    """A tensor in recorded arguments: the index of its value."""

    value: int


@dataclass
class Value:
    """A tensor in the forward. `leaf`: how code reads it if no statement makes it: the position of an argument, the (module path,
    attribute) that holds it, or a constant's tensor."""

    storage: int
    tensor: torch.Tensor
    leaf: Union[None, int, tuple[str, str], torch.Tensor] = None


@dataclass
class Statement:
    """One call. `results` are the values of the tensors that it returns, in order; `listed`: it returns several things."""

    func: Any
    args: tuple
    kwargs: dict[str, Any]
    ordinal: int
    gradients: bool
    module: str
    source: str
    results: list[Optional[int]] = field(default_factory=list)
    looks: list[Any] = field(default_factory=list)  # geometry of each result, which ops in place may change later
    listed: bool = False
    reads: set[int] = field(default_factory=set)  # storages
    writes: set[int] = field(default_factory=set)
    random: bool = False
    sequence: int = -1  # of autograd's nodes, when the op runs
    is_copy: bool = False  # copies a value that the next op, in place, overwrites and its node needs; that call makes the copy
    is_look: bool = False  # autograd's view of written memory: the op that reads that memory makes it, if it is a fake
    answer: Any = None  # the answer to a query about values; None if nothing was decided by it

    @property
    def by_autograd(self) -> bool:
        """Whether code omits the op because another op's call runs it."""
        return self.is_copy or self.is_look

    @property
    def place(self) -> str:
        where = f"in module '{self.module}'" if self.module else "in the model itself"
        return f"{where}, {self.source}" if self.source else where


@dataclass
class Forward:
    """A recorded forward. `results`: the values of the distinct tensors that the model returned. `settings`: what it wrote into the model's
    objects before it was recorded."""

    statements: list[Statement]
    values: list[Value]
    result: Structure
    results: list[int]
    buffers: set[int]  # storages
    made_by: list[int]  # of each storage: the statement that allocates it, -1 for older ones
    settings: list[op_refusals.Setting]

    @property
    def ops(self) -> list[Statement]:
        return [statement for statement in self.statements if statement.ordinal >= 0]


class _Recorder(Transparent):
    def __init__(self, model: torch.nn.Module, inputs: list[torch.Tensor], target: str):
        super().__init__()
        self.statements: list[Statement] = []
        self.values: list[Value] = []
        self.made_by: list[int] = []
        self.known: dict[int, int] = {}
        self.modules: list[str] = []
        self._storages: dict[int, int] = {}
        self._held: list[Any] = []  # addresses stay valid
        self._ordinal = 0
        self._target = target
        self._looks = Looks()
        self._leaves: dict[int, tuple[str, str]] = {}
        self._paths = {id(module): path for path, module in model.named_modules()}
        self._hooks = op_refusals.saved_tensor_hooks()
        for path, module in model.named_modules():
            for name, tensor in _tensors_of(module):
                self._leaves.setdefault(id(tensor), (path, name))
        for position, tensor in enumerate(inputs):
            if id(tensor) not in self.known:
                self._add(tensor, -1, position)

    def storage(self, tensor: torch.Tensor, made_by: int = -1) -> int:
        storage = tensor.untyped_storage()
        known = self._storages.get(storage._cdata)
        if known is None:
            known = self._storages[storage._cdata] = len(self.made_by)
            self.made_by.append(made_by)
            self._held.append(storage)
        return known

    def _add(self, tensor: torch.Tensor, made_by: int, leaf: Any = None) -> int:
        if tensor.layout is not torch.strided:
            raise PlanMismatch(f"{self._place()}: a tensor of layout {tensor.layout} can't take part in an op plan; make it dense.")
        self.known[id(tensor)] = len(self.values)
        self.values.append(Value(self.storage(tensor, made_by), tensor, leaf))
        return len(self.values) - 1

    def _place(self) -> str:
        return user_line() or "The model's forward"

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not is_op(func):
            return func(*args, **kwargs)
        op_refusals.check_state(self._place, self._hooks)
        func, args = without_modes(func, args)
        if self._looks.begins(func, args):
            result = self._call(func, args, kwargs)
            self._looks.ran(func, args, result, True)
            return result
        statement = self._begin(func, args, kwargs)
        if func is aten._local_scalar_dense.default:
            result = data_dependent.answer(args[0], FORWARD, [])
            statement.answer = result if data_dependent.decides() else None
        else:
            result = self._call(func, args, kwargs)
        self._end(statement, func, args, kwargs, result)
        self._looks.ran(func, args, result, False)
        return result

    def _call(self, func: Any, args: Any, kwargs: Any) -> Any:
        refuse_real_writes(func, args, kwargs)
        try:
            result = fake_results.run(func, args, kwargs, self._target)
        except RuntimeError as error:
            if op_refusals.is_about_fakes(error):
                raise data_dependent.explain(func, error, user_line()) from error
            raise
        follow(func, args, kwargs, result)
        return result

    def _begin(self, func: Any, args: Any, kwargs: Any) -> Statement:
        counted = is_counted(func)
        statement = Statement(
            func, (), {}, self._ordinal if counted else -1, torch.is_grad_enabled(), self.modules[-1] if self.modules else "",
            user_line(), random=is_random(func),
        )  # fmt: skip
        self._ordinal += counted
        statement.sequence = torch.autograd._get_sequence_nr()
        if func is aten.lift_fresh.default:
            with _disable_current_modes():
                constant = self._add(args[0], -1, args[0].clone())
            self._held.append(args[0])
            statement.args = (Ref(constant),)
            return statement
        if is_collective(func):
            raise PlanMismatch(f"{self._place()}: {func} communicates with other processes, which a recomputation must not do.")
        statement.args, statement.kwargs = self._encoded(args), self._encoded(kwargs)
        written, _ = written_arguments(func, args, kwargs)
        statement.writes = {self.storage(t) for t in tensors_in(written)}
        statement.reads = {self.storage(t) for t in tensors_in((args, kwargs))}
        return statement

    def _encoded(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return Ref(self.value(value))
        if isinstance(value, dict):
            return {name: self._encoded(item) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._encoded(item) for item in value)
        return value

    def value(self, tensor: torch.Tensor) -> int:
        known = self.known.get(id(tensor))
        if known is not None:
            return known
        leaf = self._leaves.get(id(tensor))
        if leaf is None:
            raise PlanMismatch(
                f"{self._place()}: the forward uses a tensor that is neither an argument nor a parameter, a buffer or another "
                "attribute of a module: code made from it would keep today's value. Register it as a buffer, or give it to forward()."
            )
        return self._add(tensor, -1, leaf)

    def _end(self, statement: Statement, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        here = len(self.statements)
        before = self.statements[-1] if here else None
        if before is not None and before.func is aten.clone.default and func._schema.is_mutable:
            # The node of an in-place op is created first: autograd creates none in between.
            before.is_copy = before.sequence == statement.sequence and before.args[:1] == statement.args[:1]
        self.statements.append(statement)
        statement.listed = isinstance(result, (list, tuple))
        for item in result if statement.listed else (result,):
            if isinstance(item, (list, tuple)):
                raise PlanMismatch(f"{self._place()}: {func} returns a list beside other things, which an op plan can't hold.")
            tensor = item if isinstance(item, torch.Tensor) else None
            known = None if tensor is None else self.known.get(id(tensor))
            if tensor is not None and known is None:
                known = self._add(tensor, here)
            statement.results.append(known)
            statement.looks.append(None if tensor is None else look_of(tensor))


def look_of(tensor: torch.Tensor) -> tuple:
    return tensor.shape, tensor.stride(), tensor.storage_offset(), tensor.dtype, tensor.device


def _tensors_of(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for table in (module._parameters, module._buffers, vars(module)):
        for name, value in table.items():
            if isinstance(value, torch.Tensor):
                yield name, value


@contextlib.contextmanager
def _module_stack(recorder: _Recorder) -> Iterator[None]:
    """Tracks in which module the forward is."""
    hooks = torch.nn.modules.module

    def enter(module: torch.nn.Module, _: Any) -> None:
        recorder.modules.append(recorder._paths.get(id(module), recorder.modules[-1] if recorder.modules else ""))

    def leave(module: torch.nn.Module, _: Any, __: Any) -> None:
        recorder.modules.pop()

    handles = [hooks.register_module_forward_pre_hook(enter), hooks.register_module_forward_hook(leave)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def target_of(model: torch.nn.Module, inputs: list[torch.Tensor], for_cuda: bool) -> str:
    """Whose kernels run: "cuda" or "cpu". Fakes on the CPU may stand for tensors of a GPU; `for_cuda`: those of the plan do."""
    tensors = [*inputs, *model.parameters()]
    return "cuda" if any(t.is_cuda or (for_cuda and isinstance(t, FakeTensor)) for t in tensors) else "cpu"


@contextlib.contextmanager
def on_fakes(model: torch.nn.Module, inputs: list[torch.Tensor], target: str) -> Iterator[list[torch.Tensor]]:
    """While entered, the model has fakes for its tensors; yields those of the inputs. Nothing inside has an effect outside."""
    with _disable_current_modes(), contextlib.ExitStack() as stack:
        lender = lender_for(model, stack, None, among=inputs)
        stack.enter_context(preserve.log())
        stack.enter_context(preserve.random_state())
        stack.enter_context(preserve.modes())
        inputs = list(inputs)
        reach = Reach(model, {"inputs": inputs})
        stack.enter_context(reach.kept())
        lender.lend(reach)
        stack.enter_context(lender.mode)
        stack.enter_context(huggingface.unnoticed())
        stack.enter_context(EagerPaths(target))
        if any(tensor.is_cuda for tensor in (*inputs, *model.parameters())):
            stack.enter_context(recurrent_kernels(Kernels(), PackedSequences(known_value, give_value)))
        yield inputs


def record_forward(model: torch.nn.Module, run: Any, inputs: list[torch.Tensor], target: str) -> Forward:
    """Records `run()`, the model's forward. To be called under on_fakes(). Raises PlanMismatch for anything that code can't reproduce.

    A forward may write plain values into the model's objects if it behaves the same, and writes nothing more, once they are set.
    """
    with Reach(model, {}).kept():
        made = _record(model, run, inputs, target)
        if made.settings:
            second = _record(model, run, inputs, target)
            if second.settings or not _alike(made, second):
                raise op_refusals.changing(made.settings[0].name)
            second.settings = made.settings
            made = second
    return made


def _record(model: torch.nn.Module, run: Any, inputs: list[torch.Tensor], target: str) -> Forward:
    recorder = _Recorder(model, inputs, target)
    state = op_refusals.PythonState(model)
    numbers = preserve.python_numbers(state.generators)
    try:
        with _module_stack(recorder), op_refusals.no_functions(), recorder:
            result = run()
            settings = state.settings()
    except TraceError as error:
        raise PlanMismatch(f"The model's forward can't be retraced for an op plan: {error}.") from error
    except (RuntimeError, NotImplementedError) as error:
        told = None if isinstance(error, PlanMismatch) else data_dependent.translate(error)
        if told is None:
            raise
        raise PlanMismatch(f"The model's forward can't be retraced for an op plan: {told}.") from error
    if numbers != preserve.python_numbers(state.generators):
        raise PlanMismatch(
            "The model's forward draws random numbers in Python, and code made from it would decide the same way in every step: "
            "draw them outside of the model, or use a plan of module regions."
        )
    op_refusals.check_tensors(value.tensor for value in recorder.values)
    structure = _structure_of(result)
    results = [recorder.value(tensor) for tensor in structure.tensors]
    buffers = {recorder.storage(buffer) for buffer in model.buffers()}
    made = Forward(recorder.statements, recorder.values, structure, results, buffers, recorder.made_by, settings)
    _take_buffers_themselves(made)
    _drop_dead_names(made)
    _find_looks(made)
    return made


def _alike(one: Forward, other: Forward) -> bool:
    """Whether code made from either forward does the same."""
    mine, its = ([(s.func, s.args, s.kwargs, s.results, s.looks, s.gradients, s.answer) for s in f.statements] for f in (one, other))
    if mine != its or one.results != other.results or one.result.key() != other.result.key():
        return False
    with _disable_current_modes():
        return all(
            torch.equal(a.leaf, b.leaf) if isinstance(a.leaf, torch.Tensor) and isinstance(b.leaf, torch.Tensor) else a.leaf == b.leaf
            for a, b in zip(one.values, other.values)
        )


def _drop_dead_names(forward: Forward) -> None:
    """Removes statements that aren't ops and have no use: a detach whose result is never read."""
    used = set(forward.results)
    kept: list[int] = []
    for i in range(len(forward.statements) - 1, -1, -1):
        statement = forward.statements[i]
        if statement.ordinal >= 0 or used.intersection(r for r in statement.results if r is not None):
            used.update(operands(statement))
            kept.append(i)
    moved = {old: new for new, old in enumerate(reversed(kept))}
    forward.statements = [forward.statements[i] for i in moved]
    forward.made_by = [moved[made] if made >= 0 else -1 for made in forward.made_by]


def _structure_of(result: Any) -> Structure:
    structure = Structure(result, takes_objects=True)
    unknown = structure.opaque()
    if unknown:
        raise PlanMismatch(
            f"The model returns a {type(unknown[0]).__name__}, which an op plan can't rebuild in every step: return tensors "
            "in tuples, lists, dicts, dataclasses or plain objects (for transformers: use_cache=False)."
        )
    if structure.is_held():
        raise PlanMismatch(
            f"The model returns an object ({type(structure.objects[0]).__name__}) that something else holds, too, which would not see "
            "the new one that an op plan makes in every step: return one that nobody holds (for transformers: use_cache=False)."
        )
    return structure


def _take_buffers_themselves(forward: Forward) -> None:
    """Replaces other names of a whole buffer by the buffer: regions read buffers where they use them, and may write them there."""
    names: dict[Optional[int], int] = {}
    values = forward.values
    for statement in forward.statements:
        statement.args = tuple(_renamed(value, names) for value in statement.args)
        statement.results = [names.get(result, result) for result in statement.results]
        if statement.func is aten.alias.default:
            source, made = statement.args[0].value, statement.results[0]
            if isinstance(values[source].leaf, tuple) and values[source].storage in forward.buffers and made is not None:
                names[made] = source


def _renamed(value: Any, names: dict[Optional[int], int]) -> Any:
    return Ref(names[value.value]) if isinstance(value, Ref) and value.value in names else value


def _find_looks(forward: Forward) -> None:
    """Unused views of memory that was written: on fakes, autograd makes them before it reads another view (see looks.py)."""
    written: set[int] = set()
    used: set[Optional[int]] = set(forward.results)
    suspects: list[bool] = []
    for statement in forward.statements:
        base = next(operands(statement), None) if statement.ordinal >= 0 and is_view(statement.func) else None
        suspects.append(base is not None and forward.values[base].tensor.requires_grad and forward.values[base].storage in written)
        written |= statement.writes
    for statement, suspect in zip(reversed(forward.statements), reversed(suspects)):
        statement.is_look = suspect and used.isdisjoint(statement.results)
        if not statement.is_look:
            used.update(operands(statement))


def values_in(value: Any) -> Iterator[int]:
    if isinstance(value, Ref):
        yield value.value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from values_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from values_in(item)


def operands(statement: Statement) -> Iterator[int]:
    yield from values_in(statement.args)
    yield from values_in(statement.kwargs)
