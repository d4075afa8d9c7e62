# SPDX-License-Identifier: Apache-2.0
"""Packed sequences (torch.nn.utils.rnn) on fakes: how many sequences each time step has is read from memory by PyTorch's C++ code, from a
tensor on the CPU. Its values are known, since pack_padded_sequence() was answered by a real step."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Callable, Iterator, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

aten = torch.ops.aten
Known = Callable[[FakeTensor], Optional[torch.Tensor]]  # the real tensor that a fake stands for, if it is known
Give = Callable[[FakeTensor, torch.Tensor], None]  # notes a fake's values

_RECURRENT = ("lstm.data", "gru.data", "rnn_tanh.data", "rnn_relu.data")
_running = threading.local()  # .makes_lengths: whether pad_packed_sequence() allocates the lengths that it returns
_UNKNOWN = "its data is not allocated yet"  # what PyTorch says, which data_dependent.translate() explains


@contextlib.contextmanager
def _making_lengths() -> Iterator[None]:
    _running.makes_lengths = True
    try:
        yield
    finally:
        _running.makes_lengths = False


def on_host(func: Any) -> tuple[int, ...]:
    """Which results of the op that runs are in host memory when a step runs on a GPU."""
    if func is aten._pack_padded_sequence.default:
        return (1,)
    return (0,) if func is aten.empty.memory_format and getattr(_running, "makes_lengths", False) else ()


def in_parts(op: Any, *args: Any) -> Any:
    """Runs the ops that the C++ code of this one runs; decompose() would take a variant in Python, where there is one."""
    return op._op_dk(torch._C.DispatchKey.CompositeImplicitAutograd, *args)


class PackedSequences:
    """Runs such ops with the real tensor in place of the fake one."""

    def __init__(self, known: Known, give: Give):
        self._known = known
        self._give = give

    def sizes(self, fake: torch.Tensor) -> list[int]:
        with _disable_current_modes():
            return self.batch_sizes(fake).tolist()

    def batch_sizes(self, fake: torch.Tensor) -> torch.Tensor:
        real = self._known(fake) if isinstance(fake, FakeTensor) else fake
        if real is None:
            raise RuntimeError(_UNKNOWN)
        return real

    def install(self, library: Any, key: str) -> None:
        """Until `library` (torch.library.Library) is destroyed; but for recurrent layers."""
        library.impl("_pack_padded_sequence_backward", self._reading("_pack_padded_sequence_backward", 2), key)
        library.impl("_pad_packed_sequence", self._pad, key)

    def install_recurrent(self, library: Any, key: str) -> None:
        """Likewise, for recurrent layers without cuDNN."""
        for name in _RECURRENT:
            library.impl(name, self._reading(name, 1), key)

    def _reading(self, name: str, position: int) -> Callable:
        """An op that reads them itself and then runs other ops; `position` of them among its arguments."""
        packet, _, overload = name.partition(".")
        op = getattr(getattr(aten, packet), overload or "default")

        def run(*args: Any) -> Any:
            return in_parts(op, *args[:position], self.batch_sizes(args[position]), *args[position + 1 :])

        return run

    def _pad(
        self, data: torch.Tensor, batch_sizes: torch.Tensor, batch_first: bool, padding_value: Any, total_length: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Sequences of one length, and the length of each; the packed rows of time steps with as many sequences are copied at once."""
        if not isinstance(data, FakeTensor):
            return in_parts(aten._pad_packed_sequence.default, data, batch_sizes, batch_first, padding_value, total_length)
        sizes = self.sizes(batch_sizes)
        with _disable_current_modes():
            length_of_each = torch.tensor([sum(size > row for size in sizes) for row in range(sizes[0])])
        padded = aten.full(
            [total_length if total_length > 0 else len(sizes), sizes[0], *data.shape[1:]], padding_value,
            dtype=data.dtype, layout=data.layout, device=data.device,
        )  # fmt: skip
        with _making_lengths():
            lengths = aten.empty.memory_format([sizes[0]], dtype=torch.int64, device="cpu")
        self._give(lengths, length_of_each)
        begin = offset = 0
        for end in range(1, len(sizes) + 1):
            if end < len(sizes) and sizes[end] == sizes[begin]:
                continue
            count, width = end - begin, sizes[begin]
            rows = aten.slice(data, 0, offset, offset + count * width)
            place = aten.slice(aten.slice(padded, 0, begin, end), 1, 0, width)
            place.copy_(rows.view(count, width, *data.shape[1:]))
            offset, begin = offset + count * width, end
        return padded.transpose(0, 1) if batch_first else padded, lengths
