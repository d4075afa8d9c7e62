# SPDX-License-Identifier: Apache-2.0
"""Settings of torch that decide which ops run, besides model and arguments."""

from __future__ import annotations

from typing import Hashable

import torch


def global_settings() -> tuple[Hashable, ...]:
    """Equal if the same model runs the same ops for the same arguments."""
    casts = (
        torch.is_autocast_enabled(device) and (torch.get_autocast_dtype(device), torch.is_autocast_cache_enabled())
        for device in ("cpu", "cuda")
    )
    return (torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled(), *casts)
