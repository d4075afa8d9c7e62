// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/remat/search/remat_profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// What happens to operands of a recomputation that are no longer in memory.
enum class DeadOperands : std::uint8_t {
    Nearest, ///< those used at the wanted gap's position or later stay, others are recomputed
    Anew,    ///< all are recomputed
    Stay,    ///< all stay in memory until then
};

/// Which recomputations belong together. All writers so far of a value are recomputed in a row, or
/// none of them; so are those of what they read and others overwrote since.
class RematMoves
{
public:
    explicit RematMoves(const RematProblem& problem);

    /// Ops, rising, that recompute the value right before `at` and aren't in that row yet; nothing
    /// if one can't be recomputed or there would be more than `most`. `gap` is the position at
    /// which the move should make room.
    [[nodiscard]] std::optional<std::vector<std::uint32_t>>
    anew(const RematProfile& profile, std::uint32_t value, std::uint32_t at, std::uint32_t gap,
         DeadOperands operands, std::size_t most) const;
    /// The op and others of the row that can't stay without it, rising.
    [[nodiscard]] std::vector<std::uint32_t> without(const RematProfile& profile, std::uint32_t op,
                                                     std::uint32_t at) const;
    /// Ops that make or overwrite the value, rising.
    [[nodiscard]] const std::vector<std::uint32_t>& writersOf(std::uint32_t value) const
    {
        return m_writers[value];
    }

private:
    struct Gathering;
    [[nodiscard]] bool gather(Gathering& gathering, std::uint32_t value) const;
    [[nodiscard]] bool gatherUsed(Gathering& gathering, std::uint32_t op) const;
    [[nodiscard]] bool isWrittenBy(std::uint32_t op, std::uint32_t value) const;
    [[nodiscard]] bool isOverwrittenBetween(std::uint32_t value, std::uint32_t op,
                                            std::uint32_t at) const;

    const RematProblem& m_problem;
    bool m_overwrites = false;                         ///< whether any op overwrites anything
    std::vector<std::vector<std::uint32_t>> m_writers; ///< by value
};

} // namespace plimsoll::solve
