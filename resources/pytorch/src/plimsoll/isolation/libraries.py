# SPDX-License-Identifier: Apache-2.0
"""To whom a Python module belongs: objects of the standard library, torch, numpy and this package don't decide what a model computes."""

from __future__ import annotations

import functools
import sys
import sysconfig

OWN, INSTALLED, CLOSED = range(3)
_CLOSED_PACKAGES = ("torch", "numpy", __name__.partition(".")[0])


@functools.lru_cache(maxsize=8192)
def origin(module_name: str) -> int:
    """To whom the code of a Python module belongs: the user, an installed package, or a library that is never inspected."""
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
