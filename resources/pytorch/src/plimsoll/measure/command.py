# SPDX-License-Identifier: Apache-2.0
"""`python -m plimsoll measure module:function`: the function returns measure()'s arguments as a dict (or as a tuple)."""

from __future__ import annotations

import argparse
from typing import Any

from plimsoll.measure.measure import measure
from plimsoll.training_step import command_line

SENTENCE = "Measure memory and time of real training steps, with and without a plan."
_KEYS = ("model", "args", "kwargs", "loss", "targets", "optimizer", "mode", "name", "plan", "steps", "graph", "out", "autocast", "times", "keep_output")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    command_line.add_arguments(parser, "what to measure")
    parser.add_argument("--plan", help="plan file to measure with, too (plimsoll-cli plan --export)")
    parser.add_argument("--graph", help="graph file of this step that gets the scratch memory of its ops and, unless with --no-times, their times")
    parser.add_argument("-o", "--out", help="file to write (default: NAME.measurement.json)")
    parser.add_argument("--steps", type=int, help="steps whose median time counts (default: 5)")
    parser.add_argument("--no-times", dest="times", action="store_false", default=None, help="measure bytes only")
    parser.add_argument("--name", help="name of the model in the file")
    parser.add_argument("--quiet", action="store_true", help="show no progress (it is shown on a terminal only)")


def command(options: argparse.Namespace) -> Any:
    """Returns the path of the measurement file."""
    arguments = command_line.made_by(options.what, _KEYS)
    arguments |= {k: v for k in ("plan", "graph", "out", "steps", "name", "times") if (v := getattr(options, k)) is not None}
    model, plan = arguments.pop("model"), arguments.pop("plan", None)
    return measure(model, plan, arguments.pop("args", ()), arguments.pop("kwargs", None), **arguments, progress=False if options.quiet else None)
