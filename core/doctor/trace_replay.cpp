// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/trace_replay.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace plimsoll::doctor {

namespace {

using allocator::AllocatorReplay;
using memtrace::Action;
using memtrace::EventIndex;
using memtrace::kNoEvent;
using memtrace::kNone;

constexpr auto kNoHandle = std::numeric_limits<AllocatorReplay::Handle>::max();
constexpr EventIndex kReportEach = 512; ///< events between two looks at the stop token

bool isRelease(Action action)
{
    return action == Action::SegmentFree || action == Action::SegmentUnmap;
}

bool isReserve(Action action)
{
    return action == Action::SegmentAlloc || action == Action::SegmentMap;
}

} // namespace

/// One replay, event by event.
class TraceReplay::Pass
{
public:
    Pass(const TraceReplay& of, const ReplayOptions& options)
        : m_of{of}
        , m_device{of.m_device}
        , m_options{options}
        , m_result{AllocatorReplay{options.settings, options.device}, {}, {}, 0}
        , m_handles(of.m_device.allocations().size(), kNoHandle)
    {
    }

    /// What was there before the recording. False if there is no memory for it.
    bool begin()
    {
        return std::all_of(m_of.m_before.begin(), m_of.m_before.end(),
                           [this](std::uint32_t allocation) { return allocate(allocation); });
    }
    /// False if its allocation finds no memory.
    bool event(EventIndex event)
    {
        for (; m_replaced < m_of.m_replaced.size() && m_of.m_replaced[m_replaced].first == event;
             ++m_replaced)
            complete(m_of.m_replaced[m_replaced].second);
        if (!take(event))
            return false;
        if (!isReserve(m_device.action(event)) && !isRelease(m_device.action(event)))
            compare(event);
        return true;
    }
    [[nodiscard]] const AllocatorReplay& allocator() const { return m_result.allocator; }
    void failAt(EventIndex event) { m_result.failedAt = event; }
    [[nodiscard]] Replayed result() && { return std::move(m_result); }

private:
    bool take(EventIndex event)
    {
        const std::uint32_t subject = m_device.subject(event);
        const Action action = m_device.action(event);
        if (isRelease(action) && (event == 0 || !isRelease(m_device.action(event - 1))))
            release(event);
        if (subject == kNone)
            return true;
        if (action == Action::Alloc) {
            m_lastPlace = m_of.m_places[m_device.allocations().place[subject]];
            return allocate(subject);
        }
        if (action == Action::Free || action == Action::FreeCompleted)
            complete(subject);
        else if (action == Action::FreeRequested)
            request(subject, event);
        else if (action == Action::OutOfMemory)
            ask(m_device.outOfMemory()[subject]);
        return true;
    }
    bool allocate(std::uint32_t allocation)
    {
        const base::Bytes bytes{m_device.allocations().bytes[allocation]};
        if (bytes.count() == 0)
            return true;
        const ReplayPlace& place = m_of.m_places[m_device.allocations().place[allocation]];
        const auto handle = bytes > m_options.device
                                ? std::nullopt
                                : m_result.allocator.allocate(bytes, place.stream, place.pool);
        m_handles[allocation] = handle.value_or(kNoHandle);
        return handle.has_value();
    }
    void request(std::uint32_t allocation, EventIndex event)
    {
        if (m_device.allocations().freeEvent[allocation] == event)
            return complete(allocation); // the recording has no events of completed frees
        if (m_handles[allocation] == kNoHandle || m_requested.contains(allocation))
            return;
        m_result.allocator.requestFree(m_handles[allocation]);
        m_requested.emplace(allocation, true);
    }
    void complete(std::uint32_t allocation)
    {
        const auto handle = std::exchange(m_handles[allocation], kNoHandle);
        if (handle == kNoHandle)
            return;
        if (m_requested.erase(allocation) == 0)
            m_result.allocator.requestFree(handle);
        m_result.allocator.completeFree(handle);
    }
    void release(EventIndex event)
    {
        if (m_options.releases == Releases::Recorded
            || !std::binary_search(m_of.m_own.begin(), m_of.m_own.end(), event))
            m_result.allocator.releaseCached();
    }
    /// An allocation that failed when it was recorded. Nobody knows what it would have been used
    /// for: where it succeeds it is given back.
    void ask(const memtrace::OutOfMemory& failed)
    {
        const base::Bytes asked{failed.askedBytes};
        if (m_options.device == kUnlimitedDevice || asked.count() <= 0 || asked > m_options.device)
            return;
        if (const auto handle =
                m_result.allocator.allocate(asked, m_lastPlace.stream, m_lastPlace.pool)) {
            m_result.allocator.free(*handle);
            ++m_result.freed;
        }
    }
    void compare(EventIndex event)
    {
        if (m_result.differsAt)
            return;
        const auto& points = m_device.reserved().points();
        while (m_point < points.size() && points[m_point].step <= event + 1)
            ++m_point;
        const base::Bytes recorded = m_point == 0 ? base::Bytes{} : points[m_point - 1].bytes;
        if (m_result.allocator.counters().reserved != recorded)
            m_result.differsAt = event;
    }

    const TraceReplay& m_of;
    const memtrace::DeviceTrace& m_device;
    const ReplayOptions& m_options;
    Replayed m_result;
    std::vector<AllocatorReplay::Handle> m_handles; ///< by allocation
    std::map<std::uint32_t, bool> m_requested;      ///< allocations whose free is pending
    ReplayPlace m_lastPlace; ///< TraceReplay::placeBefore() of the next event
    std::size_t m_replaced = 0;
    std::size_t m_point = 0; ///< of the recorded curve: the first after the event
};

TraceReplay::TraceReplay(const memtrace::DeviceTrace& device) : m_device{device}
{
    numberPlaces();
    findOddAllocations();
}

void TraceReplay::numberPlaces()
{
    std::map<std::uint64_t, AllocatorReplay::Stream> streams{{0, 0}};
    std::map<std::array<std::uint64_t, 2>, AllocatorReplay::Pool> pools{{{0, 0}, 0}};
    for (const memtrace::Place& place : m_device.places()) {
        const auto stream =
            streams.emplace(place.stream, static_cast<std::int64_t>(streams.size())).first->second;
        const auto pool =
            pools.emplace(place.pool, static_cast<std::int64_t>(pools.size())).first->second;
        m_places.push_back({stream, pool});
    }
    const auto& places = m_device.allocations().place;
    m_hasOnePlace = std::all_of(places.begin(), places.end(),
                                [&](memtrace::PlaceId place) { return place == places[0]; });
}

void TraceReplay::findOddAllocations()
{
    const memtrace::Allocations& all = m_device.allocations();
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (all.allocEvent[i] == kNoEvent)
            m_before.push_back(i);
        const EventIndex freed = all.freeEvent[i];
        if (freed != kNoEvent && m_device.subject(freed) != i)
            m_replaced.emplace_back(freed, i);
    }
    std::sort(m_before.begin(), m_before.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair{all.address[a], a} < std::pair{all.address[b], b};
    });
    std::sort(m_replaced.begin(), m_replaced.end());
}

/// The allocator releases what it has cached when the device is full, and then reserves more for an
/// allocation or fails, with no event between. A program may release it at any time.
bool TraceReplay::isOwnRelease(EventIndex begin, base::Bytes limit, const AllocatorReplay& before)
{
    const auto count = static_cast<EventIndex>(m_device.eventCount());
    EventIndex end = begin;
    while (end < count && isRelease(m_device.action(end)))
        ++end;
    if (end < count && m_device.action(end) == Action::OutOfMemory)
        return true;
    EventIndex after = end;
    while (after < count && isReserve(m_device.action(after)))
        ++after;
    if (after == end || after == count || m_device.action(after) != Action::Alloc
        || m_device.subject(after) == kNone)
        return false;
    const memtrace::StepCurve& reserved = m_device.reserved();
    const base::Bytes wanted = reserved.at(begin) + (reserved.at(after) - reserved.at(end));
    const std::uint32_t allocation = m_device.subject(after);
    const ReplayPlace& place = m_places[m_device.allocations().place[allocation]];
    const base::Bytes bytes{m_device.allocations().bytes[allocation]};
    if (wanted <= limit || before.hasCached(bytes, place.stream, place.pool))
        return false;
    ++m_unclear;
    return true;
}

ReplayPlace TraceReplay::placeBefore(EventIndex event) const
{
    while (event-- > 0)
        if (m_device.action(event) == Action::Alloc && m_device.subject(event) != kNone)
            return m_places[m_device.allocations().place[m_device.subject(event)]];
    return {};
}

/// `look` sees each event, and the allocator before it.
template <typename Look>
std::optional<Replayed> TraceReplay::replayed(const ReplayOptions& options,
                                              const base::JobContext& context,
                                              const Look& look) const
{
    Pass pass{*this, options};
    if (!pass.begin()) {
        pass.failAt(0);
        return std::move(pass).result();
    }
    const EventIndex end = std::min(options.end, static_cast<EventIndex>(m_device.eventCount()));
    for (EventIndex event = 0; event < end; ++event) {
        if (event % kReportEach == 0) {
            if (context.stopRequested())
                return std::nullopt;
            context.report(event, end);
        }
        look(event, pass.allocator());
        if (!pass.event(event)) {
            pass.failAt(event);
            break;
        }
    }
    return std::move(pass).result();
}

std::optional<Replayed> TraceReplay::follow(const allocator::AllocatorSettings& settings,
                                            EventIndex end, std::optional<base::Bytes> limit,
                                            const base::JobContext& context)
{
    m_own.clear();
    m_unclear = 0;
    const base::Bytes most = limit.value_or(m_device.reserved().largest());
    return replayed({.settings = settings, .end = end}, context,
                    [&](EventIndex event, const AllocatorReplay& before) {
                        if (isRelease(m_device.action(event))
                            && (event == 0 || !isRelease(m_device.action(event - 1)))
                            && isOwnRelease(event, most, before))
                            m_own.push_back(event);
                    });
}

std::optional<Replayed> TraceReplay::run(const ReplayOptions& options,
                                         const base::JobContext& context) const
{
    return replayed(options, context, [](EventIndex, const AllocatorReplay&) {});
}

std::optional<Replayed> TraceReplay::run(const ReplayOptions& options,
                                         const base::JobContext& context, const Watch& watch) const
{
    return replayed(options, context, watch);
}

} // namespace plimsoll::doctor
