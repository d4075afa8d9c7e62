# SPDX-License-Identifier: Apache-2.0
"""What a step can change: everything reachable from its model, arguments, loss and optimizer.

Visited are modules, optimizers, containers, functions with their closures, bound methods, hooks, and objects of classes written in
Python; in the user's own code, but not in installed packages, also classes and the module-level variables that functions name. Not
visited are objects of other classes of the standard library, torch and numpy, datasets, Python modules, and entries of containers with
more than 10,000 (those of modules and optimizers always are). The nearest objects come first, and from each of the four roots at most a
million are visited.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import enum
import functools
import sys
import types
import weakref
from typing import Any, Callable, Iterable, Iterator

import torch
from torch._subclasses.fake_tensor import FakeTensor

from .libraries import CLOSED, OWN, origin
from .places import Child, Class, ClassAttributes, Globals, Place, Scripted, Slots, Table, containers_of, slots_of

_MOST_ENTRIES = 10_000  # in a container that is visited
_MOST_THINGS = 1_000_000
_ATOMS = {
    type(None), bool, int, float, complex, str, bytes, types.ModuleType, types.CodeType, types.BuiltinFunctionType, torch.dtype,
    torch.device, torch.Size, torch.layout, torch.memory_format,
}  # fmt: skip
_HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")  # of a tensor
_TABLES = ("_parameters", "_buffers", "_modules")  # of a module: their entries are named like its attributes
_OPEN_PARTS_OF_TORCH = ("torch.nn", "torch.optim", "torch.amp", "torch.cuda.amp")
_OPEN_STANDARD_CLASSES = {
    types.SimpleNamespace, argparse.Namespace, collections.UserDict, collections.UserList, collections.ChainMap,
    weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet,
}  # fmt: skip


@functools.lru_cache(maxsize=8192)
def _is_entered(kind: type) -> bool:
    """Whether attributes of an object of this class are visited."""
    if issubclass(kind, torch.nn.Module) or kind in _OPEN_STANDARD_CLASSES:
        return True
    if issubclass(kind, (types.ModuleType, enum.Enum, torch.utils.data.Dataset, torch.utils.data.DataLoader, BaseException)):
        return False
    name = str(getattr(kind, "__module__", ""))
    if any(name == part or name.startswith(f"{part}.") for part in _OPEN_PARTS_OF_TORCH):
        return True
    return origin(name) != CLOSED


@functools.lru_cache(maxsize=8192)
def _names_in(code: types.CodeType) -> frozenset[str]:
    inner = (_names_in(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return frozenset(code.co_names).union(*inner)


def _is_own(thing: Any) -> bool:
    """Whether it is a function or class of the user's own code."""
    if isinstance(thing, types.FunctionType):
        return origin(str(thing.__globals__.get("__name__", ""))) == OWN
    return isinstance(thing, type) and origin(str(thing.__module__)) == OWN


def _methods(kind: type) -> tuple[types.FunctionType, ...]:
    """The user's functions that run when an object of the class is called: `forward`, and the methods that these name."""
    found: dict[str, Any] = {}
    names = ["__call__", "forward"]
    while names:
        name = names.pop()
        method = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        if name not in found and isinstance(method, types.FunctionType) and _is_own(method):
            found[name] = method
            names += _names_in(method.__code__)
    return tuple(found.values())


class Reach:
    """`places` can be restored. `tensors` are distinct rows (path, tensor); `foreign` are rows (path, tensor, whether it is a buffer) of
    tensors that belong to modules or could be trained, but aren't the model's. Paths are written from the user's view, beginning at the
    model, the loss (`loss`), the optimizer (`optimizer`) and so on; a function's variables look like attributes of it."""

    def __init__(self, model: torch.nn.Module, others: dict[str, Any]):
        self.places: list[Place] = []
        self.tensors: list[tuple[str, torch.Tensor]] = []
        self._buffers: set[int] = set()
        self._seen: dict[int, Any] = {}  # held, so that identities stay valid
        self._waiting: collections.deque[tuple[str, Any]] = collections.deque()
        self._own = {id(t) for t in (*model.parameters(), *model.buffers())}
        for path, module in model.named_modules():  # first, so that no limit excludes them
            self._see_module(path, vars(module))
        self._walk("", model)
        self._of_model = len(self.tensors)
        self.places.append(Table(others, of_object=True))
        for name, value in others.items():
            self._walk(name, value)
        for hooks in _hooks_of_all():
            self._walk("", hooks)
        self.foreign = list(self._foreign(model))
        self._gradients = [(t, _gradient_of(t)) for _, t in self.tensors if t.is_leaf]

    def is_plain(self, number: int) -> bool:
        """Whether a row of `tensors` is a module's attribute that is neither parameter, buffer nor an input of the step."""
        return number < self._of_model and id(self.tensors[number][1]) not in self._own

    def is_state(self, path: str, tensor: torch.Tensor) -> bool:
        """Whether training changes it: a parameter, a buffer, or optimizer state."""
        return id(tensor) in self._own or tensor.requires_grad or id(tensor) in self._buffers or path.startswith("optimizer")

    def exchange(self, swap: Callable[[torch.Tensor], torch.Tensor]) -> None:
        """Replaces all tensors that are reached."""
        change = functools.partial(_exchanged, swap=swap)
        for place in self.places:
            place.exchange(change)

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Afterwards, objects hold what they held when they were reached, in the same containers; so do gradients."""
        try:
            yield
        finally:
            with contextlib.ExitStack() as stack:  # all are restored, even if one can't be
                for place in self.places:
                    stack.callback(place.restore)
                for tensor, before in self._gradients:
                    stack.callback(_restore_gradient, tensor, before)

    def _foreign(self, model: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor, bool]]:
        names = {name for table in (model.named_parameters(), model.named_buffers()) for name, _ in table}
        for path, tensor in self.tensors:
            buffer = id(tensor) in self._buffers
            trained = isinstance(tensor, torch.nn.Parameter) or (tensor.is_leaf and tensor.requires_grad)
            if id(tensor) not in self._own and (buffer or trained):
                yield path if path not in names else f"{path} beside the model", tensor, buffer

    def _walk(self, path: str, root: Any) -> None:
        self._waiting.append((path, root))
        most = len(self._seen) + _MOST_THINGS
        while self._waiting and len(self._seen) < most:
            path, thing = self._waiting.popleft()
            if type(thing) in _ATOMS or id(thing) in self._seen:
                continue
            self._seen[id(thing)] = thing
            kind = type(thing)  # not isinstance(), which proxies answer for the object that they stand for
            if issubclass(kind, torch.Tensor):
                self._see_tensor(path, thing)
            elif issubclass(kind, (tuple, frozenset)):
                self._enter(path, _items(thing), len(thing))
            elif kind is types.MethodType:
                self._enter(path, [("", thing.__self__), ("", thing.__func__)], 2)
            else:
                self._see(path, thing)
        self._waiting.clear()

    def _enter(self, path: str, children: Iterable[Child], count: int) -> None:
        if count <= _MOST_ENTRIES or path.startswith("optimizer"):
            for name, value in children:
                if type(value) not in _ATOMS:
                    self._waiting.append((f"{path}{name}".lstrip("."), value))

    def _add(self, path: str, place: Place, always: bool = False) -> None:
        self.places.append(place)
        self._enter(path, place.children(), 0 if always else len(place))

    def _see_tensor(self, path: str, tensor: torch.Tensor) -> None:
        self.tensors.append((path, tensor))
        if isinstance(tensor, FakeTensor):
            return
        for hooks in (getattr(tensor, name, None) for name in _HOOKS):
            if hooks is not None:
                self._waiting.append((path, hooks))
        attributes = getattr(tensor, "__dict__", None)
        if attributes:
            self._add(path, Table(attributes, of_object=True))

    def _see(self, path: str, thing: Any) -> None:
        for place in containers_of(thing):
            self._add(path, place)
        if type(thing) is types.FunctionType and _is_own(thing):
            self._see_globals(path, thing)
        if issubclass(type(thing), type):
            if _is_own(thing) and not issubclass(thing, enum.Enum):
                self._add(path, ClassAttributes(thing))
            self._enter(path, (("", method) for method in _methods(thing)), 0)
            return
        if not _is_entered(type(thing)):
            return
        self._add(path, Class(thing))
        if slots_of(type(thing)):
            self._add(path, Slots(thing))
        if issubclass(type(thing), torch.jit.ScriptModule):
            self._add(path, Scripted(thing))
            self._enter(path, ((f".{name}", child) for name, child in thing.named_children()), 0)
        attributes = getattr(thing, "__dict__", None)
        if type(attributes) is dict:
            if issubclass(type(thing), torch.nn.Module):
                self._see_module(path, attributes)
            self._add(path, Table(attributes, of_object=True))

    def _see_module(self, path: str, attributes: dict[str, Any]) -> None:
        for name in _TABLES:
            table = attributes.get(name)
            if isinstance(table, dict) and id(table) not in self._seen:
                self._seen[id(table)] = table
                self._add(path, Table(table, of_object=True), always=True)
        self._buffers.update(id(tensor) for tensor in (attributes.get("_buffers") or {}).values() if tensor is not None)

    def _see_globals(self, path: str, function: types.FunctionType) -> None:
        table = function.__globals__
        names = [name for name in _names_in(function.__code__) if name in table and _may_change(table[name], table)]
        if names:
            self._add(path, Globals(table, sorted(names)))


def _may_change(value: Any, table: dict[str, Any]) -> bool:
    """Whether a module-level variable that a function of the same Python module names can be more than a name for code."""
    if issubclass(type(value), types.ModuleType):
        return False
    if issubclass(type(value), type):
        return _is_own(value)
    return value.__globals__ is table if type(value) is types.FunctionType else True


def _items(thing: Any) -> Iterator[Child]:
    names = getattr(type(thing), "_fields", None)
    for number, value in enumerate(thing):
        yield f".{names[number]}" if names else f"[{number}]", value


def _exchanged(value: Any, swap: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Exchanges tensors, also those in tuples; everything else is changed in its own place."""
    if issubclass(type(value), torch.Tensor):
        return swap(value)
    if not issubclass(type(value), tuple) or type(value) is torch.Size:
        return value
    items = [_exchanged(item, swap) for item in value]
    if all(a is b for a, b in zip(items, value)):
        return value
    try:
        made = tuple.__new__(type(value), items)
    except TypeError:  # those that are made in C
        return type(value)(items)
    vars(made).update(vars(value)) if hasattr(made, "__dict__") else None
    return made


def _gradient_of(tensor: torch.Tensor) -> dict[str, Any]:
    return {name: getattr(tensor, name, None) for name in ("requires_grad", "grad", *_HOOKS)}


def _restore_gradient(tensor: torch.Tensor, before: dict[str, Any]) -> None:
    if not tensor.is_leaf:
        (tensor._base if tensor._is_view() else tensor).detach_()
    for name, value in before.items() if tensor.is_leaf else ():  # a view of what was written stays a part of its graph
        if getattr(tensor, name, None) is not value:
            setattr(tensor, name, value)


def _hooks_of_all() -> Iterator[dict]:
    """Hooks on all modules and all optimizers; private, and if missing there are none to restore."""
    for module, prefix in (("torch.nn.modules.module", "_global_"), ("torch.optim.optimizer", "_global_optimizer_")):
        for name, value in list(vars(sys.modules[module]).items()):
            if name.startswith(prefix) and isinstance(value, dict):
                yield value
