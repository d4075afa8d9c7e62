# SPDX-License-Identifier: Apache-2.0
"""Runs programs on the stand-in GPU, each in a fork of this process, which has imported what takes seconds and has touched no GPU:
`-m helpers.on_stand_in.server` reads requests (see helpers/stand_in.py), a line of JSON each, and answers each with its exit status."""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import traceback
from typing import Any

import plimsoll  # noqa: F401
import torch
import torch._dynamo  # by the first fake tensors
import torchvision.models  # noqa: F401
from transformers import GPT2LMHeadModel  # noqa: F401


def perform(request: dict[str, Any]) -> None:
    """What `python -c code arguments` does, or `python -m module arguments`, in this environment."""
    os.environ.clear()
    os.environ.update(request["environment"])
    signal.alarm(request["seconds"])  # ends the process, also inside of C++ code
    for stream, path in enumerate((os.devnull, request["out"], request["err"])):
        os.dup2(os.open(path, os.O_RDWR), stream)
    if "code" in request:
        sys.argv = ["-c", *request["arguments"]]
        exec(compile(request["code"], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = ["-m", *request["arguments"]]
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


def status_of(request: dict[str, Any]) -> int:
    """Negative if a signal ended the program."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 1
    try:
        perform(request)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:  # at once, as helpers/processes.py says
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def main() -> None:
    assert not torch.cuda.is_initialized() and len(os.listdir("/proc/self/task")) == 1  # else forks would miss what they need
    for line in sys.stdin:
        print(status_of(json.loads(line)), flush=True)


if __name__ == "__main__":
    main()
