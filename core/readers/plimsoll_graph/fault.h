// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/draft.h"

#include <optional>
#include <string>
#include <utility>

namespace plimsoll::readers::plimsoll_graph {

/// A violated invariant: the row that shows it, and what is wrong as the rest of a sentence.
struct Fault
{
    Table table = Table::Ops;
    std::size_t row = 0;
    std::string problem;
};

using MaybeFault = std::optional<Fault>;

[[nodiscard]] inline MaybeFault fault(Table table, std::size_t row, std::string problem)
{
    return Fault{table, row, std::move(problem)};
}

/// The rules about when storages live and are used. Needs indices that are in range.
[[nodiscard]] MaybeFault findLifetimeFault(const graph::Program& program);

} // namespace plimsoll::readers::plimsoll_graph
