// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/decompose.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace plimsoll::solve {

namespace {

/// Divides time at the borders, where buffers begin or end.
class Cutter
{
public:
    explicit Cutter(const PackBuffers& buffers) : m_buffers{buffers}
    {
        for (const PackBuffer& buffer : buffers)
            if (buffer.size > 0) {
                m_times.push_back(buffer.lower);
                m_times.push_back(buffer.upper);
            }
        std::sort(m_times.begin(), m_times.end());
        m_times.erase(std::unique(m_times.begin(), m_times.end()), m_times.end());
        sortBuffers();
        sortBorders();
    }

    [[nodiscard]] Decomposition cut()
    {
        m_result.offsets.assign(m_buffers.size(), 0);
        if (m_times.size() > 1)
            m_stretches.push_back({0, m_times.size() - 1, 0, 0});
        while (!m_stretches.empty()) {
            Stretch stretch = m_stretches.back();
            m_stretches.pop_back();
            layGround(stretch);
            split(stretch);
        }
        return std::move(m_result);
    }

private:
    /// A stretch between two borders, with a number of buffers below it that are live throughout.
    struct Stretch
    {
        std::size_t begin;
        std::size_t end;
        std::size_t below;
        std::int64_t base; ///< their bytes
    };

    [[nodiscard]] std::size_t borderAt(std::int64_t time) const
    {
        return static_cast<std::size_t>(std::lower_bound(m_times.begin(), m_times.end(), time)
                                        - m_times.begin());
    }

    /// By begin; on a tie, later ends first.
    void sortBuffers()
    {
        for (std::size_t i = 0; i < m_buffers.size(); ++i)
            if (m_buffers[i].size > 0)
                m_order.push_back(static_cast<std::uint32_t>(i));
        std::sort(m_order.begin(), m_order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::tuple{m_buffers[a].lower, -m_buffers[a].upper, a}
                   < std::tuple{m_buffers[b].lower, -m_buffers[b].upper, b};
        });
        m_next.assign(m_times.size() + 1, 0);
        for (const std::uint32_t i : m_order)
            ++m_next[borderAt(m_buffers[i].lower) + 1];
        std::partial_sum(m_next.begin(), m_next.end(), m_next.begin());
        m_last.assign(m_next.begin() + 1, m_next.end());
    }

    /// By the number of buffers that cross them; on a tie, by time.
    void sortBorders()
    {
        std::vector<std::int64_t> crossed(m_times.size() + 1, 0);
        for (const std::uint32_t i : m_order) {
            ++crossed[borderAt(m_buffers[i].lower) + 1];
            --crossed[borderAt(m_buffers[i].upper)];
        }
        std::partial_sum(crossed.begin(), crossed.end(), crossed.begin());
        for (std::size_t border = 0; border < m_times.size(); ++border)
            m_borders.emplace_back(static_cast<std::size_t>(crossed[border]), border);
        std::sort(m_borders.begin(), m_borders.end());
    }

    void layGround(Stretch& stretch)
    {
        for (std::size_t& at = m_next[stretch.begin]; at < m_last[stretch.begin]; ++at) {
            const std::uint32_t i = m_order[at];
            if (m_buffers[i].upper != m_times[stretch.end])
                return;
            m_result.offsets[i] = stretch.base;
            stretch.base += m_buffers[i].size;
            ++stretch.below;
        }
    }

    /// At least the buffers below the stretch cross every border in it.
    void split(const Stretch& stretch)
    {
        const std::size_t known = m_stretches.size();
        std::size_t begin = stretch.begin;
        for (auto cut = std::upper_bound(m_borders.begin(), m_borders.end(),
                                         std::pair{stretch.below, stretch.begin});
             cut != m_borders.end() && cut->first == stretch.below && cut->second < stretch.end;
             ++cut) {
            m_stretches.push_back({begin, cut->second, stretch.below, stretch.base});
            begin = cut->second;
        }
        if (begin == stretch.begin) {
            addPart(stretch);
            return;
        }
        m_stretches.push_back({begin, stretch.end, stretch.below, stretch.base});
        std::reverse(m_stretches.begin() + static_cast<std::ptrdiff_t>(known), m_stretches.end());
    }

    void addPart(const Stretch& stretch)
    {
        PackPart part{stretch.base, {}};
        for (std::size_t border = stretch.begin; border < stretch.end; ++border)
            for (std::size_t at = m_next[border]; at < m_last[border]; ++at)
                part.buffers.push_back(m_order[at]);
        if (!part.buffers.empty())
            m_result.parts.push_back(std::move(part));
    }

    const PackBuffers& m_buffers;
    std::vector<std::int64_t> m_times;                          ///< of the borders
    std::vector<std::uint32_t> m_order;                         ///< buffers that take room
    std::vector<std::size_t> m_next;                            ///< by border: in m_order
    std::vector<std::size_t> m_last;                            ///< end of those that begin there
    std::vector<std::pair<std::size_t, std::size_t>> m_borders; ///< crossing buffers, border
    std::vector<Stretch> m_stretches;                           ///< still to be split
    Decomposition m_result;
};

} // namespace

Decomposition decompose(const PackBuffers& buffers)
{
    return Cutter{buffers}.cut();
}

} // namespace plimsoll::solve
