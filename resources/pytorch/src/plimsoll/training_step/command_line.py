# SPDX-License-Identifier: Apache-2.0
"""Shared by the commands: the user's MODULE:FUNCTION that returns a step, exit codes, and error messages."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
import traceback
from typing import Any, Callable

from ..common.graph_rows import TraceError
from ..common.source_lines import line_of, shown_path
from ..isolation.fakes import building

_ORDER = ("model", "args", "kwargs", "loss", "optimizer")
USAGE, FAILED = 2, 3  # exit codes, those of plimsoll-cli


def add_arguments(parser: argparse.ArgumentParser, sentence: str) -> None:
    """The arguments of every command that takes a step; `sentence` describes the function's purpose."""
    parser.add_argument("what", metavar="MODULE:FUNCTION", help=f"function without arguments that returns {sentence}")
    parser.add_argument("--traceback", action="store_true", help="show where in your code an error came from")


def made_by(what: str, keys: tuple[str, ...], *, fake: bool = False) -> dict[str, Any]:
    """What MODULE:FUNCTION returns, as a dict with no keys other than `keys`. `fake`: tensors made by it have no data.

    Raises LookupError with a sentence if the function doesn't exist and TraceError if it returns something else.
    """
    function = _function(what)
    with building() if fake else contextlib.nullcontext():
        made = function()
    if isinstance(made, (list, tuple)) and len(made) <= len(_ORDER):
        made = dict(zip(_ORDER, made))
    if not isinstance(made, dict) or "model" not in made:
        found = "a dict without 'model'" if isinstance(made, dict) else f"a {type(made).__name__}"
        raise TraceError(f"{what} must return the arguments of trace() as a dict ({{'model': ..., 'args': ...}}), but returned {found}")
    unknown = [str(key) for key in made if key not in keys]
    if unknown:
        raise TraceError(f"{what} returned '{unknown[0]}', which is no argument here; those are {', '.join(keys)}")
    return dict(made)


def _function(what: str) -> Callable[[], Any]:
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


def run(options: argparse.Namespace, parser: argparse.ArgumentParser, command: Callable[[argparse.Namespace], Any]) -> int:
    """Runs a command and prints its result. Returns the exit code; every error is one sentence on standard error."""
    module_name, _, function_name = options.what.partition(":")
    if not module_name or not function_name or ":" in function_name or module_name.startswith("."):
        parser.error(f"expected MODULE:FUNCTION, as in my_module:my_function, not {options.what!r}")
    sys.path.insert(0, os.getcwd())
    try:
        print(command(options))
    except LookupError as error:
        if type(error) is not LookupError or options.traceback:
            return _refused(error, options)
        print(f"plimsoll: {error}.", file=sys.stderr)
        return USAGE
    except Exception as error:
        return _refused(error, options)
    return 0


def _sentence(error: BaseException) -> str:
    """An exception in the user's code, on one line."""
    text = " ".join(str(error).split())
    where = line_of(error)
    if isinstance(error, SyntaxError) and error.filename:
        where, text = f"{shown_path(error.filename)}:{error.lineno}", error.msg
    kind = type(error).__name__
    return f"{where + ': ' if where else ''}{kind}{': ' + text if text else ''}"


def _refused(error: Exception, options: argparse.Namespace) -> int:
    if options.traceback:
        traceback.print_exception(error)
    sentence = str(error) if isinstance(error, TraceError) else _sentence(error)
    print(f"plimsoll: {sentence.rstrip('.')}.", file=sys.stderr)
    return FAILED
