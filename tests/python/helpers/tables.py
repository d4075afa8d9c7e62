# SPDX-License-Identifier: Apache-2.0
"""Tables in the docs that tests make: each test compares its row with the table's, or with PLIMSOLL_TABLES=write puts it there."""

from __future__ import annotations

import fcntl
import os
from typing import Any, Sequence

from helpers import EXHAUSTIVE, ROOT

DOCS = ROOT / "resources" / "pytorch"
WRITING = os.environ.get("PLIMSOLL_TABLES") == "write"
EVERYTHING = EXHAUSTIVE or WRITING  # a table has rows of all cases


class Table:
    """The first table of a page. `key`: the columns that name a row, the others come after; `keys`: of all rows, in their order."""

    def __init__(self, file: str, key: Sequence[str], columns: Sequence[str], keys: Sequence[tuple[str, ...]]):
        self._path = DOCS / file
        self._key = tuple(key)
        self._columns = (*key, *columns)
        self._keys = list(keys)

    def check_complete(self) -> None:
        """Every row that there should be is there, and no other; no cell is empty."""
        rows = self._rows()
        assert [self._key_of(row) for row in rows] == self._keys
        assert all(tuple(row) == self._columns and all(row.values()) for row in rows)

    def check(self, key: tuple[str, ...], values: dict[str, Any], only_written: bool = False) -> None:
        """The table says the same. `only_written`: values that depend on the processor are written and not compared."""
        mine = {name: str(value) for name, value in values.items()}
        if WRITING:
            self._write(key, mine)
            return
        found = [row for row in self._rows() if self._key_of(row) == key]
        assert len(found) == 1, f"{self._path.name} has {len(found)} rows for {key}: write the table anew"
        if not only_written:
            assert {name: found[0].get(name) for name in mine} == mine, f"{self._path.name} is old: write the table anew"

    def _rows(self) -> list[dict[str, str]]:
        return _split(self._path.read_text())[1]

    def _key_of(self, row: dict[str, str]) -> tuple[str, ...]:
        return tuple(row.get(name, "") for name in self._key)

    def _write(self, key: tuple[str, ...], values: dict[str, str]) -> None:
        """Rows that the table should not have go, and tests may write at the same time."""
        with open(self._path, "r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            before, known, after = _split(file.read())
            table = {self._key_of(row): row for row in known}
            table.setdefault(key, {}).update(values)
            lines = [self._columns, ["---"] * len(self._columns)]
            lines += [(*k, *(table.get(k, {}).get(name, "") for name in self._columns[len(self._key) :])) for k in self._keys]
            file.seek(0)
            file.truncate()
            file.write(before + "".join(f"| {' | '.join(line)} |\n" for line in lines) + after)


def _split(text: str) -> tuple[str, list[dict[str, str]], str]:
    """The table between what stands before and after it."""
    lines = text.splitlines(keepends=True)
    first = next((n for n, line in enumerate(lines) if line.startswith("|")), len(lines))
    end = next((n for n in range(first, len(lines)) if not lines[n].startswith("|")), len(lines))
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines[first:end]]
    rows = [dict(zip(cells[0], row)) for row in cells[2:]]
    return "".join(lines[:first]), rows, "".join(lines[end:])
