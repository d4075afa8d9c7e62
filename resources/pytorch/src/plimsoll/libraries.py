# SPDX-License-Identifier: Apache-2.0
"""Which modules are Python's own library, torch's, numpy's or ours: their objects don't decide what a model computes."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig

_KNOWN = ("builtins", "torch", "numpy", __name__.partition(".")[0])
_STANDARD = os.path.realpath(sysconfig.get_path("stdlib")) + os.sep


@functools.lru_cache(maxsize=None)
def _is_standard(package: str) -> bool:
    if package in sys.builtin_module_names:
        return True
    path = getattr(sys.modules.get(package), "__file__", None)
    if path is None:
        return False
    path = os.path.realpath(path)
    return path.startswith(_STANDARD) and "site-packages" not in path and "dist-packages" not in path


def is_of_library(module: str) -> bool:
    """Of the module with this name."""
    package = module.partition(".")[0]
    return package in _KNOWN or _is_standard(package)
