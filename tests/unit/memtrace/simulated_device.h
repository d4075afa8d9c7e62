// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/builder.h"

#include "tests/support/random.h"

#include <map>
#include <set>
#include <vector>

namespace plimsoll::tests {

inline constexpr std::int64_t kPage = 0x1000;

/// A device with 40 pages: some are reserved, blocks lie in these.
class SimulatedDevice
{
public:
    explicit SimulatedDevice(int seed) : m_random{static_cast<std::uint64_t>(seed)} {}

    void run(int events)
    {
        while (static_cast<int>(log.size()) < events)
            step();
    }

    struct Block
    {
        std::int64_t bytes = 0;
        bool isPending = false;
    };

    std::vector<memtrace::RecordedEvent> log;
    std::vector<std::int64_t> live;     ///< after each event
    std::vector<std::int64_t> reserved; ///< likewise
    std::map<std::uint64_t, Block> blocks;
    std::set<std::uint64_t> pages;

private:
    void step()
    {
        switch (m_random.between(0, 5)) {
        case 0: map(); break;
        case 1: unmap(); break;
        case 2:
        case 3: alloc(); break;
        default: free(); break;
        }
    }
    void add(memtrace::Action action, std::uint64_t address, std::int64_t bytes)
    {
        memtrace::RecordedEvent event;
        event.action = action;
        event.address = address;
        event.bytes = bytes;
        event.stream = address % 3;
        event.pool = std::array<std::uint64_t, 2>{};
        m_time += m_random.between(0, 2) * 1000;
        event.timeNs = m_time;
        log.push_back(event);
        std::int64_t sum = 0;
        for (const auto& [at, block] : blocks)
            sum += block.bytes;
        live.push_back(sum);
        reserved.push_back(static_cast<std::int64_t>(pages.size()) * kPage);
    }
    [[nodiscard]] bool isIdle(std::uint64_t page) const
    {
        const auto at = blocks.lower_bound(page);
        return at == blocks.end() || at->first >= page + kPage;
    }
    void map()
    {
        const auto first = static_cast<std::uint64_t>(m_random.between(16, 55)) * kPage;
        const int count = m_random.between(1, 4);
        for (int i = 0; i < count; ++i)
            if (pages.contains(first + static_cast<std::uint64_t>(i * kPage)))
                return;
        for (int i = 0; i < count; ++i)
            pages.insert(first + static_cast<std::uint64_t>(i * kPage));
        add(memtrace::Action::SegmentMap, first, count * kPage);
    }
    void unmap()
    {
        const auto page = static_cast<std::uint64_t>(m_random.between(16, 55)) * kPage;
        if (pages.contains(page) && isIdle(page)) {
            pages.erase(page);
            add(memtrace::Action::SegmentUnmap, page, kPage);
        }
    }
    void alloc()
    {
        if (pages.empty())
            return;
        auto page = pages.begin();
        std::advance(page, m_random.below(pages.size()));
        const std::uint64_t address = *page + 512 * m_random.below(8);
        if (!blocks.contains(address)) {
            blocks[address] = {m_random.between(1, 512), false};
            add(memtrace::Action::Alloc, address, blocks[address].bytes);
        }
    }
    void free()
    {
        if (blocks.empty())
            return;
        auto at = blocks.begin();
        std::advance(at, m_random.below(blocks.size()));
        const std::uint64_t address = at->first;
        const std::int64_t bytes = at->second.bytes;
        if (!at->second.isPending) {
            at->second.isPending = true;
            add(memtrace::Action::FreeRequested, address, bytes);
            if (m_random.percent(30))
                return;
        }
        blocks.erase(address);
        add(memtrace::Action::FreeCompleted, address, bytes);
    }

    Random m_random;
    std::int64_t m_time = 1'000'000'000;
};

/// A recording that begins with that event, and has the state at the end.
[[nodiscard]] inline memtrace::MemoryTracePtr recorded(const SimulatedDevice& truth,
                                                       std::size_t first)
{
    memtrace::Builder builder;
    memtrace::DeviceBuilder& device = builder.device(0);
    for (std::size_t i = first; i < truth.log.size(); ++i)
        if (!device.add(truth.log[i]))
            return nullptr;
    for (const std::uint64_t page : truth.pages)
        if (!device.addSegment({page, kPage, page % 3, {}, false, true, {}}))
            return nullptr;
    for (const auto& [address, block] : truth.blocks) {
        const auto state = block.isPending ? memtrace::RecordedBlock::State::PendingFree
                                           : memtrace::RecordedBlock::State::Active;
        if (!device.addBlock({address, 512, block.bytes, state, {}}))
            return nullptr;
    }
    auto trace = std::move(builder).build();
    return trace ? *trace : nullptr;
}

} // namespace plimsoll::tests
