# SPDX-License-Identifier: Apache-2.0
"""Plans of runtime `checkpoint`: regions of modules or ops, and saved sets, applied to a model and removed."""
