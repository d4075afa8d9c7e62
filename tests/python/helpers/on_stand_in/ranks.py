# SPDX-License-Identifier: Apache-2.0
"""Runs a module as two processes that train together: `-m helpers.on_stand_in.ranks MODULE ARGUMENTS`. Each is a fork of this one and gets its
rank before the arguments. Prints what they print on their last lines, as one list."""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import tempfile
from typing import IO

from helpers.on_stand_in.server import leave

SECONDS = 600


def start(rank: int, module: str, arguments: list[str], out: IO[str]) -> int:
    """The process's number."""
    child = os.fork()
    if child:
        return child
    with leave():
        signal.alarm(SECONDS)  # a fork has none
        os.dup2(out.fileno(), 1)
        sys.argv = ["-m", str(rank), *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)


def main() -> None:
    module, *arguments = sys.argv[1:]
    outs = [tempfile.TemporaryFile("w+") for _ in range(2)]
    children = [start(rank, module, arguments, out) for rank, out in enumerate(outs)]
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert statuses == [0, 0], statuses
    found = []
    for out in outs:
        out.seek(0)
        found.append(json.loads(out.read().splitlines()[-1]))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
