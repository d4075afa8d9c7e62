# SPDX-License-Identifier: Apache-2.0
"""Runs Python on the stand-in GPU (tests/stand_in_gpu), in a process of its own: this one has no GPU in sight."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from helpers import ROOT
from helpers.processes import LEAVE, module_command

FOLDER = Path(os.environ["PLIMSOLL_STAND_IN"]).parent if "PLIMSOLL_STAND_IN" in os.environ else ROOT / "build/dev/stand_in_gpu"
GiB = 1 << 30


def environment(*, devices: int = 1, memory: int = 80 * GiB, capability: str = "8.0", late_events: bool = False, settings: str = "") -> dict[str, str]:
    """Of a process with such a stand-in. `settings`: PYTORCH_CUDA_ALLOC_CONF."""
    kept = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
    paths = (ROOT / folder for folder in ("resources/pytorch/src", "resources/samples", "tests/python", "tests/gpu"))
    return kept | {
        "LD_PRELOAD": str(FOLDER / "libstand_in_gpu.so"), "LD_LIBRARY_PATH": str(FOLDER), "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "STAND_IN_GPU_DEVICES": str(devices), "STAND_IN_GPU_MEMORY": str(memory), "STAND_IN_GPU_CAPABILITY": capability,
        "STAND_IN_GPU_LATE_EVENTS": str(int(late_events)), "PYTORCH_CUDA_ALLOC_CONF": settings, "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip


def run(code: str, *arguments: str, **gpu: Any) -> subprocess.CompletedProcess[str]:
    """A script given as text; `gpu`: see environment()."""
    return subprocess.run([sys.executable, "-c", f"{code}\n{LEAVE}", *arguments], env=environment(**gpu), capture_output=True, text=True, timeout=280)


def result(module: str, *arguments: str, seconds: float = 280, **gpu: Any) -> Any:
    """What `python -m module arguments` prints on its last line, as JSON; it may take so many `seconds`."""
    done = subprocess.run(module_command(module, *arguments), env=environment(**gpu), capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])
