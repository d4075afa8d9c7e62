# SPDX-License-Identifier: Apache-2.0
"""Numbers as polynomials of batch and sequence: exact in integers, or none."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Optional, Sequence

Point = tuple[int, ...]  # one size for each axis


def terms_of(degrees: Sequence[int]) -> list[Point]:
    """The exponents of all terms, the constant first: of batch and sequence 1, b, s, bs, s², bs²."""
    exponents = itertools.product(*(range(degree + 1) for degree in reversed(degrees)))
    return [tuple(reversed(row)) for row in exponents]


def _power(point: Point, term: Point) -> int:
    return math.prod(size**exponent for size, exponent in zip(point, term))


def _inverse(rows: list[list[int]]) -> list[list[Fraction]]:
    """Gauss-Jordan elimination; the rows belong to a grid, so an inverse exists."""
    count = len(rows)
    work = [[Fraction(n) for n in row] + [Fraction(int(i == j)) for j in range(count)] for i, row in enumerate(rows)]
    for column in range(count):
        pivot = next(i for i in range(column, count) if work[i][column])
        work[column], work[pivot] = work[pivot], work[column]
        work[column] = [n / work[column][column] for n in work[column]]
        for i in range(count):
            if i != column and work[i][column]:
                factor = work[i][column]
                work[i] = [a - factor * b for a, b in zip(work[i], work[column])]
    return [row[count:] for row in work]


class Laws:
    """A table of polynomials. `points` determine a polynomial, as many as it has terms; it must fit `checks` as well.

    A row is [denominator, coefficient of each term]: the value is the sum over the terms divided by the denominator.
    """

    def __init__(self, terms: list[Point], points: list[Point], checks: list[Point]):
        self.rows: list[list[int]] = []
        self._terms = terms
        self._inverse = _inverse([[_power(point, term) for term in terms] for point in points])
        self._checks = [[_power(point, term) for term in terms] for point in checks]
        self._known: dict[tuple[int, ...], Optional[int]] = {}
        self._index: dict[tuple[int, ...], int] = {}

    def fit(self, values: tuple[int, ...]) -> Optional[int]:
        """The row of the polynomial with these values at the points and checks; None if there is none."""
        if values not in self._known:
            row = self._solve(values)
            self._known[values] = None if row is None else self._index.setdefault(tuple(row), len(self.rows))
            if row is not None and self._known[values] == len(self.rows):
                self.rows.append(row)
        return self._known[values]

    def _solve(self, values: tuple[int, ...]) -> Optional[list[int]]:
        count = len(self._terms)
        exact = [sum((f * v for f, v in zip(row, values)), Fraction(0)) for row in self._inverse]
        denominator = math.lcm(*(f.denominator for f in exact))
        row = [int(f * denominator) for f in exact]
        for powers, value in zip(self._checks, values[count:]):
            if sum(c * p for c, p in zip(row, powers)) != value * denominator:
                return None
        return [denominator, *row]
