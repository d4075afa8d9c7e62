# SPDX-License-Identifier: Apache-2.0
"""CUDA's kernels on fake CPU tensors: where PyTorch's choice depends on the device, the CPU's is replaced by CUDA's.

The replacements are kernels of PyTorch's dispatcher, so they apply to every caller of the op, from Python or C++ and in backward: a
recomputation must find the same kernels.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import Any, Callable, Iterable, Iterator, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor

from . import cuda_attention, cuda_autocast, cuda_norms, cuda_recurrent, cuda_softmax
from .packed_sequences import PackedSequences

aten = torch.ops.aten
_KEY = "AutogradCPU"
DEVICE = (
    "kernels are chosen as on an NVIDIA GPU of compute capability 8.x with cuDNN; of the memory that they take while they run, only that for "
    "sorting indices is counted"
)
AUTOCAST = "autocast casts for the ops of CUDA's lists"
DROPOUT = "dropout runs as CUDA's fused kernel with a mask of one byte an element"


# Ops of a step on a GPU that reveal which kernels were chosen.
_TAKEN = {
    "aten._scaled_dot_product_flash_attention.default": ("attention", "flash"),
    "aten._scaled_dot_product_cudnn_attention.default": ("attention", "cudnn"),
    "aten._scaled_dot_product_efficient_attention.default": ("attention", "efficient"),
    "aten.native_dropout.default": ("dropout", "native_dropout"),
    "aten.cudnn_batch_norm.default": ("batch_norm", "cudnn"),
    "aten.native_batch_norm.default": ("batch_norm", "native"),
    "aten._fused_rms_norm.default": ("rms_norm", "fused"),
    "aten._cudnn_rnn.default": ("recurrent", "cudnn"),
}


class Kernels:
    """Which kernels the step runs, how often, and under which assumptions."""

    def __init__(self) -> None:
        self.chosen: dict[str, Counter[str]] = {}
        self.assumed: list[str] = []

    def begin(self) -> None:
        """Resets the counts: a recording begins."""
        self.chosen = {}

    def take_from(self, targets: Iterable[str], device: str) -> None:
        """Records the kernels that PyTorch chose by itself on a GPU, as seen in the step's ops, in place of those counted so far."""
        self.begin()
        for family, kernel in (_TAKEN[target] for target in targets if target in _TAKEN):
            self.take(family, kernel, f"kernels are those that PyTorch chose for {device}")

    def take(self, family: str, kernel: str, sentence: str) -> None:
        self.chosen.setdefault(family, Counter())[kernel] += 1
        self.assume(sentence)

    def assume(self, sentence: str) -> None:
        if sentence not in self.assumed:
            self.assumed.append(sentence)


def _fake(tensor: Any) -> bool:
    return isinstance(tensor, FakeTensor)


def _attention(kernels: Kernels) -> Callable:
    def scaled_dot_product_attention(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: Optional[torch.Tensor] = None,
        dropout_p: float = 0.0, is_causal: bool = False, *, scale: Optional[float] = None, enable_gqa: bool = False,
    ) -> torch.Tensor:  # fmt: skip
        if not _fake(query) or query.is_nested:
            return aten.scaled_dot_product_attention.default.decompose(
                query, key, value, attn_mask, dropout_p, is_causal, scale=scale, **cuda_attention.grouping(enable_gqa)
            )
        call = cuda_attention.Call(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
        return cuda_attention.attend(call, kernels)

    return scaled_dot_product_attention


def _dropout(kernels: Kernels) -> Callable:
    def dropout(input: torch.Tensor, p: float, train: bool) -> torch.Tensor:
        fused = _fake(input) and train and 0.0 < p < 1.0 and input.numel() > 0 and not input.is_complex()
        if not fused:
            return aten.dropout.default.decompose(input, p, train)
        kernels.take("dropout", "native_dropout", DROPOUT)
        return aten.native_dropout(input, p, True)[0]

    return dropout


def _autocast(original: Any, install: Callable[[], None]) -> Any:
    def init(self: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: Any = None) -> None:
        if device_type == "cuda":
            install()
            device_type, dtype = "cpu", dtype or torch.get_autocast_dtype("cuda")
        original(self, device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    return init


@contextlib.contextmanager
def recurrent_kernels(kernels: Kernels, packed: PackedSequences) -> Iterator[None]:
    """For fakes on a GPU, for which PyTorch chooses all other kernels: its way to cuDNN's recurrent kernel reads the addresses of the
    weights, which fakes don't have."""
    library = torch.library.Library("aten", "IMPL")
    casts = cuda_autocast.Casts("cuda")
    try:
        packed.install(library, "AutogradCUDA")
        if torch.backends.cudnn.enabled:
            cuda_recurrent.install(library, kernels, "AutogradCUDA", packed)
            cuda_autocast.install_recurrent(library, casts)
        else:
            packed.install_recurrent(library, "AutogradCUDA")
        with cuda_autocast.cleared_with_autocast(casts):
            yield
    finally:
        library._destroy()


@contextlib.contextmanager
def cpu_kernels(packed: PackedSequences) -> Iterator[None]:
    """For fakes that stand for tensors of a CPU."""
    library = torch.library.Library("aten", "IMPL")
    try:
        packed.install(library, _KEY)
        packed.install_recurrent(library, _KEY)
        yield
    finally:
        library._destroy()


@contextlib.contextmanager
def cuda_kernels(kernels: Kernels, packed: PackedSequences) -> Iterator[None]:
    """Replaces the CPU's choices and records each in `kernels`."""
    library = torch.library.Library("aten", "IMPL")
    autocast = torch.autocast.__init__
    casts = cuda_autocast.Casts()
    installed: list[bool] = []

    def install_autocast() -> None:
        if not installed:
            cuda_autocast.install(library, casts)
            kernels.assume(AUTOCAST)
            installed.append(True)

    kernels.assume(DEVICE)
    try:
        library.impl("scaled_dot_product_attention", _attention(kernels), _KEY)
        library.impl("dropout", _dropout(kernels), _KEY)
        cuda_norms.install(library, kernels, _KEY)
        packed.install(library, _KEY)
        cuda_recurrent.install(library, kernels, _KEY, packed)
        cuda_softmax.install(library, _KEY)
        torch.autocast.__init__ = _autocast(autocast, install_autocast)
        with cuda_autocast.cleared_with_autocast(casts):
            yield
    finally:
        torch.autocast.__init__ = autocast
        library._destroy()
