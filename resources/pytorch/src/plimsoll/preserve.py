# SPDX-License-Identifier: Apache-2.0
"""Leaves the user's objects and random numbers as they were: what a step keeps of its fakes must not outlive the trace."""

from __future__ import annotations

import contextlib
import logging
import random
import sys
from typing import Any, Iterable, Iterator

import torch


@contextlib.contextmanager
def log() -> Iterator[None]:
    """torch logs errors of fake tensors before it raises them; whoever traces is told once."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextlib.contextmanager
def random_state() -> Iterator[None]:
    numpy: Any = sys.modules.get("numpy")
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    before = random.getstate(), numpy.random.get_state() if numpy is not None else None
    with torch.random.fork_rng(devices=list(devices)):
        try:
            yield
        finally:
            random.setstate(before[0])
            if numpy is not None:
                numpy.random.set_state(before[1])


def _fill(container: Any, content: Any) -> None:
    if type(container) is list:
        container[:] = content
    else:
        container.clear()
        container.update(content)


@contextlib.contextmanager
def attributes(things: Iterable[Any]) -> Iterator[None]:
    """Attributes of the objects, and the lists, dicts and sets among them, are as before afterwards."""
    tables = [vars(thing) for thing in things]
    tables += [value for table in tables for value in table.values() if type(value) in (list, dict, set)]
    before = [(table, table.copy()) for table in tables]
    try:
        yield
    finally:
        for table, content in before:
            _fill(table, content)
