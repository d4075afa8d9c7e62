// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/chain/rotor/rotor.h"
#include "core/solve/chain/rotor/sequence.h"

#include <optional>
#include <utility>

namespace plimsoll::solve {

/// A table of schedules for every budget up to what keeping everything needs. Nothing where that is
/// less than a byte for each of the table's steps: there is nothing to plan.
template <typename Table>
[[nodiscard]] base::Result<std::optional<Table>> wholeTable(const Chain& chain, int slots,
                                                            const base::JobContext& job)
{
    const base::Result<Simulation> everything = simulate(chain, keepEverything(chain));
    if (!everything)
        return tl::unexpected{everything.error()};
    if (everything->peak < slots)
        return std::nullopt;
    RotorOptions options;
    options.slots = slots;
    return Table::build(chain, everything->peak, options, job).map([](Table table) {
        return std::optional<Table>{std::move(table)};
    });
}

} // namespace plimsoll::solve
