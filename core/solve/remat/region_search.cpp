// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/region_search.h"

#include "core/base/try.h"
#include "core/evaluate/bound.h"
#include "core/solve/regions/forced_regions.h"
#include "core/solve/remat/region_draft.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace plimsoll::solve {

using base::JobContext;
using base::Result;
using graph::OpId;

namespace {

/// The number of ops that all evaluations of a search visit in total.
constexpr std::size_t kWork = 40'000'000;
/// The smallest and largest number of evaluations.
constexpr std::size_t kFewest = 300;
constexpr std::size_t kMost = 8000;
/// Attempts to get below a peak before it is accepted as the smallest.
constexpr int kTries = 12;

/// A draft and the evaluation of its plan.
struct Point
{
    RegionDraft draft;
    plan::EvaluationPtr evaluation;
};

/// The same without the data that only the next step needs.
struct Known
{
    RegionDraft draft;
    base::Bytes peak;
    base::Nanoseconds time;
};

/// One way to divide forward into segments.
struct Family
{
    RegionDraft blank;
    std::vector<Known> known = {}; ///< in the order of finding
};

class RegionSearch
{
public:
    RegionSearch(const plan::Problem& problem, const RegionSpace& space, const RegionOffer& offer)
        : m_problem{problem}
        , m_drafts{problem, space}
        , m_forced{problem, space}
        , m_granularity{space.granularity()}
        , m_offer{offer}
    {
    }

    Result<void> run(std::int64_t most, std::size_t budgets, const JobContext& job)
    {
        const std::size_t ops = std::max<std::size_t>(m_problem.step()->ops.size(), 1);
        const std::size_t evaluations = std::clamp(kWork / ops, kFewest, kMost);
        const std::int64_t least = plan::peakLowerBound(m_problem).bytes.count();
        m_step = static_cast<std::size_t>(
            std::max<std::int64_t>((most - least) / static_cast<std::int64_t>(budgets), 1));
        std::vector<Family> all = families();
        for (std::size_t family = 0; family < all.size() && !job.stopRequested(); ++family) {
            m_left = evaluations / 2 / all.size();
            const auto count = 2 * static_cast<int>(all.size());
            RETURN_IF_ERROR(descend(all[family], job.piece(static_cast<int>(family), count)));
        }
        // Rising budgets: each one starts from the result of the previous one.
        const JobContext refining = job.piece(1, 2);
        for (std::size_t budget = 1; budget <= budgets && !job.stopRequested(); ++budget) {
            m_left = std::max<std::size_t>(evaluations / 2 / budgets, 8);
            const std::int64_t bytes = least
                                       + (most - least) / static_cast<std::int64_t>(budgets)
                                             * static_cast<std::int64_t>(budget);
            RETURN_IF_ERROR(refine(all, base::Bytes{bytes}, job));
            refining.report(budget, budgets);
        }
        return {};
    }

private:
    /// Nullopt if the draft has no legal regions.
    Result<std::optional<Point>> judged(const RegionDraft& draft)
    {
        m_left -= std::min<std::size_t>(m_left, 1);
        std::optional<std::vector<plan::Region>> regions = m_drafts.regionsOf(draft);
        if (!regions)
            return std::nullopt;
        m_forced.addTo(*regions);
        ASSIGN_OR_RETURN(const plan::EvaluationPtr evaluation, m_offer(*std::move(regions)));
        return Point{draft, evaluation};
    }

    static Known knownOf(Point point)
    {
        return {std::move(point.draft), point.evaluation->peak, point.evaluation->stepTime};
    }

    /// Few large segments are cheap at large budgets; smaller ones bring back less at once.
    [[nodiscard]] std::vector<Family> families() const
    {
        static constexpr std::array<std::size_t, 6> kSegments{6, 12, 24, 48, 96, 192};
        std::vector<Family> all;
        const auto add = [&](CutRule rule, std::size_t segments) {
            RegionDraft blank = m_drafts.blank(rule, segments);
            blank.joins = rule == CutRule::Ops;
            const bool isKnown = std::any_of(all.begin(), all.end(), [&](const Family& family) {
                return family.blank.begins == blank.begins && family.blank.joins == blank.joins;
            });
            if (!isKnown)
                all.push_back({std::move(blank)});
        };
        for (const std::size_t segments : kSegments) {
            add(CutRule::Calls, segments);
            if (m_granularity == plan::Granularity::Op)
                add(CutRule::Ops, segments);
        }
        return all;
    }

    /// Tries the cheapest drops at the peak that together free a step, or fewer if that fails.
    Result<std::optional<Point>> lower(const Point& from, std::vector<bool>& isUseless)
    {
        std::vector<RegionDrop> drops = m_drafts.dropsAt(from.draft, *from.evaluation);
        std::erase_if(drops, [&](const RegionDrop& drop) { return isUseless[drop.op.index()]; });
        std::size_t count = 0;
        for (std::int64_t freed = 0;
             count < drops.size() && freed < static_cast<std::int64_t>(m_step); ++count)
            freed += drops[count].bytes;
        std::size_t begin = 0;
        for (int tries = 0; tries < kTries && begin < drops.size() && m_left > 0; ++tries) {
            RegionDraft draft = from.draft;
            const std::size_t end = std::min(begin + count, drops.size());
            for (std::size_t drop = begin; drop < end; ++drop)
                m_drafts.drop(draft, drops[drop].op);
            Result<std::optional<Point>> point = judged(draft);
            if (!point || (*point && (*point)->evaluation->peak < from.evaluation->peak))
                return point;
            if (end - begin > 1) {
                count = (end - begin) / 2;
                continue;
            }
            isUseless[drops[begin].op.index()] = true;
            ++begin;
        }
        for (const RegionDraft& split : m_drafts.splitsAt(from.draft, *from.evaluation)) {
            Result<std::optional<Point>> point = judged(split);
            if (!point || (*point && (*point)->evaluation->peak < from.evaluation->peak))
                return point;
        }
        return std::nullopt;
    }

    Result<void> descend(Family& family, const JobContext& job)
    {
        const Result<std::optional<Point>> nothing = judged(family.blank);
        const Result<std::optional<Point>> all = judged(m_drafts.allAgain(family.blank));
        for (const Result<std::optional<Point>>* point : {&all, &nothing}) {
            if (!*point)
                return tl::unexpected{point->error()};
            if (**point)
                family.known.push_back(knownOf(***point));
        }
        if (!*nothing)
            return {};
        Point point = **nothing;
        const std::size_t begin = m_left;
        std::vector<bool> isUseless(family.blank.recomputed.size(), false);
        while (m_left > 0 && !job.stopRequested()) {
            job.report(begin - m_left, begin);
            ASSIGN_OR_RETURN(std::optional<Point> next, lower(point, isUseless));
            if (!next)
                break;
            point = *std::move(next);
            family.known.push_back(knownOf(point));
        }
        return {};
    }

    /// Keeps a range of ops again if that fits; otherwise tries its halves, the better one first.
    Result<void> takeBack(Known& known, base::Bytes budget, const std::vector<OpId>& ops,
                          std::size_t begin, std::size_t end)
    {
        if (begin == end || m_left == 0)
            return {};
        RegionDraft draft = known.draft;
        for (std::size_t at = begin; at < end; ++at)
            m_drafts.takeBack(draft, ops[at]);
        ASSIGN_OR_RETURN(std::optional<Point> more, judged(draft));
        if (more && more->evaluation->peak <= budget) {
            if (more->evaluation->stepTime < known.time)
                known = knownOf(*std::move(more));
            return {};
        }
        if (end - begin == 1)
            return {};
        const std::size_t middle = begin + (end - begin) / 2;
        RETURN_IF_ERROR(takeBack(known, budget, ops, begin, middle));
        return takeBack(known, budget, ops, middle, end);
    }

    /// Refines, starting from the fastest plans of the best divisions.
    Result<void> refine(std::vector<Family>& families, base::Bytes budget, const JobContext& job)
    {
        constexpr std::size_t kStarts = 3;
        std::vector<std::pair<Family*, Known>> starts;
        for (Family& family : families) {
            const Known* best = nullptr;
            for (const Known& known : family.known)
                if (known.peak <= budget && (best == nullptr || known.time < best->time))
                    best = &known;
            if (best != nullptr)
                starts.emplace_back(&family, *best);
        }
        std::stable_sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) {
            return a.second.time < b.second.time;
        });
        starts.resize(std::min(starts.size(), kStarts));
        const std::size_t share = m_left / std::max<std::size_t>(starts.size(), 1);
        for (auto& [family, known] : starts) {
            m_left = share;
            const std::vector<OpId> ops = m_drafts.returns(known.draft);
            RETURN_IF_ERROR(takeBack(known, budget, ops, 0, ops.size()));
            family->known.push_back(known);
            if (job.stopRequested())
                break;
        }
        return {};
    }

    const plan::Problem& m_problem;
    RegionDrafts m_drafts;
    ForcedRegions m_forced;
    plan::Granularity m_granularity;
    const RegionOffer& m_offer;
    std::size_t m_step = 1; ///< bytes by which a peak is to fall at once
    std::size_t m_left = 0; ///< evaluations for what is being done
};

} // namespace

Result<void> searchRegions(const plan::Problem& problem, const RegionSpace& space,
                           const RegionOffer& offer, base::Bytes most, std::size_t budgets,
                           const JobContext& job)
{
    return RegionSearch{problem, space, offer}.run(most.count(), budgets, job);
}

} // namespace plimsoll::solve
