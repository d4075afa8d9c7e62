// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture/join_snapshot.h"

#include "core/memtrace/build_timeline.h"
#include "core/readers/capture/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace plimsoll::readers::capture {

namespace {

using memtrace::DeviceTrace;
using memtrace::MemoryTrace;
using memtrace::Segment;
using memtrace::StepCurve;

/// How far the clocks of CUPTI and of PyTorch may be apart, in nanoseconds.
constexpr std::int64_t kClocks = 1'000'000'000;

struct Life
{
    std::int64_t begin = 0; ///< nanoseconds since 1970, as the next
    std::int64_t end = 0;
};

std::int64_t endOf(const MemoryTrace& trace)
{
    return trace.epochNs() + trace.duration().count();
}

/// Of a range that is reserved before the trace's begin or after its end, up to `outside`.
Life lifeOf(const Segment& segment, const MemoryTrace& trace, const DeviceTrace& device,
            const Life& outside)
{
    const auto timeOf = [&](memtrace::EventIndex event) {
        return trace.epochNs() + device.timeOf(event).count();
    };
    return {segment.begin == memtrace::kNoEvent ? outside.begin : timeOf(segment.begin),
            segment.end == memtrace::kNoEvent ? outside.end : timeOf(segment.end)};
}

/// Finds out which memory of the driver PyTorch's allocator holds: by address, and since addresses
/// are used again, by time.
class HeldByPyTorch
{
public:
    HeldByPyTorch(const MemoryTrace& trace, const DeviceTrace& device, const Life& outside)
    {
        for (const Segment& segment : device.segments()) {
            m_held.emplace(segment.address,
                           Held{segment.bytes, lifeOf(segment, trace, device, outside)});
            m_largest = std::max(m_largest, segment.bytes);
        }
    }

    [[nodiscard]] bool isEmpty() const { return m_held.empty(); }
    /// Whether PyTorch held those addresses most of that time: the clocks are not quite the same.
    [[nodiscard]] bool has(const Segment& range, const Life& life) const
    {
        std::int64_t shared = 0;
        const auto bytes = static_cast<std::uint64_t>(m_largest);
        const std::uint64_t last = range.address + static_cast<std::uint64_t>(range.bytes);
        for (auto at = m_held.lower_bound(range.address > bytes ? range.address - bytes : 0);
             at != m_held.end() && at->first < last; ++at)
            if (at->first + static_cast<std::uint64_t>(at->second.bytes) > range.address)
                shared +=
                    std::max<std::int64_t>(0, std::min(life.end, at->second.life.end)
                                                  - std::max(life.begin, at->second.life.begin));
        return 2 * shared > life.end - life.begin;
    }

private:
    struct Held
    {
        std::int64_t bytes = 0;
        Life life;
    };
    std::multimap<std::uint64_t, Held> m_held; ///< by address
    std::int64_t m_largest = 0;
};

/// By step of the snapshot's device: bytes of the driver that PyTorch doesn't hold.
class Foreign
{
public:
    Foreign(const MemoryTrace& snapshot, const DeviceTrace& device)
        : m_device{device}, m_begin{snapshot.epochNs()}, m_changes{{0, 0}}
    {
    }

    void add(std::int64_t bytes, const Life& life)
    {
        change(life.begin, bytes);
        change(life.end, -bytes);
    }
    [[nodiscard]] std::vector<StepCurve::Point> points() const
    {
        std::vector<StepCurve::Point> points;
        std::int64_t bytes = 0;
        for (const auto& [step, change] : m_changes) {
            bytes += change;
            if (points.empty() || points.back().bytes.count() != bytes)
                points.push_back({step, base::Bytes{bytes}});
        }
        return points;
    }

private:
    void change(std::int64_t time, std::int64_t bytes)
    {
        const std::int64_t since = time - m_begin;
        const memtrace::DeviceTrace& device = m_device;
        if (since > device.axisTimes()[device.stepCount()])
            return; // the snapshot was taken before
        const std::size_t step =
            since <= 0 ? 0 : memtrace::stepAtTime(device, base::Nanoseconds{since});
        m_changes[static_cast<std::uint32_t>(step)] += bytes;
    }

    const DeviceTrace& m_device;
    std::int64_t m_begin;
    std::map<std::uint32_t, std::int64_t> m_changes; ///< by step
};

struct Joined
{
    std::vector<StepCurve::Point> foreign;
    std::size_t shared = 0; ///< ranges that PyTorch holds
};

Joined join(const MemoryTrace& recording, const DeviceTrace& recorded, const MemoryTrace& snapshot,
            const DeviceTrace& device)
{
    const Life all{std::min(recording.epochNs(), snapshot.epochNs()),
                   std::max(endOf(recording), endOf(snapshot)) + 1};
    const HeldByPyTorch held{snapshot, device, all};
    Foreign foreign{snapshot, device};
    Joined joined;
    for (const Segment& range : recorded.segments()) {
        const Life life = lifeOf(range, recording, recorded, all);
        // What was over before the snapshot's first event is in nobody's way.
        const Life seen{std::max(life.begin, snapshot.epochNs()), life.end};
        if (seen.end <= seen.begin)
            continue;
        if (held.has(range, seen))
            ++joined.shared;
        else
            foreign.add(range.bytes, life);
    }
    joined.foreign = foreign.points();
    return joined;
}

/// The snapshot's annotations, and the recording's ranges of other names: both may be made at once.
std::vector<memtrace::Annotation> rangesOf(const MemoryTrace& recording,
                                           const MemoryTrace& snapshot)
{
    std::vector<memtrace::Annotation> ranges = snapshot.annotations();
    std::set<std::string, std::less<>> known;
    for (const memtrace::Annotation& range : ranges)
        known.insert(range.name);
    const base::Nanoseconds shift{snapshot.epochNs() - recording.epochNs()};
    for (memtrace::Annotation range : recording.annotations()) {
        range.begin = std::max(range.begin - shift, base::Nanoseconds{});
        range.end = std::min(range.end - shift, snapshot.duration());
        if (range.begin < range.end && !known.contains(range.name))
            ranges.push_back(std::move(range));
    }
    std::ranges::stable_sort(ranges, [](const auto& a, const auto& b) {
        return std::tie(a.begin, b.end) < std::tie(b.begin, a.end);
    });
    std::map<int, std::vector<base::Nanoseconds>> open; // by device: ends of the ranges around
    for (memtrace::Annotation& range : ranges) {
        std::vector<base::Nanoseconds>& around = open[range.device];
        while (!around.empty() && around.back() <= range.begin)
            around.pop_back();
        range.depth = static_cast<int>(around.size());
        around.push_back(range.end);
    }
    return ranges;
}

memtrace::TraceParts partsOf(const MemoryTrace& recording, const MemoryTrace& snapshot)
{
    memtrace::TraceParts parts = snapshot.parts();
    parts.devices.clear();
    parts.annotations = rangesOf(recording, snapshot);
    parts.settings.insert(recording.settings().begin(), recording.settings().end());
    for (const auto& [name, count] : recording.statistics())
        parts.statistics[name] += count;
    for (const std::string& gap : recording.gaps())
        if (gap != memtrace::kDriverBlocks)
            parts.gaps.push_back(gap);
    return parts;
}

} // namespace

base::Result<memtrace::MemoryTracePtr> joinSnapshot(const MemoryTrace& recording,
                                                    const MemoryTrace& snapshot)
{
    if (!snapshot.hasTimes() || endOf(snapshot) < recording.epochNs() - kClocks
        || snapshot.epochNs() > endOf(recording) + kClocks)
        return base::failure(base::ErrorKind::File, "it is of another time than the recording");
    if (snapshot.epochNs() < recording.epochNs() - kClocks)
        return base::failure(base::ErrorKind::File, "it begins before the recording does");
    if (endOf(snapshot) > endOf(recording) + kClocks)
        return base::failure(base::ErrorKind::File, "the recording ends before it does");
    memtrace::TraceParts parts = partsOf(recording, snapshot);
    std::size_t shared = 0;
    std::size_t segments = 0;
    for (const DeviceTrace& device : snapshot.devices()) {
        memtrace::DeviceColumns columns = device.columns();
        for (const DeviceTrace& recorded : recording.devices())
            if (recorded.ordinal() == device.ordinal() && device.ordinal() >= 0) {
                Joined joined = join(recording, recorded, snapshot, device);
                shared += joined.shared;
                columns.foreign = std::move(joined.foreign);
            }
        segments += device.ordinal() >= 0 ? device.segments().size() : 0;
        parts.devices.emplace_back(std::move(columns));
    }
    if (shared == 0 && segments > 0)
        return base::failure(base::ErrorKind::File,
                             "its segments are at other addresses than the recording's memory");
    return std::make_shared<const MemoryTrace>(std::move(parts));
}

} // namespace plimsoll::readers::capture
