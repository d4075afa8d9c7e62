# SPDX-License-Identifier: Apache-2.0
"""Models and callers to which a plan can't be applied: other classes, torch.compile, DataParallel, functional_call."""

import traceback

import torch
from torch.nn.parallel.parallel_apply import parallel_apply

from ...common.plan_mismatch import PlanMismatch
from ...common.sharded import sharded_in

# torch.compiler.disable() imports torch._dynamo, which takes a second; torch's private one, which checkpoint() has, does so at the first call.
not_compiled = getattr(torch, "_disable_dynamo", torch.compiler.disable)

_COMPILED = ("OptimizedModule", "OptimizeContext", "RunOnlyContext")  # torch._dynamo's, on the stack while they run a model


def check_model(model, model_class):
    """Raises PlanMismatch if the model isn't of the class for which the plan was made."""
    if not isinstance(model, torch.nn.Module):
        raise PlanMismatch(f"A plan is applied to a torch.nn.Module, not to a {type(model).__name__}.")
    if type(model).__name__ in _COMPILED or any(getattr(m, "_compiled_call_impl", None) is not None for m in model.modules()):
        raise PlanMismatch(
            "The model is compiled, but the plan was made for the eager step: torch.compile makes another program of it. Apply the plan "
            "to the model as it was before torch.compile, and run it without."
        )
    sharded = sharded_in(model)
    if sharded is not None:
        raise PlanMismatch(f"{sharded[0].upper()}{sharded[1:]}: apply the plan before fully_shard() or parallelize_module().")
    if model_class is not None and type(model).__name__ != model_class:
        inner = [path for path, module in model.named_modules() if type(module).__name__ == model_class]
        hint = f" Apply it to the model's '{inner[0]}' instead." if inner else ""
        raise PlanMismatch(f"The plan was made for a {model_class}, but this model is a {type(model).__name__}.{hint}")


def check_caller(modules):
    """Raises PlanMismatch if a caller runs the model in a way in which the plan isn't valid."""
    compiled = any(getattr(module, "_compiled_call_impl", None) is not None for module in modules)
    for frame, _ in traceback.walk_stack(None):
        if frame.f_code.co_filename == parallel_apply.__code__.co_filename:
            raise PlanMismatch("DataParallel runs copies of the model, which don't take the plan along: use one GPU, or DistributedDataParallel.")
        if frame.f_code.co_name == "_functional_call" and frame.f_code.co_filename.endswith("stateless.py"):
            raise PlanMismatch(
                "functional_call puts other tensors into the model for the forward alone, and regions that are recomputed in backward would find "
                "the model's own: take the plan off, or copy the values into the model."
            )
        if frame.f_code.co_filename.endswith("eval_frame.py"):  # reading f_locals keeps them alive: never do so for the user's frames
            compiled = compiled or type(frame.f_locals.get("self")).__name__ in _COMPILED
    if compiled:
        raise PlanMismatch(
            "torch.compile makes another program of the training step than the eager one that the plan was made for: run the model "
            "without torch.compile, or take the plan off."
        )
