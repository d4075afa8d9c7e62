// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::record {

/// The text of sitecustomize.py in this folder; CMake puts it into the library.
extern const char* const kSnapshotModule;

} // namespace plimsoll::record
