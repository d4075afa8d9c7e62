# SPDX-License-Identifier: Apache-2.0
"""Shared by all other folders: rows of the graph format, op schemas, source lines, tensors in arguments, progress."""
