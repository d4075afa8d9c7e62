// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/column.h"
#include "core/base/result.h"
#include "core/memtrace/analysis/classify.h"
#include "core/memtrace/analysis/phases.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::memtrace {

/// What a term of a filter looks at. The values that it takes:
enum class FilterField : std::uint8_t {
    Class,  ///< "activations, temporaries": names of classes, any of them
    Size,   ///< ">= 1 MiB", "< 512", "= 288 MiB", "1 MiB to 2 MiB": bytes as requested
    Stream, ///< "default", "0, 2": numbers of streamNumber()
    Pool,   ///< "default", "private", "0.1"
    Phase,  ///< "forward, backward", or "/step \d+/": names of phases
    Frame,  ///< "attention.py", or "/attn/": a frame of the stack, as "file:line:name"
    Module, ///< likewise of the group by module
    Life,   ///< ">= 10 ms", "< 100 events", "to the end", "from before"
};
inline constexpr std::size_t kFilterFieldCount = 8;
/// "class", "size", …, "lifetime".
[[nodiscard]] const char* fieldName(FilterField field);
[[nodiscard]] std::optional<FilterField> findField(std::string_view name);

struct FilterTerm
{
    FilterField field = FilterField::Class;
    std::string value;
    bool operator==(const FilterTerm&) const = default;
};
/// Keeps what all of its terms keep; without terms everything.
using Filter = std::vector<FilterTerm>;

/// Fails (Usage) with a sentence if the value isn't one for the field.
[[nodiscard]] base::Result<void> checkTerm(const FilterTerm& term);

/// The allocations that a filter keeps.
struct Matches
{
    base::Column<std::uint8_t> keeps; ///< by allocation, 0 or 1; empty: all
    std::size_t count = 0;

    [[nodiscard]] bool at(std::size_t allocation) const
    {
        return keeps.empty() || keeps[allocation] != 0;
    }
};

/// `classes`, `phases`: of the device. Fails as checkTerm() does.
[[nodiscard]] base::Result<Matches> matchesOf(const Filter& filter, const MemoryTrace& trace,
                                              const DeviceTrace& device, const Classes& classes,
                                              const Phases& phases);

} // namespace plimsoll::memtrace
