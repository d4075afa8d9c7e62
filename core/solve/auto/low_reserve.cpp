// SPDX-License-Identifier: Apache-2.0
#include "core/solve/auto/low_reserve.h"

#include "core/run/reserved_table.h"
#include "core/run/will_run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>

namespace plimsoll::solve {

namespace {

using plan::FrontierPoint;

constexpr std::array kSegments{allocator::AllocatorSettings{},
                               allocator::AllocatorSettings{.expandableSegments = true}};

struct Row
{
    FrontierPoint plan;
    bool isDominated = false;
    std::optional<base::Bytes> reserved; ///< empty: not known
};

/// By rising step time; of equal ones, the frontier's first, then in their order.
std::vector<Row> rowsOf(const plan::Frontier& frontier, const std::vector<FrontierPoint>& dominated)
{
    std::vector<Row> rows;
    for (const FrontierPoint& point : frontier.points())
        rows.push_back({point, false, std::nullopt});
    for (const FrontierPoint& point : dominated)
        rows.push_back({point, true, std::nullopt});
    std::ranges::stable_sort(rows, {},
                             [](const Row& row) { return row.plan->evaluation().stepTime; });
    return rows;
}

/// Drops the rows of dominated plans that can't reserve less than a faster one of the frontier
/// does, since their own peak is as large.
void dropHopeless(std::vector<Row>& rows)
{
    base::Bytes least = plan::kUnlimited;
    std::erase_if(rows, [&least](const Row& row) {
        if (!row.isDominated)
            least = std::min(least, *row.reserved);
        return row.isDominated && row.plan->evaluation().peak >= least;
    });
}

/// Replays the loops of many plans.
class Replays
{
public:
    Replays(std::size_t threads, const base::JobContext& job) : m_threads{threads}, m_job{job} {}

    /// Fills in what is reserved with the frontier's plans, or with the dominated ones. False if
    /// stopped.
    [[nodiscard]] bool fill(std::vector<Row>& rows, bool areDominated,
                            const allocator::AllocatorSettings& settings) const;

private:
    std::size_t m_threads;
    const base::JobContext& m_job;
};

bool Replays::fill(std::vector<Row>& rows, bool areDominated,
                   const allocator::AllocatorSettings& settings) const
{
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < rows.size(); i = next++)
            if (rows[i].isDominated == areDominated)
                rows[i].reserved = run::reservedBy(*rows[i].plan, settings, m_job.stop);
    };
    {
        std::vector<std::jthread> workers;
        for (std::size_t i = 1; i < m_threads; ++i) {
            try {
                workers.emplace_back(work);
            } catch (const std::system_error&) {
                break; // no more threads available: continue with fewer
            }
        }
        work();
    }
    return !m_job.stopRequested();
}

} // namespace

std::vector<FrontierPoint> lowReservePlans(const plan::Frontier& frontier,
                                           const std::vector<FrontierPoint>& dominated,
                                           std::size_t threads, const base::JobContext& job)
{
    if (dominated.empty() || !run::hasAllocator(dominated.front()->problem()))
        return {};
    const Replays replays{threads, job};
    std::vector<FrontierPoint> found;
    for (std::size_t i = 0; i < kSegments.size(); ++i) {
        std::vector<Row> rows = rowsOf(frontier, dominated);
        if (!replays.fill(rows, false, kSegments[i]))
            return {};
        dropHopeless(rows);
        if (!replays.fill(rows, true, kSegments[i]))
            return {};
        base::Bytes least = plan::kUnlimited;
        for (const Row& row : rows) {
            const base::Bytes needed = std::max(*row.reserved, row.plan->evaluation().peak);
            if (needed >= least)
                continue;
            least = needed;
            if (row.isDominated && std::ranges::find(found, row.plan) == found.end())
                found.push_back(row.plan);
        }
        job.report(i + 1, kSegments.size());
    }
    return found;
}

} // namespace plimsoll::solve
