# SPDX-License-Identifier: Apache-2.0
"""Programs that run in a process of their own, on the stand-in GPU; see stand_in.py."""
