# SPDX-License-Identifier: Apache-2.0
"""Applies a plan's regions of module calls to a model: they run under torch.utils.checkpoint, nested ones included.

What Python holds is part of a plan's memory: the checkpointed function keeps a value that one member passes to the next until the next
has returned, arguments live until the function returns, and nothing else is kept. In between, the model's code gets stand-ins, which
have the value's shape but can't be used in computations.
"""

import torch

from ...common.plan_mismatch import PlanMismatch
from .model_checks import check_model, not_compiled
from .module_regions import module_regions
from .region_runner import RegionRunner


class _Forward:
    """Replaces a module's forward. Copies and pickles of the model include the applied plan."""

    runs_regions = True

    def __init__(self, applied, module):
        self.applied = applied
        self.module = module

    @property
    def __wrapped__(self):  # inspect.signature() then shows the arguments of the model's own forward
        return self.module.forward

    @not_compiled
    def __call__(self, *args, **kwargs):
        runner = self.applied.runner
        if self.module is self.applied.regions.root:
            return runner.run_model(args, kwargs)
        run = getattr(runner.state, "run", None)
        if run is None:
            return runner.run_outside(self.module, args, kwargs)
        return runner.call(run, self.module, args, kwargs)


class _AppliedRegions:
    """The regions of one plan applied to one model."""

    def __init__(self, regions):
        self.regions = regions
        self.runner = RegionRunner(regions)

    @property
    def summary(self):
        count = len(self.regions.all)
        return f"{count} region{'' if count == 1 else 's'}, applied to {type(self.regions.root.module).__name__}"

    def install(self):
        if any(getattr(module.own, "runs_regions", False) for module in self.regions.modules):
            raise PlanMismatch("A plan is already applied to this model: remove it first.")
        try:
            for module in self.regions.modules:
                module.module.forward = _Forward(self, module)
        except Exception as error:
            self.uninstall()
            raise PlanMismatch(f"The forward of {module.name} can't be replaced: {error}") from error

    def uninstall(self):
        for module in self.regions.modules:
            if module.had_own:
                module.module.forward = module.forward
            else:
                module.module.__dict__.pop("forward", None)


class Handle:
    """A plan applied to a model; `remove()` or leaving the `with` block removes it."""

    def __init__(self, applied):
        self._applied = applied

    def __repr__(self):
        return "<plan, removed>" if self._applied is None else f"<plan with {self._applied.summary}>"

    def remove(self) -> None:
        """Removes the plan from the model and restores its own forwards; a second call does nothing."""
        if self._applied is not None:
            self._applied.uninstall()
            self._applied = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


def remove(model: torch.nn.Module) -> None:
    """Removes the plan that is applied to `model`, which may be a copy or an unpickled model, for which there is no handle."""
    forward = model.__dict__.get("forward")
    if not getattr(forward, "runs_regions", False):
        inner = getattr(model, "module", None)
        inside = getattr(getattr(inner, "__dict__", {}).get("forward"), "runs_regions", False)
        raise PlanMismatch("No plan is applied to this model." + (" The model that it wraps has one: pass that (.module)." if inside else ""))
    forward.applied.uninstall()


def _no_options(_):
    return {}


def apply_regions(model, regions, model_class=None, options=_no_options):
    """Applies the regions to the model, or raises PlanMismatch and leaves the model unchanged. `options` maps a region of the plan to
    further arguments of checkpoint()."""
    check_model(model, model_class)
    applied = _AppliedRegions(module_regions(model, regions, options))
    applied.install()
    return Handle(applied)
