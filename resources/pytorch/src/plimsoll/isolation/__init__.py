# SPDX-License-Identifier: Apache-2.0
"""Runs a step on fakes in place of the user's tensors, and restores everything else that the step can reach."""
