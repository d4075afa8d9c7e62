# SPDX-License-Identifier: Apache-2.0
"""Measures real steps and writes their times back into a graph file."""
