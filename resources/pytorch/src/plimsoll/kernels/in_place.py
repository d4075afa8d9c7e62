# SPDX-License-Identifier: Apache-2.0
"""Ops that PyTorch's C++ runs in place, but out of place under a dispatch mode or on fakes: makes them run in place then, too.

Composite functions and nodes of autograd ask whether anything could be watching (`isTensorSubclassLike` in PyTorch's source) and, if so,
create a new result instead of overwriting the old one, which takes more memory than a step without a recorder needs.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Callable, Iterator, Optional

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack

aten = torch.ops.aten
_running = threading.local()  # .rule: that of the running composite function, and whether a mode of someone else watches it

_DIGITS = "0123456789"

# The sums in a composite function: of scores and a mask, whatever their sizes, or of a product and a bias.
_Rule = Callable[[torch.Tensor], bool]


def _any(_: torch.Tensor) -> bool:
    return True


def _is_bias(added: torch.Tensor) -> bool:
    return added.dim() == 1


_RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")
_FUNCTIONS: dict[Any, _Rule] = {
    torch._C._nn.scaled_dot_product_attention: _any,
    torch._C._nn.linear: _is_bias,
    **{getattr(torch, name): _is_bias for name in _RECURRENT},
}

# Packets of ops -> nodes whose formula overwrites the op's first argument if the node itself made it.
_NODES = {
    "masked_fill": (
        "Atan2Backward", "ClampBackward", "ClampMaxBackward", "ClampMinBackward", "FmaxBackward", "FminBackward", "MaximumBackward",
        "MinimumBackward",
    ),
    "scatter_add": ("CummaxBackward", "CumminBackward", "GatherBackward"),
    "scatter": (
        "KthvalueBackward", "MaxBackward", "MedianBackward", "MinBackward", "ModeBackward", "NanmedianBackward", "SortBackward",
        "TopkBackward",
    ),
    "index_add": ("IndexSelectBackward",),
    "index_fill": ("TraceBackward",),
    "index_put": ("IndexBackward",),
    "masked_scatter": ("MaskedSelectBackward",),
    "put": ("TakeBackward",),
    "mul": ("BinaryCrossEntropyBackward", "BinaryCrossEntropyWithLogitsBackward"),
    "sub": ("BinaryCrossEntropyWithLogitsBackward",),
    "add": ("AminmaxBackward",),
}  # fmt: skip

# Except if another op made it: in BCE with logits, the gradient of the target is that of the loss times the negated logits.
_NOT_OVER = {"mul": "aten.neg.default"}

# Nodes whose formula sums tensors, as the engine does with gradients.
_SUMMING = frozenset(
    f"{name}Backward"
    for name in (
        "Atan2", "CholeskyInverse", "CholeskySolve", "LinalgCholeskyEx", "LinalgDet", "LinalgLstsq", "LinalgLu", "LinalgLuFactorEx",
        "LinalgLuSolve", "LinalgMatrixSqrth", "LinalgPinv", "LinalgPolar", "LinalgQr", "LinalgSvd", "Logcumsumexp", "LuUnpack", "Mvlgamma",
        "NativeGroupNorm", "SpecialI1E", "SpecialLogNdtr", "SpecialModifiedBesselK1", "StdMean", "TriangularSolve", "VarMean",
    )
)  # fmt: skip


# Nodes whose formula inspects values if no mode is active and then runs other ops: a recording of a real step has too many ops.
_LOOKING = {"ProdBackward0": "prod()", "ProdBackward1": "prod()", "CumprodBackward0": "cumprod()"}
_LOOKING_ON_CPU = {
    f"{name[0].upper()}{name[1:]}Backward{number}": f"{name}() of a whole tensor"
    for name, number in (("max", 1), ("min", 1), ("median", 0), ("nanmedian", 0))
}


class Noting(TorchFunctionMode):
    """While entered, records which composite function runs."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        rule = _FUNCTIONS.get(func)
        if rule is not None:
            with during(rule):
                return func(*args, **kwargs)
        if func is F.multi_head_attention_forward:  # function modes don't see what it calls
            with _noted_inside():
                return func(*args, **kwargs)
        return func(*args, **kwargs)


@contextlib.contextmanager
def during(rule: _Rule) -> Iterator[None]:
    before = getattr(_running, "rule", None)
    _running.rule = rule, _watched()
    try:
        yield
    finally:
        _running.rule = before


def _watched() -> bool:
    """Whether a mode other than ours sees the ops first: then PyTorch takes the other code path in a real run, too."""
    first = next((mode for mode in reversed(_get_current_dispatch_mode_stack()) if not isinstance(mode, FakeTensorMode)), None)
    return not isinstance(first, Transparent)


@contextlib.contextmanager
def _noted_inside() -> Iterator[None]:
    linear, attention = F.linear, F.scaled_dot_product_attention

    def noted(func: Callable, rule: _Rule) -> Callable:
        def call(*args: Any, **kwargs: Any) -> Any:
            with during(rule):
                return func(*args, **kwargs)

        return call

    F.linear, F.scaled_dot_product_attention = noted(linear, _is_bias), noted(attention, _any)
    try:
        yield
    finally:
        F.linear, F.scaled_dot_product_attention = linear, attention


class Transparent(TorchDispatchMode):
    """A mode that runs the ops that a step without it would run."""


class Unnoticed(Transparent):
    """Entered inside modes that also exist in a real run, it runs ops as if these were absent."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        func, args = without_modes(func, args)
        return func(*args, **(kwargs or {}))


def sums_inside(node: str) -> bool:
    """Whether the formula of this autograd node sums tensors: a sum that it made itself isn't a gradient waiting to be summed."""
    return node.rstrip(_DIGITS) in _SUMMING


def looks_at_values(node: str, target: str) -> str:
    """The function whose gradients this autograd node computes differently on the target, depending on values, if no mode is active."""
    return _LOOKING.get(node) or (_LOOKING_ON_CPU.get(node, "") if target == "cpu" else "")


def without_modes(func: Any, args: Any, node: str = "", made_by_node: Optional[Callable[[torch.Tensor], str]] = None) -> tuple[Any, Any]:
    """The op, with its arguments, that runs in place of this one if no mode is active.

    `node`: the autograd node that runs. `made_by_node` tells with which op it made a tensor, "" if it didn't make it.
    """
    if node:
        packet = func._overloadpacket.__name__
        writes_over = node.rstrip(_DIGITS) in _NODES.get(packet, ()) and made_by_node is not None
        if writes_over and made_by_node(args[0]) not in ("", _NOT_OVER.get(packet)):
            return (aten._index_put_impl_.default, (*args, True)) if packet == "index_put" else (_in_place(func), args)
        return func, args
    if func is aten.add.Tensor:
        rule, watched = getattr(_running, "rule", None) or (None, True)
        if not watched and rule(args[1]):
            return aten.add_.Tensor, args
    return func, args


def _in_place(func: Any) -> Any:
    return getattr(getattr(aten, func._overloadpacket.__name__ + "_"), func._overloadname)
