# SPDX-License-Identifier: Apache-2.0
"""Batch and sequence: which dimensions of the step's arguments belong to them, and the same arguments at other sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import torch

from ..common.argument_errors import ArgumentTypeError, ArgumentValueError
from ..common.graph_rows import TraceError
from ..training_step.step import Step
from .exchanged import Exchanger

DEGREES = {"batch": 1, "sequence": 2}  # bytes and flops are affine in the batch and at most quadratic in the sequence
_SIZES = 3
_IMAGES = 4  # from this many dimensions on, torch's layers expect the batch first: images, volumes, videos

Dims = Mapping[str, Mapping[str, Union[int, Sequence[int]]]]


@dataclass(frozen=True)
class Axis:
    """`sizes` rise and include `traced`. `places`: (position among the step's inputs, dimension); `dims`: the same with inputs' names."""

    name: str
    sizes: tuple[int, ...]
    traced: int
    places: tuple[tuple[int, int], ...]
    dims: tuple[tuple[str, int], ...]


def _checked(vary: Any) -> dict[str, tuple[int, ...]]:
    example = "vary={'batch': [8, 16, 24]}"
    if not isinstance(vary, Mapping) or not vary:
        raise ArgumentTypeError(f"vary must be a dict such as {example}, not {vary!r}")
    unknown = [name for name in vary if name not in DEGREES]
    if unknown:
        raise ArgumentValueError(f"vary names {unknown[0]!r}, but only 'batch' and 'sequence' can vary, as in {example}")
    checked = {}
    for name in DEGREES:
        if name not in vary:
            continue
        sizes = vary[name] if isinstance(vary[name], (list, tuple)) else ()
        if len(set(sizes)) != _SIZES or len(sizes) != _SIZES or any(type(n) is not int or n < 2 for n in sizes):
            raise ArgumentValueError(f"vary[{name!r}] must be three different whole numbers above 1 (at 1 models take other paths), not {vary[name]!r}")
        checked[name] = tuple(sorted(sizes))
    return checked


def _matching(name: str, sizes: tuple[int, ...], tensor: torch.Tensor) -> list[int]:
    """The dimensions whose extent is one of the sizes; for images as large as the batch, only the first."""
    dims = [dim for dim, n in enumerate(tensor.shape) if n in sizes]
    return [0] if name == "batch" and tensor.dim() >= _IMAGES and 0 in dims else dims


def _found(name: str, sizes: tuple[int, ...], inputs: list[tuple[str, torch.Tensor]]) -> list[tuple[int, int]]:
    """The dimensions whose extent is one of the sizes; all have the same extent, and each tensor has at most one."""
    places = [(at, dim) for at, (_, tensor) in enumerate(inputs) for dim in _matching(name, sizes, tensor)]
    listed = ", ".join(map(str, sizes))
    if not places:
        raise TraceError(
            f"vary[{name!r}]: no dimension of the arguments has one of the sizes {listed}; the size that is traced must be one of the three"
        )
    extents = sorted({int(inputs[at][1].shape[dim]) for at, dim in places})
    if len(extents) > 1:
        raise TraceError(
            f"vary[{name!r}]: dimensions of {extents[0]} and of {extents[1]} are both among the sizes {listed}; take other sizes or say "
            f"which dimensions are the {name} with vary_dims={{{name!r}: {{{inputs[places[0][0]][0]!r}: {places[0][1]}}}}}"
        )
    for (at, dim), (next_at, next_dim) in zip(places, places[1:]):
        if at == next_at:
            raise TraceError(
                f"vary[{name!r}]: dimensions {dim} and {next_dim} of {inputs[at][0]} are both of size {extents[0]}; say which is the {name} with "
                f"vary_dims={{{name!r}: {{{inputs[at][0]!r}: {dim}}}}}, or trace at another size"
            )
    return places


def _given(name: str, dims: Any, inputs: list[tuple[str, torch.Tensor]]) -> list[tuple[int, int]]:
    """The dimensions named by vary_dims."""
    known = ", ".join(dict.fromkeys(known for known, _ in inputs))
    if not isinstance(dims, Mapping) or not dims:
        raise ArgumentTypeError(f"vary_dims[{name!r}] must be a dict from arguments ({known}) to their dimensions, not {dims!r}")
    places = []
    for argument, wanted in dims.items():
        tensors = [(at, tensor) for at, (known_name, tensor) in enumerate(inputs) if known_name == argument]
        if not tensors:
            raise ArgumentValueError(f"vary_dims[{name!r}]: the step has no tensor named {argument!r}; it has {known}")
        for at, tensor in tensors:
            for dim in wanted if isinstance(wanted, (list, tuple)) else (wanted,):
                if type(dim) is not int or not 0 <= dim < tensor.dim():
                    raise ArgumentValueError(f"vary_dims[{name!r}]: {argument} has {tensor.dim()} dimensions, so {dim!r} is none of them")
                places.append((at, dim))
    return places


def axes_of(step: Step, vary: Any, vary_dims: Optional[Dims]) -> list[Axis]:
    """None without `vary`. Raises TraceError if it is ambiguous which dimensions are meant."""
    wanted = _checked(vary) if vary is not None else {}
    stray = [name for name in vary_dims or {} if name not in wanted]
    if stray:
        raise ArgumentValueError(f"vary_dims names {stray[0]!r}, which vary doesn't name: give its three sizes in vary")
    inputs = list(step.inputs())
    axes: list[Axis] = []
    for name, sizes in wanted.items():
        given = (vary_dims or {}).get(name)
        places = _found(name, sizes, inputs) if given is None else _given(name, given, inputs)
        extents = sorted({int(inputs[at][1].shape[dim]) for at, dim in places})
        if len(extents) > 1 or extents[0] not in sizes:
            raise TraceError(
                f"vary_dims[{name!r}] names dimensions of size {', '.join(map(str, extents))}; all must have one size, and it must be one of "
                f"{', '.join(map(str, sizes))}"
            )
        dims = dict.fromkeys((inputs[at][0], dim) for at, dim in places)
        axes.append(Axis(name, sizes, extents[0], tuple(places), tuple(dims)))
    if len(axes) > 1 and set(axes[0].places) & set(axes[1].places):
        raise TraceError(
            f"batch and sequence are both {axes[0].traced}, so nobody can tell their dimensions apart; trace at different sizes or give "
            "vary_dims for both"
        )
    return axes


class _Resizer(Exchanger):
    """Replaces the step's inputs by tensors of other shapes; equal objects stay equal."""

    def __init__(self, shapes: dict[int, tuple[str, list[int]]]):
        self._shapes = shapes
        self._made: dict[int, torch.Tensor] = {}

    def one(self, tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) not in self._shapes:
            return tensor
        if id(tensor) not in self._made:
            name, shape = self._shapes[id(tensor)]
            made = torch.empty_strided(shape, _strides(tensor, name, shape), dtype=tensor.dtype, device=tensor.device)
            self._made[id(tensor)] = made.requires_grad_(tensor.requires_grad)
        return self._made[id(tensor)]


def _strides(tensor: torch.Tensor, name: str, shape: list[int]) -> list[int]:
    """Strides for another shape in the tensor's order of dimensions in memory."""
    strides = list(tensor.stride())
    reach, new_reach = 1, 1
    for dim in sorted(range(tensor.dim()), key=lambda d: (tensor.stride(d), tensor.shape[d])):
        if tensor.shape[dim] != 1 and tensor.stride(dim) != reach:
            raise TraceError(f"{name} is a view that leaves out or repeats memory, so it can't be made at another size; pass its .contiguous()")
        strides[dim] = new_reach
        reach *= tensor.shape[dim]
        new_reach *= shape[dim]
    return strides


def resizing(axes: list[Axis], sizes: Sequence[int]) -> Callable[[Step], None]:
    """Functions that bring a prepared step to other sizes, one for each axis; run under the step's fake mode."""

    def resize(step: Step) -> None:
        inputs = list(step.inputs())
        shapes = {id(tensor): (name, [int(n) for n in tensor.shape]) for name, tensor in inputs}
        for axis, size in zip(axes, sizes):
            for at, dim in axis.places:
                shapes[id(inputs[at][1])][1][dim] = size
        moved = _Resizer({key: row for (key, row), (_, t) in zip(shapes.items(), _distinct(inputs)) if row[1] != list(t.shape)})
        step.args, step.kwargs = moved.all(step.args), moved.all(step.kwargs)
        step.loss = moved.function(step.loss)
        for (name, old), (_, new) in zip(inputs, step.inputs()):
            if list(new.shape) != shapes[id(old)][1]:
                raise TraceError(f"{name} holds a tensor inside of an object that can't be made at another size; pass it in a dict, list or tuple")

    return resize


def _distinct(inputs: list[tuple[str, torch.Tensor]]) -> list[tuple[str, torch.Tensor]]:
    return list({id(tensor): (name, tensor) for name, tensor in inputs}.values())
