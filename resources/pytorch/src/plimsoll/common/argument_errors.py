# SPDX-License-Identifier: Apache-2.0
"""Errors about arguments: Python's own kinds, which are also TraceError, the one kind that callers of trace() had to catch so far."""

from __future__ import annotations

from .graph_rows import TraceError


class ArgumentTypeError(TraceError, TypeError):
    """An argument is of a type that isn't taken."""


class ArgumentValueError(TraceError, ValueError):
    """An argument has a value that isn't taken."""


class MissingFileError(TraceError, FileNotFoundError):
    """A file or folder that an argument names doesn't exist."""

    __str__ = Exception.__str__
