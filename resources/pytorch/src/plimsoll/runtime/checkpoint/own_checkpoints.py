# SPDX-License-Identifier: Apache-2.0
"""Refuses regions around a part that the model itself checkpoints."""

import torch.utils.checkpoint

from ...common.plan_mismatch import PlanMismatch


class NestedCheckpointGuard:
    """While entered, refuses a region in which the model checkpoints something itself. `state`: the runner's, for this thread."""

    def __init__(self, state):
        self.state = state
        self.undo = []

    def __enter__(self):
        frame = getattr(torch.utils.checkpoint, "_CheckpointFrame", None)
        for kind, name in ((frame, "__init__"), (torch.utils.checkpoint.CheckpointFunction, "forward")):
            own = vars(kind).get(name) if kind is not None else None
            if own is not None:
                self.undo.append((kind, name, own))
                setattr(kind, name, self.watching(own))

    def __exit__(self, *_):
        for kind, name, own in self.undo:
            setattr(kind, name, own)

    def watching(self, own):
        def watched(*args, **kwargs):
            ours, self.state.begins = getattr(self.state, "begins", False), False
            run = getattr(self.state, "run", None)
            if not ours and run is not None and run.region is not None:
                raise PlanMismatch(
                    f"The model checkpoints a part of itself inside of the region from {run.region.name}: turn that off "
                    "(gradient_checkpointing_disable() in transformers), or trace and plan the model as it is."
                )
            return getattr(own, "__func__", own)(*args, **kwargs)

        return staticmethod(watched) if isinstance(own, staticmethod) else watched
