// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/pack_check.h"

#include "core/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace plimsoll::solve {

namespace {

using base::ErrorKind;
using base::failure;

/// The live buffers at the current time of the sweep: index by offset. As long as nothing overlaps,
/// only its neighbours can overlap a new buffer.
class Live
{
public:
    Live(const PackBuffers& buffers, const PackOffsets& offsets)
        : m_buffers{buffers}, m_offsets{offsets}
    {
    }

    /// The buffer that overlaps it, if any.
    [[nodiscard]] std::optional<std::size_t> add(std::size_t index)
    {
        const auto [place, added] = m_byOffset.try_emplace(m_offsets[index], index);
        if (!added)
            return place->second;
        if (const auto above = std::next(place);
            above != m_byOffset.end() && above->first < m_offsets[index] + m_buffers[index].size)
            return above->second;
        if (place == m_byOffset.begin())
            return std::nullopt;
        const auto below = std::prev(place);
        if (below->first + m_buffers[below->second].size > m_offsets[index])
            return below->second;
        return std::nullopt;
    }
    void remove(std::size_t index) { m_byOffset.erase(m_offsets[index]); }

private:
    const PackBuffers& m_buffers;
    const PackOffsets& m_offsets;
    std::map<std::int64_t, std::size_t> m_byOffset;
};

/// The end or begin of a buffer; at the same time, ends come first.
struct Event
{
    std::int64_t time;
    bool begins;
    std::size_t index;
};

base::Result<std::vector<Event>> events(const PackBuffers& buffers, const PackOffsets& offsets)
{
    std::vector<Event> all;
    all.reserve(2 * buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (offsets[i] < 0
            || offsets[i] > std::numeric_limits<std::int64_t>::max() - buffers[i].size)
            return failure(ErrorKind::CheckFailed,
                           fmt::format("buffer {} lies at {}.", i, offsets[i]));
        if (buffers[i].size == 0)
            continue;
        all.push_back({buffers[i].lower, true, i});
        all.push_back({buffers[i].upper, false, i});
    }
    std::sort(all.begin(), all.end(), [](const Event& a, const Event& b) {
        return std::tie(a.time, a.begins, a.index) < std::tie(b.time, b.begins, b.index);
    });
    return all;
}

} // namespace

base::Result<std::int64_t> checkPacking(const PackBuffers& buffers, const PackOffsets& offsets)
{
    if (offsets.size() != buffers.size())
        return failure(ErrorKind::CheckFailed, fmt::format("there are {} offsets for {} buffers.",
                                                           offsets.size(), buffers.size()));
    ASSIGN_OR_RETURN(const std::vector<Event> all, events(buffers, offsets));
    Live live{buffers, offsets};
    std::int64_t height = 0;
    for (const Event& event : all) {
        if (!event.begins) {
            live.remove(event.index);
            continue;
        }
        if (const std::optional<std::size_t> other = live.add(event.index))
            return failure(ErrorKind::CheckFailed,
                           fmt::format("buffers {} and {} overlap at time {}.",
                                       std::min(*other, event.index), std::max(*other, event.index),
                                       event.time));
        height = std::max(height, offsets[event.index] + buffers[event.index].size);
    }
    return height;
}

} // namespace plimsoll::solve
