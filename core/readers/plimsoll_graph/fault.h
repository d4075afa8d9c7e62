// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/draft.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace plimsoll::readers::plimsoll_graph {

/// A violated invariant: its row, and what is wrong as the rest of a sentence.
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

/// The fault of the first check that finds one.
[[nodiscard]] inline MaybeFault
findFirst(const graph::Program& program,
          std::initializer_list<MaybeFault (*)(const graph::Program&)> checks)
{
    for (const auto check : checks)
        if (MaybeFault found = check(program))
            return found;
    return std::nullopt;
}

/// An index that refers to no row of its table. All other checks require that this one passed.
[[nodiscard]] MaybeFault findIndexFault(const graph::Program& program);

/// The rules about when storages are live and used. Needs indices that are in range.
[[nodiscard]] MaybeFault findLifetimeFault(const graph::Program& program);

} // namespace plimsoll::readers::plimsoll_graph
