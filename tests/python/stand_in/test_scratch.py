# SPDX-License-Identifier: Apache-2.0
"""What ops take for themselves on the stand-in GPU, in PyTorch's own host code, is what the trace gives them."""

import json

import pytest
from helpers import stand_in
from plimsoll.common.graph_rows import Op, TensorKey
from plimsoll.kernels.cuda_scratch import scratch_of

# (op, rows, indices' shape, other sides, dtype, dtype of the indices, what else): tensors are contiguous unless it says "strided"
CASES = [
    *(["embedding", rows, [count], [width], "float32", "int64", ""] for rows, count, width in (
        (50257, 3072, 768), (50257, 3073, 768), (50257, 16384, 64), (2, 16384, 768), (2, 5000, 1), (100_000, 4096, 4), (256, 4000, 2), (95, 4096, 8), (95, 2900, 8))),
    ["embedding", 50, [4096], [8], "float64", "int64", ""], ["embedding", 50, [4096], [8], "bfloat16", "int64", ""],
    ["embedding", 2, [32768], [768], "bfloat16", "int64", ""], ["rows", 100, [0], [8], "float32", "int64", ""],
    ["embedding", 32000, [8, 1024], [64], "bfloat16", "int64", ""], ["embedding", 32000, [8, 1024], [64], "float16", "int64", "strided"],
    ["embedding", 300, [4000], [16], "float64", "int64", ""], ["embedding", 3000, [100], [64], "float32", "int64", "by frequency"],
    ["embedding", 3000, [5000], [64], "float32", "int64", "by frequency"], ["embedding", 3000, [100], [64], "float32", "int64", "strided"],
    *(["rows", rows, [count], [8], "float32", "int64", ""] for rows, count in ((256, 5000), (257, 5000), (65537, 65536), (100, 2304), (100, 2305))),
    ["rows", 100, [50, 100], [], "float32", "int64", ""], ["rows", 1000, [5000], [8, 3], "bfloat16", "int64", ""],
    ["rows", 1000, [5000], [8], "float32", "int64", "strided"], ["rows", 1000, [5000], [8], "float32", "int32", ""],
    ["rows", 1000, [5000], [8], "float32", "int64", "overwritten"],
]  # fmt: skip
TAKEN = """
import json, sys, torch
from plimsoll.kernels.cuda_scratch import scratch_of

def tensor(shape, dtype, strided):
    make = torch.zeros if dtype.startswith("int") else torch.empty
    if strided and len(shape) > 1:
        return make(shape[::-1], dtype=getattr(torch, dtype), device="cuda").permute(*reversed(range(len(shape))))
    return make(shape, dtype=getattr(torch, dtype), device="cuda")

def most(kind, rows, shape, sides, dtype, index, more):
    indices, values = tensor(shape, index, False), tensor(shape + sides, dtype, more == "strided")
    into = tensor([rows] + sides, dtype, False)
    run = {
        "embedding": lambda: torch.ops.aten.embedding_dense_backward(values, indices, rows, -1, more == "by frequency"),
        "rows": lambda: torch.ops.aten._index_put_impl_(into, [indices], values, more != "overwritten", True),
    }[kind]
    torch.cuda.synchronize()
    before = torch.cuda.memory_stats()["requested_bytes.all.current"]
    torch.cuda.reset_peak_memory_stats()
    result = run()
    stats = torch.cuda.memory_stats()
    made = 0 if kind == "rows" else result.numel() * result.element_size()
    return stats["requested_bytes.all.peak"] - before - made, values.stride()

print(json.dumps([most(*case) for case in json.loads(sys.argv[1])]))
"""


@pytest.fixture(scope="module")
def taken():
    """By compute capability: of each case the bytes at the op's peak beside its result, and the strides of its values."""
    known = {}

    def measured(capability):
        if capability not in known:
            done = stand_in.run(TAKEN, json.dumps(CASES), capability=capability)
            assert done.returncode == 0, done.stderr
            known[capability] = json.loads(done.stdout)
        return known[capability]

    return measured


def _predicted(case, strides):
    kind, rows, shape, sides, dtype, index, more = case
    contiguous = lambda sides: tuple(torch_strides(sides))  # noqa: E731
    keys = [
        TensorKey(0, tuple([rows] + sides), contiguous([rows] + sides), 0, dtype),
        TensorKey(1, tuple(shape), contiguous(shape), 0, index),
        TensorKey(2, tuple(shape + sides), tuple(strides), 0, dtype),
    ]
    if kind == "embedding":
        op = Op("aten.embedding_dense_backward.default", 2, 0, 0, "", args=[{"t": 2}, {"t": 1}, rows, -1, more == "by frequency"])
    else:
        op = Op("aten._index_put_impl_.default", 2, 0, 0, "", args=[{"t": 0}, [{"t": 1}], {"t": 2}, more != "overwritten", True])
    return scratch_of(op, keys)


def torch_strides(shape):
    strides, size = [], 1
    for side in reversed(shape):
        strides.insert(0, size)
        size *= side
    return strides


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: "-".join(str(part) for part in CASES[number] if part != ""))
def test_the_peak_of_an_op_is_its_results_and_its_scratch(number, taken):
    measured, strides = taken("8.0")[number]
    assert _predicted(CASES[number], strides) == measured


@pytest.mark.parametrize("capability", ["9.0", "12.0"])
def test_newer_gpus_take_a_little_less(capability, taken):
    for case, (measured, strides) in zip(CASES, taken(capability)):
        assert measured <= _predicted(case, strides) <= 1.01 * measured + 2048, case
