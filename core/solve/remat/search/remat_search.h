// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/random.h"
#include "core/solve/remat/search/remat_moves.h"
#include "core/solve/remat/search/remat_profile.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// A recomputation of a plan.
struct RematExecution
{
    std::uint32_t op = 0;
    std::uint32_t at = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): as in base::Quantity
    auto operator<=>(const RematExecution&) const = default;
};

/// A plan that grows and shrinks by local moves until it fits a budget and is fast. Deterministic:
/// depends only on the problem and the calls.
class RematSearch
{
public:
    explicit RematSearch(const RematProblem& problem);

    [[nodiscard]] const RematProfile& profile() const { return m_profile; }
    /// Changes of the profile so far: a machine-independent measure of time.
    [[nodiscard]] std::size_t work() const { return m_work; }
    [[nodiscard]] bool fits(std::int64_t budget) const { return m_profile.peak() <= budget; }

    /// Replaces the plan.
    void load(const RematPlan& plan);
    /// Makes the plan fit: inserts recomputations, with larger moves and kicks if that stalls, and
    /// removes unnecessary ones. False: nothing that fits was found, and the plan is unchanged.
    bool reach(std::int64_t budget, const base::JobContext& job);
    /// Removes recomputations without which the plan still fits.
    void loosen(std::int64_t budget, const base::JobContext& job);
    /// One round of destroy and repair of a plan that fits: keeps the result if it isn't slower
    /// than the plan or than `slowest`.
    void improve(std::int64_t budget, double slowest, const base::JobContext& job);

private:
    struct Move
    {
        std::vector<std::uint32_t> ops;
        std::uint32_t at = 0;
        double score = 0;
    };
    struct Candidate
    {
        double score = 0;
        std::uint32_t value = 0;
        bool isExact = false;
    };

    /// Drops values across the peak, the cheapest bytes first, until the plan fits or no move makes
    /// room without taking it elsewhere. `noise` disturbs the order. False: it stalled.
    bool insert(std::int64_t budget, double noise, const base::JobContext& job);
    /// Removes, most expensive first, those of the recomputations without which the plan still
    /// fits.
    void prune(std::vector<RematExecution> extras, std::int64_t budget,
               const base::JobContext& job);
    /// Continues from a stalled plan.
    bool escape(std::int64_t budget, const base::JobContext& job);
    [[nodiscard]] std::vector<RematExecution> insertedSince(std::size_t mark) const;
    void apply(const std::vector<std::uint32_t>& ops, std::uint32_t at);
    void remove(const std::vector<std::uint32_t>& ops, std::uint32_t at);
    void rollback(std::size_t mark);
    [[nodiscard]] std::vector<RematExecution> extras() const;
    bool relieve(std::uint32_t gap, std::int64_t budget, double noise);
    void collect(std::uint32_t gap, std::int64_t excess, double noise);
    [[nodiscard]] std::optional<std::uint32_t> idleUntil(std::uint32_t value,
                                                         std::uint32_t gap) const;
    [[nodiscard]] std::optional<Move> bestMove(std::uint32_t value, std::uint32_t gap,
                                               std::int64_t budget);
    [[nodiscard]] std::optional<double> scoreOf(const std::vector<std::uint32_t>& ops,
                                                std::uint32_t at, std::uint32_t gap,
                                                std::int64_t budget);
    void force(std::uint32_t gap);
    void destroy(const RematExecution& centre, std::size_t kind, std::size_t most);

    const RematProblem& m_problem;
    RematProfile m_profile;
    RematMoves m_moves;
    base::Random m_random{1};
    std::size_t m_work = 0;
    double m_instant;                   ///< differences of time that count as none
    std::size_t m_mostOps = 6;          ///< ops that one move inserts
    std::vector<double> m_making;       ///< by value: time of all its writers
    std::vector<std::uint32_t> m_first; ///< by value: position of its maker
    std::vector<std::uint32_t> m_last;  ///< by value: last position that ever used it
    struct Change
    {
        RematExecution extra;
        bool isInsertion = true;
    };
    std::vector<Change> m_journal;
    std::vector<Candidate> m_candidates; ///< a heap
};

/// Sums of the same times in another order differ by less than this factor.
constexpr double kSameTime = 1.0 + 1e-9;

/// The limits of a refinement.
struct RematEffort
{
    std::size_t work = 0;      ///< at most, changes of the profile
    double enough = 0;         ///< stops at this time, which no plan beats
    std::size_t patience = 50; ///< changes without a gain, for each pair of recomputations
    std::size_t rungs = 1;     ///< number of steps in which the memory is lowered to the budget
};

/// Brings the search's plan within a budget and makes it faster, round by round; in between it may
/// accept plans that are slightly slower. `faster` is called with each plan that is faster than all
/// before in the search. False: nothing within the budget was found, and the search's plan has
/// changed.
bool refineRemat(RematSearch& search, std::int64_t budget, const RematEffort& effort,
                 const base::JobContext& job, const std::function<void()>& faster = {});

} // namespace plimsoll::solve
