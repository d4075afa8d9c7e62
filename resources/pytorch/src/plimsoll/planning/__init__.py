# SPDX-License-Identifier: Apache-2.0
"""Plans from Python: runs plimsoll-cli, which has the planners, and applies what it finds."""
