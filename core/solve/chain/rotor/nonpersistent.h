// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/solve/chain/rotor/chain_table.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// Least time of each run of stages at each budget over schedules that may let go of a stage's
/// input while what the stage saved stays: a forward then makes the input again right before the
/// stage's backward. Takes in every schedule of RotorTable with the corrected recurrence. What is
/// let go so has been saved by way 0.
///
/// Two tables. T(i, k, m): stages i..k forward and backward, their input in memory and not charged,
/// the gradient of their output charged (none when k is the loss). U(i, k, m): the same where stage
/// k has saved already, which is charged too, and only its backward is left.
class NonPersistentTable final : public ChainTable
{
public:
    /// The chain must allow every region and way, and have no tails. `maxBudget` includes x[0].
    [[nodiscard]] static base::Result<NonPersistentTable> build(const Chain& chain,
                                                                std::int64_t maxBudget,
                                                                const RotorOptions& options,
                                                                const base::JobContext& job);

private:
    enum class Move : std::uint8_t {
        Save,  ///< run stage i with saving
        Keep,  ///< run i..j-1, keep x[j] only
        Float, ///< run i..j, keep what j saves, and not x[j]
    };
    struct Choice
    {
        Move move = Move::Save;
        std::size_t j = 0;
        std::size_t variant = 0;       ///< of Save
        double time = 0;               ///< of the forwards (and of Save the backward)
        std::int64_t need = 0;         ///< slots
        std::int64_t kept = 0;         ///< slots that the right part has less
        const double* right = nullptr; ///< rows: solved first, with `kept` less
        const double* left = nullptr;  ///< solved last; none with Save
    };

    NonPersistentTable() = default;

    /// A row of T, or of U: no row of that for the loss stage is ever finite.
    [[nodiscard]] const double* row(bool isSaved, std::size_t i, std::size_t k) const
    {
        return ChainTable::row(i, k) + (isSaved ? m_cost.size() / 2 : 0);
    }
    [[nodiscard]] double* row(bool isSaved, std::size_t i, std::size_t k)
    {
        return ChainTable::row(i, k) + (isSaved ? m_cost.size() / 2 : 0);
    }
    void fillBase(std::size_t i);
    void fillRow(bool isSaved, std::size_t i, std::size_t k);
    /// Calls `visit` with everything that can be done first in a cell of at least two stages.
    template <typename Visit>
    void eachChoice(bool isSaved, std::size_t i, std::size_t k, Visit visit) const;
    [[nodiscard]] static double valueOf(const Choice& choice, std::int64_t slots);
    [[nodiscard]] Choice choose(bool isSaved, std::size_t i, std::size_t k,
                                std::int64_t& slots) const;
    void walk(bool isSaved, std::size_t i, std::size_t k, std::int64_t slots, Sequence& out) const;
    void walkTop(std::int64_t slots, Sequence& out) const override
    {
        walk(false, 0, m_rows - 1, slots, out);
    }
};

} // namespace plimsoll::solve
