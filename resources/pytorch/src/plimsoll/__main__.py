# SPDX-License-Identifier: Apache-2.0
"""`python -m plimsoll COMMAND …`: everything the package does from a shell."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Optional

from plimsoll.training_step import command_line
from plimsoll.version import VERSION

# Modules with SENTENCE, add_arguments() and command().
_COMMANDS = {"trace": "plimsoll.trace", "measure": "plimsoll.measure.command"}


def main(argv: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m plimsoll", description="Plimsoll for PyTorch: records training steps and applies plans to models.",
        epilog="Plans are applied in your script: plimsoll.apply(model, 'plan.json'). They are made by the app and by plimsoll-cli.",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"plimsoll {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    modules = {}
    for name, path in _COMMANDS.items():
        modules[name] = module = importlib.import_module(path)
        module.add_arguments(commands.add_parser(name, help=module.SENTENCE, description=module.SENTENCE))
    options = parser.parse_args(argv)
    return command_line.run(options, parser, modules[options.command].command)


if __name__ == "__main__":
    sys.exit(main())
