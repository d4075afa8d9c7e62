# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers on CUDA: cuDNN's kernel (ATen/native/RNN.cpp and cudnn/RNN.cpp), with the memory that it keeps for backward."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensor

from .packed_sequences import PackedSequences, in_parts

aten = torch.ops.aten
_RELU, _TANH, _LSTM, _GRU = 0, 1, 2, 3  # cuDNN's numbers of the modes
_DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)

CUDNN = (
    "recurrent layers run as cuDNN's standard algorithm on weights that lie in one piece, with the reserve memory of cuDNN 9.26; "
    "the few views that find that piece, and the state of its random numbers (some MB), are left out"
)

# What cuDNN keeps of each time step and layer, in hidden sizes: gate results and cells.
_KEPT = {_RELU: (1, 0), _TANH: (1, 0), _LSTM: (4, 1), _GRU: (6, 0)}
_ALIGNMENT, _HEADER = 32, 256


def reserve_bytes(
    mode: int, hidden: int, layers: int, directions: int, batch: int, steps: int, item: int, dropout: float
) -> int:
    """Bytes that cuDNN keeps for backward: gates, cells and values passed between layers, then masks of one bit per element.

    Equal to cudnnGetRNNTempSpaceSizes of cuDNN 9.26 (standard algorithm) in all cases checked.
    """
    up = lambda count: -(-count // _ALIGNMENT) * _ALIGNMENT  # noqa: E731
    gates, cells = _KEPT[mode]
    one = steps * batch * hidden * directions * item
    masks = (layers - 1) * directions * directions * up(-(-steps * batch * hidden // 8)) if dropout > 0 else 0
    return _HEADER + up(one * gates * layers) + up(one * cells * layers) + up(one * (layers - 1)) + masks


def _sequence_first(x: torch.Tensor, batch_first: bool, features: int) -> torch.Tensor:
    """Memory as cuDNN writes it, (steps, batch, features) or (rows, features) if x is packed, viewed in the caller's order."""
    if x.dim() == 2:
        return x.new_empty((x.size(0), features))
    steps, batch = (x.size(1), x.size(0)) if batch_first else (x.size(0), x.size(1))
    made = x.new_empty((steps, batch, features))
    return made.transpose(0, 1) if batch_first else made


def fake_forward(args: tuple) -> tuple:
    """Results of aten._cudnn_rnn on fakes: output, hy, cy, reserve, weight buffer."""
    x, weights, _, _, hx, cx, mode, hidden, projected, layers, batch_first, dropout, train, bidirectional, batch_sizes = args[:15]
    directions = 2 if bidirectional else 1
    out = projected or hidden
    steps, batch = (len(batch_sizes), batch_sizes[0]) if batch_sizes else (x.size(1), x.size(0)) if batch_first else (x.size(0), x.size(1))
    size = reserve_bytes(mode, hidden, layers, directions, batch, steps, x.element_size(), dropout) if train else 0
    return (
        _sequence_first(x, batch_first, out * directions),
        hx.new_empty(hx.shape),
        hx.new_empty((0,)) if cx is None else cx.new_empty(cx.shape),
        x.new_empty((size,), dtype=torch.uint8),
        weights[0].as_strided((0,), (1,)),  # a view of the storage that holds the weights, not a new tensor
    )


def fake_backward(args: tuple) -> tuple:
    """Results of aten._cudnn_rnn_backward on fakes: gradients of input, hx and cx, and those of the weights in one buffer."""
    x, weights, _, _, hx, cx = args[:6]
    batch_first, wanted = args[14], args[21]
    gradients = []
    if wanted[3]:
        piece = weights[0].new_empty((sum(w.numel() for w in weights),))
        offset = 0
        for weight in weights:
            gradients.append(piece.as_strided(weight.shape, weight.stride(), offset))
            offset += weight.numel()
    dcx = None if cx is None else cx.new_empty(cx.shape)
    return _sequence_first(x, batch_first, x.size(-1)), hx.new_empty(hx.shape), dcx, gradients


def _lstm(kernels: Any) -> Callable:
    def run(
        input: torch.Tensor, hx: Any, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool,
        bidirectional: bool, batch_first: bool,
    ) -> Any:  # fmt: skip
        given = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
        if not _takes_cudnn(input):
            return aten.lstm.input.decompose(input, hx, params, *given)
        kernels.take("recurrent", "cudnn", CUDNN)
        return _run(input, params, hx[0], hx[1], _LSTM, *_sizes(hx), *given)[:3]

    return run


def _packed_lstm(kernels: Any, packed: PackedSequences) -> Callable:
    def run(input: torch.Tensor, batch_sizes: torch.Tensor, hx: Any, params: Any, *given: Any) -> Any:
        if not _takes_cudnn(input):
            return in_parts(aten.lstm.data, input, packed.batch_sizes(batch_sizes), hx, params, *given)
        kernels.take("recurrent", "cudnn", CUDNN)
        return _run(input, params, hx[0], hx[1], _LSTM, *_sizes(hx), *given, False, packed.sizes(batch_sizes))[:3]

    return run


def _packed_plain(kernels: Any, packed: PackedSequences, mode: int, original: Any) -> Callable:
    def run(input: torch.Tensor, batch_sizes: torch.Tensor, hx: torch.Tensor, params: Any, *given: Any) -> Any:
        if not _takes_cudnn(input):
            return in_parts(original, input, packed.batch_sizes(batch_sizes), hx, params, *given)
        kernels.take("recurrent", "cudnn", CUDNN)
        return _run(input, params, hx, None, mode, hx.size(2), 0, *given, False, packed.sizes(batch_sizes))[:2]

    return run


def _sizes(hx: Any) -> tuple[int, int]:
    """Hidden size, and that of the projection (0: none), of the states of an LSTM."""
    return hx[1].size(2), hx[0].size(2) if hx[0].size(2) != hx[1].size(2) else 0


def _plain(kernels: Any, mode: int, original: Any) -> Callable:
    def run(
        input: torch.Tensor, hx: torch.Tensor, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool,
        bidirectional: bool, batch_first: bool,
    ) -> Any:  # fmt: skip
        given = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
        if not _takes_cudnn(input):
            return original.decompose(input, hx, params, *given)
        kernels.take("recurrent", "cudnn", CUDNN)
        return _run(input, params, hx, None, mode, hx.size(2), 0, *given)[:2]

    return run


def _takes_cudnn(x: torch.Tensor) -> bool:
    return isinstance(x, FakeTensor) and torch.backends.cudnn.enabled and x.dtype in _DTYPES and x.numel() > 0


def _run(
    x: torch.Tensor, params: Any, hx: Any, cx: Any, mode: int, hidden: int, projected: int, has_biases: bool, layers: int,
    dropout: float, train: bool, bidirectional: bool, batch_first: bool, batch_sizes: Sequence[int] = (),
) -> Any:  # fmt: skip
    rows = (4 if has_biases else 2) + (1 if projected else 0)
    return aten._cudnn_rnn(
        x, params, rows, None, hx, cx, mode, hidden, projected, layers, batch_first, dropout, train, bidirectional, list(batch_sizes), None
    )


def install(library: Any, kernels: Any, key: str, packed: PackedSequences) -> None:
    library.impl("lstm.input", _lstm(kernels), key)
    library.impl("lstm.data", _packed_lstm(kernels, packed), key)
    for name, mode in (("gru", _GRU), ("rnn_tanh", _TANH), ("rnn_relu", _RELU)):
        op = getattr(aten, name)
        library.impl(f"{name}.input", _plain(kernels, mode, op.input), key)
        library.impl(f"{name}.data", _packed_plain(kernels, packed, mode, op.data), key)
