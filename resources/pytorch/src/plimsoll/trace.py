# SPDX-License-Identifier: Apache-2.0
"""`python -m plimsoll.trace module:function`: the function returns trace()'s arguments as a dict (or as a tuple)."""

from __future__ import annotations

import argparse
import sys
import types
from typing import Any, Optional

from plimsoll.record.tracing import trace
from plimsoll.training_step import command_line

SENTENCE = "Record a training step as a graph file."
_KEYS = ("model", "args", "kwargs", "loss", "targets", "optimizer", "mode", "target", "name", "out", "vary", "vary_dims", "micro_steps", "autocast", "assume", "values", "keep_output")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    command_line.add_arguments(parser, "what to trace")
    parser.add_argument("-o", "--out", help="file to write (default: NAME.plimsoll.json.gz)")
    parser.add_argument("--target", choices=("cuda", "cpu"), help="whose kernels to record")
    parser.add_argument("--mode", choices=("train", "inference"))
    parser.add_argument("--name", help="name of the model in the file")
    parser.add_argument("--without-memory", action="store_true", help="call the function with fake tensors: models of any size")
    parser.add_argument("--quiet", action="store_true", help="show no progress (it is shown on a terminal only)")


def command(options: argparse.Namespace) -> Any:
    """Returns the path of the graph file."""
    arguments = command_line.made_by(options.what, _KEYS, fake=options.without_memory)
    arguments |= {k: v for k in ("out", "target", "mode", "name") if (v := getattr(options, k)) is not None}
    model, args = arguments.pop("model"), arguments.pop("args", ())
    return trace(model, args, arguments.pop("kwargs", None), progress=False if options.quiet else None, **arguments)


def main(argv: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m plimsoll.trace", description=SENTENCE)
    add_arguments(parser)
    return command_line.run(parser.parse_args(argv), parser, command)


class _Callable(types.ModuleType):
    """`import plimsoll.trace` must not hide the function of the same name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return trace(*args, **kwargs)


if __name__ != "__main__":
    sys.modules[__name__].__class__ = _Callable
else:
    sys.exit(main())
