# SPDX-License-Identifier: Apache-2.0
"""Follows torch.utils.checkpoint (non-reentrant): which forward op a recomputed op recomputes, including ops that the recomputation skips."""

from __future__ import annotations

from typing import Any

import torch.utils.checkpoint as torch_checkpoint

from ..common.frozen_statistics import FrozenStatistics
from ..common.op_schema import is_counted
from ..kernels.eager_paths import eager_path


class CheckpointTracker:
    """While entered, each checkpointed region records the forward op at which it starts; its recomputation proceeds from there."""

    def __init__(self, recorder: Any):
        self._recorder = recorder
        self._cursors: list[int] = []
        self._dispatches: list[tuple[Any, Any]] = []

    def __enter__(self) -> "CheckpointTracker":
        frame_class = getattr(torch_checkpoint, "_CheckpointFrame", None)
        self._original = None
        if frame_class is None:  # other versions: recompute_of stays unknown
            return self
        self._original = original = frame_class.__init__

        def tracked_init(frame: Any, recompute_fn: Any, *args: Any, **kwargs: Any) -> None:
            start, path = self._position(), eager_path()

            def tracked(*inputs: Any) -> Any:
                self._cursors.append(start)
                try:
                    with path:
                        return recompute_fn(*inputs)
                finally:
                    self._cursors.pop()

            original(frame, tracked, *args, **kwargs)

        frame_class.__init__ = tracked_init
        # Modes that may answer for an op so that it doesn't run: results saved by selective checkpointing, frozen statistics.
        modes = (getattr(torch_checkpoint, "_CachedTorchDispatchMode", None), FrozenStatistics)
        for mode in modes:
            if mode is not None:
                self._dispatches.append((mode, mode.__torch_dispatch__))
                mode.__torch_dispatch__ = self._following(mode.__torch_dispatch__)
        return self

    def _following(self, dispatch: Any) -> Any:
        def followed(mode: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            ops, cursor = len(self._recorder.ops), self._cursors[-1:]
            result = dispatch(mode, func, types, args, kwargs)
            if is_counted(func) and cursor and len(self._recorder.ops) == ops and self._cursors[-1:] == cursor:
                self.recomputed_op(str(func))
            return result

        return followed

    def __exit__(self, *_: Any) -> None:
        if self._original is not None:
            torch_checkpoint._CheckpointFrame.__init__ = self._original
        for mode, dispatch in self._dispatches:
            mode.__torch_dispatch__ = dispatch
        self._dispatches.clear()

    @property
    def recomputing(self) -> bool:
        return bool(self._cursors)

    def _position(self) -> int:
        """The ordinal of the next forward op: a region inside a recomputed region starts at the original's op."""
        return self._cursors[-1] if self._cursors else len(self._recorder.ops)

    def recomputed_op(self, target: str) -> int:
        """The forward op that the op beginning now recomputes; -1 if none."""
        if not self._cursors:
            return -1
        cursor = self._cursors[-1]
        ops = self._recorder.ops
        if cursor < len(ops) and ops[cursor].target == target:
            self._cursors[-1] = cursor + 1
            return cursor
        return -1
