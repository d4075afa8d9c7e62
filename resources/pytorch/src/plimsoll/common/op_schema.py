# SPDX-License-Identifier: Apache-2.0
"""What an op's schema tells: which arguments it overwrites (some ops hide that) and whether it returns views."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch

# Batch norm in training updates its running statistics although the schema doesn't say so.
_HIDDEN = {
    "aten.native_batch_norm.default": (3, 4, 5),
    "aten.cudnn_batch_norm.default": (3, 4, 5),
    "aten.miopen_batch_norm.default": (3, 4, 5),
}

# In-place ops that overwrite without reading the old value.
_OVERWRITES = {
    "copy_", "zero_", "fill_", "bernoulli_", "normal_", "uniform_", "random_", "exponential_", "log_normal_",
    "_foreach_copy_", "_foreach_zero_",
}  # fmt: skip


@lru_cache(maxsize=None)
def _written_slots(func: Any) -> tuple[tuple[int, str, bool], ...]:
    slots = []
    for position, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            slots.append((position, argument.name, argument.kwarg_only))
    return tuple(slots)


def written_arguments(func: Any, args: tuple, kwargs: dict) -> tuple[list[Any], bool]:
    """The arguments that the call overwrites, and whether it uses their old values."""
    written = []
    out_only = True
    for position, name, kwarg_only in _written_slots(func):
        if not kwarg_only and position < len(args):
            written.append(args[position])
        elif name in kwargs:
            written.append(kwargs[name])
        out_only = out_only and kwarg_only
    statistics = statistics_arguments(str(func), args)
    if statistics:
        written += [args[i] for i in statistics if args[i] is not None]
        out_only = False
    name = func._schema.name.rpartition("::")[2]
    return written, not (out_only or name in _OVERWRITES)


def statistics_arguments(target: str, args: Any) -> tuple[int, ...]:
    """Positions of running statistics that a call updates although its schema doesn't say so, and that it can run without."""
    hidden = _HIDDEN.get(target)
    return hidden[:2] if hidden is not None and len(args) > hidden[2] and args[hidden[2]] else ()


def overload_of(target: str) -> Any:
    """The operator with a name such as "aten.add.Tensor"."""
    namespace, name, overload = target.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), name), overload)


@lru_cache(maxsize=None)
def is_view(func: Any) -> bool:
    """Whether all results of an op are views of its arguments, which it doesn't modify."""
    returns = func._schema.returns
    return bool(returns) and not func._schema.is_mutable and all(r.alias_info is not None for r in returns)


def is_random(func: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in func.tags


def is_collective(func: Any) -> bool:
    return func.namespace in ("c10d", "_c10d_functional", "c10d_functional")


def is_op(func: Any) -> bool:
    """Whether the op computes something, rather than reporting on a tensor to the profiler or Python."""
    return func.namespace not in ("prim", "profiler")


def is_counted(func: Any) -> bool:
    """Whether plans count a call as an op."""
    return func is not torch.ops.aten.detach.default and is_op(func)
