# SPDX-License-Identifier: Apache-2.0
"""Replaces a model's forward by code generated from its aten calls, with the plan's regions recomputed.

The code is generated at the first training call for each combination of shapes, dtypes, modes and attributes of the model; evaluation
and calls without gradients run the model's own forward.
"""

from __future__ import annotations

import collections
import contextlib
from typing import Any, Iterator, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ...common.graph_rows import FORWARD
from ...common.op_schema import is_counted
from ...common.plan_mismatch import PlanMismatch
from ...common.tensors import geometry
from ...isolation import data_dependent
from ...isolation.watch import Watch
from ...kernels import fake_results
from ...kernels.looks import Looks
from ..global_settings import global_settings
from ..structures import Structure
from . import op_refusals
from .apply_regions import Handle
from .model_checks import check_caller, not_compiled
from .op_code import Code
from .op_regions import Checker, Part, Region, check_inside, check_sequence, lay_out
from .op_trace import Forward, aten, look_of, on_fakes, record_forward, target_of
from .outside import UntilCalled
from .saved_sets import contexts_for, is_of_checkpoint

_KEPT_CODES = 8


class OpPlan:
    """The ops of a plan file: `targets` of those of forward and loss, in order."""

    def __init__(self, regions: list[Region], targets: list[str], for_cuda: bool, freeze_stats: bool):
        self.regions = regions
        self.targets = targets
        self.for_cuda = for_cuda
        self.freeze_stats = freeze_stats


class OpForward:
    """The model's forward while an op plan is applied. Copies and pickles include the plan and generate their own code."""

    runs_regions = True

    def __init__(self, model: torch.nn.Module, plan: OpPlan):
        self.model = model
        self.plan = plan
        self._own = vars(model).get("forward")
        self._codes: collections.OrderedDict[Any, tuple[Code, Structure, list[Any]]] = collections.OrderedDict()
        self._watch: Optional[Watch] = None
        self._until_called: Optional[UntilCalled] = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_codes": collections.OrderedDict(), "_watch": None}

    @property
    def applied(self) -> "OpForward":
        """What remove() uninstalls."""
        return self

    @property
    def own(self) -> Any:
        return self._own if self._own is not None else type(self.model).forward.__get__(self.model)

    @property
    def __wrapped__(self) -> Any:  # inspect.signature() then shows the arguments of the model's own forward
        return self.own

    @property
    def source(self) -> str:
        """The code that ran last; "" before the first training call."""
        return next(reversed(self._codes.values()))[0].source if self._codes else ""

    @property
    def summary(self) -> str:
        count = sum(1 for outermost in self.plan.regions for _ in outermost.all())
        return f"{count} region{'' if count == 1 else 's'} of ops, applied to {type(self.model).__name__}"

    def install(self) -> None:
        op_refusals.check_modules(self.model)
        for module in self.model.modules():
            if getattr(vars(module).get("forward"), "runs_regions", False):
                raise PlanMismatch("A plan is already applied to this model: remove it first.")
        self.model.forward = self  # type: ignore[assignment]
        self._until_called = UntilCalled(self.model)

    def uninstall(self) -> None:
        self._called()
        vars(self.model).pop("forward", None)
        if self._own is not None:
            self.model.forward = self._own

    @not_compiled
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not torch.is_grad_enabled() or not self.model.training:
            return self.own(*args, **kwargs)
        self._called()
        check_caller([self.model])
        given = Structure((args, kwargs))
        if self._watch is None or not self._watch.unchanged():
            self._watch = Watch((("", self.model),))
        key = self._key(given)
        if key not in self._codes:
            code, result, settings = self._made(given)
            for setting in settings:  # as the model's own forward does in this call
                setting.make()
            if settings:
                self._watch = Watch((("", self.model),))
                key = self._key(given)
            self._codes[key] = code, result, [given.leaves, self._watch.held]  # keeps them alive, so that identities in the key stay valid
            while len(self._codes) > _KEPT_CODES:
                self._codes.popitem(last=False)
        self._codes.move_to_end(key)
        code, result, _ = self._codes[key]
        with _without_autocast():
            tensors = code.forward(*given.tensors)
        return result.build(tensors)

    def _called(self) -> None:
        if self._until_called is not None:
            self._until_called.remove()
            self._until_called = None

    def _key(self, given: Structure) -> tuple:
        return given.key(), tuple(map(geometry, given.tensors)), global_settings(), self._watch.key

    def _contexts(self, part: Part) -> Any:
        region, plan = part.region, self.plan
        targets = plan.targets[region.first : region.last + 1]
        return contexts_for(region.save, targets, region.first, self.model if plan.freeze_stats else None)

    def _made(self, given: Structure) -> tuple[Code, Structure, list[op_refusals.Setting]]:
        """Retraces the model's own forward, checks it against the plan, generates the code and runs it once on fakes. Also returns what the
        forward writes into the model's objects."""
        model, plan = self.model, self.plan
        op_refusals.check_modules(model)
        target = target_of(model, given.tensors, plan.for_cuda)
        with on_fakes(model, given.tensors, target) as inputs:

            def run() -> Any:
                args, kwargs = given.build(inputs)
                return self.own(*args, **kwargs)

            recorded = record_forward(model, run, inputs, target)
            check_sequence(recorded, plan.targets, plan.for_cuda)
            check_inside(plan.regions, len(recorded.ops))
            whole = lay_out(recorded, plan.regions)
            checker = Checker(recorded)
            for part in whole.regions():
                checker.check(part)
            code = Code(model, recorded, whole, self._contexts, _title(model))
            with _without_autocast():
                _prove(recorded, code, target)
        return code, recorded.result.without_tensors(), recorded.settings


def _title(model: torch.nn.Module) -> str:
    return f"The forward of {type(model).__name__} as aten calls; regions are recomputed in backward. Made by plimsoll.apply()."


@contextlib.contextmanager
def _without_autocast() -> Iterator[None]:
    """The recorded ops already include autocast's casts."""
    with contextlib.ExitStack() as stack:
        for device in ("cpu", "cuda"):
            if torch.is_autocast_enabled(device):
                stack.enter_context(torch.autocast(device, enabled=False))
        yield


class _Replay(TorchDispatchMode):
    """Compares what the code does with what the model did, op by op."""

    def __init__(self, recorded: Forward, target: str):
        super().__init__()
        self._target = target
        self._looks = Looks()
        self._ops = recorded.ops
        self._at = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not is_counted(func) or is_of_checkpoint(func):
            return func(*args, **(kwargs or {}))
        if self._looks.begins(func, args):
            result = fake_results.run(func, args, kwargs or {}, self._target)
            self._looks.ran(func, args, result, True)
            return result
        self._skip_looks(func)
        expected = self._ops[self._at] if self._at < len(self._ops) else None
        if expected is None or func is not expected.func:
            self.fail(f"{func} runs in the place of {expected.func if expected else 'nothing'}")
        if func is aten._local_scalar_dense.default:
            result = data_dependent.answer(args[0], FORWARD, [])
        else:
            result = fake_results.run(func, args, kwargs or {}, self._target)
        made = result if isinstance(result, (list, tuple)) else (result,)
        if any(look is not None and look_of(mine) != look for mine, look in zip(made, expected.looks)):
            self.fail("its result looks different")
        self._at += 1
        self._looks.ran(func, args, result, False)
        return result

    def fail(self, what: str) -> None:
        at = self._ops[min(self._at, len(self._ops) - 1)]
        raise PlanMismatch(f"Code can't reproduce op {at.ordinal} of the model ({at.func}, {at.place}): {what}. Use a plan of module regions.")

    def _skip_looks(self, func: Any) -> None:
        while self._at < len(self._ops) and self._ops[self._at].is_look and self._ops[self._at].func is not func:
            self._at += 1

    def finish(self) -> None:
        self._skip_looks(None)
        if self._at != len(self._ops):
            self.fail("it doesn't run")


def _prove(recorded: Forward, code: Code, target: str) -> None:
    """Checks that the code runs the same ops, returns the same kinds of tensors, and gives autograd the same graph."""
    replay = _Replay(recorded, target)
    distinct = [value.tensor for value in recorded.values if type(value.leaf) is int]
    with replay:
        made = code.forward(*distinct)
    replay.finish()
    own = [recorded.values[value].tensor for value in dict.fromkeys(recorded.results)]
    for mine, its in zip(made, own):
        if look_of(mine) != look_of(its) or mine.requires_grad != its.requires_grad:
            raise PlanMismatch("Code can't reproduce the model's forward: a result looks different. Use a plan of module regions.")
    _same_graph([t.grad_fn for t in made], [t.grad_fn for t in own])


def _same_graph(mine: list[Any], its: list[Any]) -> None:
    pairs = list(zip(mine, its))
    seen: dict[Any, Any] = {}
    while pairs:
        a, b = pairs.pop()
        if a is None and b is None:
            continue
        known = seen.get(a)
        if known is not None and known is b:
            continue
        variable = a is not None and getattr(a, "variable", None)
        alike = a is not None and b is not None and known is None and a.name() == b.name() and variable is getattr(b, "variable", None)
        after = (a.next_functions, b.next_functions) if alike else ((), ())
        if not alike or [n for _, n in after[0]] != [n for _, n in after[1]]:
            names = [node.name() if node is not None else "nothing" for node in (a, b)]
            raise PlanMismatch(
                f"Code can't reproduce the gradients of the model: autograd would run {names[0]} in the place of {names[1]} (does the "
                "forward call requires_grad_(), set .data, or use functions of its own?). Use a plan of module regions."
            )
        seen[a] = b
        pairs += [(x, y) for (x, _), (y, _) in zip(*after)]


class OpHandle(Handle):
    """An op plan applied to a model. `source`: the Python code that its last training call ran."""

    @property
    def source(self) -> str:
        return self._applied.source if self._applied is not None else ""


def apply_ops(model: torch.nn.Module, plan: OpPlan) -> OpHandle:
    forward = OpForward(model, plan)
    forward.install()
    return OpHandle(forward)
