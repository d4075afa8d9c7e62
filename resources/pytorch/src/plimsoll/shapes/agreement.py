# SPDX-License-Identifier: Apache-2.0
"""Whether two recordings are the same step except for sizes, and where they first differ."""

from __future__ import annotations

from typing import Any, Iterator, Optional

from ..common.graph_rows import CLASSES, PHASES, Op, Recording, Storage

_OP_FIELDS = ("phase", "module", "call", "source", "flags", "seq", "node", "forward_op", "recompute_of")
_STORAGE_FIELDS = ("cls", "alloc", "free", "last_use", "names")


def is_size(value: Any) -> bool:
    """Whether a value may vary: whole numbers; others are compared."""
    return type(value) is int


def _alike(here: Any, there: Any) -> bool:
    """Equal except for whole numbers and for which tensors there are."""
    if isinstance(here, list):
        return isinstance(there, list) and len(here) == len(there) and all(map(_alike, here, there))
    if isinstance(here, dict):
        return isinstance(there, dict) and here.keys() == there.keys() and all(_alike(here[k], there[k]) for k in here)
    return (is_size(here) and is_size(there)) or (type(here) is type(there) and here == there)


def place_of(recording: Recording, op: Op) -> str:
    """ "aten.view.default in layer1.0 (model.py:12)" """
    path = recording.modules[op.module][1] if op.module >= 0 else ""
    return op.target + (f" in {path}" if path else "") + (f" ({op.source})" if op.source else "")


def _op_difference(here: Recording, there: Recording, ordinal: int) -> Optional[str]:
    a, b = here.ops[ordinal], there.ops[ordinal]
    if a.target != b.target:
        return f"op {ordinal} is {place_of(here, a)} here and {place_of(there, b)} there"
    for name in _OP_FIELDS:
        old, new = getattr(a, name), getattr(b, name)
        if old != new:
            shown = (PHASES[old], PHASES[new]) if name == "phase" else (old, new)
            return f"op {ordinal}, {place_of(here, a)}, has {name} {shown[0]} here and {shown[1]} there"
    for name in ("reads", "writes", "outputs"):
        if len(getattr(a, name)) != len(getattr(b, name)):
            return f"op {ordinal}, {place_of(here, a)}, has {len(getattr(a, name))} {name} here and {len(getattr(b, name))} there"
    if not _alike([a.args, a.kwargs], [b.args, b.kwargs]):
        return f"op {ordinal}, {place_of(here, a)}, is called with other arguments"
    return None


def _storage_difference(here: Recording, index: int, a: Storage, b: Storage, python_frees: bool) -> Optional[str]:
    for name in (*_STORAGE_FIELDS, *(("python_free",) if python_frees else ())):
        old, new = getattr(a, name), getattr(b, name)
        if old != new:
            made = f" made by op {a.alloc}, {place_of(here, here.ops[a.alloc])}," if a.alloc >= 0 else ""
            shown = (CLASSES[old], CLASSES[new]) if name == "cls" else (old, new)
            return f"storage {index}{made} has {'class' if name == 'cls' else name} {shown[0]} here and {shown[1]} there"
    return None


def _call_difference(here: Recording, there: Recording) -> Optional[str]:
    """Numbers passed to modules are compared, too: whether calls are alike depends on them."""
    for a, b in zip(here.calls, there.calls):
        told = [(c.module, c.parent, c.first, c.last, c.source, len(c.inputs), len(c.outputs)) for c in (a, b)]
        path = here.modules[a.module][1] or "the model"
        if told[0] != told[1]:
            return f"the call of {path} ({a.source}) is another one"
        for what, old, new in (("is given", a.arguments, b.arguments), ("returns", a.result, b.result)):
            if (old < 0) != (new < 0) or (old >= 0 and here.structures[old] != there.structures[new]):
                return f"{path} ({a.source}) {what} other values beside its tensors"
    return None if len(here.calls) == len(there.calls) else "modules are called more often"


def _rest(recording: Recording) -> Iterator[tuple[str, Any]]:
    yield "the table of modules", recording.modules
    yield "what autograd saves", [(s.op, s.after, s.seq, s.unpack, s.dropped, s.released) for s in recording.saved]
    yield "the table of parameters", recording.params
    yield "what the step returns", recording.outputs
    yield "what the trace assumes", recording.assumed
    yield "the choice of kernels", recording.kernels
    yield "the autocast mode", recording.autocast


def first_difference(here: Recording, there: Recording, *, python_frees: bool) -> Optional[str]:
    """None if the recordings agree. `python_frees`: whether both know when Python frees."""
    for ordinal in range(min(len(here.ops), len(there.ops))):
        found = _op_difference(here, there, ordinal)
        if found is not None:
            return found
    if len(here.ops) != len(there.ops):
        longer = max(here, there, key=lambda r: len(r.ops))
        ordinal = min(len(here.ops), len(there.ops))
        return f"op {ordinal}, {place_of(longer, longer.ops[ordinal])}, runs only {'here' if longer is here else 'there'}"
    for index, (a, b) in enumerate(zip(here.storages, there.storages)):
        found = _storage_difference(here, index, a, b, python_frees)
        if found is not None:
            return found
    if len(here.storages) != len(there.storages):
        return f"there are {len(here.storages)} storages here and {len(there.storages)} there"
    found = _call_difference(here, there)
    if found is not None:
        return found
    for (what, a), (_, b) in zip(_rest(here), _rest(there)):
        if a != b:
            return f"{what} is another one"
    return None
