# SPDX-License-Identifier: Apache-2.0
"""Runs Python on the stand-in GPU (tests/stand_in_gpu), each program in a process of its own: this one has no GPU in sight."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Sequence

from helpers import ROOT

FOLDER = Path(os.environ["PLIMSOLL_STAND_IN"]).parent if "PLIMSOLL_STAND_IN" in os.environ else ROOT / "build/dev/stand_in_gpu"
INJECT = FOLDER.parent / "lib/libplimsoll_inject.so"
GiB = 1 << 30


def environment(
    *, devices: int = 1, memory: int = 80 * GiB, capability: str = "8.0", late_events: bool = False, values: bool = False, settings: str = "",
    capture: Path | None = None, **variables: str | None,
) -> dict[str, str]:  # fmt: skip
    """Of a process with such a stand-in. `settings`: PYTORCH_CUDA_ALLOC_CONF; `capture`: what it does is recorded there, with the process's
    number before the ending; a variable that is None isn't there."""
    without = {"CUDA_VISIBLE_DEVICES", *(name for name, value in variables.items() if value is None)}
    variables = {name: value for name, value in variables.items() if value is not None}
    kept = {name: value for name, value in os.environ.items() if name not in without}
    paths = (ROOT / folder for folder in ("resources/pytorch/src", "resources/samples", "tests/python", "tests/gpu"))
    if capture is not None:
        variables = {"CUDA_INJECTION64_PATH": str(INJECT), "PLIMSOLL_CUPTI": str(FOLDER / "libstand_in_cupti.so"), "PLIMSOLL_CAPTURE_FILE": str(capture)} | variables
    return kept | variables | {
        "LD_PRELOAD": str(FOLDER / "libstand_in_gpu.so"), "LD_LIBRARY_PATH": str(FOLDER), "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "STAND_IN_GPU_DEVICES": str(devices), "STAND_IN_GPU_MEMORY": str(memory), "STAND_IN_GPU_CAPABILITY": capability,
        "STAND_IN_GPU_LATE_EVENTS": str(int(late_events)), "STAND_IN_GPU_VALUES": str(int(values)), "PYTORCH_CUDA_ALLOC_CONF": settings, "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip


@cache
def _server() -> subprocess.Popen[str]:
    """Has imported torch once for all programs; it ends with this process, whose end closes its input."""
    command, alone = [sys.executable, "-m", "helpers.on_stand_in.server"], {"OMP_NUM_THREADS": "1"}
    server = subprocess.Popen(command, env=environment() | alone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)
    return server


def _done(
    request: dict[str, Any], arguments: Sequence[str], seconds: int, gpu: dict[str, Any], folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as err:
        request |= {"arguments": list(map(str, arguments)), "seconds": seconds, "folder": str(folder or Path.cwd())}
        request |= {"environment": environment(**gpu), "out": out.name, "err": err.name}
        server = _server()
        print(json.dumps(request), file=server.stdin, flush=True)
        status = server.stdout.readline()
        assert status, "helpers.on_stand_in.server has ended"
        return subprocess.CompletedProcess(arguments, int(status), out.read(), err.read())


def run(code: str, *arguments: str, **gpu: Any) -> subprocess.CompletedProcess[str]:
    """A script given as text; `gpu`: see environment()."""
    return _done({"code": code}, arguments, 280, gpu)


def script(path: Path, *arguments: Any, folder: Path, expected: int = 0, **gpu: Any) -> subprocess.CompletedProcess[str]:
    """A script that runs in a folder, and ends with the expected status."""
    done = _done({"script": str(path)}, arguments, 280, gpu, folder)
    assert done.returncode == expected, done.stderr[-4000:]
    return done


def result(module: str, *arguments: str, seconds: int = 280, **gpu: Any) -> Any:
    """What `python -m module arguments` prints on its last line, as JSON; it may take so many `seconds`."""
    done = _done({"module": module}, arguments, seconds, gpu)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def ranks(module: str, *arguments: Any, **gpu: Any) -> list[Any]:
    """Of two processes on this computer that train together, ranks 0 and 1: what `python -m module rank arguments` prints on its last line."""
    return result("helpers.on_stand_in.ranks", module, *arguments, **{"devices": 0, "GLOO_SOCKET_IFNAME": "lo"} | gpu)
