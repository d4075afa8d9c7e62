# SPDX-License-Identifier: Apache-2.0
"""Finds and runs plimsoll-cli."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

NO_PLAN, USAGE = 4, 2  # exit statuses, part of the command's interface
_VARIABLE = "PLIMSOLL_CLI"
_BUNDLED = Path(__file__).parents[1] / "bin"  # in platform wheels, with the libraries that it links


class NoPlan(RuntimeError):
    """No plan keeps within the budget; the message says by how much the budget is too small, as far as it is known."""


def executable() -> str:
    """The command: what PLIMSOLL_CLI names, else what this package brings along, else what the search path holds."""
    named = os.environ.get(_VARIABLE)
    if named and not Path(named).is_file():
        raise FileNotFoundError(f"{_VARIABLE} names {named}, which is no file: let it name plimsoll-cli.")
    bundled = _BUNDLED / "plimsoll-cli"
    found = named or (str(bundled) if bundled.is_file() else shutil.which("plimsoll-cli"))
    if found is None:
        raise FileNotFoundError(
            "plimsoll-cli, which makes the plans, was not found: the wheel for x86-64 Linux brings it along. For others build it with "
            f"packaging/run --build-only, and put it on PATH or let {_VARIABLE} name it."
        )
    return found


def _environment(program: str) -> dict[str, str]:
    """A bundled command loads its libraries from its own folder."""
    if Path(program).parent != _BUNDLED:
        return dict(os.environ)
    return os.environ | {"LD_LIBRARY_PATH": str(_BUNDLED)}


def _words(name: str, value: Any) -> list[str]:
    """An option and its value as the command reads them; a list repeats the option, None leaves it out."""
    if value is None:
        return []
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [word for one in value for word in _words(name, one)]
    if isinstance(value, Mapping):
        raise TypeError(f"{name}={value!r} must be a text, a number, True or False, or a list of these, not a {type(value).__name__}.")
    text = {True: "on", False: "off"}[value] if isinstance(value, bool) else os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    return [f"--{name.replace('_', '-')}={text}"]


def run(verb: str, file: Path, options: Mapping[str, Any], variables: Mapping[str, str]) -> str:
    """Standard output of `plimsoll-cli verb file --option=value …`, with these `variables` in its environment.

    Raises NoPlan, or ValueError for options that the command refuses, or RuntimeError; each with the command's own sentence.
    """
    words = [word for name, value in options.items() for word in _words(name, value)]
    program = executable()
    environment = {**_environment(program), **variables}
    done = subprocess.run([program, verb, str(file), *words, "--json"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.strip() or f"plimsoll-cli ended with status {done.returncode}."
    raise {NO_PLAN: NoPlan, USAGE: ValueError}.get(done.returncode, RuntimeError)(said)
