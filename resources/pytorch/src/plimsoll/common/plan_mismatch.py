# SPDX-License-Identifier: Apache-2.0
"""The error of a plan that can't be applied."""


class PlanMismatch(RuntimeError):
    """The plan doesn't fit the model; the message names the first difference."""
