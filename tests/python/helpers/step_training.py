# SPDX-License-Identifier: Apache-2.0
"""One training loop, in which a compiled step must give the bits that eager PyTorch gives from the same state."""

import time

import torch
from plimsoll.training_step.step import brought


def _new_values(tensor, step):
    """Other data in the same range: every step has its own batch. Masks stay as they are."""
    if tensor.is_floating_point():
        return torch.randn(tensor.shape, generator=torch.Generator().manual_seed(step))
    if tensor.min() == tensor.max():
        return tensor.clone()
    order = torch.randperm(tensor.numel(), generator=torch.Generator().manual_seed(step))
    return tensor.flatten()[order].view_as(tensor)


class Training:
    """`made` are trace()'s arguments. Labels that the loss brings along are overwritten, the model's arguments are new tensors."""

    def __init__(self, made):
        self.model = made["model"].train()
        self.loss = made.get("loss")
        self.optimizer = made["optimizer"](self.model.parameters())
        self._args, self._kwargs = made.get("args", ()), made.get("kwargs", {})
        self._labels = [(v, v.clone()) for _, v in brought(self.loss) if isinstance(v, torch.Tensor)]

    def next_batch(self, step):
        for label, first in self._labels:
            label.copy_(_new_values(first, step))
        new = {}
        fresh = lambda t: new.setdefault(id(t), _new_values(t, step))  # noqa: E731  (one object twice stays one)
        self.args = tuple(map(fresh, self._args))
        self.kwargs = {name: fresh(value) for name, value in self._kwargs.items()}
        torch.manual_seed(1000 + step)
        self._buffers = [buffer.clone() for buffer in self.model.buffers()]
        self._random = torch.get_rng_state()

    def eager(self):
        output = self.model(*self.args, **self.kwargs)
        loss = self.loss(output) if self.loss is not None else output.loss
        del output
        loss.backward()
        return loss.detach()

    def outcome(self, run):
        """Everything that a step leaves behind, from the state at the step's beginning: loss, gradients, buffers, random state."""
        self.model.zero_grad(set_to_none=True)
        for buffer, before in zip(self.model.buffers(), self._buffers):
            buffer.copy_(before)
        torch.set_rng_state(self._random)
        versions = [p._version for p in self.model.parameters()]
        start = time.process_time()
        loss = run()
        self.seconds = time.process_time() - start
        assert versions == [p._version for p in self.model.parameters()]
        return {
            "loss": loss,
            "random state": torch.get_rng_state(),
            **{f"gradient {n}": p.grad for n, p in self.model.named_parameters() if p.grad is not None},
            **{f"buffer {n}": b.clone() for n, b in self.model.named_buffers()},
        }


def bits(tensor):
    return tensor.detach().contiguous().view(-1).view(torch.uint8)


def assert_same_bits(expected, found):
    assert list(expected) == list(found)
    different = [name for name in expected if not torch.equal(bits(expected[name]), bits(found[name]))]
    assert not different, different[:5]
