# SPDX-License-Identifier: Apache-2.0
"""Detects changes in what Python code can query of a model and a loss function, apart from tensors' data.

A close look takes milliseconds, so it is only taken when something changed. Every step just checks whether everything seen still holds
the very same objects, in loops that run in C.
"""

from __future__ import annotations

import collections
import functools
import types
import weakref
from itertools import chain
from operator import attrgetter, is_, itemgetter, methodcaller
from typing import Any, Callable, Hashable, Iterable, Iterator, Optional

import torch
from torch.nn.utils.prune import BasePruningMethod
from torch.nn.utils.spectral_norm import SpectralNorm
from torch.nn.utils.weight_norm import WeightNorm

from ..common.arguments import PLAIN, is_numpy_number
from ..common.tensors import geometry
from .libraries import CLOSED, origin
from .places import Place, generator_of

_LARGEST = 1000  # entries of a container that are visited
_MOST = 50_000  # entries altogether, the nearest ones first
_LISTS = (list, collections.deque)
_SETS = (set, frozenset)
_TABLES = ("_modules", "_parameters", "_buffers")  # whose entries are attributes of a module
_NOTHING = object()
_exact = (dict, collections.OrderedDict, *_LISTS, set)


class Key:
    """Equal for what is equal in every respect watched; hashed once."""

    __slots__ = ("rows", "_hash")

    def __init__(self, rows: tuple):
        self.rows = rows
        self._hash = hash(tuple(entries for _, entries in rows))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Key) and self._hash == other._hash and self._content() == other._content())

    def _content(self) -> list:
        return [entries for _, entries in self.rows]

    def difference(self, other: "Key") -> Optional[str]:
        """The name of the first attribute that differs; None if all are equal."""
        for (name, mine), (_, its) in zip(self.rows, other.rows):
            if mine == its:
                continue
            for (at, a), (where, b) in zip(mine[1:], its[1:]):
                if at != where or a != b:
                    return _joined(name, at)
            longer = mine if len(mine) > len(its) else its
            return _joined(name, longer[min(len(mine), len(its))][0]) if len(mine) != len(its) else name
        return None if len(self.rows) == len(other.rows) else "an object"


def _joined(name: str, key: Any) -> str:
    kind, at = key if isinstance(key, tuple) and len(key) == 2 else ("", "")
    return f"{name}.{at}".lstrip(".") if kind == "." else f"{name}[{at!r}]" if kind == "[" else str(at) if kind == "=" else name


class Watch:
    """Watches `roots` (pairs of name and object) and everything that they hold.

    Watched: attributes of modules (memory, geometry and hooks of tensors), attributes of other objects and of their classes; dicts,
    lists, tuples, sets and deques of up to 1000 entries (for larger ones the length), nested and cyclic; of functions the code, closure,
    defaults, bound and partial arguments, and the globals that they name, including attributes of modules; the same globals of `forward`
    and `__call__` and of the methods that these name, and for other methods those that are plain values. Plain values are compared by
    value; modules and whatever isn't visited, by identity. Not visited: classes, functions and objects of Python's library, torch and
    numpy (torch's modules are visited), arrays, and everything after the first 50,000 entries. `generators`: the random number
    generators of Python and numpy among these.

    `same_tensors`: replacing a tensor by another one of the same geometry counts as a change. `beside`: another watch, whose objects are
    left to it. `with_made`: also watches attributes that a hook of torch.nn.utils recomputes before each forward.
    """

    def __init__(
        self, roots: Iterable[tuple[str, Any]], same_tensors: bool = False, beside: Optional["Watch"] = None, with_made: bool = True
    ):
        self.tensors: dict[int, torch.Tensor] = {}  # by identity, all that were met
        self.held: list[Any] = []  # kept alive, since the key has their identity
        self.generators: list[Place] = []
        self._same_tensors = same_tensors
        self._with_made = with_made
        self._tables: list[dict] = []
        self._sequences: list[Any] = []
        self._classes: list[Any] = []
        self._sets: list[tuple[Any, Any]] = []
        self._large: list[Any] = []
        self._empty: list[Any] = []
        self._objects: list[Any] = []
        self._readers: list[tuple[Callable[[], Iterable], list]] = []
        self._queue: collections.deque = collections.deque()
        self._numbers: dict[int, int] = dict(beside._numbers) if beside is not None else {}
        self._inner: set[int] = set()  # dicts whose entries are attributes of the module that holds them
        self._globals: dict[tuple[int, str], None] = {}
        self._types_seen: set[type] = set()
        self._entries = 0
        self._rows: list[tuple[str, tuple]] = []
        for name, root in roots:
            self._row(name, (type(root), ((("=", name), self._token(root, name)),)))
        while self._queue:
            name, value = self._queue.popleft()
            if self._entries < _MOST:
                self._look(name, value)
        self.key = Key(tuple(self._rows))
        self._freeze()

    @property
    def tables(self) -> list[dict]:
        """The watched dicts, including those of attributes."""
        return self._tables

    # ---- in every step ----

    def _freeze(self) -> None:
        self._sized = [*self._tables, *self._sequences, *self._classes, *self._large]
        self._sizes = list(map(len, self._sized))
        self._keys = list(chain.from_iterable(self._tables))
        self._values = list(chain.from_iterable(map(dict.values, self._tables)))
        self._items = list(chain.from_iterable(self._sequences))
        self._members = list(chain.from_iterable(map(methodcaller("values"), self._classes)))
        self._types = list(map(type, self._objects))
        self._looks = list(map(_look_of, self.tensors.values()))

    def unchanged(self) -> bool:
        """Whether everything seen holds the very same objects."""
        try:
            return (
                not any(self._empty)
                and list(map(len, self._sized)) == self._sizes
                and all(map(is_, chain.from_iterable(self._tables), self._keys))
                and all(map(is_, chain.from_iterable(map(dict.values, self._tables)), self._values))
                and all(map(is_, chain.from_iterable(self._sequences), self._items))
                and all(map(is_, chain.from_iterable(map(methodcaller("values"), self._classes)), self._members))
                and all(map(is_, map(type, self._objects), self._types))
                and all(now == before for now, before in self._sets)
                and all(all(map(is_, read(), held)) for read, held in self._readers)
                and list(map(_look_of, self.tensors.values())) == self._looks
            )
        except (RuntimeError, KeyError, ValueError, AttributeError):  # a table grew during the check; a name or cell is gone
            return False

    # ---- looking closely ----

    def _row(self, name: str, content: tuple) -> None:
        self._rows.append((name, (content[0], *content[1])))

    def _token(self, value: Any, name: str) -> Hashable:
        """What stands for a value in the key; the contents of containers are visited later."""
        self._entries += 1
        kind = type(value)
        if isinstance(value, PLAIN):
            return (kind, repr(value) if isinstance(value, (float, complex)) else value)
        if isinstance(value, torch.Tensor):
            self.tensors.setdefault(id(value), value)
            number = id(value) if self._same_tensors else self._numbers.setdefault(id(value), len(self._numbers))
            return (number, *geometry(value))
        if isinstance(value, weakref.ReferenceType):  # recurrent layers create new ones for the fakes of their weights
            return kind
        if kind in _exact and not value:
            self._empty.append(value)
            return kind
        if is_numpy_number(value):
            return (kind, repr(value))
        if not _is_open(value):
            self.held.append(value)
            self.generators += filter(None, (generator_of(value),))
            return (kind, id(value))
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._numbers)
            self._queue.append((name, value))
            if isinstance(value, torch.nn.Module):
                self.held.append(value)
        return (id(value) if isinstance(value, torch.nn.Module) else number, kind)

    def _look(self, name: str, value: Any) -> None:
        if isinstance(value, (dict, *_LISTS, tuple, *_SETS)):
            self._look_at_container(name, value)
        if isinstance(value, types.FunctionType):
            self._look_at_function(name, value)
        elif isinstance(value, types.MethodType):
            self._add(name, [("=", f"{name}.__self__", value.__self__), ("=", name, value.__func__)])
        elif isinstance(value, functools.partial):
            keywords = [("=", key, item) for key, item in value.keywords.items()]
            self._tables.append(value.keywords)
            self._add(name, [("=", name, value.func), *(("[", i, item) for i, item in enumerate(value.args)), *keywords])
        elif isinstance(value, type):
            self._look_at_class(value)
        elif isinstance(value, types.ModuleType):
            pass  # compared by identity; attributes that code names are visited with the code
        elif type(value) not in (*_exact, tuple, frozenset):
            self._look_at_object(name, value)

    def _look_at_container(self, name: str, value: Any) -> None:
        if len(value) > _LARGEST:
            self._large.append(value)
            self._row(name, (type(value), ((("#", "length"), len(value)),)))
        elif isinstance(value, dict):
            self._table(name, value, "." if id(value) in self._inner else "[")
        elif isinstance(value, _SETS):
            self._sets.append((value, frozenset(value)))
            tokens = {item if isinstance(item, PLAIN) else self._token(item, name) for item in value}
            self._row(name, (type(value), ((("#", "entries"), frozenset(tokens)),)))
        else:
            if isinstance(value, _LISTS):
                self._sequences.append(value)
            self._add(name, [("[", i, item) for i, item in enumerate(value)], type(value))

    def _table(self, name: str, table: dict, kind: str, without: Iterable[str] = ()) -> None:
        self._tables.append(table)
        own = ((key, _own(item)) for key, item in table.items() if key not in without)
        items = [(key, item) for key, item in own if item is not _NOTHING]
        inner = {key for key, item in items if kind == "." and key in _TABLES and type(item) in (dict, collections.OrderedDict)}
        self._inner.update(id(item) for key, item in items if key in inner)
        self._add(name, [("=" if key in inner else kind, name if key in inner else key, item) for key, item in items], type(table))

    def _add(self, name: str, entries: list[tuple[str, Any, Any]], kind: Any = None) -> None:
        """Adds a row of named things. `entries`: how the key is joined to the name, the key, the thing."""
        row = []
        for how, key, item in entries:
            at = key if isinstance(key, PLAIN) else self._token(key, name)
            row.append(((how, at), self._token(item, _joined(name, (how, at)))))
        self._row(name, (kind, tuple(row)))

    def _look_at_object(self, name: str, value: Any) -> None:
        self._objects.append(value)
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict):
            self._table(name, attributes, ".", () if self._with_made else _made_by_hooks(value))
        slots = [slot for kind in type(value).__mro__ for slot in _slots_of(kind)]
        if slots:
            read = lambda: [getattr(value, slot, _NOTHING) for slot in slots]  # noqa: E731
            self._readers.append((read, read()))
            self._add(name, [(".", slot, item) for slot, item in zip(slots, read()) if item is not _NOTHING])
        for kind in type(value).__mro__:
            if origin(kind.__module__) != CLOSED:
                self._token(kind, kind.__name__)
        if type(value) not in self._types_seen:
            self._types_seen.add(type(value))
            for function in _methods_run(type(value)):
                self._named_globals(function, plain_only=False)

    def _look_at_class(self, kind: type) -> None:
        """Visits plain values and containers of a class, and the plain globals that its methods name."""
        self._classes.append(vars(kind))
        members = []
        for key, item in list(vars(kind).items()):
            if isinstance(item, types.FunctionType):
                self._named_globals(item, plain_only=True)
            if isinstance(item, (staticmethod, classmethod, types.FunctionType, property)) or key.startswith("__"):
                self.held.append(item)
                members.append(("#", key, id(item)))
            else:
                members.append((".", key, item))
        self._add(kind.__name__, members, kind)

    def _look_at_function(self, name: str, function: Any) -> None:
        code = function.__code__
        read = lambda: (function.__code__, function.__defaults__, function.__kwdefaults__)  # noqa: E731
        self._readers.append((read, list(read())))
        self._tables += [table for table in (function.__kwdefaults__, vars(function)) if table]
        entries: list[tuple[str, Any, Any]] = [("#", "code", id(code))]
        self.held.append(code)
        cells = [(at, cell) for at, cell in zip(code.co_freevars, function.__closure__ or ()) if _content(cell) is not _NOTHING]
        read_cells = functools.partial(map, attrgetter("cell_contents"), [cell for _, cell in cells])
        self._readers.append((read_cells, list(read_cells())))
        entries += [("=", at, cell.cell_contents) for at, cell in cells]
        positional = code.co_varnames[: code.co_argcount]
        entries += [("=", at, value) for at, value in zip(positional[::-1], (function.__defaults__ or ())[::-1])]
        entries += [("=", at, value) for at, value in (function.__kwdefaults__ or {}).items()]
        entries += [("=", at, value) for at, value in vars(function).items()]
        self._add(name, entries)
        self._named_globals(function, plain_only=False)

    def _named_globals(self, function: Any, plain_only: bool) -> None:
        """The globals that the code reads, and the attributes of modules that it reads by name."""
        names = dict.fromkeys(chain.from_iterable(code.co_names for code in _codes(function.__code__)))
        space = function.__globals__
        self._read_from(space, [at for at in names if at in space], plain_only)
        for module in [space[at] for at in names if isinstance(space.get(at), types.ModuleType)]:
            if origin(module.__name__) != CLOSED:
                self._read_from(vars(module), [at for at in names if at in vars(module)], plain_only)

    def _read_from(self, space: dict, names: list[str], plain_only: bool) -> None:
        chosen = []
        for at in names:
            if (id(space), at) not in self._globals and (not plain_only or isinstance(space[at], PLAIN)):
                self._globals[id(space), at] = None
                chosen.append(at)
        if chosen:
            read = functools.partial(itemgetter(*chosen, chosen[0]), space)  # two at least, so that it is a tuple
            self._readers.append((read, list(read())))
            self._add(space.get("__name__", ""), [("=", at, space[at]) for at in chosen])


def _look_of(tensor: torch.Tensor) -> tuple:
    """The properties of a tensor, apart from its data, that may change while the object stays the same."""
    if tensor.layout is not torch.strided or torch.nn.parameter.is_lazy(tensor):
        return geometry(tensor)
    return (
        tensor.untyped_storage()._cdata, tensor.shape, tensor.stride(), tensor.dtype, tensor.requires_grad,
        bool(tensor._backward_hooks), bool(getattr(tensor, "_post_accumulate_grad_hooks", None)),
    )  # fmt: skip


def _is_open(value: Any) -> bool:
    """Whether the contents of an object are visited."""
    kind = type(value)
    if isinstance(value, torch.nn.Module) and not isinstance(value, torch.jit.ScriptModule):
        return True
    if isinstance(value, (functools.partial, types.MethodType, types.SimpleNamespace)):
        return True
    if isinstance(value, (dict, *_LISTS, tuple, *_SETS)):
        return True
    if isinstance(value, types.FunctionType):
        return origin(value.__module__ or "") != CLOSED
    if isinstance(value, type):
        return origin(value.__module__) != CLOSED
    return kind.__qualname__ == "Namespace" and kind.__module__ == "argparse" or origin(kind.__module__) != CLOSED


def _slots_of(kind: type) -> Iterator[str]:
    slots = vars(kind).get("__slots__", ())
    for slot in (slots,) if isinstance(slots, str) else slots:
        if slot not in ("__dict__", "__weakref__"):
            yield f"_{kind.__name__.lstrip('_')}{slot}" if slot.startswith("__") and not slot.endswith("__") else slot


def _methods_run(kind: type) -> Iterator[Any]:
    """The functions of a class that run when its object is called, including those that these name."""
    names, seen = ["forward", "__call__"], set()
    while names:
        name = names.pop()
        if name in seen:
            continue
        seen.add(name)
        found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        found = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
        if isinstance(found, types.FunctionType) and origin(found.__module__ or "") != CLOSED:
            yield found
            names += chain.from_iterable(code.co_names for code in _codes(found.__code__))


def _made_by_hooks(thing: Any) -> list[str]:
    """Attributes of a module that are recomputed before each forward: by old spectral and weight norm, and by pruning."""
    hooks = getattr(thing, "_forward_pre_hooks", None) if isinstance(thing, torch.nn.Module) else None
    found = (hooks or {}).values()
    named = [hook.name for hook in found if isinstance(hook, (SpectralNorm, WeightNorm))]
    return named + [hook._tensor_name for hook in found if isinstance(hook, BasePruningMethod)]


def _own(attribute: Any) -> Any:
    """What a module holds where a trace has temporarily installed a function."""
    if not isinstance(attribute, types.FunctionType) or "instead_of" not in vars(attribute):
        return attribute
    return _NOTHING if attribute.instead_of is None else attribute.instead_of


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _NOTHING


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)
