# SPDX-License-Identifier: Apache-2.0
"""Plans run on the user's model: under `torch.utils.checkpoint`, or as a compiled step."""
