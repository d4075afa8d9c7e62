# SPDX-License-Identifier: Apache-2.0
"""Every op of a real step, run on fakes of its arguments too: do the fake results have the memory of the real ones?"""

import plimsoll
import torch
from plimsoll.kernels import fake_results
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map_only

aten = torch.ops.aten


def geometry(value):
    """Of all tensors in a result: dtype, shape, strides of dimensions with more than one element, bytes of the storage."""
    return [
        (str(t.dtype), tuple(t.shape), [s for n, s in zip(t.shape, t.stride()) if n > 1], t.untyped_storage().nbytes())
        for t in tree_leaves(value)
        if isinstance(t, torch.Tensor)
    ]


def _fake(tensor):
    whole = torch.empty(tensor.untyped_storage().nbytes() // tensor.element_size(), dtype=tensor.dtype)
    return whole.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


class NoKernel(Exception):
    """This CPU has no kernel for an op: PyTorch refuses it on real tensors, and Plimsoll on fakes."""


class OnFakesToo(TorchDispatchMode):
    """`differences`: (op, geometry of the tensors it was given, of its fake results, of its real ones), once for each op."""

    def __init__(self):
        super().__init__()
        self.ops = 0
        self.seen = set()
        self._differences = {}

    @property
    def differences(self):
        return list(self._differences.values())

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        self.ops += 1
        self.seen.add(str(func))
        refused, found = "", None
        if func is not aten._local_scalar_dense.default:  # fakes have no values
            with _disable_current_modes(), FakeTensorMode(allow_non_fake_inputs=True):
                fake_args, fake_kwargs = tree_map_only(torch.Tensor, _fake, (args, kwargs))
                refused, found = self._on_fakes(func, fake_args, fake_kwargs)
        given = geometry((args, kwargs))
        try:
            result = func(*args, **kwargs)
        except RuntimeError as error:
            if refused and str(error).splitlines()[0] in refused:
                raise NoKernel(refused) from error
            raise
        assert not refused, refused
        if found is not None and found != geometry(result):
            self._differences.setdefault(str(func), (str(func), given, found, geometry(result)))
        return result

    @staticmethod
    def _on_fakes(func, args, kwargs):
        """Why it is refused, or the geometry of its results."""
        try:
            return "", geometry(fake_results.run(func, args, kwargs, "cpu"))
        except plimsoll.TraceError as refusal:
            return str(refusal), None
