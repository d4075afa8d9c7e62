// SPDX-License-Identifier: Apache-2.0
#include "tests/support/snapshots/generated_device.h"

#include <algorithm>

namespace plimsoll::tests {

namespace {

constexpr std::int64_t kBlocks = 32; ///< of a segment
constexpr std::int64_t kMapped = 8;  ///< at once into an expandable one

std::int64_t blockBytesOf(std::size_t size)
{
    return std::int64_t{512} << size;
}

} // namespace

GeneratedDevice::GeneratedDevice(const GeneratedSnapshot& snapshot)
    : m_snapshot{snapshot}, m_random{snapshot.seed}
{
    for (int i = 0; i < snapshot.ghosts; ++i)
        allocBlock(nullptr);
    m_ghosts = m_live.size() * 2 / 3;
    m_facts.initialBytes = m_bytes;
    m_facts.peakBytes = m_bytes;
    m_facts.peakReservedBytes = m_reserved;
}

void GeneratedDevice::run(const Sink& sink)
{
    while (m_facts.events < m_snapshot.events) {
        const auto target = static_cast<std::size_t>(m_snapshot.liveBlocks);
        const int chance = m_live.size() < target ? 60 : 40;
        if (m_random.percent(chance) || m_live.size() <= m_ghosts)
            allocBlock(&sink);
        else
            freeBlock(sink);
    }
    m_facts.endBytes = m_bytes;
    m_facts.endReservedBytes = m_reserved;
}

void GeneratedDevice::emit(const Sink& sink, GeneratedEvent event)
{
    m_timeUs += m_random.between(0, 2);
    event.timeUs = m_timeUs;
    ++m_facts.events;
    m_facts.peakBytes = std::max(m_facts.peakBytes, m_bytes);
    m_facts.peakReservedBytes = std::max(m_facts.peakReservedBytes, m_reserved);
    sink(event);
}

void GeneratedDevice::reserve(std::size_t size, const Sink* sink)
{
    const std::int64_t bytes = blockBytesOf(size) * (m_snapshot.isExpandable ? kMapped : kBlocks);
    std::uint64_t& growing = m_growing.at(size);
    if (growing == 0 || !m_snapshot.isExpandable) {
        growing = m_nextAddress;
        m_nextAddress += std::uint64_t{1} << 36U;
        m_segments[growing].blockBytes = blockBytesOf(size);
    }
    Segment& segment = m_segments[growing];
    const std::uint64_t begin = growing + static_cast<std::uint64_t>(segment.bytes);
    segment.bytes += bytes;
    m_reserved += bytes;
    // The lowest address is taken first.
    for (std::int64_t at = bytes - segment.blockBytes; at >= 0; at -= segment.blockBytes) {
        const std::uint64_t address = begin + static_cast<std::uint64_t>(at);
        segment.blocks[address] = {};
        m_idle.at(size).emplace_back(growing, address);
    }
    if (sink != nullptr)
        emit(*sink, {m_snapshot.isExpandable ? "segment_map" : "segment_alloc", begin, bytes, 0,
                     m_random.between(0, m_snapshot.stacks - 1), false});
}

void GeneratedDevice::allocBlock(const Sink* sink)
{
    const std::size_t size = m_random.below(kSizes);
    if (m_idle.at(size).empty())
        reserve(size, sink);
    const auto [segment, address] = m_idle.at(size).back();
    m_idle.at(size).pop_back();
    const std::int64_t most = blockBytesOf(size);
    const std::int64_t requested = most - std::int64_t{m_random.between(0, 120)} * 4;
    Block& block = m_segments[segment].blocks[address];
    block.requested = requested;
    block.stack = m_random.between(0, m_snapshot.stacks - 1);
    m_live.push_back({segment, address, requested, sink == nullptr});
    m_bytes += requested;
    if (sink != nullptr)
        emit(*sink, {"alloc", address, requested, 0, block.stack, false});
}

void GeneratedDevice::freeBlock(const Sink& sink)
{
    const std::size_t at = m_ghosts + m_random.below(m_live.size() - m_ghosts);
    const Live freed = m_live[at];
    m_live[at] = m_live.back();
    m_live.pop_back();
    Segment& segment = m_segments[freed.segment];
    segment.blocks[freed.address] = {};
    std::size_t size = 0;
    while (blockBytesOf(size) != segment.blockBytes)
        ++size;
    m_idle.at(size).emplace_back(freed.segment, freed.address);
    const int stack = m_random.between(0, m_snapshot.stacks - 1);
    emit(sink, {"free_requested", freed.address, freed.requested, 0, stack, false});
    m_bytes -= freed.requested;
    emit(sink, {"free_completed", freed.address, freed.requested, 0, stack, true});
}

} // namespace plimsoll::tests
