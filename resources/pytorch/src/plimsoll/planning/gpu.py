# SPDX-License-Identifier: Apache-2.0
"""What of this machine's GPU a step can use."""

from __future__ import annotations

from typing import Optional

import torch

_CALLING_THREADS = 2  # forward's and backward's: each that calls cuBLAS has a workspace of its own
_LARGEST_WORKSPACE = 32 << 20  # on compute capability 9.0


def usable_memory(device: Optional[torch.device] = None) -> int:
    """Bytes that this process can use: what is free, and what PyTorch holds already."""
    if not torch.cuda.is_available():
        raise ValueError('There is no GPU here whose memory could be the budget: give one, such as budget="22GiB" or budget="80%".')
    return torch.cuda.mem_get_info(device)[0] + torch.cuda.memory_reserved(device)


def workspaces() -> int:
    """Bytes of the workspaces that PyTorch allocates for cuBLAS in a training step. Older versions of torch don't tell: the largest then."""
    size_of_one = getattr(torch._C, "_cuda_getCublasWorkspaceSize", lambda: _LARGEST_WORKSPACE)
    return _CALLING_THREADS * size_of_one()


def has_expandable_segments() -> bool:
    """Whether PyTorch's allocator is set to map memory as it goes (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True)."""
    return bool(torch.cuda.memory._snapshot().get("allocator_settings", {}).get("expandable_segments"))
