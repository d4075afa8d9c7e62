# SPDX-License-Identifier: Apache-2.0
"""What a step can reach and change beside its own tensors: found, watched, and put back as it was."""
