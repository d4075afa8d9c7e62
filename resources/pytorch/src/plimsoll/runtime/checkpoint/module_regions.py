# SPDX-License-Identifier: Apache-2.0
"""Regions of module calls as in a plan file, matched with the modules of a model.

A region is `{"members": [{"path", "class", "call"}, ...], "nested": [regions]}`: consecutive calls of modules, each the `call`-th call
(from 0) of its module in one forward of the model.
"""

from ...common.module_hooks import has_hooks
from ...common.plan_mismatch import PlanMismatch


class PlannedModule:
    """A module of the model whose forward is replaced."""

    def __init__(self, index, path, module):
        self.index = index
        self.path = path
        self.module = module
        self.had_own = "forward" in module.__dict__
        self.own = module.__dict__.get("forward")

    @property
    def forward(self):
        """The forward from before the plan was applied. Not kept as a bound method: copies and pickles must use their own module's."""
        return self.own if self.had_own else type(self.module).forward.__get__(self.module)

    @property
    def name(self):
        return f"'{self.path}'" if self.path else "the model"


class ModuleRegion:
    """One checkpointed function: `steps` are its members, or nested regions that consist of several members."""

    def __init__(self, members, parent, options):
        self.members = members  # (module, call) pairs
        self.parent = parent
        self.options = options  # further arguments of checkpoint()
        self.steps = []
        self.groups = {}  # position of its first member: nested region made of members

    @property
    def name(self):
        (first, call), (last, _) = self.members[0], self.members[-1]
        text = f"call {call} of {first.name}"
        return text if len(self.members) == 1 else f"{text} to {last.name}"


class ModuleRegions:
    """All regions of a plan, indexed by the calls with which they begin or which they contain."""

    def __init__(self):
        self.modules = []
        self.all = []
        self.starts = {}  # (index of module, call): region that begins with a call from the model's code
        self.inner = {}  # (index of module, call): region whose later member this call is
        self.root = None  # the model itself


class _Reader:
    """Reads the regions of a plan. `options` maps a region of the plan to further arguments of checkpoint()."""

    def __init__(self, model, options):
        self.model = model
        self.options = options
        self.by_identity = {}
        self.found = ModuleRegions()

    def module(self, path):
        try:
            found = self.model.get_submodule(path)
        except AttributeError:
            raise PlanMismatch(f"The plan names the module '{path}', which the model doesn't have.") from None
        known = self.by_identity.get(id(found))
        if known is None:
            known = PlannedModule(len(self.found.modules), path, found)
            self.found.modules.append(known)
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
        region = ModuleRegion([self.member(entry) for entry in plan["members"]], parent, self.options(plan))
        self.found.all.append(region)
        keys = [(module.index, call) for module, call in region.members]
        outer = [(module.index, call) for module, call in parent.members] if parent else []
        if keys[0] in outer:
            at = outer.index(keys[0])
            if outer[at : at + len(keys)] != keys:
                raise PlanMismatch(f"The plan's region from {region.name} doesn't lie in the region from {parent.name}.")
            parent.groups[at] = region
        else:
            self.claim(self.found.starts, keys[0], region)
            for key in keys[1:]:
                self.claim(self.found.inner, key, region)
        for nested in plan.get("nested", ()):
            self.read(nested, region)
        at = 0
        while at < len(region.members):
            step = region.groups.get(at, region.members[at])
            region.steps.append(step)
            at += len(step.members) if isinstance(step, ModuleRegion) else 1

    def claim(self, table, key, region):
        if key in self.found.starts or key in self.found.inner:
            raise PlanMismatch(f"The plan's region from {region.name} shares a call with another region.")
        table[key] = region


def module_regions(model, regions, options):
    """The regions of a plan; raises PlanMismatch if one doesn't fit the model."""
    reader = _Reader(model, options)
    reader.found.root = reader.module("")
    for region in regions:
        reader.read(region, None)
    return reader.found
