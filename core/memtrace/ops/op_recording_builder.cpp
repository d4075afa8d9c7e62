// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/ops/op_recording_builder.h"

#include "core/base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace plimsoll::memtrace {

namespace {

/// Times come from outside: sums stay within 64 bits.
std::int64_t sumOf(std::int64_t a, std::int64_t b)
{
    return std::min(a + std::clamp<std::int64_t>(b, 0, base::kHuge), base::kHuge - 1);
}

void add(base::Nanoseconds& sum, std::int64_t time)
{
    sum = base::Nanoseconds{sumOf(sum.count(), time)};
}

/// Spans that are open at a time, of one thread, while time goes on.
class OpenSpans
{
public:
    explicit OpenSpans(const std::vector<OpSpan>& spans) : m_spans{spans} {}

    /// The innermost one at this time; kNone: none is open.
    [[nodiscard]] std::uint32_t at(std::int64_t time)
    {
        while (!m_open.empty() && m_spans[m_open.back()].end < time)
            m_open.pop_back();
        return m_open.empty() ? kNone : m_open.back();
    }
    void open(std::uint32_t span) { m_open.push_back(span); }
    /// One that begins where another one ends isn't within it.
    void closeUntil(std::int64_t begin)
    {
        while (!m_open.empty() && m_spans[m_open.back()].end <= begin)
            m_open.pop_back();
    }

private:
    const std::vector<OpSpan>& m_spans;
    std::vector<std::uint32_t> m_open; ///< outer ones first
};

} // namespace

std::uint32_t OpRecordingBuilder::text(std::string_view text)
{
    constexpr std::size_t kTextBytes = 160; // of a text beside its characters
    const auto [entry, isNew] =
        m_numbers.try_emplace(std::string{text}, static_cast<std::uint32_t>(m_texts.size()));
    if (isNew) {
        m_texts.emplace_back(text);
        m_textBytes += 2 * text.size() + kTextBytes;
    }
    return entry->second;
}

std::uint32_t OpRecordingBuilder::addSpan(const OpSpan& span)
{
    m_spans.push_back(span);
    m_recording.hasShapes = m_recording.hasShapes || span.shapes != 0;
    return static_cast<std::uint32_t>(m_spans.size() - 1);
}

void OpRecordingBuilder::addWork(int device, base::Nanoseconds time, std::uint32_t span)
{
    m_works.push_back({time.count(), 0, 0, span, device, false});
}

void OpRecordingBuilder::addWorkAt(int device, base::Nanoseconds time, std::uint32_t thread,
                                   std::int64_t at)
{
    m_works.push_back({time.count(), at, thread, kNone, device, true});
}

void OpRecordingBuilder::addUntied(int device, base::Nanoseconds time)
{
    m_works.push_back({time.count(), 0, 0, kNone, device, false});
}

std::size_t OpRecordingBuilder::memoryBytes() const
{
    return m_spans.capacity() * sizeof(OpSpan) + m_works.capacity() * sizeof(Work) + m_textBytes;
}

void OpRecordingBuilder::chooseDevice()
{
    std::map<int, std::int64_t> times;
    for (const Work& work : m_works)
        times[work.device] = sumOf(times[work.device], work.time);
    const auto most = std::ranges::max_element(
        times, {}, [](const auto& entry) { return entry.second; }); // the first of several
    if (most == times.end())
        return;
    m_recording.device = most->first;
    m_recording.onOtherDevices = std::erase_if(
        m_works, [device = m_recording.device](const Work& work) { return work.device != device; });
    if (const auto name = m_devices.find(m_recording.device); name != m_devices.end())
        m_recording.deviceName = name->second;
}

void OpRecordingBuilder::sortSpans()
{
    std::vector<std::uint32_t> order(m_spans.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t at) {
        return std::pair{m_spans[at].begin, -m_spans[at].end};
    });
    std::vector<std::uint32_t> placeOf(order.size());
    m_recording.spans.reserve(order.size());
    for (const std::uint32_t at : order) {
        placeOf[at] = static_cast<std::uint32_t>(m_recording.spans.size());
        m_recording.spans.push_back(m_spans[at]);
    }
    for (Work& work : m_works)
        if (work.span != kNone)
            work.span = placeOf[work.span];
    m_spans = {};
}

void OpRecordingBuilder::nest()
{
    std::unordered_map<std::uint32_t, OpenSpans> byThread;
    for (std::uint32_t at = 0; at < m_recording.spans.size(); ++at) {
        OpSpan& span = m_recording.spans[at];
        OpenSpans& open = byThread.try_emplace(span.thread, m_recording.spans).first->second;
        open.closeUntil(span.begin);
        span.parent = open.at(span.begin);
        open.open(at);
    }
}

void OpRecordingBuilder::tieToLaunches()
{
    const auto isTied = [](const Work& work) { return !work.isLaunchKnown; };
    const auto first = std::partition(m_works.begin(), m_works.end(), isTied);
    std::sort(first, m_works.end(), [](const Work& a, const Work& b) {
        return std::tie(a.thread, a.launched) < std::tie(b.thread, b.launched);
    });
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> spansOf;
    for (std::uint32_t at = 0; at < m_recording.spans.size(); ++at)
        spansOf[m_recording.spans[at].thread].push_back(at);
    for (auto work = first; work != m_works.end();) {
        const std::vector<std::uint32_t>& spans = spansOf[work->thread];
        OpenSpans open{m_recording.spans};
        auto next = spans.begin();
        const std::uint32_t thread = work->thread;
        for (; work != m_works.end() && work->thread == thread; ++work) {
            for (; next != spans.end() && m_recording.spans[*next].begin <= work->launched;
                 ++next) {
                open.closeUntil(m_recording.spans[*next].begin);
                open.open(*next);
            }
            work->span = open.at(work->launched);
        }
    }
}

void OpRecordingBuilder::sumUp()
{
    for (const Work& work : m_works) {
        if (work.span == kNone) {
            ++m_recording.untied;
            add(m_recording.untiedTime, work.time);
            continue;
        }
        add(m_recording.spans[work.span].deviceTime, work.time);
        ++m_recording.spans[work.span].launches;
    }
}

std::int64_t OpRecordingBuilder::epoch() const
{
    constexpr std::int64_t kEarliest = 1'262'304'000'000'000'000; // 2010: before that it's a clock
    if (m_recording.spans.empty())
        return 0;
    const std::int64_t begin = sumOf(m_baseNs, m_recording.spans.front().begin);
    return begin >= kEarliest ? begin : 0;
}

base::Result<OpRecordingPtr> OpRecordingBuilder::build(const base::JobContext& context) &&
{
    using base::ErrorKind;
    if (m_works.empty())
        return base::failure(ErrorKind::File, "has no kernels of a GPU");
    if (m_spans.empty())
        return base::failure(ErrorKind::File, "has kernels, but no operators that launched them");
    chooseDevice();
    sortSpans();
    if (context.stopRequested())
        return base::cancelled();
    context.report(1, 3);
    nest();
    tieToLaunches();
    if (context.stopRequested())
        return base::cancelled();
    context.report(2, 3);
    sumUp();
    if (m_recording.untied == m_works.size())
        return base::failure(ErrorKind::File,
                             "has kernels and operators, but not which operator launched which "
                             "kernel");
    m_recording.texts = std::move(m_texts);
    m_recording.epochNs = epoch();
    context.report(1, 1);
    return std::make_shared<const OpRecording>(std::move(m_recording));
}

} // namespace plimsoll::memtrace
