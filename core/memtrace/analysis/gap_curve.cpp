// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/gap_curve.h"

#include "core/memtrace/analysis/gaps.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace plimsoll::memtrace {

namespace {

constexpr std::uint64_t kLastAddress = std::numeric_limits<std::uint64_t>::max();

/// The gaps while events go by.
class MovingGaps
{
public:
    /// False: allocations or segments overlap.
    [[nodiscard]] bool isSane() const { return m_isSane; }
    [[nodiscard]] base::Bytes largest() const
    {
        return base::Bytes{m_sizes.empty() ? 0 : m_sizes.rbegin()->first};
    }

    void allocate(std::uint64_t begin, std::uint64_t end)
    {
        const auto next = m_taken.lower_bound(begin);
        const std::uint64_t from = next == m_taken.begin() ? 0 : std::prev(next)->second;
        const std::uint64_t to = next == m_taken.end() ? kLastAddress : next->first;
        m_isSane = m_isSane && from <= begin && end <= to;
        if (!m_isSane)
            return;
        const Run* run = runAt(begin);
        if (run == nullptr || end > run->end) { // in none, or in several
            countBetween(from, to, -1);
            m_taken.emplace_hint(next, begin, end);
            countBetween(from, to, 1);
            return;
        }
        m_taken.emplace_hint(next, begin, end);
        const std::uint64_t left = std::max(from, run->begin);
        const std::uint64_t right = std::min(to, run->end);
        count(left, right, -1);
        count(left, begin, 1);
        count(end, right, 1);
    }

    void free(std::uint64_t begin, std::uint64_t end)
    {
        const auto at = m_taken.find(begin);
        m_isSane = m_isSane && at != m_taken.end() && at->second == end;
        if (!m_isSane)
            return;
        const std::uint64_t from = at == m_taken.begin() ? 0 : std::prev(at)->second;
        const std::uint64_t to =
            std::next(at) == m_taken.end() ? kLastAddress : std::next(at)->first;
        const Run* run = runAt(begin);
        if (run == nullptr || end > run->end) {
            countBetween(from, to, -1);
            m_taken.erase(at);
            countBetween(from, to, 1);
            return;
        }
        m_taken.erase(at);
        const std::uint64_t left = std::max(from, run->begin);
        const std::uint64_t right = std::min(to, run->end);
        count(left, begin, -1);
        count(end, right, -1);
        count(left, right, 1);
    }

    void reserve(const Segment& segment)
    {
        const Run added = runOf(segment);
        change(added, [&] {
            Run run = added;
            auto after = m_runs.lower_bound(run.begin);
            m_isSane = m_isSane && (after == m_runs.end() || after->second.begin >= run.end)
                       && (after == m_runs.begin() || std::prev(after)->second.end <= run.begin);
            if (after != m_runs.end() && continues(run, after->second)) {
                run.end = after->second.end;
                after = m_runs.erase(after);
            }
            if (after != m_runs.begin() && continues(std::prev(after)->second, run)) {
                run.begin = std::prev(after)->second.begin;
                m_runs.erase(std::prev(after));
            }
            m_runs.insert_or_assign(run.begin, run);
        });
    }

    void release(const Segment& segment)
    {
        const Run gone = runOf(segment);
        change(gone, [&] {
            const Run* found = runAt(gone.begin);
            m_isSane = m_isSane && found != nullptr && found->end >= gone.end;
            if (!m_isSane)
                return;
            const Run whole = *found;
            m_runs.erase(whole.begin);
            for (const auto& [begin, end] :
                 {std::pair{whole.begin, gone.begin}, std::pair{gone.end, whole.end}})
                if (begin < end) {
                    Run rest = whole;
                    rest.begin = begin;
                    rest.end = end;
                    m_runs.emplace(begin, rest);
                }
        });
    }

private:
    /// Reserved addresses: a segment, or what lies side by side in an expandable one.
    struct Run
    {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        PlaceId place = 0;
        bool isExpandable = false;
    };

    static Run runOf(const Segment& segment)
    {
        return {segment.address, segment.address + static_cast<std::uint64_t>(segment.bytes),
                segment.place, segment.isExpandable};
    }
    static bool continues(const Run& run, const Run& next)
    {
        return run.isExpandable && next.isExpandable && run.place == next.place
               && run.end == next.begin;
    }
    [[nodiscard]] const Run* runAt(std::uint64_t address) const
    {
        const auto after = m_runs.upper_bound(address);
        if (after == m_runs.begin() || std::prev(after)->second.end <= address)
            return nullptr;
        return &std::prev(after)->second;
    }

    void count(std::uint64_t begin, std::uint64_t end, int change)
    {
        if (end < begin || end - begin < kLeastGap)
            return;
        const auto size = static_cast<std::int64_t>(end - begin);
        const auto at = m_sizes.try_emplace(size, 0).first;
        at->second += change;
        if (at->second == 0)
            m_sizes.erase(at);
    }

    /// Counts the gaps between two allocations.
    void countBetween(std::uint64_t from, std::uint64_t to, int change)
    {
        auto run = m_runs.upper_bound(from);
        if (run != m_runs.begin())
            --run;
        for (; run != m_runs.end() && run->second.begin < to; ++run) {
            std::uint64_t at = std::max(from, run->second.begin);
            const std::uint64_t end = std::min(to, run->second.end);
            auto taken = m_taken.lower_bound(at);
            if (taken != m_taken.begin())
                at = std::max(at, std::prev(taken)->second);
            for (; taken != m_taken.end() && taken->first < end; ++taken) {
                count(at, taken->first, change);
                at = std::max(at, taken->second);
            }
            count(at, end, change);
        }
    }

    /// Changes what is reserved in a range.
    template <typename Change>
    void change(const Run& range, Change apply)
    {
        if (!m_isSane)
            return;
        const auto next = m_taken.lower_bound(range.end);
        const auto first = m_taken.lower_bound(range.begin);
        const std::uint64_t from = first == m_taken.begin() ? 0 : std::prev(first)->second;
        const std::uint64_t to = next == m_taken.end() ? kLastAddress : next->first;
        countBetween(from, to, -1);
        apply();
        countBetween(from, to, 1);
    }

    std::map<std::uint64_t, std::uint64_t> m_taken; ///< begin and end of what is live
    std::map<std::uint64_t, Run> m_runs;            ///< by begin
    std::map<std::int64_t, int> m_sizes;            ///< how many gaps have a size
    bool m_isSane = true;
};

/// Follows a device's events.
class GapSweep
{
public:
    explicit GapSweep(const DeviceTrace& device) : m_device{device}
    {
        for (std::size_t i = 0; i < device.segments().size(); ++i) {
            const Segment& segment = device.segments()[i];
            if (segment.bytes > 0 && segment.end != kNoEvent)
                m_ends.emplace_back(segment.end, static_cast<std::uint32_t>(i));
        }
        std::ranges::sort(m_ends);
    }

    [[nodiscard]] bool isSane() const { return m_gaps.isSane(); }
    [[nodiscard]] base::Bytes largest() const { return m_gaps.largest(); }

    /// What was there before the first event.
    void begin()
    {
        const std::vector<Segment>& segments = m_device.segments();
        for (; m_next < segments.size() && segments[m_next].begin == kNoEvent; ++m_next)
            if (segments[m_next].bytes > 0)
                m_gaps.reserve(segments[m_next]);
        const Allocations& all = m_device.allocations();
        for (std::uint32_t i = 0; i < all.size(); ++i)
            if (all.allocEvent[i] == kNoEvent)
                allocate(i);
    }

    void take(EventIndex event)
    {
        for (; m_nextEnd < m_ends.size() && m_ends[m_nextEnd].first == event; ++m_nextEnd)
            m_gaps.release(m_device.segments()[m_ends[m_nextEnd].second]);
        const std::vector<Segment>& segments = m_device.segments();
        for (; m_next < segments.size() && segments[m_next].begin == event; ++m_next)
            if (segments[m_next].bytes > 0)
                m_gaps.reserve(segments[m_next]);
        const Action action = m_device.action(event);
        const std::uint32_t subject = m_device.subject(event);
        if (action > Action::Free || subject == kNone)
            return;
        if (action == Action::Alloc)
            allocate(subject);
        else if (m_device.allocations().freeEvent[subject] == event)
            free(subject);
    }

private:
    [[nodiscard]] bool isPlaced(std::uint32_t allocation) const
    {
        const Allocations& all = m_device.allocations();
        return all.address[allocation] != kNoAddress && all.bytes[allocation] > 0;
    }
    void allocate(std::uint32_t allocation)
    {
        const Allocations& all = m_device.allocations();
        if (isPlaced(allocation))
            m_gaps.allocate(all.address[allocation], m_takenEnds(allocation));
    }
    void free(std::uint32_t allocation)
    {
        const Allocations& all = m_device.allocations();
        if (isPlaced(allocation))
            m_gaps.free(all.address[allocation], m_takenEnds(allocation));
    }

    const DeviceTrace& m_device;
    TakenEnds m_takenEnds{m_device};
    MovingGaps m_gaps;
    std::size_t m_next = 0;                                   ///< segment that begins
    std::vector<std::pair<EventIndex, std::uint32_t>> m_ends; ///< of segments, in order
    std::size_t m_nextEnd = 0;
};

} // namespace

void GapCurve::append(std::uint32_t step, base::Bytes bytes)
{
    if (m_steps.size() % kBlock == 0)
        m_maxima.push_back(bytes.count());
    m_maxima.back() = std::max(m_maxima.back(), bytes.count());
    m_steps.push_back(step);
    m_bytes.push_back(bytes.count());
}

void GapCurve::cutAt(std::uint32_t step)
{
    const auto first = std::ranges::lower_bound(m_steps, step);
    const auto size = static_cast<std::size_t>(first - m_steps.begin());
    m_steps.resize(size);
    m_bytes.resize(size);
    m_maxima.resize((size + kBlock - 1) / kBlock);
    if (size % kBlock != 0)
        m_maxima.back() = *std::max_element(
            m_bytes.end() - static_cast<std::ptrdiff_t>(size % kBlock), m_bytes.end());
}

std::size_t GapCurve::indexAt(std::size_t step) const
{
    const auto after = std::ranges::upper_bound(m_steps, step);
    return static_cast<std::size_t>(after - m_steps.begin()) - 1;
}

base::Bytes GapCurve::at(std::size_t step) const
{
    return base::Bytes{isEmpty() ? 0 : m_bytes[indexAt(step)]};
}

base::Bytes GapCurve::largestIn(std::size_t begin, std::size_t end) const
{
    if (isEmpty())
        return {};
    std::size_t at = indexAt(begin);
    const std::size_t last =
        std::max(at, indexAt(std::max(begin, end - std::min(end, std::size_t{1}))));
    std::int64_t largest = 0;
    while (at <= last)
        if (at % kBlock == 0 && at + kBlock <= last + 1) {
            largest = std::max(largest, m_maxima[at / kBlock]);
            at += kBlock;
        } else {
            largest = std::max(largest, m_bytes[at++]);
        }
    return base::Bytes{largest};
}

base::Result<GapCurvePtr> largestGaps(const DeviceTrace& device, const base::JobContext& job)
{
    constexpr std::size_t kStride = std::size_t{1} << 14U;
    auto curve = std::make_shared<GapCurve>();
    if (device.segments().empty())
        return curve;
    GapSweep sweep{device};
    sweep.begin();
    curve->append(0, sweep.largest());
    base::Bytes last = sweep.largest();
    for (std::size_t event = 0; event < device.eventCount(); ++event) {
        if (event % kStride == 0) {
            if (job.stopRequested())
                return base::cancelled();
            job.report(event, device.eventCount());
        }
        sweep.take(static_cast<EventIndex>(event));
        if (!sweep.isSane())
            return std::make_shared<const GapCurve>();
        if (const base::Bytes now = sweep.largest(); now != last) {
            curve->append(static_cast<std::uint32_t>(event + 1), now);
            last = now;
        }
    }
    // The recording has the idle blocks of its end.
    if (const std::size_t end = endStateBegin(device); end < device.stepCount()) {
        curve->cutAt(static_cast<std::uint32_t>(end));
        curve->append(static_cast<std::uint32_t>(end), figuresOf(gapsAt(device, {}, end)).largest);
    }
    return curve;
}

} // namespace plimsoll::memtrace
