// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/bounds/remat_problem.h"
#include "core/solve/remat/search/range_max_tree.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::solve {

/// A point in a step: an op's own execution is (op, op), a recomputation of `op` right before `at`
/// is (at, op). Since recomputations before an op run in recorded order, these order all steps.
struct RematPosition
{
    std::uint32_t at = 0;
    std::uint32_t op = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): as in base::Quantity
    auto operator<=>(const RematPosition&) const = default;
    /// Same as <, but branch-free.
    [[nodiscard]] bool isBefore(const RematPosition& other) const
    {
        constexpr unsigned kShift = 32;
        return ((std::uint64_t{at} << kShift) | op)
               < ((std::uint64_t{other.at} << kShift) | other.op);
    }
};

/// A step that uses a value; one that makes it begins a new instance.
struct RematTouch
{
    RematPosition moment;
    bool isMake = false;
};

/// The memory of a plan that changes by single recomputations, each in O(uses log n). Between two
/// consecutive uses a value is held, unless the second one recomputes it.
///
/// Positions are the ops
/// and, after them, one for the end, which uses what is kept. For each, the tree holds the largest
/// memory among its steps: the recomputations before it, then its own. The problem must be one that
/// simulate() accepts, and outlive the profile.
class RematProfile
{
public:
    explicit RematProfile(const RematProblem& problem);

    /// Adds a recomputation of the op right before `at`; the op must be smaller and not there yet.
    void insert(std::uint32_t op, std::uint32_t at);
    /// Removes it.
    void erase(std::uint32_t op, std::uint32_t at);

    [[nodiscard]] std::int64_t peak() const { return m_memory.max(); }
    [[nodiscard]] std::uint32_t peakAt() const
    {
        return static_cast<std::uint32_t>(m_memory.argMax());
    }
    [[nodiscard]] std::int64_t memoryAt(std::uint32_t at) const
    {
        return m_memory.max(at, at + std::size_t{1});
    }
    /// The maximum over positions first <= p < end.
    [[nodiscard]] std::int64_t peakWithin(std::uint32_t first, std::uint32_t end) const
    {
        return m_memory.max(first, end);
    }
    [[nodiscard]] double time() const { return m_time; }
    /// The part spent in recomputations.
    [[nodiscard]] double repeatedTime() const { return m_time - m_plainTime; }
    [[nodiscard]] std::size_t repetitions() const { return m_repetitions; }

    /// Ops that are recomputed right before `at`, rising.
    [[nodiscard]] const std::vector<std::uint32_t>& row(std::uint32_t at) const
    {
        return m_rows[at];
    }
    [[nodiscard]] bool isInRow(std::uint32_t op, std::uint32_t at) const;
    /// Steps that use the value, in order.
    [[nodiscard]] const std::vector<RematTouch>& touches(std::uint32_t value) const
    {
        return m_touches[value];
    }
    /// Index of the first touch of the value at or after a point; the number of touches if there is
    /// none.
    [[nodiscard]] std::size_t touchFrom(std::uint32_t value, RematPosition moment) const;
    /// Whether the value is held right before the point for a use at or after it.
    [[nodiscard]] bool isHeld(std::uint32_t value, RematPosition moment) const;
    /// Values that an execution of the op uses, each once, starting with those it makes.
    [[nodiscard]] std::span<const std::uint32_t> usedBy(std::uint32_t op) const
    {
        return {m_used.data() + m_usedFrom[op], m_used.data() + m_usedFrom[op + 1]};
    }

    [[nodiscard]] const RematProblem& problem() const { return m_problem; }
    [[nodiscard]] RematPlan plan() const;

private:
    void collectUses();
    void addTouch(std::uint32_t value, RematTouch touch);
    void removeTouch(std::uint32_t value, RematPosition moment);
    void hold(std::uint32_t value, const RematTouch& from, const RematTouch& to, int sign);
    void renewLocal(std::uint32_t at);
    void markStale(std::uint32_t at);
    void renewStale(std::uint32_t at);
    [[nodiscard]] std::int64_t localOf(std::uint32_t at);
    void addCover(std::uint32_t value, std::uint32_t at);
    [[nodiscard]] std::size_t stepIn(std::uint32_t at, std::uint32_t op) const;

    const RematProblem& m_problem;
    std::uint32_t m_end; ///< the position after all ops
    std::vector<std::uint32_t> m_used;
    std::vector<std::size_t> m_usedFrom;    ///< by op, the end included: where its values begin
    std::vector<std::uint32_t> m_madeCount; ///< by op, the end included
    std::vector<std::vector<RematTouch>> m_touches; ///< by value, in order
    std::vector<std::vector<std::uint32_t>> m_rows; ///< by position
    std::vector<std::int64_t> m_local; ///< by position: part of its memory that is used there
    RangeMaxTree m_memory;
    double m_time = 0;
    double m_plainTime = 0;
    std::size_t m_repetitions = 0;
    std::vector<std::int64_t> m_cover; ///< scratch: changes of bytes along a position's steps
    std::vector<std::uint64_t> m_seen; ///< scratch, by value: last round of localOf() with it
    std::uint64_t m_round = 0;
    std::vector<std::uint32_t> m_stale; ///< scratch: positions whose row must be updated
};

} // namespace plimsoll::solve
