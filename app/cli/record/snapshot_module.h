// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::cli {

/// The text of sitecustomize.py in this folder; CMake puts it into the program.
extern const char* const kSnapshotModule;

} // namespace plimsoll::cli
