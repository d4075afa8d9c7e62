# SPDX-License-Identifier: Apache-2.0
"""What calls are given and return, taken apart into tensors and the rest; stand-ins for tensors that only a region has."""

import enum

import torch


class PlanMismatch(RuntimeError):
    """The plan doesn't fit the model; the message names the first difference."""


_TENSOR = object()  # stands for a tensor in the structure of arguments
# What is compared by what it says, not by which object it is.
PLAIN = (
    bool, int, float, complex, str, bytes, type(None), enum.Enum, torch.dtype, torch.device, torch.Size, torch.layout,
    torch.memory_format,
)  # fmt: skip


def is_numpy_number(value):
    """Whether it is a number of one of numpy's types: torch takes it for Python's, and every call may bring another object."""
    kinds = type(value).__mro__
    return any(kind.__name__ == "generic" and kind.__module__ == "numpy" for kind in kinds) and value.dtype.kind in "biufc"


class _Leaf:
    """Anything among the arguments that is neither a tensor nor a known container."""

    def __init__(self, value):
        self.value = value


def _is_named(kind):
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def flatten(value, tensors):
    """The structure of a value without its tensors, which go to the end of the list."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return _TENSOR
    kind = type(value)
    if kind in (tuple, list) or _is_named(kind):
        return (kind, None, [flatten(item, tensors) for item in value])
    if kind is dict:
        return (kind, list(value), [flatten(item, tensors) for item in value.values()])
    return _Leaf(value)


def build(structure, tensors):
    """The value again, with new containers and the tensors that an iterator gives."""
    if structure is _TENSOR:
        return next(tensors)
    if isinstance(structure, _Leaf):
        return structure.value
    kind, keys, items = structure
    items = [build(item, tensors) for item in items]
    if kind is dict:
        return dict(zip(keys, items))
    if kind is list:
        return items
    return kind(*items) if _is_named(kind) else tuple(items)


def same(a, b):
    """Whether two structures are equal; objects that aren't plain values must be the same ones. 0.0 and -0.0 differ."""
    if a is _TENSOR or b is _TENSOR:
        return a is b
    if isinstance(a, _Leaf) or isinstance(b, _Leaf):
        if not (isinstance(a, _Leaf) and isinstance(b, _Leaf)):
            return False
        plain = type(a.value) is type(b.value) and (isinstance(a.value, PLAIN) or is_numpy_number(a.value))
        return a.value is b.value or (plain and repr(a.value) == repr(b.value))
    return a[0] is b[0] and a[1] == b[1] and len(a[2]) == len(b[2]) and all(map(same, a[2], b[2]))


def modes():
    """What decides beside the arguments how a module runs."""
    casts = [torch.is_autocast_enabled(device) and torch.get_autocast_dtype(device) for device in ("cpu", "cuda")]
    return [torch.is_grad_enabled(), torch.is_inference_mode_enabled(), *casts]


class Geometry:
    """What the model's code may ask of a tensor without computing with it."""

    def __init__(self, tensor):
        self.size = tensor.size()
        self.strides = tensor.stride()
        self.offset = tensor.storage_offset()
        self.dtype = tensor.dtype
        self.device = tensor.device
        self.requires_grad = tensor.requires_grad


class StandIn(torch.Tensor):
    """Given to the model's code for a value that one member passes to the next. Keeps a result of the region alive, as the
    variable that holds it would."""

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
