# SPDX-License-Identifier: Apache-2.0
"""Numbers and rows of the graph format, shared by every other part (see FORMAT.md of plimsoll_graph)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

FORMAT_VERSION = 1

FORWARD, LOSS, BACKWARD, OPTIMIZER = 0, 1, 2, 3
PHASES = ("forward", "loss", "backward", "optimizer")

PARAMETER, BUFFER, GRADIENT, OPTIMIZER_STATE, INPUT, CONSTANT, ACTIVATION, TEMPORARY, OUTPUT, SCRATCH = range(10)
CLASSES = ("parameter", "buffer", "gradient", "optimizer_state", "input", "constant", "activation", "temporary", "output", "scratch")

HAS_HOOKS, CALLED_DIRECTLY = 1, 2  # flags of a module
VIEW, RANDOM, COLLECTIVE, ACCUMULATION, GRAD_MODE = 1, 2, 4, 8, 16
REPETITION = 32  # flag of an op that a plan recomputes; no recording has any


class TraceError(RuntimeError):
    """The step can't be recorded; the message names the op and the user's line."""


@dataclass
class Storage:
    """Memory with a single lifetime. `alloc` is -1 if it begins before the step; `free` is None if it outlives the step."""

    nbytes: int
    alloc: int
    cls: Optional[int] = None
    free: Optional[int] = None
    python_free: Optional[int] = None
    last_use: int = -1
    names: list[str] = field(default_factory=list)
    host: bool = False


@dataclass
class Op:
    target: str
    phase: int
    module: int
    call: int
    source: str
    flags: int = 0
    seq: int = -1
    node: str = ""
    forward_op: int = -1
    recompute_of: int = -1
    flops: int = 0
    bytes_moved: int = 0
    reads: list[int] = field(default_factory=list)
    writes: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    args: Any = None
    kwargs: Any = None
    result: Any = None  # encoded like arguments; for an op that asks for a value, the answer with which the step continues
    engine_add: bool = False  # the engine sums two gradients
    reusable: bool = False  # the old sum is no view: the engine may add in place


@dataclass
class Saved:
    tensor: int
    op: int
    after: int
    seq: int
    unpack: Optional[int] = None
    dropped: Optional[int] = None
    released: Optional[int] = None


@dataclass
class Call:
    module: int
    parent: int
    first: int
    last: int
    source: str
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    arguments: int = -1
    result: int = -1


@dataclass(frozen=True)
class TensorKey:
    storage: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: str
    conj: bool = False
    neg: bool = False


@dataclass
class Recording:
    """The contents of one recorded step before it is written."""

    ops: list[Op]
    storages: list[Storage]
    tensors: list[TensorKey]
    saved: list[Saved]
    modules: list[tuple[int, str, str, int]]
    calls: list[Call]
    structures: list[list[Any]] = field(default_factory=list)
    params: list[tuple[str, int, int, list[int]]] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)  # storages that the step returns
    autocast: Optional[str] = None
    kernels: dict[str, dict[str, int]] = field(default_factory=dict)  # family, kernel, how often the step took it
