# SPDX-License-Identifier: Apache-2.0
"""Steps at several sizes, and the laws in batch and sequence that they follow."""
