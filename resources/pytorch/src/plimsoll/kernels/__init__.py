# SPDX-License-Identifier: Apache-2.0
"""Results as on the target device with real tensors: PyTorch's rules for which kernel runs and what it saves."""
