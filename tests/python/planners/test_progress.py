# SPDX-License-Identifier: Apache-2.0
"""What the command line shows on a terminal while it plans: the best verified plan so far beside a proven bound, and nothing in the end."""

import json
import os
import pty
import subprocess

from helpers import ROOT
from helpers.loop import program

SAMPLE = ROOT / "resources" / "samples" / "resnet18.plimsoll.json.gz"


def run_on_a_terminal(*options):
    """Standard output, and what the terminal got."""
    ours, theirs = pty.openpty()
    command = [program("PLIMSOLL_CLI"), "plan", str(SAMPLE), "--budget", "80%", "--planner", "remat", "--prefer", "fastest", *options, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    out = process.stdout.read()
    assert process.wait() == 0
    os.close(ours)
    return json.loads(out), shown.decode()


def test_the_best_plan_so_far_is_shown():
    said, shown = run_on_a_terminal("--points", "200")
    lines = [line for line in shown.replace("\x1b[K", "").split("\r") if "so far" in line]
    assert lines and all(line.startswith("Planning ") and ", at least " in line for line in lines)
    assert shown.endswith("\r\x1b[K")
    times = [float(line.split(", ")[1].split()[0]) for line in lines]
    assert all(later <= earlier for earlier, later in zip(times, times[1:]))
    assert times[-1] >= said["step_time_ns"] / 1e6 - 0.1


def test_quiet_is_quiet():
    assert run_on_a_terminal("--points", "8", "--quiet")[1] == ""
