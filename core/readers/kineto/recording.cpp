// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/recording.h"

#include "core/base/format.h"
#include "core/readers/kineto/root_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::readers::kineto {

namespace {

constexpr std::int64_t kCpu = 0; ///< c10::DeviceType
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50U;

/// A count of bytes as PyTorch reports it; kUnknown if it is none, or impossible.
std::int64_t totalOf(std::optional<std::int64_t> number)
{
    return number && *number >= 0 && *number <= kMostBytes ? *number : MemoryEvent::kUnknown;
}

} // namespace

std::size_t Recording::memoryBytes() const
{
    return m_collected.memory.capacity() * sizeof(MemoryEvent)
           + m_collected.spans.capacity() * sizeof(Span)
           + m_collected.ranges.capacity() * sizeof(NamedRange) + m_collected.names.memoryBytes()
           + m_threads.memoryBytes();
}

void Recording::takeEvent(std::string_view text)
{
    const std::optional<TraceEvent> event = m_parser.parse(text);
    if (!event) {
        m_collected.builder.count("events_that_are_not_json");
        return;
    }
    if (event->phase == 'i' && event->name == "[memory]")
        takeMemory(*event, false);
    else if (event->phase == 'i' && event->name == "[OutOfMemory]")
        takeMemory(*event, true);
    else if (event->phase != 'X')
        return;
    else if (event->category == "python_function")
        takeSpan(*event, Span::Kind::Python);
    else if (event->category == "cpu_op" || event->category == "Operator") // torch 1.8 to 1.11
        takeSpan(*event, Span::Kind::Operator);
    else if (event->category == "user_annotation")
        takeSpan(*event, Span::Kind::Annotation);
    else if (event->category == "gpu_user_annotation")
        takeGpuRange(*event);
}

void Recording::takeMemory(const TraceEvent& event, bool isFailure)
{
    m_collected.builder.count("values_of_other_types", event.wrongValues);
    if (event.deviceType == kCpu) {
        ++m_collected.cpuEvents;
        return;
    }
    if (!event.deviceType || !isDevice(event.deviceId) || !event.bytes || !event.beginNs) {
        m_collected.builder.count("incomplete_events");
        return;
    }
    if (m_deviceType.value_or(*event.deviceType) != *event.deviceType) {
        m_collected.builder.count("memory_of_other_kinds_of_devices");
        return;
    }
    m_deviceType = event.deviceType;
    MemoryEvent& added = m_collected.memory.emplace_back();
    added.time = *event.beginNs;
    added.address = event.address.value_or(memtrace::kNoAddress);
    added.hasAddress = event.address && added.address < memtrace::kNamesInsteadOfAddresses;
    added.bytes = *event.bytes;
    added.allocated = totalOf(event.allocatedBytes);
    added.reserved = totalOf(event.reservedBytes);
    added.thread = m_threads.numberOf(event);
    added.device = static_cast<std::int16_t>(*event.deviceId);
    added.isFailure = isFailure;
    feedCurve(added);
}

void Recording::feedCurve(const MemoryEvent& event)
{
    if (m_curve == nullptr)
        return;
    if (m_collected.memory.size() > 1
        && event.time < m_collected.memory[m_collected.memory.size() - 2].time) {
        m_curve->clear();
        m_collected.curve = std::exchange(m_curve, nullptr);
        return;
    }
    Device& device = m_fed.try_emplace(event.device, Device{base::CurveFeed{m_curve, event.device}})
                         .first->second;
    if (!event.isFailure)
        device.live += static_cast<std::uint64_t>(event.bytes);
    device.feed.add(static_cast<std::int64_t>(device.live));
}

Collected Recording::take() &&
{
    if (m_curve != nullptr)
        for (auto& [ordinal, device] : m_fed)
            device.feed.flush();
    return std::move(m_collected);
}

void Recording::takeSpan(const TraceEvent& event, Span::Kind kind)
{
    if (!event.beginNs || !event.durationNs) {
        m_collected.builder.count("incomplete_events");
        return;
    }
    Span& span = m_collected.spans.emplace_back();
    span.begin = *event.beginNs;
    span.end = span.begin + *event.durationNs;
    span.thread = m_threads.numberOf(event);
    span.name = m_collected.names.number(event.name);
    span.calledFrom = m_collected.names.number(kind == Span::Kind::Python     ? event.calledFrom
                                               : kind == Span::Kind::Operator ? event.callStack
                                                                              : std::string_view{});
    span.kind = kind;
    if (kind == Span::Kind::Annotation)
        m_collected.ranges.push_back({span.begin, span.end, span.name, std::nullopt});
}

void Recording::takeGpuRange(const TraceEvent& event)
{
    const std::optional<int> device = deviceOf(event);
    if (!event.beginNs || !event.durationNs || !device) {
        m_collected.builder.count("incomplete_events");
        return;
    }
    // The same range has another time on the GPU: it gets another name.
    m_collected.ranges.push_back(
        {*event.beginNs, *event.beginNs + *event.durationNs,
         m_collected.names.number(fmt::format("{} (on the GPU)", event.name)),
         static_cast<std::int16_t>(*device)});
}

void Recording::takeValue(std::string_view key, std::string_view text)
{
    static constexpr std::array<std::string_view, 6> kShown = {
        "profile_memory",       "with_stack",          "record_shapes",
        "cuda_runtime_version", "cuda_driver_version", "traceName"};
    if (key == "baseTimeNanoseconds") {
        if (const std::optional<std::int64_t> base = baseTimeOf(text))
            m_collected.baseNs = *base;
        else
            m_collected.builder.count("values_of_other_types");
    } else if (key == "deviceProperties") {
        takeDevices(text);
    } else if (std::ranges::find(kShown, key) != kShown.end()) {
        const bool isText = text.size() >= 2 && text.front() == '"';
        m_collected.builder.setSetting(
            std::string{key}, base::printable(isText ? text.substr(1, text.size() - 2) : text));
    }
}

void Recording::takeDevices(std::string_view text)
{
    const bool isList = eachDevice(text, [this](int device, std::string_view name) {
        m_collected.builder.setSetting(fmt::format("device {}", device), base::printable(name));
    });
    if (!isList)
        m_collected.builder.count("values_of_other_types");
}

} // namespace plimsoll::readers::kineto
