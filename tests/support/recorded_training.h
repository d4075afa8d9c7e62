// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/builder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::tests {

/// A recording with the shape of a training: weights from before it, and for each step `layers`
/// activations that backward frees in reverse order, under annotations, on one or several devices.
class RecordedTraining
{
public:
    int steps = 2;
    int layers = 12;
    int devices = 1;

    [[nodiscard]] memtrace::MemoryTracePtr trace()
    {
        for (int device = 0; device < devices; ++device)
            record(device);
        auto built = std::move(m_builder).build();
        return built ? *built : nullptr;
    }

    static constexpr std::int64_t kMiB = std::int64_t{1} << 20U;

private:
    void record(int ordinal)
    {
        m_address =
            0x7f0000000000
            + static_cast<std::uint64_t>(2 * std::int64_t{layers} * kMiB); // behind the weights
        m_time = 1'700'000'000'000'000'000;
        memtrace::DeviceBuilder& device = m_builder.device(ordinal);
        for (int step = 0; step < steps; ++step) {
            const std::string name = "step " + std::to_string(step);
            m_builder.beginRange(name, ordinal, m_time);
            m_builder.beginRange("forward", ordinal, m_time);
            std::vector<memtrace::RecordedEvent> kept;
            kept.reserve(static_cast<std::size_t>(layers));
            for (int layer = 0; layer < layers; ++layer)
                kept.push_back(alloc(device, (1 + layer % 3) * kMiB, "forward", 10 + layer));
            m_builder.endRange("forward", ordinal, m_time);
            m_builder.beginRange("backward", ordinal, m_time);
            while (!kept.empty()) {
                free(device, alloc(device, kMiB / 2, {}, 0));
                free(device, kept.back());
                kept.pop_back();
            }
            m_builder.endRange("backward", ordinal, m_time);
            m_builder.endRange(name, ordinal, m_time);
        }
        addEnd(device);
    }
    memtrace::RecordedEvent alloc(memtrace::DeviceBuilder& device, std::int64_t bytes,
                                  const std::string& function, int line)
    {
        memtrace::RecordedEvent event;
        event.action = memtrace::Action::Alloc;
        event.address = m_address;
        event.bytes = bytes;
        event.pool = std::array<std::uint64_t, 2>{};
        event.timeNs = m_time += 100'000;
        if (!function.empty())
            event.stack = stackOf(function, line);
        m_address += static_cast<std::uint64_t>(bytes);
        add(device, event);
        return event;
    }
    void free(memtrace::DeviceBuilder& device, memtrace::RecordedEvent event)
    {
        event.timeNs = m_time += 50'000;
        event.action = memtrace::Action::FreeRequested;
        add(device, event);
        event.action = memtrace::Action::FreeCompleted;
        add(device, event);
        m_address -= static_cast<std::uint64_t>(event.bytes);
    }
    memtrace::StackId stackOf(const std::string& function, int line)
    {
        memtrace::StackTableBuilder& stacks = m_builder.stacks();
        const memtrace::FrameId inner =
            stacks.frame({stacks.text("train/model.py"), stacks.text(function), line, {}});
        const memtrace::FrameId outer =
            stacks.frame({stacks.text("train/train.py"), stacks.text("main"), 40, {}});
        return stacks.stack(std::vector<memtrace::FrameId>{inner, outer});
    }
    void addEnd(memtrace::DeviceBuilder& device) const
    {
        const std::int64_t bytes = 4 * (std::int64_t{layers} + 2) * kMiB;
        const std::uint64_t begin = 0x7f0000000000;
        static_cast<void>(device.addSegment({begin, bytes, 0, {}, true, false, {}}));
        std::uint64_t at = begin;
        for (int layer = 0; layer < layers; ++layer, at += 2 * kMiB)
            static_cast<void>(device.addBlock(
                {at, 2 * kMiB, 2 * kMiB, memtrace::RecordedBlock::State::Active, {}}));
        static_cast<void>(device.addBlock({at,
                                           bytes - static_cast<std::int64_t>(at - begin),
                                           0,
                                           memtrace::RecordedBlock::State::Idle,
                                           {}}));
    }
    static void add(memtrace::DeviceBuilder& device, const memtrace::RecordedEvent& event)
    {
        if (!device.add(event))
            std::abort();
    }

    memtrace::Builder m_builder;
    std::uint64_t m_address = 0;
    std::int64_t m_time = 0;
};

} // namespace plimsoll::tests
