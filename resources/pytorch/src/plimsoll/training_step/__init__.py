# SPDX-License-Identifier: Apache-2.0
"""The user's training step and its environment: model, loss, optimizer, autocast, wrappers."""
