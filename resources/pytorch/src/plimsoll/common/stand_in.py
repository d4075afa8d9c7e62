# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for tensors that exist only inside a checkpoint region: they know a shape but can't be used in computations."""

import torch

from .arguments import flatten
from .plan_mismatch import PlanMismatch


class Geometry:
    """The properties of a tensor that the model's code may query without computing with it."""

    def __init__(self, tensor):
        self.size = tensor.size()
        self.strides = tensor.stride()
        self.offset = tensor.storage_offset()
        self.dtype = tensor.dtype
        self.device = tensor.device
        self.requires_grad = tensor.requires_grad


class StandIn(torch.Tensor):
    """Passed to the model's code for a value that one member passes to the next. Keeps a result of the region alive, as the variable that
    holds it would."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, geometry, result, name):
        made = torch.Tensor._make_wrapper_subclass(
            cls, geometry.size, strides=geometry.strides, storage_offset=geometry.offset, dtype=geometry.dtype,
            device=geometry.device, requires_grad=geometry.requires_grad,
        )  # fmt: skip
        made.result = result
        made.name_of_value = name
        return made

    def __init__(self, *_):
        super().__init__()

    def _refuse(self, *_, **__):
        raise PlanMismatch(f"The model's code wants the gradient of {self.name_of_value}, which only the region has.")

    register_hook = retain_grad = _refuse

    def __repr__(self):
        return f"<stands for {self.name_of_value}>"

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        tensors = []
        flatten((args, kwargs or {}), tensors)
        name = next(tensor.name_of_value for tensor in tensors if isinstance(tensor, StandIn))
        raise PlanMismatch(f"{function} is called on {name}, which only the next member may use.")
