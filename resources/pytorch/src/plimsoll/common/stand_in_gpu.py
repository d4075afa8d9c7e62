# SPDX-License-Identifier: Apache-2.0
"""The GPU without memory and kernels on which PyTorch's allocator is tested (tests/stand_in_gpu)."""

import torch

_NAME = "stand-in GPU"  # how the names of its devices begin


def is_stand_in_gpu(device: torch.device) -> bool:
    return device.type == "cuda" and torch.cuda.get_device_name(device).startswith(_NAME)
