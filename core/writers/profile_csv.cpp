// SPDX-License-Identifier: Apache-2.0
#include "core/base/csv_field.h"
#include "core/memtrace/analysis/classify.h"
#include "core/memtrace/frames.h"
#include "core/writers/profile_formats.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace plimsoll::writers {

namespace {

constexpr std::string_view kHeader =
    "device,address,bytes,block_bytes,alloc_event,free_event,alloc_ns,free_ns,stream,pool,class,"
    "frame,stack_id\r\n";
constexpr std::size_t kPartBytes = std::size_t{1} << 16U;
constexpr std::size_t kStopEach = 4096; ///< rows between two looks at the stop token

template <typename Number>
std::string orEmpty(const std::optional<Number>& number)
{
    return number ? std::to_string(*number) : std::string{};
}

/// The rows of one device.
class DeviceRows
{
public:
    DeviceRows(const memtrace::MemoryTrace& trace, const memtrace::DeviceTrace& device)
        : m_trace{trace}, m_device{device}, m_classes{memtrace::classify(trace, device)}
    {
        for (const memtrace::EndBlock& block : device.endBlocks())
            if (block.allocation != memtrace::kNone)
                m_blockBytes.emplace(block.allocation, block.bytes);
    }

    void append(std::string& text, std::uint32_t allocation)
    {
        const memtrace::Allocations& all = m_device.allocations();
        const memtrace::Place& place = m_device.placeOf(memtrace::AllocationId{allocation});
        const memtrace::EventIndex begin = all.allocEvent[allocation];
        const memtrace::EventIndex end = all.freeEvent[allocation];
        const std::uint32_t stack = all.stack[allocation];
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}.{},{},{},{}\r\n",
                       m_device.ordinal(), all.address[allocation], all.bytes[allocation],
                       orEmpty(blockBytes(allocation)), orEmpty(recorded(begin)),
                       orEmpty(recorded(end)), orEmpty(timeOf(begin)), orEmpty(timeOf(end)),
                       place.stream, place.pool[0], place.pool[1],
                       memtrace::className(m_classes.classAt(allocation)), frameOf(stack),
                       stack == 0 ? std::string{} : std::to_string(stack));
    }

private:
    [[nodiscard]] std::optional<std::int64_t> blockBytes(std::uint32_t allocation) const
    {
        const auto at = m_blockBytes.find(allocation);
        return at == m_blockBytes.end() ? std::nullopt : std::optional{at->second};
    }
    /// A free that is two events of the recording is complete at the second one.
    [[nodiscard]] std::optional<std::uint64_t> recorded(memtrace::EventIndex event) const
    {
        if (event == memtrace::kNoEvent)
            return std::nullopt;
        return m_device.shownIndex(event);
    }
    [[nodiscard]] std::optional<std::int64_t> timeOf(memtrace::EventIndex event) const
    {
        return event == memtrace::kNoEvent || !m_trace.hasTimes()
                   ? std::nullopt
                   : std::optional{m_device.timeOf(event).count()};
    }
    [[nodiscard]] const std::string& frameOf(std::uint32_t stack)
    {
        const auto [at, isNew] = m_frames.try_emplace(stack);
        if (isNew && stack != 0)
            at->second =
                base::csvField(memtrace::topFrameText(m_trace.stacks(), memtrace::StackId{stack}));
        return at->second;
    }

    const memtrace::MemoryTrace& m_trace;
    const memtrace::DeviceTrace& m_device;
    memtrace::Classes m_classes;
    std::unordered_map<std::uint32_t, std::int64_t> m_blockBytes; ///< by allocation
    std::unordered_map<std::uint32_t, std::string> m_frames;      ///< by stack
};

} // namespace

base::Result<void> writeAllocations(const memtrace::MemoryTrace& trace, const io::Put& put,
                                    const base::JobContext& context)
{
    std::size_t total = 0;
    for (const memtrace::DeviceTrace& device : trace.devices())
        total += device.allocations().size();
    std::string text{kHeader};
    std::size_t done = 0;
    for (const memtrace::DeviceTrace& device : trace.devices()) {
        DeviceRows rows{trace, device};
        for (std::uint32_t i = 0; i < device.allocations().size(); ++i, ++done) {
            if (done % kStopEach == 0) {
                if (context.stopRequested())
                    return base::cancelled();
                context.report(done, total);
            }
            rows.append(text, i);
            if (text.size() < kPartBytes)
                continue;
            if (!put(text))
                return {};
            text.clear();
        }
    }
    static_cast<void>(put(text));
    return {};
}

} // namespace plimsoll::writers
