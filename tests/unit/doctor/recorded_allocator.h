// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/allocator/allocator_replay.h"
#include "core/memtrace/builder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::tests {

/// PyTorch's allocator while it is recorded: what a snapshot tells of each call. Addresses are
/// unique, segments lie elsewhere: only their bytes are real.
class RecordedAllocator
{
public:
    static constexpr std::int64_t kMiB = base::kMiB;

    explicit RecordedAllocator(const std::string& settings = {},
                               base::Bytes device = allocator::AllocatorReplay::kUnlimited)
        : m_allocator{*allocator::parseAllocatorSettings(settings), device}
    {
        m_builder.setSetting("PYTORCH_CUDA_ALLOC_CONF", settings);
    }

    /// The block's number; none if it fails, which is recorded.
    std::optional<std::size_t> alloc(std::int64_t bytes, std::uint64_t stream = 0,
                                     std::uint64_t pool = 0)
    {
        allocator::AllocatorReplay released = m_allocator;
        released.releaseCached();
        const int retries = m_allocator.retries();
        const auto handle = m_allocator.allocate(
            base::Bytes{bytes}, static_cast<std::int64_t>(stream), static_cast<std::int64_t>(pool));
        if (m_allocator.retries() > retries)
            recordReserved(released.counters().reserved.count());
        recordReserved(m_allocator.counters().reserved.count());
        memtrace::RecordedEvent event =
            at(handle ? memtrace::Action::Alloc : memtrace::Action::OutOfMemory, bytes);
        event.stream = stream;
        event.pool = std::array<std::uint64_t, 2>{0, pool};
        event.deviceFreeBytes = handle ? 0 : m_allocator.deviceFree().count();
        event.stack = m_stack;
        add(event);
        if (!handle)
            return std::nullopt;
        m_blocks.emplace_back(*handle, event);
        return m_blocks.size() - 1;
    }
    void requestFree(std::size_t block)
    {
        m_allocator.requestFree(m_blocks[block].first);
        add(freed(block, memtrace::Action::FreeRequested));
    }
    void completeFree(std::size_t block)
    {
        m_allocator.completeFree(m_blocks[block].first);
        add(freed(block, memtrace::Action::FreeCompleted));
    }
    void free(std::size_t block)
    {
        requestFree(block);
        completeFree(block);
    }
    /// torch.cuda.empty_cache(). False if there was nothing to release, of which no event tells.
    bool emptyCache()
    {
        const std::int64_t before = m_reserved;
        m_allocator.releaseCached();
        recordReserved(m_allocator.counters().reserved.count());
        return m_reserved != before;
    }
    /// Of what is allocated from here on: a function of the program, or none of Python.
    void setFunction(const std::string& name, const std::string& file = "train.py")
    {
        memtrace::StackTableBuilder& stacks = m_builder.stacks();
        m_stack = name.empty() ? memtrace::StackId{}
                               : stacks.stack(std::vector<memtrace::FrameId>{
                                   stacks.frame({stacks.text(file), stacks.text(name), 7, {}})});
    }

    [[nodiscard]] const allocator::AllocatorReplay& allocator() const { return m_allocator; }
    [[nodiscard]] memtrace::Builder& builder() { return m_builder; }
    [[nodiscard]] memtrace::MemoryTracePtr trace()
    {
        auto built = std::move(m_builder).build();
        return built ? *built : nullptr;
    }

private:
    memtrace::RecordedEvent at(memtrace::Action action, std::int64_t bytes)
    {
        memtrace::RecordedEvent event;
        event.action = action;
        event.address = m_address += std::uint64_t{1} << 36U;
        event.bytes = bytes;
        event.pool = std::array<std::uint64_t, 2>{};
        return event;
    }
    [[nodiscard]] memtrace::RecordedEvent freed(std::size_t block, memtrace::Action action) const
    {
        memtrace::RecordedEvent event = m_blocks[block].second;
        event.action = action;
        event.stack = {};
        return event;
    }
    void add(memtrace::RecordedEvent event)
    {
        event.timeNs = m_time += 1000;
        if (!m_builder.device(0).add(event))
            std::abort();
    }
    /// One event for all segments that a call reserves or releases.
    void recordReserved(std::int64_t now)
    {
        constexpr std::uint64_t kSegments = 0x7f0000000000;
        if (now == m_reserved)
            return;
        memtrace::RecordedEvent event =
            at(now > m_reserved ? memtrace::Action::SegmentAlloc : memtrace::Action::SegmentFree,
               std::abs(now - m_reserved));
        event.address = kSegments + static_cast<std::uint64_t>(std::min(now, m_reserved));
        m_reserved = now;
        add(event);
    }

    memtrace::Builder m_builder;
    allocator::AllocatorReplay m_allocator;
    std::vector<std::pair<allocator::AllocatorReplay::Handle, memtrace::RecordedEvent>> m_blocks;
    memtrace::StackId m_stack;
    std::uint64_t m_address = 0;
    std::int64_t m_reserved = 0;
    std::int64_t m_time = 1'700'000'000'000'000'000;
};

} // namespace plimsoll::tests
