# SPDX-License-Identifier: Apache-2.0
"""Answers to questions about values, which fake tensors don't have."""

from __future__ import annotations

from typing import Any, Optional

import torch

from .kinds import OPTIMIZER, TraceError
from .sources import function_on_stack, user_line

PACKED_SEQUENCES = "transformers asks whether several sequences are packed into one row: answered with no"
# The recorded step is the second one, so a step counter has been raised twice.
STEP_NUMBER = 2.0


def answer(tensor: torch.Tensor, phase: int, assumed: list[str]) -> Any:
    """The value that the step is told; an error naming the user's line when nobody can know it."""
    if function_on_stack("find_packed_sequence_indices", "transformers/"):
        if PACKED_SEQUENCES not in assumed:
            assumed.append(PACKED_SEQUENCES)
        return True
    if phase == OPTIMIZER and tensor.dim() == 0:
        return STEP_NUMBER
    raise TraceError(
        f"{user_line() or 'the step itself'}: it depends on the value of a tensor (.item(), bool() or indexing by a mask), "
        "which is not known when a step is traced without data"
    )


def explain(func: Any, error: Exception, line: Optional[str]) -> TraceError:
    where = line or "the step itself"
    name = type(error).__name__
    if name in ("DataDependentOutputException", "DynamicOutputShapeException"):
        return TraceError(f"{where}: the result of {func} depends on values, which are not known when a step is traced without data")
    return TraceError(f"{where}: {func} has no implementation for fake tensors; register one with torch.library.register_fake ({error})")
