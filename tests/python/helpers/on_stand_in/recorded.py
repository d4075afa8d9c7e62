# SPDX-License-Identifier: Apache-2.0
"""`plimsoll-cli record` of small programs on the stand-in GPU, which call it by ctypes: without PyTorch they take 50 ms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers import ROOT, stand_in

CLI = os.environ.get("PLIMSOLL_CLI", str(ROOT / "build/dev/bin/plimsoll-cli"))
CALLS = """
import ctypes, os, signal, sys, threading, time
gpu = ctypes.CDLL("libcuda.so.1")
class Dim3(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in "xyz"]
ONE = Dim3(1, 1, 1)
def allocate(size):
    address = ctypes.c_void_p()
    assert gpu.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(size)) == 0
    return address
def free(address):
    assert gpu.cudaFree(address) == 0
def launch(count):
    for _ in range(count):
        gpu.cudaLaunchKernel(None, ONE, ONE, None, ctypes.c_size_t(0), None)
gpu.cuInit(0)
"""


@dataclass
class Recorded:
    exit: int
    out: str  # of the program alone
    err: str
    answer: dict[str, Any]  # of the verb

    @property
    def process(self) -> dict[str, Any]:
        (process,) = self.answer["processes"]
        return process


def environment(**variables: Any) -> dict[str, str]:
    return stand_in.environment(**{"PLIMSOLL_CUPTI": str(stand_in.FOLDER / "libstand_in_cupti.so")} | variables)


def command(file: Path, *program: str, options: tuple[str, ...] = ()) -> list[str]:
    return [CLI, "record", "--json", "-o", str(file), *options, "--", *program]


def record(file: Path, *program: str, options: tuple[str, ...] = (), text: str = "", **variables: Any) -> Recorded:
    """Of a command; `text` is its standard input."""
    done = subprocess.run(command(file, *program, options=options), input=text, capture_output=True, text=True, timeout=60, env=environment(**variables))
    out, _, last = done.stdout.removesuffix("\n").rpartition("\n")
    return Recorded(done.returncode, out, done.stderr, json.loads(last))


def record_calls(file: Path, code: str, **variables: Any) -> Recorded:
    """Of Python code that calls the stand-in."""
    return record(file, sys.executable, "-S", "-c", CALLS + code, **variables)
