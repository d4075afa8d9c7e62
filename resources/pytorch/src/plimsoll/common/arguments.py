# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of calls as nested containers: split into tensors and a structure, rebuilt, compared."""

import enum

import torch

_TENSOR = object()  # stands for a tensor in the structure of arguments
# Types compared by value rather than by identity.
PLAIN = (
    bool, int, float, complex, str, bytes, type(None), enum.Enum, torch.dtype, torch.device, torch.Size, torch.layout,
    torch.memory_format,
)  # fmt: skip


def is_numpy_number(value):
    """Whether a value is of one of numpy's number types: torch treats it as a Python number, and every call may pass a new object."""
    kinds = type(value).__mro__
    return any(kind.__name__ == "generic" and kind.__module__ == "numpy" for kind in kinds) and value.dtype.kind in "biufc"


class _Leaf:
    """Anything among the arguments that is neither a tensor nor a known container."""

    def __init__(self, value):
        self.value = value


def is_named_tuple(kind):
    """Whether collections.namedtuple() or typing.NamedTuple created the class."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def flatten(value, tensors):
    """The structure of a value without its tensors, which are appended to the list."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return _TENSOR
    kind = type(value)
    if kind in (tuple, list) or is_named_tuple(kind):
        return (kind, None, [flatten(item, tensors) for item in value])
    if kind is dict:
        return (kind, list(value), [flatten(item, tensors) for item in value.values()])
    return _Leaf(value)


def build(structure, tensors):
    """Rebuilds the value with new containers and the tensors that an iterator yields."""
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
    return kind(*items) if is_named_tuple(kind) else tuple(items)


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
    """The settings besides the arguments that decide how a module runs."""
    casts = [torch.is_autocast_enabled(device) and torch.get_autocast_dtype(device) for device in ("cpu", "cuda")]
    return [torch.is_grad_enabled(), torch.is_inference_mode_enabled(), *casts]
