// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/io/byte_source.h"
#include "core/readers/descriptor.h"
#include "core/readers/source.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers {

/// Decompressed bytes that a sniffer sees.
inline constexpr std::size_t kSniffBytes = 128;

/// The formats that this build reads.
class Registry
{
public:
    Registry();

    /// The reader for a file: by its first bytes, then by its extension; null when none knows it.
    [[nodiscard]] const ReaderDescriptor* sniff(const std::filesystem::path& path,
                                                std::string_view head) const;

private:
    std::vector<ReaderDescriptor> m_readers;
};

/// A graph of a million ops is below it. Parsing takes a multiple of it in memory.
inline constexpr io::ReadLimits kGraphLimits{.bytes = std::uint64_t{512} << 20U};

/// Recognises and reads content that lies in memory; `path` is what it was read from.
[[nodiscard]] base::Result<ReadProgram> readContent(const std::filesystem::path& path,
                                                    const Source& source,
                                                    const base::JobContext& context);

/// Opens, recognises and reads a graph. Reports progress from 0 to 1000.
[[nodiscard]] base::Result<ReadProgram> readProgram(const std::filesystem::path& path,
                                                    const base::JobContext& context = {});

} // namespace plimsoll::readers
