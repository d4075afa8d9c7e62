# SPDX-License-Identifier: Apache-2.0
"""What of this machine's GPU a step can use."""

from __future__ import annotations

from typing import Optional

import torch

_LARGEST_WORKSPACE = 32 << 20  # bytes, from compute capability 9.0 on


def usable_memory(device: Optional[torch.device] = None) -> int:
    """Bytes that this process can use: what is free, and what PyTorch holds already."""
    if not torch.cuda.is_available():
        raise ValueError('There is no GPU here whose memory could be the budget: give one, such as budget="22GiB" or budget="80%".')
    return torch.cuda.mem_get_info(device)[0] + torch.cuda.memory_reserved(device)


def workspace_setting() -> dict[str, str]:
    """The variable that tells plimsoll-cli the size of the workspaces that PyTorch gives cuBLAS on the GPU that this process uses; empty if it
    uses none, or if a version of torch doesn't tell and the GPU takes what most take."""
    if not torch.cuda.is_initialized():
        return {}
    tells = getattr(torch._C, "_cuda_getCublasWorkspaceSize", None)
    if tells is None and torch.cuda.get_device_capability()[0] < 9:
        return {}
    size = tells() if tells is not None else _LARGEST_WORKSPACE
    return {"CUBLAS_WORKSPACE_CONFIG": f":{size >> 10}:1"}


def has_expandable_segments() -> bool:
    """Whether PyTorch's allocator is set to map memory as it goes (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True)."""
    return bool(torch.cuda.memory._snapshot().get("allocator_settings", {}).get("expandable_segments"))
