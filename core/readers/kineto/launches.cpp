// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/launches.h"

#include "core/base/format.h"
#include "core/readers/kineto/decimal_time.h"
#include "core/readers/kineto/root_values.h"

#include <algorithm>
#include <array>

namespace plimsoll::readers::kineto {

namespace {

// The last of each are those of torch 1.8 to 1.11.
constexpr std::array<std::string_view, 2> kOperators{"cpu_op", "Operator"};
constexpr std::array<std::string_view, 6> kWorks{"kernel", "gpu_memcpy", "gpu_memset",
                                                 "Kernel", "Memcpy",     "Memset"};
constexpr std::array<std::string_view, 3> kCalls{"cuda_runtime", "cuda_driver", "Runtime"};

template <std::size_t Size>
bool isAmong(std::string_view category, const std::array<std::string_view, Size>& categories)
{
    return std::ranges::find(categories, category) != categories.end();
}

} // namespace

std::size_t Launches::memoryBytes() const
{
    constexpr std::size_t kEntryBytes = 56; // of a hash table
    return m_builder.memoryBytes() + m_works.capacity() * sizeof(Work) + m_threads.memoryBytes()
           + (m_spans.size() + m_calls.size()) * kEntryBytes;
}

void Launches::takeEvent(std::string_view text)
{
    const std::optional<TraceEvent> event = m_parser.parse(text);
    if (!event || event->phase != 'X')
        return;
    if (!event->beginNs || !event->durationNs) {
        if (isAmong(event->category, kWorks))
            m_builder.addUnusable();
        return;
    }
    if (isAmong(event->category, kOperators))
        takeSpan(*event, false);
    else if (event->category == "user_annotation")
        takeSpan(*event, true);
    else if (isAmong(event->category, kWorks))
        takeWork(*event);
    else if (isAmong(event->category, kCalls) && event->correlation)
        m_calls.try_emplace(*event->correlation, m_threads.numberOf(*event), *event->beginNs);
}

void Launches::takeSpan(const TraceEvent& event, bool isRange)
{
    memtrace::OpSpan span;
    span.begin = *event.beginNs;
    span.end = span.begin + *event.durationNs;
    span.thread = m_threads.numberOf(event);
    span.name = m_builder.text(event.name);
    span.shapes = m_builder.text(event.shapes);
    span.isRange = isRange;
    const std::uint32_t number = m_builder.addSpan(span);
    if (event.externalId)
        m_spans.try_emplace(*event.externalId, number);
}

void Launches::takeWork(const TraceEvent& event)
{
    const std::optional<int> device = deviceOf(event);
    if (device)
        m_works.push_back(
            {base::Nanoseconds{*event.durationNs}, event.externalId, event.correlation, *device});
}

void Launches::takeValue(std::string_view key, std::string_view text)
{
    if (key == "baseTimeNanoseconds")
        m_builder.setBase(baseTimeOf(text).value_or(0));
    else if (key == "deviceProperties")
        eachDevice(text, [this](int device, std::string_view name) {
            m_builder.setDeviceName(device, base::printable(name));
        });
}

base::Result<memtrace::OpRecordingPtr> Launches::build(const base::JobContext& context) &&
{
    for (const Work& work : m_works) {
        const auto span = work.operatorId ? m_spans.find(*work.operatorId) : m_spans.end();
        const auto call = work.correlation ? m_calls.find(*work.correlation) : m_calls.end();
        if (span != m_spans.end())
            m_builder.addWork(work.device, work.time, span->second);
        else if (call != m_calls.end())
            m_builder.addWorkAt(work.device, work.time, call->second.first, call->second.second);
        else
            m_builder.addUntied(work.device, work.time);
    }
    return std::move(m_builder).build(context);
}

} // namespace plimsoll::readers::kineto
