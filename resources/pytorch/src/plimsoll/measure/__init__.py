# SPDX-License-Identifier: Apache-2.0
"""Real steps measured, and their times written back into a graph file."""
