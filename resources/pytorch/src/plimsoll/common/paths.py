# SPDX-License-Identifier: Apache-2.0
"""Files that arguments name, checked before anything takes time."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Union

from .argument_errors import ArgumentTypeError, ArgumentValueError, MissingFileError

PathLike = Union[str, Path]


def file_to_write(out: object, name: str, suffix: str) -> Path:
    """The path that `out` names; if that is None, `name` with the suffix in this folder. Raises an error if it can't be written."""
    if out is not None and not isinstance(out, (str, Path)):
        raise ArgumentTypeError(f"out must be a path, not a {type(out).__name__}")
    path = Path(out) if out is not None else Path(re.sub(r"[^\w.-]+", "-", name) + suffix)
    if path.is_dir():
        raise ArgumentValueError(f"out names the folder {path}: give the name of a file in it")
    if not path.parent.is_dir():
        raise MissingFileError(f"out is to be in {path.parent}, which is no folder: create it first")
    with tempfile.TemporaryFile(dir=path.parent):  # raises what writing there would
        return path


def file_to_read(path: object, argument: str) -> Path:
    """Raises an error if there is no such file."""
    if not isinstance(path, (str, Path)):
        raise ArgumentTypeError(f"{argument} must be a path, not a {type(path).__name__}")
    if not Path(path).is_file():
        raise MissingFileError(f"{argument} names the file {path}, which doesn't exist")
    return Path(path)
