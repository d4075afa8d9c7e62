# SPDX-License-Identifier: Apache-2.0
"""Runs a forward of the model with its regions of module calls under torch.utils.checkpoint, nested ones included.

The first member's forward runs the whole region as one checkpointed function and returns its result; the forwards of the other members
then return their argument.
"""

import contextlib
import sys
import threading
import warnings

import torch
from torch.utils.checkpoint import checkpoint

from ...common.arguments import build, flatten, modes, same
from ...common.plan_mismatch import PlanMismatch
from ...common.stand_in import Geometry, StandIn
from .model_checks import check_caller
from .module_regions import ModuleRegion
from .own_checkpoints import NestedCheckpointGuard


class _PendingCall:
    """A later member of a region that has already run: the model's code will still call it, and gets the value that it returned."""

    def __init__(self, module, first, argument, result):
        self.module = module
        self.region = first.region
        self.first = first
        self.argument = argument  # stand-in that the model's code must pass
        self.result = result


class _FirstCall:
    """How the first member of a region was called: the others must be called alike, except for the passed value."""

    def __init__(self, region, arguments, structure):
        self.region = region
        self.arguments = arguments
        self.structure = structure
        self.modes = modes()


class _ForwardRun:
    """State of one forward of the model, or of one recomputation."""

    def __init__(self, counts):
        self.counts = counts  # calls so far, by index of the module
        self.region = None  # innermost region that is being executed
        self.pending = []


class RegionRunner:
    """Runs the regions of one plan applied to one model; each thread has a run of its own."""

    def __init__(self, regions):
        self.regions = regions
        self.state = threading.local()
        self.guarded = False  # whether a forward has run that checkpoints nothing inside regions
        self.warned = False  # of a member that runs outside of the model's forward

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "state"}

    def __setstate__(self, state):
        self.__dict__.update(state, state=threading.local())

    def run_model(self, args, kwargs):
        before = getattr(self.state, "run", None)
        if before is not None:  # the model calls itself
            return self.call(before, self.regions.root, args, kwargs)
        if not torch.is_grad_enabled():  # nothing is saved, so there is nothing to recompute
            return self.regions.root.forward(*args, **kwargs)
        check_caller([known.module for known in self.regions.modules])
        self.state.run = run = _ForwardRun([0] * len(self.regions.modules))
        guard = contextlib.nullcontext() if self.guarded else NestedCheckpointGuard(self.state)
        try:
            with guard:
                result = self.call(run, self.regions.root, args, kwargs)
            self.check_complete(run)
            self.guarded = True
            return result
        finally:
            self.state.run = None

    def run_outside(self, module, args, kwargs):
        """A member that the training loop calls past the model's forward (encode() and decode(), a training_step()) runs as without a plan."""
        if torch.is_grad_enabled() and not self.warned:
            self.warned = True
            warn_outside(module.name, 3)
        return module.forward(*args, **kwargs)

    def check_complete(self, run):
        self.check_no_pending(run)
        for region in self.regions.all:
            module, call = region.members[0]
            if run.counts[module.index] <= call:
                raise PlanMismatch(
                    f"The plan's region begins with call {call} of {module.name}, but this forward called it "
                    f"{run.counts[module.index]} times (calls are counted from 0)."
                )

    def call(self, run, module, args, kwargs):
        """Handles a call of a module by the model's code."""
        if run.pending and run.pending[0].module is module:
            return self.pass_on(run, args, kwargs)
        key = (module.index, run.counts[module.index])
        region = self.regions.starts.get(key)
        if region is None:
            if key in self.regions.inner:
                raise PlanMismatch(
                    f"Call {key[1]} of {module.name} doesn't follow the member before it in the region from {self.regions.inner[key].name}."
                )
            run.counts[module.index] += 1
            return module.forward(*args, **kwargs)
        return self.start(run, region, args, kwargs)

    def start(self, run, region, args, kwargs):
        """Runs a region when its first member is called, and expects the calls of the other members from then on."""
        self.check_no_pending(run)
        _check_own_checkpoints(region)
        if run.region is not region.parent:
            raise PlanMismatch(f"The region from {region.name} doesn't run inside of the region that the plan says.")
        tensors = []
        structure = flatten((args, kwargs), tensors)
        shapes = []
        result = self.checkpointed(run, region, structure, shapes, tensors)
        if len(region.members) == 1:
            return result
        found = []
        flatten(result, found)
        if not found:
            raise PlanMismatch(f"The region from {region.name} returns no tensor.")
        first = _FirstCall(region, tensors[1:], structure)
        stand_ins = [
            StandIn(geometry, found[0], f"the value that {giver.name} passes to {taker.name} in the region from {region.name}")
            for (_, geometry), (giver, _), (taker, _) in zip(shapes, region.members, region.members[1:])
        ]
        values = [build(shape, iter((stand_in,))) for (shape, _), stand_in in zip(shapes, stand_ins)] + [result]
        run.pending = [
            _PendingCall(module, first, stand_in, value) for (module, _), stand_in, value in zip(region.members[1:], stand_ins, values[1:])
        ]
        return values[0]

    def checkpointed(self, run, region, structure, shapes, tensors):
        distinct = list({id(tensor): tensor for tensor in tensors}.values())  # `query is key` must hold in the recomputation, too
        places = [next(i for i, other in enumerate(distinct) if other is tensor) for tensor in tensors]
        function = self.function(list(run.counts), region, structure, shapes, places)
        self.state.begins = True
        return checkpoint(function, *distinct, use_reentrant=False, preserve_rng_state=True, **region.options)

    def function(self, counts, region, structure, shapes, places):
        """The checkpointed function. Its first execution belongs to the run that creates it; later ones are recomputations, which count
        calls from where the first one began."""
        first = [True]

        def run_region(*distinct):
            tensors = [distinct[place] for place in places]
            before = getattr(self.state, "run", None)
            if first:
                first.clear()
                run, outer, passed = before, before.region, shapes
            else:
                run, outer, passed = _ForwardRun(list(counts)), None, []
                self.state.run = run
            run.region = region
            try:
                result = self.chain(run, region, structure, passed, tensors)
                self.check_no_pending(run)
                return result
            finally:  # early stop leaves by an exception
                run.region = outer
                self.state.run = before

        return run_region

    def chain(self, run, region, structure, shapes, tensors):
        """value = last(... first(value, others) ..., others). `shapes` receives the structure and geometry of each passed value."""
        value = self.step(run, region.steps[0], structure, shapes, tensors)
        for step in region.steps[1:]:
            passed = []
            shape = flatten(value, passed)
            if len(passed) != 1:
                raise PlanMismatch(f"A member of the region from {region.name} returns {len(passed)} tensors to the next one.")
            shapes.append((shape, Geometry(passed[0])))
            passed.extend(tensors[1:])
            value = self.step(run, step, structure, shapes, passed)
        return value

    def step(self, run, step, structure, shapes, tensors):
        if isinstance(step, ModuleRegion):
            return self.checkpointed(run, step, structure, shapes, tensors)
        module, call = step
        if run.counts[module.index] != call:
            raise PlanMismatch(f"The plan runs call {call} of {module.name} here, but it is call {run.counts[module.index]}.")
        run.counts[module.index] += 1
        args, kwargs = build(structure, iter(tensors))
        return module.forward(*args, **kwargs)

    def pass_on(self, run, args, kwargs):
        """Handles the call of a later member by the model's code after the region has run."""
        due = run.pending[0]
        _check_own_checkpoints(due.region)
        region = f"the region from {due.region.name}"
        tensors = []
        structure = flatten((args, kwargs), tensors)
        if not tensors or tensors[0] is not due.argument:
            raise PlanMismatch(f"{due.module.name} isn't given the value of the member before it in {region}.")
        others, first = tensors[1:], due.first
        alike = len(others) == len(first.arguments) and all(a is b for a, b in zip(others, first.arguments))
        if not alike or not same(structure, first.structure):
            raise PlanMismatch(f"{due.module.name} is given other arguments than the first member of {region}.")
        if modes() != first.modes:
            raise PlanMismatch(f"{due.module.name} is called in another mode (gradients, autocast) than the first member of {region}.")
        del run.pending[0]
        return due.result

    def check_no_pending(self, run):
        if run.pending:
            due = run.pending[0]
            raise PlanMismatch(f"{due.module.name} isn't called after the member before it in the region from {due.region.name}.")


def _check_own_checkpoints(region):
    """Raises PlanMismatch if a call of the region's members comes from inside a checkpoint of the model's own: what that recomputes in
    backward runs outside of the model's forward, and would not be what it ran first."""
    frame = sys._getframe(1)
    here = frame.f_code.co_filename
    while frame is not None and not (frame.f_code.co_name in ("run_model", "run_region") and frame.f_code.co_filename == here):
        if frame.f_globals.get("__name__") == "torch.utils.checkpoint":
            raise PlanMismatch(
                f"The model checkpoints a part of itself around the region from {region.name}: turn that off "
                "(gradient_checkpointing_disable() in transformers), or trace and plan the model as it is."
            )
        frame = frame.f_back


def warn_outside(name, level):
    """Of a planned module that the training loop calls past the model's forward. `level`: of the first frame that may be torch's."""
    frame = sys._getframe(level)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("torch."):
        frame, level = frame.f_back, level + 1
    warnings.warn(
        f"{name} runs outside of the model's forward, where the plan has no effect: call the model itself, or trace and plan "
        "the module whose forward the training loop calls.",
        stacklevel=level + 1,
    )
