# SPDX-License-Identifier: Apache-2.0
"""Runs a step on fakes instead of the user's tensors, and restores everything else that the step can reach."""
