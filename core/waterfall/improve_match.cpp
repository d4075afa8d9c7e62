// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/improve_match.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>

namespace plimsoll::waterfall {

namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr int kRounds = 16;
constexpr std::size_t kFarthest = 64; ///< neighbours that are looked at, on each side

class Improvement
{
public:
    Improvement(const compare::PredictedStep& step, const MeasuredStep& measured, StepMatch& match)
        : m_step{step}, m_measured{measured}, m_match{match}
    {
        findPredictedFrees();
        findMeasuredFrees();
        m_isPaired.first.resize(match.predicted.size());
        m_isPaired.second.resize(match.measured.size());
        for (const auto& [at, other] : match.inOrder)
            m_isPaired.first[at] = m_isPaired.second[other] = true;
    }

    /// Whether a pair was moved.
    bool round()
    {
        bool isChanged = false;
        auto& pairs = m_match.inOrder;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto before =
                i == 0 ? std::optional<std::pair<std::uint32_t, std::uint32_t>>{} : pairs[i - 1];
            const std::size_t end =
                i + 1 < pairs.size() ? pairs[i + 1].first : m_isPaired.first.size();
            const std::size_t otherEnd =
                i + 1 < pairs.size() ? pairs[i + 1].second : m_isPaired.second.size();
            std::uint32_t& at = pairs[i].first; // clang 14 doesn't let lambdas have bindings
            std::uint32_t& other = pairs[i].second;
            isChanged = move(m_isPaired.second, other, before ? before->second + std::size_t{1} : 0,
                             otherEnd, [&](std::uint32_t to) { return costOf(at, to); })
                        || isChanged;
            isChanged = move(m_isPaired.first, at, before ? before->first + std::size_t{1} : 0, end,
                             [&](std::uint32_t to) { return costOf(to, other); })
                        || isChanged;
        }
        return isChanged;
    }

private:
    /// Moves one side of a pair to the best of the free positions from `begin` to `end`.
    template <typename Cost>
    static bool move(std::vector<bool>& isPaired, std::uint32_t& at, std::size_t begin,
                     std::size_t end, const Cost& cost)
    {
        begin = std::max(begin, at - std::min<std::size_t>(at, kFarthest));
        end = std::min(end, at + kFarthest);
        std::uint32_t best = at;
        std::optional<std::int64_t> least = cost(at);
        for (std::size_t to = begin; to < end; ++to) {
            if (isPaired[to])
                continue;
            const std::optional<std::int64_t> there = cost(static_cast<std::uint32_t>(to));
            if (there && *there < *least) {
                least = there;
                best = static_cast<std::uint32_t>(to);
            }
        }
        if (best == at)
            return false;
        isPaired[at] = false;
        isPaired[best] = true;
        at = best;
        return true;
    }
    /// How far apart a predicted and a measured allocation are freed; none if they differ in size.
    /// At the same distance, those that outlive the step belong together.
    [[nodiscard]] std::optional<std::int64_t> costOf(std::uint32_t at, std::uint32_t other) const
    {
        const std::uint32_t instance = m_match.predicted[at];
        const std::uint32_t allocation = m_match.measured[other];
        const memtrace::Allocations& all = m_measured.device.allocations();
        if (instanceBytes(m_step, instance).count() != all.bytes[allocation])
            return std::nullopt;
        const bool outlives =
            m_step.evaluation->schedule->instances[instance].free == graph::kNever;
        const bool otherOutlives = all.freeEvent[allocation] >= m_measured.window.end;
        return 2
                   * std::abs(static_cast<std::int64_t>(m_predictedFree[at])
                              - static_cast<std::int64_t>(m_measuredFree[other]))
               + (outlives == otherOutlives ? 0 : 1);
    }
    /// By predicted allocation: how many of them are made before it is freed.
    void findPredictedFrees()
    {
        const std::vector<plan::Instance>& instances = m_step.evaluation->schedule->instances;
        for (const std::uint32_t instance : m_match.predicted) {
            const auto next = std::ranges::upper_bound(
                m_match.predicted, instances[instance].free, {},
                [&](std::uint32_t other) { return instances[other].alloc; });
            m_predictedFree.push_back(static_cast<std::uint32_t>(next - m_match.predicted.begin()));
        }
    }
    /// By measured allocation: the same, as far as these are found.
    void findMeasuredFrees()
    {
        const memtrace::Allocations& all = m_measured.device.allocations();
        for (const std::uint32_t allocation : m_match.measured) {
            const memtrace::EventIndex freed = all.freeEvent[allocation];
            const auto next = std::ranges::partition_point(m_match.inOrder, [&](const auto& pair) {
                return all.allocEvent[m_match.measured[pair.second]] < freed;
            });
            m_measuredFree.push_back(next == m_match.inOrder.end()
                                         ? static_cast<std::uint32_t>(m_match.predicted.size())
                                         : next->first);
        }
    }

    const compare::PredictedStep& m_step;
    const MeasuredStep& m_measured;
    StepMatch& m_match;
    Numbers m_predictedFree;
    Numbers m_measuredFree;
    std::pair<std::vector<bool>, std::vector<bool>> m_isPaired; ///< predicted, measured
};

} // namespace

void improveMatch(const compare::PredictedStep& step, const MeasuredStep& measured,
                  StepMatch& match)
{
    Improvement improvement{step, measured, match};
    for (int round = 0; round < kRounds && improvement.round(); ++round) {
    }
}

} // namespace plimsoll::waterfall
