# SPDX-License-Identifier: Apache-2.0
"""Two processes on this computer that train together."""

import os
import subprocess
import sys

from helpers import ROOT


# Python ends without waiting for the threads of autograd: one that then asks for the interpreter's lock is stopped inside of C++ code that
# can't be unwound, and the process aborts ("terminate called without an active exception"). So it is left at once when all is written.
LEAVE = "import os, sys; sys.stdout.flush(); sys.stderr.flush(); os._exit(0)"
_RUN_MODULE = f"import runpy, sys; del sys.argv[0]; runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True); {LEAVE}"


def module_command(name, *arguments):
    """Runs the module as `python -m name arguments` does, and leaves the process when it has ended."""
    return [sys.executable, "-c", _RUN_MODULE, name, *map(str, arguments)]


def two_processes(name, *arguments):
    """The helper of that name as ranks 0 and 1."""
    paths = os.pathsep.join(str(ROOT / folder) for folder in ("resources/pytorch/src", "resources/samples", "tests/python"))
    start = lambda rank: subprocess.Popen(  # noqa: E731
        module_command(f"helpers.{name}", rank, *arguments),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths, "GLOO_SOCKET_IFNAME": "lo"},
    )  # fmt: skip
    return [start(rank) for rank in range(2)]
