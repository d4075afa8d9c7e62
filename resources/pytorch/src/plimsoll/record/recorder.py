# SPDX-License-Identifier: Apache-2.0
"""Records every aten op of a step with its storages, in the real order of execution."""

from __future__ import annotations

import bisect
import functools
from typing import Any, Callable, Optional

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    UnsupportedOperatorException,
)
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from ..common import real_values
from ..common.graph_rows import BACKWARD, COLLECTIVE, CONSTANT, FORWARD, GRAD_MODE, LOSS, OPTIMIZER, RANDOM, VIEW, Op
from ..common.op_schema import is_collective, is_op, is_random, written_arguments
from ..common.source_lines import run_by_engine, user_line
from ..common.tensors import tensors_in
from ..isolation import data_dependent
from ..isolation.foreign import ForeignTensors, refuse_real_writes
from ..isolation.known_values import follow
from ..kernels import fake_results
from ..kernels.in_place import Transparent, looks_at_values, sums_inside, without_modes
from ..kernels.looks import Looks
from .checkpoints import CheckpointTracker
from .encode import encode
from .flops import flops_of
from .modules import ModuleTracker
from .storages import StorageTable

aten = torch.ops.aten
_NO_NUMBER = 2**63  # AccumulateGrad carries 2^64 - 1
_NO_FAKE = "no fake impl"  # part of the message with which torch.library refuses
_UNIMPLEMENTED = (NotImplementedError, UnsupportedOperatorException, DataDependentOutputException, DynamicOutputShapeException)


def _has_number(node: Any) -> bool:
    return node._sequence_nr() < _NO_NUMBER


def _name_of(node: Any) -> str:
    return node.name().rpartition("::")[2]


def _steals_gradient() -> bool:
    """Whether AccumulateGrad runs, whose detach is part of every step."""
    if torch._C._current_graph_task_id() == -1 or torch.is_grad_enabled():
        return False
    node = torch._C._current_autograd_node()
    return node is not None and not _has_number(node)


class _Detaches(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func is aten.detach.default
        return func(*args, **(kwargs or {}))


@functools.lru_cache(maxsize=None)
def _detaches_again() -> bool:
    """Whether a mode sees the single detach of AccumulateGrad twice (in torch 2.4 to 2.6)."""
    with _disable_current_modes(), torch.enable_grad():
        leaf = torch.zeros(1, requires_grad=True)
        result = leaf * 2
        with _Detaches() as seen:
            result.backward()
    return seen.count > 1


class Recorder(Transparent):
    """The dispatch mode. `on` is true between `open()` and `close()`; ops outside are run but not recorded."""

    def __init__(self, step: Any, target: str):
        super().__init__()
        real_values.begin_step()
        self.on = False
        self.phase = FORWARD
        self.ops: list[Op] = []
        self.assumed: list[str] = []
        self.autocast: Optional[str] = None
        self._emulates_cuda = target == "cuda" and step.device == "cpu"
        host = "cpu" if target == "cuda" and step.device == "cuda" else ""
        self.storages = StorageTable(lambda: len(self.ops) - 1 if self.on else None, host)
        self.modules = ModuleTracker(step.model, self, step.called_directly)
        self.checkpoints = CheckpointTracker(self)
        self._on_op = step.progress.op  # called for each op, recorded or not
        self.on_detach: Optional[Callable[[torch.Tensor, torch.Tensor], None]] = None
        self.on_constant: Optional[Callable[[int, torch.Tensor], None]] = None  # row, and the real tensor with its data
        self._target = target
        self._looks = Looks()
        self._device = step.device
        known = (*step.inputs(), *((name, tensor) for name, tensor, _ in step.foreign))
        own = [*step.model.parameters(), *step.model.buffers(), *(tensor for _, tensor in known)]
        self._foreign = ForeignTensors(own, step.untrained)
        self._lender = step.lender
        self._detaches_again = _detaches_again()
        self._first_seq = 0
        self._last_seq = -1
        self._seqs: list[int] = []
        self._seq_ops: list[int] = []

    def open(self) -> None:
        # Numbers in the file count from the step's first node, so that the same step gives the same file.
        self._first_seq = torch.autograd._get_sequence_nr()
        self._last_seq = -1
        self.on = True

    def close(self) -> None:
        self.on = False
        self.storages.stop_watching()

    def note_autocast(self) -> None:
        """Called between ops, since autocast is off while an op is dispatched."""
        if self.autocast is None and torch.is_autocast_enabled(self._device):
            self.autocast = str(torch.get_autocast_dtype(self._device)).removeprefix("torch.")

    def sequence(self) -> int:
        """The number of the latest autograd node; -1 if the step has made none."""
        return torch.autograd._get_sequence_nr() - 1 - self._first_seq

    def unpacking_node(self, makes: int) -> Optional[int]:
        """The number of the running node; `makes` is the op that made it, for nodes whose op is unknown."""
        node = torch._C._current_autograd_node() if torch._C._current_graph_task_id() != -1 else None
        if node is None or not _has_number(node):
            return None
        seq = node._sequence_nr() - self._first_seq
        at = bisect.bisect_left(self._seqs, seq)
        if self._seqs[at : at + 1] != [seq] and makes < len(self.ops):
            self._seqs.insert(at, seq)
            self._seq_ops.insert(at, makes)
            if self.ops[makes].seq < 0:
                self.ops[makes].seq = seq
        return seq

    def owns(self, seq: int) -> bool:
        """Whether an op of this step has run under the autograd node with this number."""
        return seq <= self._last_seq

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not is_op(func):
            return func(*args, **kwargs)
        self._on_op()
        if func is aten._local_scalar_dense.default and isinstance(args[0], FakeTensor):
            return self._ask(func, args)
        func, args = self._in_place(func, args)
        if not self.on:
            return self._call(func, args, kwargs)
        if func is aten.detach.default and (not _steals_gradient() or self._stole(args[0])):
            # Another name for the same memory, as hooks often make; not an op of the step.
            result = func(*args, **kwargs)
            follow(func, args, kwargs, result)
            if self.on_detach is not None:
                self.on_detach(args[0], result)
            return result
        is_look = self._looks.begins(func, args)
        if is_look:
            self._own_looks()
        op = None if is_look else self._begin(func, args, kwargs)
        result = self._call(func, args, kwargs)
        if op is not None:
            self._end(op, func, args, kwargs, result)
        self._looks.ran(func, args, result, is_look)
        return result

    def _call(self, func: Any, args: Any, kwargs: Any) -> Any:
        self._foreign.refuse(args, kwargs)
        if self._lender is not None:
            refuse_real_writes(func, args, kwargs)
        real = data_dependent.real_result(func, args)
        try:
            result = fake_results.run(func, args, kwargs, self._target)
        except RuntimeError as error:
            if isinstance(error, _UNIMPLEMENTED) or _NO_FAKE in str(error):
                result = data_dependent.result(func, args, kwargs, self.assumed, real, fake_results.on_host(func, args))
                if result is None:
                    raise data_dependent.explain(func, error, user_line()) from error
                return result
            raise
        if self.phase != OPTIMIZER:
            self._foreign.note(func, args, kwargs, result)
            follow(func, args, kwargs, result)
        return result

    def _stole(self, gradient: torch.Tensor) -> bool:
        last = self.ops[-1] if self.ops else None
        if last is None or last.target != "aten.detach.default" or last.node != "AccumulateGrad" or not self._detaches_again:
            return False
        return self.storages.tensors[last.outputs[0]].storage == self.storages.find(gradient)

    def _in_place(self, func: Any, args: Any) -> tuple[Any, Any]:
        if torch._C._current_graph_task_id() == -1 or self.checkpoints.recomputing:
            return without_modes(func, args)
        node = torch._C._current_autograd_node() if self.on and not torch.is_grad_enabled() else None
        if node is None:
            return func, args
        return without_modes(func, args, _name_of(node), lambda tensor: self._made_by(node, tensor))

    def _made_by(self, node: Any, tensor: torch.Tensor) -> str:
        """The op with which this node made the tensor's memory; "" if it didn't."""
        row = self.storages.find(tensor)
        alloc = self.storages.rows[row].alloc if row is not None else -1
        if alloc < 0:
            return ""
        op = self.ops[alloc]
        number = node._sequence_nr() - self._first_seq if _has_number(node) else op.seq
        return op.target if (op.node, op.seq) == (_name_of(node), number) else ""

    def _ask(self, func: Any, args: Any) -> Any:
        value = data_dependent.answer(args[0], self.phase, self.assumed)
        if self.on:
            self._begin(func, args, {}).result = encode(value, self.storages.tensor) if data_dependent.decides() else None
        return value

    def _begin(self, func: Any, args: Any, kwargs: Any) -> Op:
        target = str(func)
        module, call = self.modules.current()
        op = Op(target, self.phase, module, call, "", flags=GRAD_MODE if torch.is_grad_enabled() else 0)
        if is_random(func):
            op.flags |= RANDOM
        if is_collective(func):
            op.flags |= COLLECTIVE
        # Gradients that forward asks for (such as for a penalty) are part of forward.
        in_graph_task = torch._C._current_graph_task_id() != -1 and self.phase >= BACKWARD
        if in_graph_task:
            op.phase = BACKWARD
            op.recompute_of = self.checkpoints.recomputed_op(target)
        if in_graph_task and not torch.is_grad_enabled() and not self.checkpoints.recomputing:
            self._note_node(op)
            op.engine_add = func is aten.add.Tensor and self._adds_like_engine(args, kwargs)
        else:
            if self.phase <= LOSS or in_graph_task:
                self._own_sequence(op)
            op.source = user_line()
        self._note_arguments(op, func, args, kwargs)
        self.ops.append(op)
        return op

    def _note_node(self, op: Op) -> None:
        node = torch._C._current_autograd_node()
        if node is None:
            return
        op.node = _name_of(node)
        if _has_number(node):
            op.seq = node._sequence_nr() - self._first_seq
            owner = bisect.bisect_right(self._seqs, op.seq) - 1
            op.forward_op = self._seq_ops[owner] if owner >= 0 else -1
        function = looks_at_values(op.node, self._target)
        if function:
            self._assume_unknown(function, self.ops[op.forward_op].source if op.forward_op >= 0 else "")

    def _assume_unknown(self, function: str, source: str) -> None:
        where = f"{source}: " if source else ""
        sentence = f"{where}gradients of {function} are recorded as for any values: PyTorch looks at them, and takes less memory then"
        if sentence not in self.assumed:
            self.assumed.append(sentence)

    def _own_sequence(self, op: Op) -> None:
        seq = self.sequence()
        if seq > self._last_seq:
            op.seq = self._last_seq = seq
            self._seqs.append(seq)
            self._seq_ops.append(len(self.ops))

    def _own_looks(self) -> None:
        """A write into a view also makes a node for the whole memory, and one that views it, which packs its tensors after the first."""
        while self._last_seq < self.sequence():
            self._last_seq += 1
            self._seqs.append(self._last_seq)
            self._seq_ops.append(len(self.ops) - 1)

    def _adds_like_engine(self, args: Any, kwargs: Any) -> bool:
        """Whether the engine is summing two gradients, which it does in place if no mode is active."""
        if len(args) != 2 or kwargs or not all(isinstance(a, torch.Tensor) for a in args):
            return False
        node = torch._C._current_autograd_node()
        return run_by_engine() and not (node is not None and sums_inside(_name_of(node)) and self._made_by(node, args[0]))

    def _argument(self, tensor: torch.Tensor) -> int:
        known = self.storages.find(tensor) is not None
        row = self.storages.tensor(tensor, cls=CONSTANT)
        if not known and self.on_constant is not None:
            self.on_constant(row, tensor if self._lender is None else self._lender.real(tensor))
        return row

    def _note_arguments(self, op: Op, func: Any, args: Any, kwargs: Any) -> None:
        constant = func is aten.lift_fresh.default  # reads a number made in C++, which is no memory of the step
        row = self.storages.tensor
        place = "cuda" if self._emulates_cuda else ""
        op.args = [None] if constant else encode(args, self._argument, place)
        op.kwargs = encode(kwargs, self._argument, place)
        written, matters = written_arguments(func, args, kwargs)
        op.writes = [row(t) for t in tensors_in(written)]
        skip = set() if matters else {id(t) for t in tensors_in(written)}
        if not constant:
            op.reads = [row(t) for t in tensors_in((args, kwargs)) if id(t) not in skip]

    def _end(self, op: Op, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        now = len(self.ops) - 1
        constant = func is aten.lift_fresh.default
        aliases = fresh = 0
        for tensor in tensors_in(result):
            if self.storages.find(tensor) is None:
                fresh += 1
                op.outputs.append(self.storages.tensor(tensor, -1 if constant else now, CONSTANT if constant else None))
            else:
                aliases += 1
                op.outputs.append(self.storages.tensor(tensor))
        if aliases and not fresh and not op.writes:
            op.flags |= VIEW
        op.result = encode(result, self.storages.tensor)
        if constant and self.on_constant is not None:
            self.on_constant(op.outputs[0], args[0])
        op.flops = flops_of(func, args, kwargs, result)
        if op.engine_add:
            old = args[0]
            op.reusable = not old._is_view() and old.dtype == result.dtype
        if self._emulates_cuda or (self._target == "cuda" and self._lender is not None):
            for place in fake_results.on_host(func, args):
                self.storages.rows[self.storages.tensors[op.outputs[place]].storage].host = True
        if self._emulates_cuda and self.phase == OPTIMIZER:
            self._keep_on_host(op, constant, result)

    def _keep_on_host(self, op: Op, constant: bool, result: Any) -> None:
        """Step counters of optimizers stay in host memory, as does anything computed from them alone."""
        rows = self.storages.rows
        storage_of = lambda t: self.storages.tensors[t].storage  # noqa: E731
        from_host = bool(op.reads) and all(rows[storage_of(t)].host for t in op.reads)
        if constant or from_host:
            for tensor in op.outputs:
                if not self.storages.tensors[tensor].shape:
                    rows[storage_of(tensor)].host = True
