# SPDX-License-Identifier: Apache-2.0
"""Hooks of modules that run when the module is called."""

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def has_hooks(module):
    """Whether calling the module, or the backward of that call, runs hooks."""
    return any(getattr(module, hooks, None) for hooks in _HOOKS)
