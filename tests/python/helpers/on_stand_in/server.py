# SPDX-License-Identifier: Apache-2.0
"""Runs programs on the stand-in GPU, each in a fork of this process, which has imported what takes seconds and has touched no GPU:
`-m helpers.on_stand_in.server` reads requests (see helpers/stand_in.py), a line of JSON each, and answers each with its exit status."""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import signal
import sys
import traceback
from typing import Any, Iterator

import plimsoll  # noqa: F401
import torch
import torch._dynamo  # by the first fake tensors
import torchvision.models  # noqa: F401
from transformers import BertForMaskedLM, GPT2LMHeadModel, LlamaForCausalLM, T5ForConditionalGeneration  # noqa: F401


@contextlib.contextmanager
def leave() -> Iterator[None]:
    """Ends a fork when all is written. At once: Python ends without waiting for the threads of autograd, and one that then asks for the
    interpreter's lock is stopped inside of C++ code that can't be unwound, and the process aborts ("terminate called without an active
    exception")."""
    status = 1
    try:
        yield
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def perform(request: dict[str, Any]) -> None:
    """What `python -c code arguments` does, or `python -m module arguments`, or `python script arguments`, in this environment and folder."""
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    signal.alarm(request["seconds"])  # ends the process, also inside of C++ code
    for stream, path in enumerate((os.devnull, request["out"], request["err"])):
        os.dup2(os.open(path, os.O_RDWR), stream)
    if "code" in request:
        sys.argv = ["-c", *request["arguments"]]
        exec(compile(request["code"], "<string>", "exec"), {"__name__": "__main__"})
    elif "script" in request:
        sys.argv = [request["script"], *request["arguments"]]
        sys.path.insert(0, os.path.dirname(request["script"]))
        runpy.run_path(request["script"], run_name="__main__")
    else:
        sys.argv = ["-m", *request["arguments"]]
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


def status_of(request: dict[str, Any]) -> int:
    """Negative if a signal ended the program."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with leave():
        perform(request)


def main() -> None:
    assert not torch.cuda.is_initialized() and len(os.listdir("/proc/self/task")) == 1  # else forks would miss what they need
    for line in sys.stdin:
        print(status_of(json.loads(line)), flush=True)


if __name__ == "__main__":
    main()
