// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/builder.h"

#include "core/memtrace/analysis/oddities.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll::memtrace {

namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

} // namespace

void Builder::setOfDriver()
{
    m_isOfDriver = true;
    addGap(kDriverBlocks);
}

DeviceBuilder& Builder::device(int ordinal)
{
    std::unique_ptr<DeviceBuilder>& device = m_devices[ordinal];
    if (device == nullptr)
        device = std::make_unique<DeviceBuilder>(ordinal, m_curve);
    return *device;
}

void Builder::beginRange(std::string_view name, int device, std::int64_t timeNs)
{
    std::vector<std::size_t>& open = m_open[device];
    Range range;
    range.annotation.name = name;
    range.annotation.device = device;
    range.annotation.depth = static_cast<int>(open.size());
    range.begin = timeNs;
    open.push_back(m_ranges.size());
    m_ranges.push_back(std::move(range));
}

void Builder::endRange(std::string_view name, int device, std::int64_t timeNs)
{
    std::vector<std::size_t>& open = m_open[device];
    const auto last = std::find_if(open.rbegin(), open.rend(), [&](std::size_t index) {
        return m_ranges[index].annotation.name == name;
    });
    if (last == open.rend()) {
        count("annotations_without_begin");
        return;
    }
    m_ranges[*last].end = timeNs;
    open.erase(std::next(last).base());
}

void Builder::addRange(std::string_view name, int device, std::int64_t beginNs, std::int64_t endNs)
{
    std::vector<std::int64_t>& ends = m_ends[device];
    std::erase_if(ends, [beginNs](std::int64_t end) { return end <= beginNs; });
    Range range;
    range.annotation.name = name;
    range.annotation.device = device;
    range.annotation.depth = static_cast<int>(ends.size());
    range.begin = beginNs;
    range.end = endNs;
    ends.push_back(endNs);
    m_ranges.push_back(std::move(range));
}

void Builder::setSetting(std::string name, std::string value)
{
    m_settings.insert_or_assign(std::move(name), std::move(value));
}

void Builder::count(std::string_view fault, std::size_t occurrences)
{
    countFault(m_statistics, fault, occurrences);
}

std::pair<std::int64_t, std::int64_t> Builder::timeSpan() const
{
    std::int64_t first = kUnknown;
    std::int64_t last = 0;
    for (const auto& [ordinal, device] : m_devices)
        if (!device->m_collected.times.empty()) {
            first = std::min(first, device->m_collected.firstTime);
            last = std::max(last, device->m_collected.times.back());
        }
    return first == kUnknown ? std::pair<std::int64_t, std::int64_t>{0, 0}
                             : std::pair{first, std::max(last, m_recordedUntil)};
}

std::vector<Annotation> Builder::annotations(std::int64_t origin, std::int64_t end) const
{
    std::vector<Annotation> annotations;
    annotations.reserve(m_ranges.size());
    const auto inside = [&](std::int64_t time) {
        return base::Nanoseconds{std::clamp(time, origin, end) - origin};
    };
    for (const Range& range : m_ranges) {
        Annotation& annotation = annotations.emplace_back(range.annotation);
        annotation.begin = inside(range.begin);
        annotation.end = std::max(annotation.begin, inside(range.end.value_or(end)));
    }
    std::stable_sort(annotations.begin(), annotations.end(),
                     [](const Annotation& a, const Annotation& b) { return a.begin < b.begin; });
    return annotations;
}

std::string Builder::countedText() const
{
    std::string text;
    for (const auto& [name, count] : m_statistics)
        text += fmt::format("{} {} ({})", text.empty() ? ":" : ",", oddityText(name), count);
    return text;
}

base::Result<MemoryTracePtr> Builder::build(const base::JobContext& context) &&
{
    const auto isEmpty = [](const auto& device) {
        return device.second->m_collected.actions.empty()
               && device.second->m_collected.addresses.empty()
               && !device.second->m_collected.hasEnd;
    };
    for (const auto& [ordinal, device] : m_devices)
        device->m_feed.flush();
    std::erase_if(m_devices, isEmpty);
    if (m_devices.empty())
        return base::failure(base::ErrorKind::File,
                             "the recording has no events and no segments" + countedText());
    TraceParts parts;
    parts.gaps = std::move(m_gaps);
    parts.isOfDriver = m_isOfDriver;
    parts.hasTimes = std::all_of(m_devices.begin(), m_devices.end(), [](const auto& device) {
        return device.second->m_collected.hasTimes;
    });
    const auto [origin, end] =
        parts.hasTimes ? timeSpan() : std::pair<std::int64_t, std::int64_t>{};
    std::size_t most = 0;
    for (auto& [ordinal, device] : m_devices) {
        if (context.stopRequested())
            return base::cancelled();
        device->m_collected.hasTimes = parts.hasTimes;
        most = std::max(most, device->eventCount());
        parts.devices.push_back(
            completeDevice(std::move(device->m_collected), origin, end, m_statistics, parts.gaps));
        device.reset();
    }
    // Pinned host memory comes behind the devices.
    if (parts.devices.front().ordinal() < 0)
        std::rotate(parts.devices.begin(), parts.devices.begin() + 1, parts.devices.end());
    parts.duration =
        base::Nanoseconds{parts.hasTimes ? end - origin : static_cast<std::int64_t>(most)};
    parts.epochNs = parts.hasTimes ? origin : 0;
    if (parts.hasTimes)
        parts.annotations = annotations(origin, end);
    parts.stacks = std::move(m_stacks).build();
    parts.settings = std::move(m_settings);
    parts.statistics.insert(m_statistics.begin(), m_statistics.end());
    return std::make_shared<const MemoryTrace>(std::move(parts));
}

} // namespace plimsoll::memtrace
