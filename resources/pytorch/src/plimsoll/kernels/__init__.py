# SPDX-License-Identifier: Apache-2.0
"""Results as the target device gives them on real tensors: PyTorch's rules of which kernel runs, and what it saves."""
