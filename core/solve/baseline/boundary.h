// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/solve/baseline/exact_knapsack.h"
#include "core/solve/common/repeats.h"

#include <optional>
#include <vector>

namespace plimsoll::solve {

/// What is kept over the boundary between forward and backward, as a compiler that splits a step
/// into two graphs decides it: each value that backward reads is either kept, or computed again in
/// backward right before its first use there, with all that this takes and that was not kept. What
/// was computed again stays as long as backward needs it, so no op runs more than twice.
class Boundary
{
public:
    explicit Boundary(const plan::Problem& problem);

    /// One for each value that may be kept or not: bytes, and nanoseconds to compute it from what
    /// it reads. Values that can't be computed again, and the loss, are always kept and not here.
    [[nodiscard]] const std::vector<KnapsackItem>& items() const { return m_items; }
    /// Rows of Plan::again when these items are kept, pinned ones aside. More of them are where a
    /// value's ops need something that can't be made again.
    [[nodiscard]] std::vector<plan::Again> rows(std::vector<bool> kept) const;

private:
    /// A value that may be computed again.
    struct Value
    {
        graph::StorageId storage;
        graph::Moment firstUse = 0; ///< in backward
    };
    struct Attempt
    {
        std::vector<plan::Again> rows;
        std::optional<std::size_t> failed; ///< item that can't be computed again
    };

    [[nodiscard]] Attempt attempt(const std::vector<bool>& kept) const;

    const graph::Program& m_program;
    graph::Moment m_forward; ///< first op of backward
    Repeats m_repeats;
    std::vector<Value> m_values; ///< by rising first use
    std::vector<KnapsackItem> m_items;
    std::vector<std::optional<plan::PinKind>> m_pinned; ///< by item: what the problem's pins say
    std::vector<bool> m_isTemporary; ///< by storage: made by forward or loss, and not read later
};

} // namespace plimsoll::solve
