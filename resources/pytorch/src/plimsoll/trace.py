# SPDX-License-Identifier: Apache-2.0
"""`python -m plimsoll.trace module:function`: the function returns trace()'s arguments as a dict (or as a tuple)."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
import types
from typing import Any, Optional

from plimsoll.fakes import building
from plimsoll.kinds import TraceError
from plimsoll.tracing import trace

_ORDER = ("model", "args", "kwargs", "loss", "optimizer")


def _arguments(made: Any) -> dict[str, Any]:
    return dict(made) if isinstance(made, dict) else dict(zip(_ORDER, made))


def main(argv: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m plimsoll.trace", description="Record a training step as a graph file.")
    parser.add_argument("what", metavar="MODULE:FUNCTION", help="function without arguments that returns what to trace")
    parser.add_argument("-o", "--out", help="file to write (default: NAME.plimsoll.json.gz)")
    parser.add_argument("--target", choices=("cuda", "cpu"), help="whose kernels to record")
    parser.add_argument("--mode", choices=("train", "inference"))
    parser.add_argument("--name", help="name of the model in the file")
    parser.add_argument("--without-memory", action="store_true", help="call the function with fake tensors: models of any size")
    options = parser.parse_args(argv)
    module_name, _, function_name = options.what.partition(":")
    if not function_name:
        parser.error("expected MODULE:FUNCTION")
    sys.path.insert(0, os.getcwd())
    try:
        function = getattr(importlib.import_module(module_name), function_name)
        with building() if options.without_memory else contextlib.nullcontext():
            arguments = _arguments(function())
        arguments |= {k: v for k in ("out", "target", "mode", "name") if (v := getattr(options, k)) is not None}
        model, args = arguments.pop("model"), arguments.pop("args", ())
        print(trace(model, args, arguments.pop("kwargs", None), **arguments))
    except (ImportError, AttributeError, TraceError) as error:
        print(f"plimsoll: {error}", file=sys.stderr)
        return 1
    return 0


class _Callable(types.ModuleType):
    """`import plimsoll.trace` must not hide the function of the same name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return trace(*args, **kwargs)


if __name__ != "__main__":
    sys.modules[__name__].__class__ = _Callable
else:
    sys.exit(main())
