# SPDX-License-Identifier: Apache-2.0
"""The user's line from which an op comes: the innermost frame that belongs to neither torch nor this package."""

from __future__ import annotations

import os
import sys

import torch

_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STEP = os.path.join(_OURS, "training_step", "step.py")
_shown: dict[str, str] = {}


def _hidden(filename: str) -> bool:
    return filename.startswith(_TORCH) or filename.startswith(_OURS) or filename.startswith("<") or "contextlib" in filename


def shown_path(filename: str) -> str:
    """The path without its machine-specific part: relative to the import path, else the file's name."""
    known = _shown.get(filename)
    if known is None:
        full = os.path.abspath(filename)
        roots = [os.path.abspath(p) + os.sep for p in sys.path if p] + [os.getcwd() + os.sep]
        fitting = [r for r in roots if full.startswith(r) and r != os.sep]
        known = full[len(max(fitting, key=len)) :] if fitting else os.path.basename(full)
        known = _shown[filename] = known.replace(os.sep, "/")
    return known


def user_line(depth: int = 2) -> str:
    """"" if the step itself started what runs, with no line of the user in between."""
    frame = sys._getframe(depth)
    while frame is not None:
        filename = frame.f_code.co_filename
        if filename == _STEP:
            return ""
        if not _hidden(filename):
            return f"{shown_path(filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def line_of(error: BaseException) -> str:
    """The innermost line of the user in an error's traceback; "" if there is none."""
    line, trace = "", error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if not _hidden(filename):
            line = f"{shown_path(filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return line


def function_on_stack(name: str, file_part: str, depth: int = 2) -> bool:
    frame = sys._getframe(depth)
    while frame is not None:
        if frame.f_code.co_name == name and file_part in frame.f_code.co_filename.replace(os.sep, "/"):
            return True
        frame = frame.f_back
    return False


def run_by_engine(depth: int = 2) -> bool:
    """Whether the nearest frame below, if any, started the autograd engine, so that no Python code of a node runs."""
    frame = sys._getframe(depth)
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    while frame is not None and frame.f_code.co_name in ("__torch_dispatch__", "inner", "_fn"):
        frame = frame.f_back
    if frame is None:
        return True  # a thread of the engine's own, which it has for each GPU
    return frame.f_code.co_name in ("_engine_run_backward", "backward") and frame.f_code.co_filename.startswith(_TORCH)
