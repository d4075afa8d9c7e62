# SPDX-License-Identifier: Apache-2.0
"""The invariants of FORMAT.md, checked on a graph without the package's help."""

CLASSES = ("parameter", "buffer", "gradient", "optimizer_state", "input", "constant", "activation", "temporary", "output")
BYTES = {"float32": 4, "int64": 8, "bool": 1, "uint8": 1, "float16": 2, "bfloat16": 2, "int32": 4, "float64": 8, "uint64": 8,
         "complex64": 8, "complex128": 16}  # fmt: skip


def _moment(value):
    return float("inf") if value is None else value


def storage_of(graph, tensor):
    return graph["tensors"][tensor][0]


def assert_sound(graph):
    _trees(graph)
    _slots(graph)
    _tensors(graph)
    _lifetimes(graph)
    _saved(graph)
    _checks(graph)


def _trees(graph):
    for rows in (graph["modules"], graph["calls"]):
        for index, row in enumerate(rows):
            parent = row[1] if rows is graph["calls"] else row[0]
            assert -1 <= parent < index or (index == 0 and parent == -1)
    for call in graph["calls"]:
        if call[1] >= 0:
            outer = graph["calls"][call[1]]
            assert outer[2] <= call[2] and call[3] <= outer[3]
    phases = [op[1] for op in graph["ops"]]
    earlier = [before for before, phase in zip(phases, phases[1:]) if phase < before]
    assert earlier == [2] * (graph.get("micro_steps", 1) - 1)


def _slots(graph):
    """Arguments and results of calls name tensors among the inputs and outputs that the file has."""
    for call in graph["calls"]:
        for tensors, structure in zip(call[4:6], call[7:9]):
            if structure >= 0:
                assert all(slot < len(tensors) for slot in _named(graph["structures"][structure]))


def _named(value):
    if isinstance(value, dict) and "t" in value:
        yield value["t"]
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _named(part)


def _tensors(graph):
    for storage, shape, strides, offset, dtype in graph["tensors"]:
        if 0 in shape:
            continue
        last = offset + sum((n - 1) * s for n, s in zip(shape, strides))
        assert (last + 1) * BYTES[graph["dtypes"][dtype]] <= graph["storages"][storage][0]


def _lifetimes(graph):
    last = [-1] * len(graph["storages"])
    for ordinal, op in enumerate(graph["ops"]):
        for tensor in (*op[5], *op[6], *op[7]):
            storage = storage_of(graph, tensor)
            _, _, alloc, free, _, _, _ = graph["storages"][storage]
            assert alloc <= ordinal <= _moment(free)
            last[storage] = ordinal
    for index, (_, _, _, free, last_use, python_free, _) in enumerate(graph["storages"]):
        assert last_use == last[index]
        assert _moment(python_free) <= _moment(free)


def _saved(graph):
    for _, op, after, _, unpack, dropped, released in graph["saved"]:
        assert 0 <= op < len(graph["ops"]) and after in (0, 1)
        if unpack is not None:
            assert unpack <= dropped + 1
            assert dropped <= _moment(released)


def _checks(graph):
    checks, storages = graph["checks"], graph["storages"]
    assert checks["ops"] == len(graph["ops"]) == sum(checks["ops_by_phase"].values())
    assert (checks["storages"], checks["tensors"]) == (len(storages), len(graph["tensors"]))
    for number, name in enumerate(CLASSES):
        assert checks["bytes_by_class"][name] == sum(s[0] for s in storages if s[1] == number)
    saved = {storage_of(graph, row[0]) for row in graph["saved"]}
    assert checks["saved_bytes"] == sum(storages[s][0] for s in saved)
    live = [
        sum(s[0] for s in storages if s[2] <= op <= _moment(s[3]))
        for op in range(max(0, checks["peak_op"] - 40), min(len(graph["ops"]), checks["peak_op"] + 40))
    ]
    assert max(live) == checks["peak_bytes"]
