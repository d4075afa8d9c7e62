# SPDX-License-Identifier: Apache-2.0
"""A program for a step that finds gradients in `.grad`: where the engine stores a new gradient, it adds to the old one instead."""

from __future__ import annotations

from dataclasses import replace
from typing import Sequence

from ...common.graph_rows import ACCUMULATION, GRADIENT, VIEW, Storage
from .program import Bound, Program, gradient_op
from .refusals import refusal

GRADIENTS = "gradient"
# How the engine stores a first gradient, and which argument is the new gradient.
_STORES = {"aten.detach.default": 0, "aten.clone.default": 0, "aten.copy_.default": 1}


def accumulating(program: Program, present: Sequence[str]) -> Program:
    """The program bound, in addition, to the gradients of the parameters named, which it writes in place; the ops keep their numbers."""
    if not present:
        return program
    ops, tensors, storages, bound = list(program.ops), list(program.tensors), list(program.storages), list(program.bound)
    rows = {b.name: b.row for b in program.bound if b.kind == "parameter"}
    for name in present:
        ordinal = gradient_op(program, name)
        op = ops[ordinal]
        if op.target not in _STORES:
            raise refusal("stores", place=program.place(ordinal), name=name)
        new = op.args[_STORES[op.target]]["t"]
        parameter = tensors[rows[name]]
        old = len(tensors)
        tensors.append(replace(parameter, storage=len(storages), offset=0))
        storages.append(Storage(storages[parameter.storage].nbytes, -1, GRADIENT, names=[f"{name}.grad"]))
        bound.append(Bound(GRADIENTS, name, old))
        ops[ordinal] = replace(
            op, target="aten.add_.Tensor", args=[{"t": old}, {"t": new}], kwargs={}, reads=[old, new], writes=[old], outputs=[old],
            result={"t": old}, flags=op.flags & ~VIEW | ACCUMULATION,
        )  # fmt: skip
    gradients = {name: row for name, row in program.gradients.items() if name not in present}
    return replace(program, ops=ops, tensors=tensors, storages=storages, bound=bound, gradients=gradients)
