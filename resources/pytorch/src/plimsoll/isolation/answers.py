# SPDX-License-Identifier: Apache-2.0
"""Answers that the user gives to questions about values: trace(assume={"model.py:41": True})."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Iterator, Optional

from ..common.argument_errors import ArgumentTypeError, ArgumentValueError

_EXAMPLE = 'assume={"model.py:41": True}'
_given: list[Answers] = []


class Answers:
    """`assume`: answers by the line that asks, as refusals name it."""

    def __init__(self, assume: Any):
        if not isinstance(assume, Mapping):
            raise ArgumentTypeError(f"assume must be a dict such as {_EXAMPLE}, not a {type(assume).__name__}")
        for line, value in assume.items():
            if not isinstance(line, str) or not isinstance(value, (bool, int, float)):
                raise ArgumentTypeError(f"assume must map lines to numbers or truth values, as in {_EXAMPLE}, not {line!r} to {value!r}")
        self._answers = dict(assume)
        self._asked: set[str] = set()

    def of(self, line: str) -> Any:
        """None if there is no answer for the line."""
        if line in self._answers:
            self._asked.add(line)
        return self._answers.get(line)

    def check_asked(self) -> None:
        idle = next((line for line in self._answers if line not in self._asked), None)
        if idle is not None:
            raise ArgumentValueError(f"assume names {idle!r}, but no question without an answer is asked there: leave it out")


@contextlib.contextmanager
def assuming(assume: Optional[Mapping[str, Any]]) -> Iterator[None]:
    """While entered, these answers are given. Raises an error at the end if one of them was never needed."""
    if assume is None:
        yield
        return
    answers = Answers(assume)
    _given.append(answers)
    try:
        yield
    finally:
        _given.pop()
    answers.check_asked()


def assumed_at(line: str) -> Any:
    """The user's answer to a question at this line; None if there is none."""
    return _given[-1].of(line) if _given else None
