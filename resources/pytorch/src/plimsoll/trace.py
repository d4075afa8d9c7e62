# SPDX-License-Identifier: Apache-2.0
"""`python -m plimsoll.trace module:function`: the function returns trace()'s arguments as a dict (or as a tuple)."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
import traceback
import types
from typing import Any, Callable, Optional

from plimsoll.fakes import building
from plimsoll.kinds import TraceError
from plimsoll.sources import line_of, shown_path
from plimsoll.tracing import trace

_ORDER = ("model", "args", "kwargs", "loss", "optimizer")
_KEYS = (*_ORDER, "mode", "target", "name", "out")
_USAGE, _FAILED = 2, 3  # exit codes, those of plimsoll-cli


def _arguments(made: Any, what: str) -> dict[str, Any]:
    if isinstance(made, (list, tuple)) and len(made) <= len(_ORDER):
        made = dict(zip(_ORDER, made))
    if not isinstance(made, dict) or "model" not in made:
        found = "a dict without 'model'" if isinstance(made, dict) else f"a {type(made).__name__}"
        raise TraceError(f"{what} must return the arguments of trace() as a dict ({{'model': ..., 'args': ...}}), but returned {found}")
    unknown = [str(key) for key in made if key not in _KEYS]
    if unknown:
        raise TraceError(f"{what} returned '{unknown[0]}', which is no argument of trace(); those are {', '.join(_KEYS)}")
    return dict(made)


def _function(what: str) -> Callable[[], Any]:
    """Raises LookupError with a sentence when there is no such function."""
    module_name, _, name = what.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise LookupError(f"there is no module {module_name} here or on the import path") from error
    function = getattr(module, name, None)
    if function is None:
        raise LookupError(f"{module_name} has no function {name}")
    if not callable(function):
        raise LookupError(f"{what} is no function, but a {type(function).__name__}")
    return function


def _sentence(error: BaseException) -> str:
    """What happened in the user's code, on one line."""
    text = " ".join(str(error).split())
    where = line_of(error)
    if isinstance(error, SyntaxError) and error.filename:
        where, text = f"{shown_path(error.filename)}:{error.lineno}", error.msg
    kind = type(error).__name__
    return f"{where + ': ' if where else ''}{kind}{': ' + text if text else ''}"


def main(argv: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m plimsoll.trace", description="Record a training step as a graph file.")
    parser.add_argument("what", metavar="MODULE:FUNCTION", help="function without arguments that returns what to trace")
    parser.add_argument("-o", "--out", help="file to write (default: NAME.plimsoll.json.gz)")
    parser.add_argument("--target", choices=("cuda", "cpu"), help="whose kernels to record")
    parser.add_argument("--mode", choices=("train", "inference"))
    parser.add_argument("--name", help="name of the model in the file")
    parser.add_argument("--without-memory", action="store_true", help="call the function with fake tensors: models of any size")
    parser.add_argument("--traceback", action="store_true", help="show where in your code an error came from")
    options = parser.parse_args(argv)
    module_name, _, function_name = options.what.partition(":")
    if not module_name or not function_name or ":" in function_name or module_name.startswith("."):
        parser.error(f"expected MODULE:FUNCTION, as in my_module:my_function, not {options.what!r}")
    sys.path.insert(0, os.getcwd())
    try:
        print(_trace(options))
    except LookupError as error:
        if type(error) is not LookupError or options.traceback:
            return _refused(error, options)
        print(f"plimsoll: {error}.", file=sys.stderr)
        return _USAGE
    except Exception as error:
        return _refused(error, options)
    return 0


def _trace(options: argparse.Namespace) -> Any:
    function = _function(options.what)
    with building() if options.without_memory else contextlib.nullcontext():
        arguments = _arguments(function(), options.what)
    arguments |= {k: v for k in ("out", "target", "mode", "name") if (v := getattr(options, k)) is not None}
    model, args = arguments.pop("model"), arguments.pop("args", ())
    return trace(model, args, arguments.pop("kwargs", None), **arguments)


def _refused(error: Exception, options: argparse.Namespace) -> int:
    if options.traceback:
        traceback.print_exception(error)
    sentence = str(error) if isinstance(error, TraceError) else _sentence(error)
    print(f"plimsoll: {sentence.rstrip('.')}.", file=sys.stderr)
    return _FAILED


class _Callable(types.ModuleType):
    """`import plimsoll.trace` must not hide the function of the same name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return trace(*args, **kwargs)


if __name__ != "__main__":
    sys.modules[__name__].__class__ = _Callable
else:
    sys.exit(main())
