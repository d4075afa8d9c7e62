# SPDX-License-Identifier: Apache-2.0
"""Fake tensors for models: building a model without memory, and lending fakes to an existing model."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from typing import Any, Callable, Iterable, Iterator, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from ..common.graph_rows import TraceError
from ..common.source_lines import user_line
from . import function_caches
from .known_values import Values, values_of
from .reach import Reach

_LARGEST = 1 << 16  # elements


def _initialisers() -> list[Any]:
    modules = [torch.nn.init]
    if importlib.util.find_spec("transformers") is not None:
        with contextlib.suppress(ImportError):  # older versions have no functions of their own
            modules.append(importlib.import_module("transformers.initialization"))
    return modules


class FakeMode(FakeTensorMode):
    """Shares the mode with copies of its tensors: a TransformerEncoder copies its layers, and PyTorch would copy the mode with them."""

    def __init__(self) -> None:
        super().__init__(allow_non_fake_inputs=True)
        self._remember_only_reals()

    def _remember_only_reals(self) -> None:
        """Module.to() can't exchange a parameter to which a weak reference points, as the table of fakes by the tensor that they were made
        from does. It has no use for those made from a meta tensor, which exists within one op only."""
        remember = getattr(self.fake_tensor_converter, "set_tensor_memo", None)
        if remember is not None:  # private
            self.fake_tensor_converter.set_tensor_memo = lambda made_from, fake: (
                None if made_from.device.type == "meta" else remember(made_from, fake)
            )  # fmt: skip

    def __deepcopy__(self, memo: Any) -> FakeMode:
        return self


class _KnownNumbers(TorchDispatchMode):
    """Values computed from numbers alone while a model is built, such as layer widths, or rates that rise with depth."""

    def __init__(self) -> None:
        super().__init__()
        self._values = Values(lambda tensor: tensor.layout is torch.strided and tensor.numel() <= _LARGEST)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.ops.aten._local_scalar_dense.default:
            number = self._values.number(args[0])
            if number is None:
                raise TraceError(
                    f"{user_line() or 'the model'}: it asks for the value of a tensor (.item(), .tolist(), bool()) that has none while "
                    "it is built without memory: decide by numbers there, or build the model outside of plimsoll.building()"
                )
            return number
        result = func(*args, **kwargs)
        self._values.follow(func, args, kwargs, result)
        return result

    def swapping(self, swap: Callable) -> Callable:
        """For torch.utils.swap_tensors(), with which Module.to() exchanges parameters, and which takes no tensor with weak references."""

        def swapped(one: torch.Tensor, other: torch.Tensor) -> None:
            self._values.forget([one, other])
            swap(one, other)

        return swapped

    def initialised(self, tensor: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        """Replaces functions that fill a tensor with values."""
        self._values.forget([tensor])
        return tensor


@contextlib.contextmanager
def building() -> Iterator[FakeTensorMode]:
    """Models and tensors made inside have shapes but no data; initialisation does nothing. The values of small tensors computed from
    numbers alone can be read.

    Example::

        >>> with plimsoll.building():
        ...     model, batch = torch.nn.Linear(200_000, 200_000), torch.zeros(64, 200_000)
        >>> str(plimsoll.trace(model, batch, name="large"))
        'large.plimsoll.json.gz'
    """
    patched = []
    known = _KnownNumbers()
    for module in _initialisers():
        for name, value in list(vars(module).items()):
            if name.endswith("_") and not name.startswith("_") and callable(value):
                patched.append((module, name, value))
                setattr(module, name, known.initialised)
    patched.append((torch.utils, "swap_tensors", torch.utils.swap_tensors))
    torch.utils.swap_tensors = known.swapping(torch.utils.swap_tensors)
    try:
        with FakeMode() as mode, known:
            yield mode
    finally:
        for module, name, value in patched:
            setattr(module, name, value)


def mode_of(model: torch.nn.Module, among: Iterable[torch.Tensor] = ()) -> Optional[FakeTensorMode]:
    """The fake mode under which the model or one of the tensors was made; None if all are real."""
    for tensor in (*among, *model.parameters(), *model.buffers()):
        if isinstance(tensor, FakeTensor):
            return tensor.fake_mode
    return None


def _copy_hooks(tensor: torch.Tensor, fake: torch.Tensor) -> None:
    """Hooks on a parameter's gradient run in every step, so fakes get them, too."""
    for hook in (getattr(tensor, "_backward_hooks", None) or {}).values():
        fake.register_hook(hook)
    for hook in (getattr(tensor, "_post_accumulate_grad_hooks", None) or {}).values():
        fake.register_post_accumulate_grad_hook(hook)


class Lender:
    """Replaces real tensors by fakes; equal objects and shared storages stay equal and shared. `device`: on which the fakes lie; None: each
    on that of its tensor."""

    def __init__(self, mode: FakeTensorMode, device: Optional[str] = "cpu"):
        self.mode = mode
        self._device = device
        self._fakes: dict[int, torch.Tensor] = {}
        self._reals: dict[int, torch.Tensor] = {}  # by the fake's storage; held, so that ids stay valid
        self._bases: dict[int, torch.Tensor] = {}  # on the device, by the storage on the device that the fake came from
        self._held: list[torch.Tensor] = []

    def lend(self, reach: Reach) -> None:
        """Replaces all tensors that are reached by fakes. Reach.kept() restores the tensors."""
        plain = {id(t) for number, (_, t) in enumerate(reach.tensors) if reach.is_plain(number)}  # no model.to() moves them

        def lent(tensor: torch.Tensor) -> torch.Tensor:
            if id(tensor) not in plain:
                return self.fake(tensor)
            try:
                return self.fake(tensor, moves=tensor.device.type != "cpu", given=False)
            except (RuntimeError, NotImplementedError):  # no fakes of this kind: allowed unless something writes to it
                return tensor

        reach.exchange(lent)

    def fake(self, tensor: torch.Tensor, moves: bool = True, given: bool = True) -> torch.Tensor:
        """`moves`: the fake follows the step to its device; `given`: other batches may have other values in it."""
        device = self._device if moves and self._device is not None else tensor.device.type
        if isinstance(tensor, FakeTensor) and tensor.device.type == device:
            return tensor
        known = self._fakes.get(id(tensor))
        if known is None:
            with torch.no_grad():
                made = isinstance(tensor, FakeTensor)
                known = tensor.detach() if made else self.mode.from_tensor(tensor.detach(), static_shapes=True)
            if known.device.type != device:
                known = self._moved(known)
            if isinstance(tensor, torch.nn.Parameter):
                known = torch.nn.Parameter(known, requires_grad=tensor.requires_grad)
            elif tensor.requires_grad:
                known.requires_grad_()
            _copy_hooks(tensor, known)
            values_of(self.mode).give(known, tensor, given)
            self._fakes[id(tensor)] = known
            if known.layout is torch.strided:
                self._reals.setdefault(known.untyped_storage()._cdata, tensor)
            self._held.append(tensor)
        return known

    def real(self, tensor: torch.Tensor) -> torch.Tensor:
        """The real tensor, or an equal view of it, for which a fake stands; the tensor itself if it isn't lent."""
        known = self._reals.get(tensor.untyped_storage()._cdata) if isinstance(tensor, FakeTensor) else None
        if known is None or self._fakes[id(known)] is tensor:
            return tensor if known is None else known
        geometry = tensor.shape, tensor.stride(), tensor.storage_offset()
        with _disable_current_modes(), torch.no_grad():
            return known if isinstance(known, FakeTensor) else known.as_strided(*geometry)

    def _moved(self, tensor: torch.Tensor) -> torch.Tensor:
        """The fake on the lender's device, in the same place of a storage of the same size."""
        storage = tensor.untyped_storage()
        with self.mode:
            base = self._bases.get(storage._cdata)
            if base is None:
                base = self._bases[storage._cdata] = torch.empty(storage.nbytes(), dtype=torch.uint8, device=self._device)
                self._held.append(tensor)
            moved = torch.empty(0, dtype=tensor.dtype, device=self._device)
            return moved.set_(base.untyped_storage(), tensor.storage_offset(), tensor.shape, tensor.stride())


def lender_for(
    model: torch.nn.Module, stack: contextlib.ExitStack, device: Optional[str] = "cpu", among: Iterable[torch.Tensor] = ()
) -> Lender:  # fmt: skip
    """A lender whose fakes mix with the fakes in the model and among the tensors; none of its own stays in a cache."""
    mode = mode_of(model, among)
    if mode is None:
        mode = FakeMode()
        stack.enter_context(function_caches.without_fakes(mode))
    return Lender(mode, device)
