// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/descriptor.h"

#include <string_view>

namespace plimsoll::readers::nsys {

inline constexpr const char* kFormatId = "nsys-sqlite";

/// Reads a database that is in memory (FORMAT.md). `name`: the file, as named in messages.
[[nodiscard]] base::Result<ReadProfile> readDatabase(std::string_view bytes, std::string_view name,
                                                     const base::JobContext& context = {});

/// Reads which operators such a database has, and how long the GPU worked for them.
[[nodiscard]] base::Result<memtrace::OpRecordingPtr>
readDatabaseOps(std::string_view bytes, std::string_view name,
                const base::JobContext& context = {});

/// What `nsys export --type sqlite` writes.
[[nodiscard]] ReaderDescriptor descriptor();

} // namespace plimsoll::readers::nsys
