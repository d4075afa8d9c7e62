# SPDX-License-Identifier: Apache-2.0
"""Two processes on this computer that train together."""

import os
import subprocess
import sys

from helpers import ROOT


def two_processes(name, *arguments):
    """The helper of that name as ranks 0 and 1."""
    paths = os.pathsep.join(str(ROOT / folder) for folder in ("resources/pytorch/src", "resources/samples", "tests/python"))
    start = lambda rank: subprocess.Popen(  # noqa: E731
        [sys.executable, "-m", f"helpers.{name}", str(rank), *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths, "GLOO_SOCKET_IFNAME": "lo"},
    )  # fmt: skip
    return [start(rank) for rank in range(2)]
