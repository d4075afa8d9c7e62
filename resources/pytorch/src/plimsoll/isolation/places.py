# SPDX-License-Identifier: Apache-2.0
"""Things that can be changed in place, each with its original content: read, temporarily exchanged, and restored.

Every kind restores the very same objects in the very same thing, bypassing methods that a subclass overrides.
"""

from __future__ import annotations

import array
import collections
import functools
import random
import sys
import types
from typing import Any, Callable, Iterable, Iterator, Optional

import torch

_MOST_ARRAY = 1 << 20  # bytes of a numpy array that are copied
_SEQUENCES = (list, collections.deque, bytearray, array.array)
_GONE = object()  # in a slot or cell that holds nothing

Child = tuple[str, Any]  # how its holder names it, and the value


def _same(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b))


class Place:
    """A `thing` and its values when the place was created. Subclasses define how to read and write them."""

    def __init__(self, thing: Any):
        self.thing = thing
        self.before = self.read()

    def read(self) -> list[Any]:
        raise NotImplementedError

    def write(self, values: list[Any]) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.before)

    def children(self) -> Iterable[Child]:
        return ((f"[{number}]", value) for number, value in enumerate(self.before))

    def exchange(self, swap: Callable[[Any], Any]) -> None:
        """Replaces each value by the result of `swap`."""
        values = [swap(value) for value in self.before]
        if not _same(values, self.before):
            self.write(values)

    def restore(self) -> None:
        if not _same(self.read(), self.before):
            self.write(self.before)


class Table(Place):
    """A dict of any kind; `before` alternates keys and values. An object's attributes are one, whose names are shown without brackets."""

    def __init__(self, thing: dict, of_object: bool = False):
        self._kind: Any = collections.OrderedDict if isinstance(thing, collections.OrderedDict) else dict
        self._of_object = of_object
        super().__init__(thing)

    def read(self) -> list[Any]:
        return [part for item in self._kind.items(self.thing) for part in item]

    def write(self, values: list[Any]) -> None:
        self._kind.clear(self.thing)
        self._kind.update(self.thing, zip(values[::2], values[1::2]))

    def __len__(self) -> int:
        return len(self.before) // 2

    def children(self) -> Iterator[Child]:
        for key, value in zip(self.before[::2], self.before[1::2]):
            if not isinstance(key, str):
                yield "", key
            plain = isinstance(key, (str, int, float))
            yield f".{key}" if self._of_object else f"[{key!r}]" if plain else "[...]", value


class Globals(Place):
    """Module-level variables of some names."""

    def __init__(self, thing: dict[str, Any], names: list[str]):
        self._names = names
        super().__init__(thing)

    def read(self) -> list[Any]:
        return [self.thing.get(name, _GONE) for name in self._names]

    def write(self, values: list[Any]) -> None:
        for name, now, value in zip(self._names, self.read(), values):
            if value is not _GONE:
                self.thing[name] = value
            elif now is not _GONE:
                del self.thing[name]

    def children(self) -> Iterator[Child]:
        return ((f".{name}", value) for name, value in zip(self._names, self.before) if value is not _GONE)


class Sequence(Place):
    """A list, or another sequence of type `kind`."""

    def __init__(self, thing: Any, kind: Any = list):
        self._kind = kind
        super().__init__(thing)

    def read(self) -> list[Any]:
        return list(self._kind.__iter__(self.thing))

    def write(self, values: list[Any]) -> None:
        if self._kind is collections.deque:
            collections.deque.clear(self.thing)
        else:
            self._kind.__delitem__(self.thing, slice(None))
        self._kind.extend(self.thing, values)


class Set(Place):
    def read(self) -> list[Any]:
        return list(set.__iter__(self.thing))

    def write(self, values: list[Any]) -> None:
        set.clear(self.thing)
        set.update(self.thing, values)

    def restore(self) -> None:
        if len(self.before) != set.__len__(self.thing) or {*map(id, self.before)} != {*map(id, self.read())}:
            self.write(self.before)


class Slots(Place):
    """The attributes of an object whose class has `__slots__`."""

    def __init__(self, thing: Any):
        self._slots = slots_of(type(thing))
        super().__init__(thing)

    def read(self) -> list[Any]:
        values = []
        for slot in self._slots:
            try:
                values.append(slot.__get__(self.thing))
            except AttributeError:
                values.append(_GONE)
        return values

    def write(self, values: list[Any]) -> None:
        for slot, now, value in zip(self._slots, self.read(), values):
            if value is not _GONE:
                slot.__set__(self.thing, value)
            elif now is not _GONE:
                slot.__delete__(self.thing)

    def children(self) -> Iterator[Child]:
        return ((f".{slot.__name__}", value) for slot, value in zip(self._slots, self.before) if value is not _GONE)


@functools.lru_cache(maxsize=None)
def slots_of(kind: type) -> tuple[Any, ...]:
    """Descriptors of the slots that classes written in Python have."""
    members = (member for base in kind.__mro__ if "__slots__" in vars(base) for member in vars(base).values())
    return tuple(member for member in members if isinstance(member, types.MemberDescriptorType))


class Function(Place):
    """A function's state: its defaults and closure variables."""

    def read(self) -> list[Any]:
        function = self.thing
        return [function.__defaults__, function.__kwdefaults__, *map(_content, function.__closure__ or ())]

    def write(self, values: list[Any]) -> None:
        self.thing.__defaults__, self.thing.__kwdefaults__, *contents = values
        for cell, value in zip(self.thing.__closure__ or (), contents):
            if value is not _GONE:
                cell.cell_contents = value
            elif _content(cell) is not _GONE:
                del cell.cell_contents

    def children(self) -> Iterator[Child]:
        names = (f".{name}" for name in self.thing.__code__.co_freevars)
        return ((name, value) for name, value in zip(("", "", *names), self.before) if value is not _GONE)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _GONE


class Partial(Place):
    """The positional arguments of a functools.partial; its keywords are a dict of their own."""

    def read(self) -> list[Any]:
        return [self.thing.func, self.thing.args, self.thing.keywords]

    def write(self, values: list[Any]) -> None:
        self.thing.__setstate__((*values, vars(self.thing)))

    def children(self) -> Iterator[Child]:
        return zip(("", ".args", ""), self.before)


class Class(Place):
    """The class of an object."""

    def read(self) -> list[Any]:
        return [type(self.thing)]

    def write(self, values: list[Any]) -> None:
        object.__setattr__(self.thing, "__class__", values[0])

    def children(self) -> Iterator[Child]:
        return (("", kind) for kind in self.before)


class ClassAttributes(Place):
    """The attributes of a class written in Python; its methods are restored, but not searched."""

    def __init__(self, thing: type):
        self._names = [name for name in vars(thing) if name not in ("__dict__", "__weakref__")]
        super().__init__(thing)

    def read(self) -> list[Any]:
        return [vars(self.thing).get(name, _GONE) for name in self._names]

    def write(self, values: list[Any]) -> None:
        for name, now, value in zip(self._names, self.read(), values):
            if value is not now:
                type.__setattr__(self.thing, name, value)

    def restore(self) -> None:
        super().restore()
        for name in [name for name in vars(self.thing) if name not in self._names and not name.startswith("__")]:
            type.__delattr__(self.thing, name)

    def children(self) -> Iterator[Child]:
        methods = (types.FunctionType, staticmethod, classmethod, property, types.MemberDescriptorType)
        return ((f".{name}", value) for name, value in zip(self._names, self.before) if not isinstance(value, methods))


class Scripted(Place):
    """The parameters and buffers of a module of TorchScript."""

    def read(self) -> list[Any]:
        return [tensor for table in self._tables() for _, tensor in table.items()]

    def write(self, values: list[Any]) -> None:
        rest = iter(values)
        for table in self._tables():
            for name in [name for name, _ in table.items()]:
                table[name] = next(rest)

    def children(self) -> Iterator[Child]:
        return ((f".{name}", tensor) for table in self._tables() for name, tensor in table.items())

    def _tables(self) -> tuple[Any, Any]:
        return self.thing._parameters, self.thing._buffers


class Opaque(Place):
    """A thing whose state is a single value that can be read and set: a random number generator, or a numpy array."""

    def __init__(self, thing: Any, get: Callable[[], Any], put: Callable[[Any], Any]):
        self._get, self._put = get, put
        super().__init__(thing)

    def read(self) -> list[Any]:
        return [self._get()]

    def write(self, values: list[Any]) -> None:
        self._put(values[0])

    def children(self) -> Iterator[Child]:
        return iter(())

    def exchange(self, swap: Callable[[Any], Any]) -> None:
        """It holds no tensors."""


def _of_numpy(thing: Any) -> Optional[Place]:
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        return None
    if issubclass(type(thing), numpy.ndarray):
        if not thing.flags.writeable or thing.nbytes > _MOST_ARRAY or issubclass(type(thing), numpy.memmap):
            return None
        return Opaque(thing, thing.copy, lambda value: numpy.copyto(thing, value))
    return None


def generator_of(thing: Any) -> Optional[Place]:
    """For a random number generator of Python or numpy; None for anything else."""
    if issubclass(type(thing), random.Random):
        return Opaque(thing, thing.getstate, thing.setstate)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and issubclass(type(thing), numpy.random.RandomState):
        return Opaque(thing, thing.get_state, thing.set_state)
    if numpy is not None and issubclass(type(thing), numpy.random.Generator):
        bits = thing.bit_generator
        return Opaque(thing, lambda: bits.state, lambda state: setattr(bits, "state", state))
    return None


def containers_of(thing: Any) -> list[Place]:
    """The places of things of known kinds, without attributes of objects."""
    if issubclass(type(thing), dict):
        return [Table(thing)]
    for kind in _SEQUENCES:
        if issubclass(type(thing), kind):
            return [Sequence(thing, kind)]
    if issubclass(type(thing), set):
        return [Set(thing)]
    if issubclass(type(thing), types.FunctionType):
        return [Function(thing)]
    if issubclass(type(thing), functools.partial):
        return [Partial(thing)]
    if issubclass(type(thing), torch.Generator):
        return [Opaque(thing, thing.get_state, thing.set_state)]
    known = generator_of(thing) or _of_numpy(thing)
    return [] if known is None else [known]
