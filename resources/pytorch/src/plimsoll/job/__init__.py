# SPDX-License-Identifier: Apache-2.0
"""The user's step and the surroundings that it runs in: model, loss, optimizer, fakes for their memory, autocast."""
