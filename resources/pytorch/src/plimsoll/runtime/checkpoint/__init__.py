# SPDX-License-Identifier: Apache-2.0
"""Plans of runtime `checkpoint`: regions of modules or ops, and saved sets, put on a model and taken off again."""
