# SPDX-License-Identifier: Apache-2.0
"""Memory that CUDA's kernels take for themselves while one op runs, where its size follows from the op's arguments: the backward of an
embedding and additions into chosen rows sort the indices first (PyTorch's Embedding.cu, EmbeddingBackwardKernel.cu and Indexing.cu; CUB's
radix sort). Held against PyTorch on the stand-in GPU by tests/python/stand_in/test_scratch.py."""

from __future__ import annotations

import math
from typing import Any, Sequence

from ..common.graph_rows import Op, TensorKey

_ONE_TILE = 2304  # pairs that one block of threads sorts, which needs no memory
_TILE = 3840  # pairs of a tile on compute capability 8.x, 4608 on later ones, which need a little less
_BINS = 256  # of the 8 bits that one pass sorts by
_UNIQUE_TILE = 1344  # indices of a tile when neighbours that are equal become one
_UNSORTED = 3072  # indices up to which the backward of an embedding adds one by one
_ROWS_OF_A_PART = 10  # gradients that one thread adds up; the sums are added in a second kernel
_FEW_ROWS = 4 * 24  # below four for each multiprocessor sums are added at once; 24 of these has the smallest GPU of the device table
_WIDTHS = {"int64": 8, "int32": 4, "float64": 8, "bfloat16": 2, "float16": 2}


def _width(dtype: str) -> int:
    return _WIDTHS.get(dtype, 4)


def _sort(count: int, width: int, bits: int) -> int:
    """Scratch of CUB's radix sort of pairs of integers, by so many bits."""
    if count <= _ONE_TILE:
        return 1
    passes = -(-bits // 8)
    copies = 2 * (-(-count * width // 256) * 256) if passes > 1 else 0
    return copies + passes * _BINS * 8 + -(-count // _TILE) * _BINS * 4 + 511


def _unique(count: int) -> int:
    """Scratch of CUB's unique."""
    return -(-16 * (32 + -(-count // _UNIQUE_TILE)) // 256) * 256 + 511


def _copied(tensor: TensorKey) -> int:
    """Bytes of the contiguous copy that is made of a tensor, 0 of one that is contiguous."""
    expected = 1
    for side, stride in zip(reversed(tensor.shape), reversed(tensor.strides)):
        if side != 1 and stride != expected:
            return math.prod(tensor.shape) * _width(tensor.dtype)
        expected *= side
    return 0


def _embedding(gradient: TensorKey, indices: TensorKey, rows: int, by_frequency: bool) -> int:
    count, width = math.prod(indices.shape), _width(indices.dtype)
    copy = _copied(gradient) + _copied(indices)
    if count == 0 or (count <= _UNSORTED and not by_frequency):
        return copy
    row = math.prod(gradient.shape) // count
    lists = (3 if by_frequency else 2) * count * width  # sorted, their places; how often each appears
    sorting = lists + count * width + _sort(count, width, rows.bit_length()) - rows * row * _width(gradient.dtype)  # there is no result yet
    finding = lists + 2 * count * width + 8 + _unique(count)  # where each index begins
    segments = min(count, rows)
    parts = count // _ROWS_OF_A_PART + segments
    added_at_once = segments < _FEW_ROWS and 3 * segments < count // _ROWS_OF_A_PART
    sums = width if added_at_once else row * (8 if gradient.dtype == "float64" else 4)
    adding = lists + count * width + 2 * (segments + 1) * width + parts * (width + sums)
    return copy + max(sorting, finding, adding)


def _rows_added(into: TensorKey, indices: Sequence[Any], values: TensorKey, tensors: Sequence[TensorKey]) -> int:
    """Only for indices of the first dimension: others are seldom, and move what they are added into first."""
    if not indices or any(index is not None for index in indices[1:]) or indices[0] is None:
        return 0
    chosen = tensors[indices[0]["t"]]
    if chosen.dtype not in ("int64", "int32"):
        return 0
    count = math.prod(chosen.shape)
    if count == 0:
        return 0
    wanted = (*chosen.shape, *into.shape[1:])
    copy = _copied(values) if tuple(values.shape) == wanted else math.prod(wanted) * _width(into.dtype)
    return copy + 4 * 8 * count + _sort(count, 8, max(into.shape[0] - 1, 1).bit_length())


def scratch_of(op: Op, tensors: Sequence[TensorKey]) -> int:
    """Bytes beside the op's results at the moment when it holds most; 0 for ops without such a law."""
    if op.target == "aten.embedding_dense_backward.default":
        gradient, indices, rows, _, by_frequency = op.args
        return _embedding(tensors[gradient["t"]], tensors[indices["t"]], rows, by_frequency)
    if op.target in ("aten.index_put_.default", "aten._index_put_impl_.default", "aten.index_put.default"):
        into, indices, values, *accumulate = op.args
        if accumulate[:1] == [True]:
            return _rows_added(tensors[into["t"]], indices, tensors[values["t"]], tensors)
    return 0
