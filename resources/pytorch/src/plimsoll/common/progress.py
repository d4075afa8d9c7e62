# SPDX-License-Identifier: Apache-2.0
"""Reports the progress of a trace. A step is run several times; its number of ops is known after the first time."""

from __future__ import annotations

import sys
import time
from typing import Callable, Optional, Union

Report = Callable[[float, str], None]
Choice = Union[bool, Report, None]

_INTERVAL = 0.1  # seconds between two reports of the same pass
_PATIENCE = 1.0  # seconds that a trace may take before a terminal shows anything


class _Terminal:
    """One line on standard error that is rewritten and finally removed."""

    def __init__(self, at_once: bool):
        self._from = time.monotonic() + (0.0 if at_once else _PATIENCE)
        self._width = 0

    def __call__(self, fraction: float, text: str) -> None:
        if time.monotonic() < self._from:
            return
        line = "" if fraction >= 1 else f"plimsoll: {round(100 * fraction):3d} % {text}"
        if line or self._width:
            print("\r" + line.ljust(self._width) + ("" if line else "\r"), end="", file=sys.stderr, flush=True)
        self._width = len(line)


class Progress:
    """`choice`: a function called with (fraction done, description of the current work); True: a line on standard error; False: nothing;
    None: the line if standard error is a terminal and the trace takes longer than a second."""

    def __init__(self, choice: Choice, passes: int):
        self._report: Optional[Report] = None
        if callable(choice):
            self._report = choice
        elif choice or (choice is None and sys.stderr is not None and sys.stderr.isatty()):
            self._report = _Terminal(at_once=bool(choice))
        self._passes = passes
        self._pass = -1
        self._text = ""
        self._ops = 0
        self._total = 0  # ops of a pass; 0 until the first pass is over
        self._next = 0.0

    def expect(self, passes: int) -> None:
        """Sets a larger number of passes than expected so far."""
        self._passes = passes

    def begin(self, text: str) -> None:
        """Begins the next pass."""
        self._total = self._total or self._ops
        self._pass += 1
        self._ops = 0
        self._text = text
        self._say()

    def op(self) -> None:
        """Counts one more op of the pass."""
        if self._report is None:
            return
        self._ops += 1
        if time.monotonic() >= self._next:
            self._say()

    def end(self) -> None:
        """Ends the report: the trace has finished or failed."""
        if self._report is not None and self._pass >= 0:
            self._report(1.0, "done")

    def _say(self) -> None:
        if self._report is None:
            return
        self._next = time.monotonic() + _INTERVAL
        part = min(self._ops / self._total, 1.0) if self._total else 0.0
        text = self._text if self._total or not self._ops else f"{self._text}, {self._ops} ops"
        self._report(min(self._pass + part, self._passes - 0.01) / self._passes, text)
