# SPDX-License-Identifier: Apache-2.0
"""One step, op by op, as the rows of a graph file."""
