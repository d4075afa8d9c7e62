# SPDX-License-Identifier: Apache-2.0
"""The version of Plimsoll, here and nowhere else: the package's metadata and CMakeLists.txt read it from this line."""

VERSION = "0.1.0"
