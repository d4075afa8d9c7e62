# SPDX-License-Identifier: Apache-2.0
"""What every other part uses: rows of the formats, user lines, tensors in arguments, answers about values."""
