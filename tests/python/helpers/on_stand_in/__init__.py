# SPDX-License-Identifier: Apache-2.0
"""Modules that run on the stand-in GPU, in a process of their own (helpers.stand_in): each prints what it found as JSON."""
