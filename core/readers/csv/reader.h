// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/io/content_hash.h"
#include "core/readers/csv/records.h"
#include "core/readers/csv/rows.h"
#include "core/readers/descriptor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers::csv {

inline constexpr const char* kFormatId = "allocations-csv";

/// Reads a table of allocations (FORMAT.md) that comes in parts of any size.
class Reading
{
public:
    /// `name`: the file, as named in messages. `curve`: see memtrace::Builder.
    explicit Reading(std::string name, base::CurveSoFar* curve = nullptr);
    Reading(const Reading&) = delete; // its parts refer to each other
    Reading& operator=(const Reading&) = delete;

    [[nodiscard]] base::Result<void> feed(std::string_view part, const io::FileFacts& file = {});
    [[nodiscard]] base::Result<ReadProfile> finish(const base::JobContext& context = {});

    /// About what has been taken, and what the trace will take beside it while it is built.
    [[nodiscard]] std::size_t memoryBytes() const;

    /// What a table may take in memory however short it is.
    static constexpr std::size_t kFreeBytes = std::size_t{192} << 20U;

private:
    bool take(const std::vector<std::string>& fields, std::uint64_t line);
    [[nodiscard]] tl::unexpected<base::Error> refused() const;

    std::string m_name;
    memtrace::Builder m_builder;
    std::optional<Header> m_header;
    std::vector<AllocationRow> m_rows;
    Records m_records;
    io::PartsHash m_hash;
    std::string m_fault; ///< of a row
    std::uint64_t m_fed = 0;
    std::uint32_t m_newestName = 0; ///< the largest StackId or TextId of a row
    std::size_t m_nameBytes = 0;
};

/// What `plimsoll-cli export PROFILE -o x.csv` writes, and other tools may.
[[nodiscard]] ReaderDescriptor descriptor();

} // namespace plimsoll::readers::csv
