// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/builder.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::readers::csv {

/// An allocation of the table.
struct AllocationRow
{
    static constexpr std::int64_t kEmpty = std::numeric_limits<std::int64_t>::min();

    std::uint64_t address = memtrace::kNoAddress;
    std::int64_t bytes = 0;
    std::int64_t allocEvent = kEmpty; ///< empty, as allocNs: before the recording
    std::int64_t freeEvent = kEmpty;  ///< empty, as freeNs: live at the end
    std::int64_t allocNs = kEmpty;
    std::int64_t freeNs = kEmpty;
    std::uint64_t stream = 0;
    std::array<std::uint64_t, 2> pool{};
    std::uint32_t stack = 0; ///< StackId
    memtrace::TextId memoryClass;
    std::uint32_t line = 0; ///< from 1; of more lines than fit the largest number
    std::int16_t device = 0;

    [[nodiscard]] bool isAllocated() const { return allocEvent != kEmpty || allocNs != kEmpty; }
    [[nodiscard]] bool isFreed() const { return freeEvent != kEmpty || freeNs != kEmpty; }
};

enum class Column : std::uint8_t {
    Device,
    Address,
    Bytes,
    BlockBytes,
    AllocEvent,
    FreeEvent,
    AllocNs,
    FreeNs,
    Stream,
    Pool,
    Class,
    Frame,
    StackId,
    Count
};
inline constexpr std::size_t kColumnCount = static_cast<std::size_t>(Column::Count);

/// Which field each column is; nothing: the table lacks it.
struct Header
{
    std::array<std::optional<std::size_t>, kColumnCount> fieldOf;
    std::size_t fields = 0;

    [[nodiscard]] bool has(Column column) const
    {
        return fieldOf.at(static_cast<std::size_t>(column)).has_value();
    }
    /// Bytes, and when.
    [[nodiscard]] bool isEnough() const;
};
/// Names in any case and order, with others between them.
[[nodiscard]] Header headerOf(const std::vector<std::string>& fields);

/// A row of the table; its frame and class become the builder's. Fails with what is wrong with it.
[[nodiscard]] base::Result<AllocationRow> rowOf(const Header& header,
                                                const std::vector<std::string>& fields,
                                                memtrace::StackTableBuilder& stacks);

} // namespace plimsoll::readers::csv
