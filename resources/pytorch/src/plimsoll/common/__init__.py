# SPDX-License-Identifier: Apache-2.0
"""What every other folder uses: rows of the graph format, op schemas, source lines, tensors in arguments, progress."""
