# SPDX-License-Identifier: Apache-2.0
"""Plans of runtime `step`: the whole training step run op by op, with its frees and recomputed ops."""
