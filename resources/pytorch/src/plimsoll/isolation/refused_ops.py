# SPDX-License-Identifier: Apache-2.0
"""Ops that no recording follows, and torch's own errors about them as sentences that say what to do."""

from __future__ import annotations

import re
from typing import Optional

from ..common.real_values import with_real_step, without_real_step

_REAL = 'trace with values="real", which runs the step on the given tensors, or '
_WITHOUT_VALUES = (
    "let shapes or arguments decide there (of sequences: pad instead of packing). If it is code of a library (a loss, a check), trace around it: leave the labels out and give a loss "
    "of your own (loss=lambda output: output.logits.sum()); plans of module regions fit the real step"
)
WITHOUT_QUANTIZATION = "trace the model before it is quantized: a plan of whole blocks fits the quantized model, too"
_HIGHER_ORDER = re.compile(r"no rule registered for (?:HOP|HigherOrderOperator) (\w+) and mode")
_ATTENTION = (
    'trace with torch.nn.functional.scaled_dot_product_attention in its place (set_attn_implementation("sdpa") in transformers); a plan of '
    "module regions fits the model with flex_attention, too"
)
_PYTHON = "write it in plain Python (an if that shapes or arguments decide, a loop of known length) while the step is traced"
_NESTED = "a nested tensor is made there, whose sizes are values: pad to one length (torch.nested.to_padded_tensor) while the step is traced"


def unknown(are: str = "are") -> str:
    """Why nothing is known about values."""
    return "which the real step did not ask there" if with_real_step() else f"which {are} not known when a step is traced without data"


def without_values() -> str:
    """What to do about a question about values."""
    return _REAL + _WITHOUT_VALUES if without_real_step() else _WITHOUT_VALUES


def refusal_in(text: str) -> Optional[str]:
    """What torch's message says of an op that no recording follows; None if it is about something else."""
    found = _HIGHER_ORDER.search(text)
    if found is not None:
        name = found[1]
        return f"the operator {name} runs functions of its own, which aren't recorded: {_ATTENTION if 'flex' in name else _PYTHON}"
    if "FlexAttention does not support" in text:
        return f"flex_attention has no backward on the CPU, where a step is traced without a GPU: {_ATTENTION}"
    return _NESTED if "shape_env must not be None" in text or "NestedTensorImpl" in text else None
