// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/chain/rotor/chain_table.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// Least time of each run of stages at each budget, by dynamic programming over memory-persistent
/// schedules, in which each stage saves in one of its ways.
class RotorTable final : public ChainTable
{
public:
    /// Every cell is the same minimum whoever computes it, so the table is the same for any number
    /// of threads. `maxBudget` includes x[0]. The peer recurrence knows no further ways.
    [[nodiscard]] static base::Result<RotorTable> build(const Chain& chain, std::int64_t maxBudget,
                                                        const RotorOptions& options,
                                                        const base::JobContext& job);

private:
    RotorTable() = default;

    /// What is done first in a cell.
    struct Choice
    {
        std::optional<std::size_t> leaf; ///< its j; none: stage i saves
        std::size_t variant = 0;         ///< how
    };
    [[nodiscard]] std::int64_t chainNeed(std::size_t i, std::size_t k, std::size_t variant) const;
    [[nodiscard]] double chainValue(std::size_t i, std::size_t k, std::size_t variant,
                                    std::int64_t slots) const;
    [[nodiscard]] double leafValue(std::size_t i, std::size_t j, std::size_t k,
                                   std::int64_t slots) const;
    void fillBase(std::size_t i);
    void prepareCell(std::size_t i, std::size_t k);
    void tryLeaf(std::size_t i, std::size_t j, std::size_t k);
    void finishCell(std::size_t i, std::size_t k);
    void fillTile(std::size_t firstTile, std::size_t lastTile);
    void fill(int threads, const base::JobContext& job);
    /// May lower `slots`.
    [[nodiscard]] Choice choose(std::size_t i, std::size_t k, std::int64_t& slots) const;
    void walk(std::size_t i, std::size_t k, std::int64_t slots, Sequence& out) const;
    void walkTop(std::int64_t slots, Sequence& out) const override
    {
        walk(0, m_rows - 1, slots, out);
    }
    [[nodiscard]] base::Result<Sequence> within(std::int64_t budget) const override;

    RotorOptions m_options;
    std::vector<std::int32_t> m_lo;       ///< per cell: first slot that is feasible
    std::vector<std::int32_t> m_hi;       ///< per cell: from this slot on nothing is recomputed
    std::vector<std::int32_t> m_leafNeed; ///< per cell: least slots for a leaf choice
    std::vector<std::int64_t>
        m_running; ///< per first stage, while filling: largest need of a forward
};

} // namespace plimsoll::solve
