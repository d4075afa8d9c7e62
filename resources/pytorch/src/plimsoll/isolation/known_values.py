# SPDX-License-Identifier: Apache-2.0
"""Integer and boolean values that follow from the step's inputs: masks, lengths, positions.

A step is traced without data, but libraries choose kernels depending on masks. Whatever is computed only from known integers is also
computed for real, so that such a query gets the answer that a real run gets.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_flatten, tree_map_only
from torch.utils.weak import WeakIdKeyDictionary

aten = torch.ops.aten
_MOST = 1 << 24  # elements of one tensor: larger ones are not followed
_FACTORIES = {
    "arange", "linspace", "logspace", "zeros", "ones", "full", "scalar_tensor", "eye", "zeros_like", "ones_like", "full_like",
}  # fmt: skip


def _is_whole(tensor: torch.Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex()) and tensor.numel() <= _MOST


class Values:
    """Real tensors by the fakes that stand for them. Neither keeps a fake alive nor shares memory with the user's tensors.

    `follows`: whether to track a tensor's values.
    """

    def __init__(self, follows: Callable[[torch.Tensor], bool] = _is_whole) -> None:
        self._follows = follows
        self._known: Any = WeakIdKeyDictionary()
        self._given: Any = WeakIdKeyDictionary()  # fakes whose values depend on the step's inputs

    def give(self, fake: torch.Tensor, real: torch.Tensor, given: bool = True) -> None:
        """Records that `fake` has the content of `real`; `given`: it is an input of the step, so another step may have other values."""
        if isinstance(fake, FakeTensor) and real.device.type != "meta" and self._follows(real) and not isinstance(real, FakeTensor):
            with _disable_current_modes():  # else the copy would be a fake, and recorded
                self._known[fake] = real.detach().to("cpu", copy=True)
            if given:
                self._given[fake] = True

    def of(self, fake: torch.Tensor) -> Optional[torch.Tensor]:
        if not isinstance(fake, FakeTensor):  # a number in the model's code
            with unset_fake_temporarily():
                return fake.detach().clone() if self._follows(fake) and fake.device.type == "cpu" else None
        if fake not in self._known:
            return None
        return self._known[fake]

    def number(self, fake: torch.Tensor) -> Any:
        """The value of a tensor with one element as a Python number; None if it is unknown."""
        real = self.of(fake)
        if real is None:
            return None
        with unset_fake_temporarily():
            return real.item()

    def is_given(self, fake: torch.Tensor) -> bool:
        """Whether another batch could have other values."""
        return fake in self._given

    def computed(self, func: Any, args: Any, kwargs: Any) -> Any:
        """The op's real result; None if that needs unknown values."""
        tensors = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor)]
        if torch.Tag.nondeterministic_seeded in func.tags or any(self.of(t) is None for t in tensors):
            return None
        if not tensors and func._schema.name.rpartition("::")[2] not in _FACTORIES:
            return None
        reals, named = tree_map_only(torch.Tensor, self.of, (args, kwargs))
        named = {**named, "device": "cpu"} if named.get("device") is not None else named
        with unset_fake_temporarily(), torch.no_grad():
            return func(*reals, **named)

    def follow(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        """Tracks the op's results; to be called after every op."""
        results = [t for t in (result if isinstance(result, (list, tuple)) else [result]) if isinstance(t, torch.Tensor)]
        if results and all(isinstance(t, FakeTensor) and self._follows(t) for t in results):
            self._follow(func, args, kwargs, results)

    def _follow(self, func: Any, args: Any, kwargs: Any, results: list[torch.Tensor]) -> None:
        real = self.computed(func, args, kwargs)
        if real is None:
            if func._schema.is_mutable:
                self.forget(results)
            return
        tensors = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor)]
        given = any(self.is_given(t) for t in tensors)
        for fake, value in zip(results, real if isinstance(real, (list, tuple)) else [real]):
            self._known[fake] = value
            if given:
                self._given[fake] = True

    def forget(self, written: list[torch.Tensor]) -> None:
        """Forgets all fakes of memory that was overwritten with unknown values."""
        addresses = {t.untyped_storage()._cdata for t in written}
        for fake in [f for f in self._known if f.untyped_storage()._cdata in addresses]:
            del self._known[fake]


_values: Any = weakref.WeakKeyDictionary()


def values_of(mode: FakeTensorMode) -> Values:
    """What is known about the fakes of a mode."""
    return _values.setdefault(mode, Values())


def known_value(fake: torch.Tensor) -> Optional[torch.Tensor]:
    """The real tensor that a fake stands for, which is not to be written; None if it is unknown."""
    return values_of(fake.fake_mode).of(fake) if isinstance(fake, FakeTensor) else None


def give_value(fake: FakeTensor, real: torch.Tensor) -> None:
    """Records that a fake made in the step has the content of `real`."""
    values_of(fake.fake_mode).give(fake, real, given=False)


def follow(func: Any, args: Any, kwargs: Any, result: Any) -> None:
    """Tracks the op's results; to be called after every op."""
    made = next(iter(result), None) if isinstance(result, (list, tuple)) else result
    if isinstance(made, FakeTensor):
        values_of(made.fake_mode).follow(func, args, kwargs, result)
