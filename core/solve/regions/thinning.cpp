// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/thinning.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace plimsoll::solve {

namespace {

/// Drops the cut of least worth again and again.
class Thinning
{
public:
    explicit Thinning(const std::vector<CutCandidate>& candidates)
        : m_candidates{candidates}, m_worth(candidates.size(), 0)
    {
        for (std::size_t at = 0; at < candidates.size(); ++at) {
            m_saved.push_back(candidates[at].saved);
            m_previous.push_back(at == 0 ? 0 : at - 1);
            m_next.push_back(at + 1);
        }
        for (std::size_t at = 0; at < candidates.size(); ++at)
            rate(at);
    }

    [[nodiscard]] std::vector<std::size_t> run(std::size_t limit)
    {
        std::size_t left = m_candidates.size();
        for (; left > limit && !m_queue.empty(); --left) {
            const std::size_t at = m_queue.begin()->second;
            m_queue.erase(m_queue.begin());
            const std::size_t previous = m_previous[at];
            const std::size_t next = m_next[at];
            m_saved[previous] += m_saved[at];
            m_next[previous] = next;
            rate(previous);
            if (next < m_candidates.size()) {
                m_previous[next] = previous;
                rate(next);
            }
        }
        std::vector<std::size_t> kept;
        for (std::size_t at = 0; at < m_candidates.size(); at = m_next[at])
            kept.push_back(at);
        return kept;
    }

private:
    void rate(std::size_t at)
    {
        if (m_candidates[at].isFixed || at == 0)
            return;
        m_queue.erase({m_worth[at], at});
        const std::size_t previous = m_previous[at];
        const std::size_t next = m_next[at];
        std::int64_t cheaper = m_candidates[previous].crossing;
        if (next < m_candidates.size())
            cheaper = std::min(cheaper, m_candidates[next].crossing);
        m_worth[at] = std::min(m_saved[previous], m_saved[at])
                      - std::max<std::int64_t>(0, m_candidates[at].crossing - cheaper);
        m_queue.emplace(m_worth[at], at);
    }

    const std::vector<CutCandidate>& m_candidates;
    std::vector<std::int64_t> m_saved; ///< up to the next cut that is left
    std::vector<std::size_t> m_previous;
    std::vector<std::size_t> m_next;
    std::vector<std::int64_t> m_worth;
    std::set<std::pair<std::int64_t, std::size_t>> m_queue;
};

} // namespace

std::vector<std::size_t> thinned(const std::vector<CutCandidate>& candidates, std::size_t limit)
{
    if (candidates.empty())
        return {};
    return Thinning{candidates}.run(limit);
}

std::vector<std::size_t> spread(const std::vector<CutCandidate>& candidates, std::size_t limit)
{
    std::vector<std::size_t> kept;
    std::int64_t whole = 0;
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        whole += candidates[at].saved;
        if (candidates[at].isFixed)
            kept.push_back(at);
    }
    if (kept.size() >= limit)
        return kept;
    std::vector<std::optional<std::size_t>> best(limit - kept.size()); // by part
    const std::int64_t share = whole / static_cast<std::int64_t>(best.size()) + 1;
    std::int64_t before = 0; // saved in front of the candidate
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        std::optional<std::size_t>& cheapest = best[static_cast<std::size_t>(before / share)];
        before += candidates[at].saved;
        if (!candidates[at].isFixed
            && (!cheapest || candidates[at].crossing < candidates[*cheapest].crossing))
            cheapest = at;
    }
    for (const std::optional<std::size_t>& cheapest : best)
        if (cheapest)
            kept.push_back(*cheapest);
    std::sort(kept.begin(), kept.end());
    return kept;
}

} // namespace plimsoll::solve
