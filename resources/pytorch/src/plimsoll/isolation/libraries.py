# SPDX-License-Identifier: Apache-2.0
"""Whose code a Python module is: objects of Python's own library, torch, numpy and this package don't decide what a model computes."""

from __future__ import annotations

import functools
import sys
import sysconfig

OWN, INSTALLED, CLOSED = range(3)
_CLOSED_PACKAGES = ("torch", "numpy", __name__.partition(".")[0])


@functools.lru_cache(maxsize=8192)
def origin(module_name: str) -> int:
    """Whose the code of a Python module is: the user's, an installed package's, or of what is never entered."""
    if module_name.partition(".")[0] in _CLOSED_PACKAGES:
        return CLOSED
    module = sys.modules.get(module_name)
    file = getattr(module, "__file__", None)
    if not file:
        return CLOSED if module_name in sys.builtin_module_names else OWN  # made by hand, or typed in
    if "site-packages" in file or "dist-packages" in file:
        return INSTALLED
    paths = sysconfig.get_paths()
    return CLOSED if file.startswith((paths["stdlib"], paths["platstdlib"])) else OWN
