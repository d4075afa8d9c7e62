# SPDX-License-Identifier: Apache-2.0
"""Batch and sequence without a new trace: records the step at several sizes and writes its numbers as exact polynomials of them.

The step is recorded at as many points as there are terms, at the remaining listed size, and at an unlisted size, which reveals a model
that rounds sizes up or down. For such a model, the law holds only for sizes in steps.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Iterator, Optional, Sequence

from ..common.graph_rows import TraceError
from ..training_step.step import Step
from .agreement import first_difference
from .axes import DEGREES, Axis, resizing
from .laws import Laws, Point, terms_of
from .varied import Joined, Sample, fitted


# Records the step after the first argument has brought it to another size; if the second is set, also when Python frees what.
Record = Callable[[Callable[[Step], None], bool], Sample]


def _text(axes: Sequence[Axis], point: Sequence[int]) -> str:
    return ", ".join(f"{axis.name} {size}" for axis, size in zip(axes, point))


def _changed(axes: Sequence[Axis]) -> str:
    """For a refusal: which dimensions of the arguments were changed, and how to choose others."""
    listed = "; ".join(f"{axis.name}: " + ", ".join(f"dimension {dim} of {name}" for name, dim in axis.dims) for axis in axes)
    return f"changed were ({listed}): if one only happens to be of the traced size, name all others with vary_dims"


def recordings_of(axes: Sequence[Axis]) -> int:
    """How often the step is recorded besides the traced size, unless sizes turn out to be rounded."""
    return math.prod(DEGREES[axis.name] + 1 for axis in axes) + 1 if axes else 0


class _Study:
    """The recordings at all points so far; `fit` makes the key `vary` of them."""

    def __init__(self, axes: list[Axis], base: Sample, record: Record):
        self._axes = axes
        self._record = record
        self._origin = tuple(axis.traced for axis in axes)
        self._fitted: list[Sample] = []
        self._samples: dict[Point, Sample] = {self._origin: base}
        degrees = [DEGREES[axis.name] for axis in axes]
        self._terms = terms_of(degrees)
        # The traced size comes first, so the law is exact there in any case.
        ordered = [[axis.traced, *reversed([n for n in axis.sizes if n != axis.traced])] for axis in axes]
        self._points = list(itertools.product(*(sizes[: degree + 1] for sizes, degree in zip(ordered, degrees))))
        self._far = tuple(sizes[-1] for sizes in ordered)
        self._checks = [self._far] if self._far not in self._points else []

    def at(self, point: Point) -> Sample:
        if point not in self._samples:
            complete = point == self._far  # comparing Python's frees once is enough, since the ops are the same
            try:
                sample = self._record(resizing(self._axes, point), complete)
            except TraceError:
                raise
            except Exception as error:
                text = " ".join(str(error).split())
                raise TraceError(
                    f"the step runs at {_text(self._axes, self._origin)} but fails at {_text(self._axes, point)} ({type(error).__name__}: "
                    f"{text}); {_changed(self._axes)}"
                ) from error
            difference = first_difference(self._samples[self._origin].recording, sample.recording, python_frees=complete)
            if difference is not None:
                raise TraceError(
                    f"the step at {_text(self._axes, point)} ('there') is another one than at {_text(self._axes, self._origin)} ('here'): "
                    f"{difference}; trace each size by itself"
                )
            self._samples[point] = sample
        return self._samples[point]

    def fit(self, probes: list[Point]) -> dict[str, Any]:
        """Raises TraceError naming what differs or fits no polynomial."""
        points = [*self._points, *self._checks, *probes]
        self._fitted = [self.at(point) for point in points]
        laws = Laws(self._terms, self._points, [*self._checks, *probes])
        return {"terms": self._terms, **fitted(self._fitted, laws, [_text(self._axes, point) for point in points])}

    def join(self) -> None:
        """Brings the traced step into the form that the last fit describes."""
        Joined([sample.recording for sample in self._fitted]).apply()

    def probe(self, steps: Sequence[Optional[int]]) -> Point:
        """An unlisted point: each axis with a step is that much above a listed size, the others as traced."""
        return tuple(axis.traced if step is None else _beside(axis, step) for axis, step in zip(self._axes, steps))


def _beside(axis: Axis, step: int) -> int:
    inside = [n + step for n in axis.sizes[1::-1] if n + step not in axis.sizes and n + step < axis.sizes[-1]]
    return inside[0] if inside else axis.sizes[-1] + step


def _primes(number: int) -> Iterator[int]:
    factor = 2
    while number > 1:
        if number % factor == 0:
            yield factor
        while number % factor == 0:
            number //= factor
        factor += 1


def _step_of(study: _Study, axes: Sequence[Axis], at: int) -> int:
    """The smallest step by which the axis may grow."""

    def holds(step: int) -> bool:
        try:
            study.fit([study.probe([step if i == at else None for i in range(len(axes))])])
        except TraceError:
            return False
        return True

    sizes = axes[at].sizes
    step = math.gcd(sizes[1] - sizes[0], sizes[2] - sizes[0])
    if holds(1):
        return 1
    for prime in _primes(step):
        while step % prime == 0 and holds(step // prime):
            step //= prime
    return step


def vary_of(axes: list[Axis], base: Sample, record: Record) -> dict[str, Any]:
    """The key `vary` of the graph file. The tables of `base` are brought into the form that holds at all sizes."""
    study = _Study(axes, base, record)
    steps = [1] * len(axes)
    try:
        found = study.fit([study.probe(steps)])
    except TraceError:
        try:
            study.fit([])
        except TraceError as error:  # not even the listed sizes follow a law
            raise TraceError(f"{error}; {_changed(axes)}") from error
        steps = [_step_of(study, axes, at) for at in range(len(axes))]
        found = study.fit([study.probe(steps)])
    study.join()
    rows = [
        {"name": a.name, "size": a.traced, "recorded": list(a.sizes), "step": step, "dims": list(map(list, a.dims))}
        for a, step in zip(axes, steps)
    ]
    return {"axes": rows, **found}
