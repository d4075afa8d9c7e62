# SPDX-License-Identifier: Apache-2.0
"""Results that several tests use."""

import functools


def once(function, most=None):
    """Calls the function once for the same arguments; with `most` only that many results are kept, the newest.

    Not functools.lru_cache: trace() searches the results in all such caches of the process for fake tensors, which takes
    seconds where they are graphs.
    """
    known = {}

    @functools.wraps(function)
    def remembered(*arguments):
        if arguments not in known:
            if len(known) == most:
                del known[next(iter(known))]
            known[arguments] = function(*arguments)
        return known[arguments]

    return remembered
