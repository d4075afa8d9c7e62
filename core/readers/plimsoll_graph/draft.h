// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::readers::plimsoll_graph {

enum class Table : std::uint8_t {
    Modules,
    Calls,
    Storages,
    Tensors,
    Ops,
    Saved,
    Params,
    Structures
};
inline constexpr std::size_t kTableCount = 8;

/// The laws of numbers in the calls of ops, which a program doesn't hold: enough to check that
/// their indices are in range.
struct CallNumbers
{
    std::size_t unknown = 0; ///< the keys `numbers` and `args` that are null
    std::size_t rows = 0;
    std::int64_t highestLaw = -1;
    std::vector<std::int32_t> ofOps; ///< rows, -1: none
};

/// A program that has been read but not yet validated, and where each of its rows is in the text.
struct Draft
{
    graph::Program program;
    std::array<std::vector<std::uint64_t>, kTableCount> offsets;
    std::uint64_t checksOffset = 0;
    CallNumbers callNumbers;
    std::uint64_t varyOffset = 0;

    [[nodiscard]] std::vector<std::uint64_t>& offsetsOf(Table table)
    {
        return offsets.at(static_cast<std::size_t>(table));
    }
    [[nodiscard]] std::uint64_t offsetOf(Table table, std::size_t row) const
    {
        return offsets.at(static_cast<std::size_t>(table)).at(row);
    }
};

} // namespace plimsoll::readers::plimsoll_graph
