# SPDX-License-Identifier: Apache-2.0
"""Views that autograd makes of fakes to find the node of a view whose memory was written. With real tensors it finds it without an op."""

from __future__ import annotations

import weakref
from typing import Any, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ..common.op_schema import is_view


class Looks:
    """Recognises such views op by op: those right after the write, from the base of the view that was written.

    If another view of that memory is read later, autograd makes its view right before the op that reads it. Those aren't recognised.
    """

    def __init__(self) -> None:
        self._written: Optional[weakref.ref] = None
        self._last: Optional[weakref.ref] = None

    def begins(self, func: Any, args: Any) -> bool:
        """Called before each op: whether it is such a view."""
        written, last = (ref and ref() for ref in (self._written, self._last))
        self._written = self._last = None
        if not args or not is_view(func):
            return False
        if last is not None:
            return args[0] is last
        return written is not None and written.requires_grad and args[0] is written._base

    def ran(self, func: Any, args: Any, result: Any, is_look: bool) -> None:
        """Called after each op, with the result of begins()."""
        if is_look:
            self._last = weakref.ref(result)
        elif torch.is_grad_enabled() and _writes_first(func, args) and args[0]._is_view():
            self._written = weakref.ref(args[0])


def _writes_first(func: Any, args: Any) -> bool:
    if not args or not isinstance(args[0], FakeTensor) or torch.Tag.inplace_view in func.tags:
        return False
    alias = func._schema.arguments[0].alias_info
    return alias is not None and alias.is_write
