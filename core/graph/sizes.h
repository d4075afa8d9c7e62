// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::graph {

/// A row with impossible sizes, and what is wrong as the rest of a sentence.
struct SizeFault
{
    enum class Table : std::uint8_t { Storages, Tensors, Ops };

    Table table = Table::Storages;
    std::size_t row = 0;
    std::string problem;
};

/// The invariants about sizes: tensors lie inside their storages, sums over all rows stay below
/// 2^62. Needs indices that are in range.
[[nodiscard]] std::optional<SizeFault> findSizeFault(const Program& program);

/// Bytes per element of each of the program's dtypes, 0 where the size is not known.
[[nodiscard]] std::vector<std::int64_t> itemSizes(const Program& program);

/// Number of tensors whose size can't be checked.
[[nodiscard]] std::size_t tensorsOfUnknownDtype(const Program& program);

} // namespace plimsoll::graph
