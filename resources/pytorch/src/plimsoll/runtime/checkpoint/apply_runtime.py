# SPDX-License-Identifier: Apache-2.0
"""Runs chains of module calls under torch.utils.checkpoint, nested ones included.

A region is `{"members": [{"path", "class", "call"}, ...], "nested": [regions]}`: consecutive calls of modules, each the
`call`-th call (from 0) of its module in one forward of the model. The first member's forward runs the whole chain as one
checkpointed function and returns the chain's result; the forwards of the other members then hand on what they are given.

What Python holds is part of a plan's memory: the function's variable keeps a value that one member passes to the next until
the next has returned, arguments live until the function returns, nothing else is kept. In between, the model's code is given
stand-ins: they tell the shape of the value that they stand for and refuse to be computed with.
"""

import contextlib
import threading
import traceback

import torch
import torch.utils.checkpoint
from torch.nn.parallel.parallel_apply import parallel_apply
from torch.utils.checkpoint import checkpoint

from ...common.apply_values import Geometry, PlanMismatch, StandIn, build, flatten, modes, same
from ...common.module_hooks import has_hooks

_COMPILED = ("OptimizedModule", "OptimizeContext", "RunOnlyContext")  # torch._dynamo's, on the stack while they run a model


class _Module:
    """A module of the model whose forward is replaced."""

    def __init__(self, index, path, module):
        self.index = index
        self.path = path
        self.module = module
        self.had_own = "forward" in module.__dict__
        self.own = module.__dict__.get("forward")

    @property
    def forward(self):
        """What ran before the plan was applied. Not kept as a bound method: copies and pickles must find their own module's."""
        return self.own if self.had_own else type(self.module).forward.__get__(self.module)

    @property
    def name(self):
        return f"'{self.path}'" if self.path else "the model"


class _Forward:
    """Stands in the place of a module's forward. Copying or pickling the model takes the applied plan along."""

    runs_regions = True

    def __init__(self, regions, module):
        self.regions = regions
        self.module = module

    @property
    def __wrapped__(self):  # inspect.signature() then shows the arguments of the model's own forward
        return self.module.forward

    @torch.compiler.disable
    def __call__(self, *args, **kwargs):
        if self.module is self.regions.root:
            return self.regions.run_model(args, kwargs)
        run = getattr(self.regions.state, "run", None)
        return self.module.forward(*args, **kwargs) if run is None else self.regions.call(run, self.module, args, kwargs)


class _Region:
    """One checkpointed function: `steps` are its members, or nested regions made of several of them."""

    def __init__(self, members, parent, options):
        self.members = members  # (module, call) pairs
        self.parent = parent
        self.options = options  # more arguments of checkpoint()
        self.steps = []
        self.groups = {}  # position of its first member: nested region made of members

    @property
    def name(self):
        (first, call), (last, _) = self.members[0], self.members[-1]
        text = f"call {call} of {first.name}"
        return text if len(self.members) == 1 else f"{text} to {last.name}"


class _Passing:
    """A member whose call is still to come from the model's code and only hands on the region's result."""

    def __init__(self, module, start, token, result):
        self.module = module
        self.region = start.region
        self.start = start
        self.token = token
        self.result = result


class _Start:
    """How a region of several members was called: so must the other members be, but for the value that is passed on."""

    def __init__(self, region, arguments, structure):
        self.region = region
        self.arguments = arguments
        self.structure = structure
        self.modes = modes()


class _Run:
    """State of one forward of the model, or of one recomputation."""

    def __init__(self, counts, region=None):
        self.counts = counts
        self.region = region  # innermost region that is being executed
        self.passing = []


class _Checkpoints:
    """While entered, refuses a region in which the model checkpoints something by itself."""

    def __init__(self, state):
        self.state = state
        self.undo = []

    def __enter__(self):
        frame = getattr(torch.utils.checkpoint, "_CheckpointFrame", None)
        for kind, name in ((frame, "__init__"), (torch.utils.checkpoint.CheckpointFunction, "forward")):
            own = vars(kind).get(name) if kind is not None else None
            if own is not None:
                self.undo.append((kind, name, own))
                setattr(kind, name, self.watching(own))

    def __exit__(self, *_):
        for kind, name, own in self.undo:
            setattr(kind, name, own)

    def watching(self, own):
        def watched(*args, **kwargs):
            ours, self.state.begins = getattr(self.state, "begins", False), False
            run = getattr(self.state, "run", None)
            if not ours and run is not None and run.region is not None:
                raise PlanMismatch(
                    f"The model checkpoints a part of itself inside of the region from {run.region.name}: turn that off "
                    "(gradient_checkpointing_disable() in transformers), or trace and plan the model as it is."
                )
            return getattr(own, "__func__", own)(*args, **kwargs)

        return staticmethod(watched) if isinstance(own, staticmethod) else watched


class _Regions:
    """The regions of one plan applied to one model."""

    def __init__(self, model, regions, options):
        self.model = model
        self.options = options
        self.modules = []
        self.by_identity = {}
        self.starts = {}  # (index of module, call): region that begins with a call from the model's code
        self.inner = {}  # (index of module, call): region whose later member this call is
        self.all = []
        self.state = threading.local()
        self.watched = False  # whether a forward has shown that the model checkpoints nothing inside of regions
        self.root = self.module("")
        for region in regions:
            self.read(region, None)
        del self.by_identity, self.options

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "state"}

    def __setstate__(self, state):
        self.__dict__.update(state, state=threading.local())

    # ---- reading the plan ----

    def module(self, path):
        try:
            found = self.model.get_submodule(path)
        except AttributeError:
            raise PlanMismatch(f"The plan names the module '{path}', which the model doesn't have.") from None
        known = self.by_identity.get(id(found))
        if known is None:
            known = _Module(len(self.modules), path, found)
            self.modules.append(known)
            self.by_identity[id(found)] = known
        return known

    def member(self, entry):
        path, class_name = entry["path"], entry["class"]
        module = self.module(path)
        if type(module.module).__name__ != class_name:
            raise PlanMismatch(
                f"The plan was made for a {class_name} at '{path}', but the model has a {type(module.module).__name__} there."
            )
        if has_hooks(module.module):
            raise PlanMismatch(f"The module {module.name} has hooks, which would not run where the plan's step ran them.")
        call = entry["call"]
        if type(call) is not int or call < 0:
            raise PlanMismatch(f"The plan is damaged: {call!r} is no number of a call.")
        return module, call

    def read(self, plan, parent):
        region = _Region([self.member(entry) for entry in plan["members"]], parent, self.options(plan))
        self.all.append(region)
        keys = [(module.index, call) for module, call in region.members]
        outer = [(module.index, call) for module, call in parent.members] if parent else []
        if keys[0] in outer:
            at = outer.index(keys[0])
            if outer[at : at + len(keys)] != keys:
                raise PlanMismatch(f"The plan's region from {region.name} doesn't lie in the region from {parent.name}.")
            parent.groups[at] = region
        else:
            self.claim(self.starts, keys[0], region)
            for key in keys[1:]:
                self.claim(self.inner, key, region)
        for nested in plan.get("nested", ()):
            self.read(nested, region)
        at = 0
        while at < len(region.members):
            step = region.groups.get(at, region.members[at])
            region.steps.append(step)
            at += len(step.members) if isinstance(step, _Region) else 1

    def claim(self, table, key, region):
        if key in self.starts or key in self.inner:
            raise PlanMismatch(f"The plan's region from {region.name} shares a call with another region.")
        table[key] = region

    # ---- installing ----

    def install(self):
        if any(getattr(module.own, "runs_regions", False) for module in self.modules):
            raise PlanMismatch("A plan is already applied to this model: remove it first.")
        try:
            for module in self.modules:
                module.module.forward = _Forward(self, module)
        except Exception as error:
            self.uninstall()
            raise PlanMismatch(f"The forward of {module.name} can't be replaced: {error}") from error

    def uninstall(self):
        for module in self.modules:
            if module.had_own:
                module.module.forward = module.forward
            else:
                module.module.__dict__.pop("forward", None)

    def run_model(self, args, kwargs):
        before = getattr(self.state, "run", None)
        if before is not None:  # the model calls itself
            return self.call(before, self.root, args, kwargs)
        if not torch.is_grad_enabled():  # nothing is saved, so there is nothing to recompute
            return self.root.forward(*args, **kwargs)
        check_caller([known.module for known in self.modules])
        self.state.run = run = _Run([0] * len(self.modules))
        watch = contextlib.nullcontext() if self.watched else _Checkpoints(self.state)
        try:
            with watch:
                result = self.call(run, self.root, args, kwargs)
            self.check_complete(run)
            self.watched = True
            return result
        finally:
            self.state.run = None

    def check_complete(self, run):
        self.check_passed(run)
        for region in self.all:
            module, call = region.members[0]
            if run.counts[module.index] <= call:
                raise PlanMismatch(
                    f"The plan's region begins with call {call} of {module.name}, but this forward called it "
                    f"{run.counts[module.index]} times (calls are counted from 0)."
                )

    # ---- running ----

    def call(self, run, module, args, kwargs):
        """A call of a module by the model's code."""
        if run.passing and run.passing[0].module is module:
            return self.pass_on(run, args, kwargs)
        key = (module.index, run.counts[module.index])
        region = self.starts.get(key)
        if region is None:
            if key in self.inner:
                raise PlanMismatch(
                    f"Call {key[1]} of {module.name} doesn't follow the member before it in the region from {self.inner[key].name}."
                )
            run.counts[module.index] += 1
            return module.forward(*args, **kwargs)
        return self.start(run, region, args, kwargs)

    def start(self, run, region, args, kwargs):
        """Runs a region for the call of its first member; the calls of the others are awaited then."""
        self.check_passed(run)
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
        start = _Start(region, tensors[1:], structure)
        tokens = [
            StandIn(geometry, found[0], f"the value that {giver.name} passes to {taker.name} in the region from {region.name}")
            for (_, geometry), (giver, _), (taker, _) in zip(shapes, region.members, region.members[1:])
        ]
        values = [build(shape, iter((token,))) for (shape, _), token in zip(shapes, tokens)] + [result]
        run.passing = [
            _Passing(module, start, token, value) for (module, _), token, value in zip(region.members[1:], tokens, values[1:])
        ]
        return values[0]

    def checkpointed(self, run, region, structure, shapes, tensors):
        distinct = list({id(tensor): tensor for tensor in tensors}.values())  # `query is key` must hold in the recomputation, too
        places = [next(i for i, other in enumerate(distinct) if other is tensor) for tensor in tensors]
        function = self.function(list(run.counts), region, structure, shapes, places)
        self.state.begins = True
        return checkpoint(function, *distinct, use_reentrant=False, preserve_rng_state=True, **region.options)

    def function(self, counts, region, structure, shapes, places):
        """What is checkpointed. Its first execution belongs to the run that makes it; later ones are recomputations, which count
        calls from where the first one began."""
        first = [True]

        def run_region(*distinct):
            tensors = [distinct[place] for place in places]
            before = getattr(self.state, "run", None)
            if first:
                first.clear()
                run, outer, notes = before, before.region, shapes
            else:
                run, outer, notes = _Run(list(counts)), None, []
                self.state.run = run
            run.region = region
            try:
                result = self.chain(run, region, structure, notes, tensors)
                self.check_passed(run)
                return result
            finally:  # early stop leaves by an exception
                run.region = outer
                self.state.run = before

        return run_region

    def chain(self, run, region, structure, shapes, tensors):
        """value = last(... first(value, others) ..., others). `shapes` receives what the passed on values look like."""
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
        if isinstance(step, _Region):
            return self.checkpointed(run, step, structure, shapes, tensors)
        module, call = step
        if run.counts[module.index] != call:
            raise PlanMismatch(f"The plan runs call {call} of {module.name} here, but it is call {run.counts[module.index]}.")
        run.counts[module.index] += 1
        args, kwargs = build(structure, iter(tensors))
        return module.forward(*args, **kwargs)

    def pass_on(self, run, args, kwargs):
        """The call of a later member by the model's code, after the region has run."""
        due = run.passing[0]
        region = f"the region from {due.region.name}"
        tensors = []
        structure = flatten((args, kwargs), tensors)
        if not tensors or tensors[0] is not due.token:
            raise PlanMismatch(f"{due.module.name} isn't given the value of the member before it in {region}.")
        others, start = tensors[1:], due.start
        alike = len(others) == len(start.arguments) and all(a is b for a, b in zip(others, start.arguments))
        if not alike or not same(structure, start.structure):
            raise PlanMismatch(f"{due.module.name} is given other arguments than the first member of {region}.")
        if modes() != start.modes:
            raise PlanMismatch(f"{due.module.name} is called in another mode (gradients, autocast) than the first member of {region}.")
        del run.passing[0]
        return due.result

    def check_passed(self, run):
        if run.passing:
            due = run.passing[0]
            raise PlanMismatch(f"{due.module.name} isn't called after the member before it in the region from {due.region.name}.")


class Handle:
    """A plan applied to a model; `remove()` or leaving the `with` block takes it off again."""

    def __init__(self, regions):
        self._regions = regions

    def remove(self) -> None:
        """Takes the plan off the model, whose own forwards run again; a second call does nothing."""
        if self._regions is not None:
            self._regions.uninstall()
            self._regions = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


def check_caller(modules):
    """Raises PlanMismatch where something runs the model in which the plan doesn't hold."""
    compiled = any(getattr(module, "_compiled_call_impl", None) is not None for module in modules)
    for frame, _ in traceback.walk_stack(None):
        if frame.f_code.co_filename == parallel_apply.__code__.co_filename:
            raise PlanMismatch("DataParallel runs copies of the model, which don't take the plan along: use one GPU, or DistributedDataParallel.")
        if frame.f_code.co_name == "_functional_call" and frame.f_code.co_filename.endswith("stateless.py"):
            raise PlanMismatch(
                "functional_call puts other tensors into the model for the forward alone, and regions that run again in backward would find "
                "the model's own: take the plan off, or copy the values into the model."
            )
        if frame.f_code.co_filename.endswith("eval_frame.py"):  # a look at f_locals keeps them: never of the user's frames
            compiled = compiled or type(frame.f_locals.get("self")).__name__ in _COMPILED
    if compiled:
        raise PlanMismatch(
            "torch.compile makes another program of the training step than the eager one that the plan was made for: run the model "
            "without torch.compile, or take the plan off."
        )


def remove(model: torch.nn.Module) -> None:
    """Takes off the plan that is applied to a model, also to a copy or one that was loaded, for which there is no handle."""
    forward = model.__dict__.get("forward")
    if not getattr(forward, "runs_regions", False):
        raise PlanMismatch("No plan is applied to this model.")
    forward.regions.uninstall()


def check_model(model, model_class):
    """Raises PlanMismatch when this is no model of the class that the plan was made for."""
    if not isinstance(model, torch.nn.Module):
        raise PlanMismatch(f"A plan is applied to a torch.nn.Module, not to a {type(model).__name__}.")
    if type(model).__name__ in _COMPILED or any(getattr(m, "_compiled_call_impl", None) is not None for m in model.modules()):
        raise PlanMismatch(
            "The model is compiled, but the plan was made for the eager step: torch.compile makes another program of it. Apply the plan "
            "to the model as it was before torch.compile, and run it without."
        )
    if model_class is not None and type(model).__name__ != model_class:
        inner = [path for path, module in model.named_modules() if type(module).__name__ == model_class]
        hint = f" Apply it to the model's '{inner[0]}' instead." if inner else ""
        raise PlanMismatch(f"The plan was made for a {model_class}, but this model is a {type(model).__name__}.{hint}")


def _no_options(_):
    return {}


def apply_regions(model, regions, model_class=None, options=_no_options):
    """Applies the regions to the model or raises PlanMismatch and leaves it as it was. `options`: from a region of the plan to
    more arguments of checkpoint()."""
    check_model(model, model_class)
    applied = _Regions(model, regions, options)
    applied.install()
    return Handle(applied)
