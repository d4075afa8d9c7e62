// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/idle_memory.h"

#include "core/memtrace/analysis/gaps.h"

#include <algorithm>
#include <vector>

namespace plimsoll::doctor {

namespace {

using base::Bytes;
using memtrace::DeviceTrace;

constexpr Bytes kMostSmall{base::kMiB}; ///< requests up to it have pools of their own
constexpr std::int64_t kSmallSegment = 2 * base::kMiB; ///< of the small pool

std::vector<std::uint32_t> liveAt(const DeviceTrace& device, std::size_t step)
{
    std::vector<std::uint32_t> live;
    for (std::uint32_t i = 0; i < device.allocations().size(); ++i)
        if (device.firstStep(i) <= step && device.lastStep(i) >= step)
            live.push_back(i);
    return live;
}

/// Whether a gap serves requests of up to 1 MiB. Of segments that were released before the end the
/// recording has only the size.
bool isSmall(const memtrace::Gap& gap, bool areBlocks)
{
    if (!gap.segment)
        return false;
    return areBlocks ? !gap.segment->isLarge : gap.segment->bytes <= kSmallSegment;
}

} // namespace

const char* idleKnownName(IdleKnown known)
{
    switch (known) {
    case IdleKnown::State: return "state";
    case IdleKnown::Replay: return "replay";
    case IdleKnown::Layout: break;
    }
    return "layout";
}

void IdleCount::add(Bytes bytes, const ReplayPlace& place, bool isSmall)
{
    m_idle.bytes += bytes;
    ++m_idle.blocks;
    m_idle.largest = std::max(m_idle.largest, bytes);
    if (!m_asked)
        return;
    if (bytes < *m_asked) {
        m_idle.tooSmall += bytes;
        ++m_idle.tooSmallBlocks;
    } else if (place.stream != m_place.stream || place.pool != m_place.pool
               || isSmall != (*m_asked <= kMostSmall)) {
        m_idle.elsewhere += bytes;
    }
}

std::optional<IdleMemory> idleMemory(const DeviceTrace& device, const TraceReplay& replay,
                                     const IdleQuery& query)
{
    const memtrace::Gaps found = memtrace::gapsAt(device, liveAt(device, query.step), query.step);
    if (!found.areBlocks && device.segments().empty())
        return std::nullopt;
    IdleCount count{found.areBlocks ? IdleKnown::State : IdleKnown::Layout, query.asked,
                    query.place};
    for (const memtrace::Gap& gap : found.gaps)
        count.add(gap.bytes, gap.segment ? replay.placeOf(gap.segment->place) : query.place,
                  isSmall(gap, found.areBlocks));
    return count.idle();
}

IdleMemory idleMemory(const allocator::AllocatorReplay& state, const IdleQuery& query)
{
    IdleCount count{IdleKnown::Replay, query.asked, query.place};
    for (const allocator::AllocatorReplay::CachedBlock& block : state.cachedBlocks())
        count.add(block.bytes, {block.stream, block.pool}, block.isSmall);
    return count.idle();
}

} // namespace plimsoll::doctor
