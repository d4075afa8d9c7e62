// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/spans.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace plimsoll::readers::kineto {

namespace {

using memtrace::FrameId;
using memtrace::StackId;

/// More are open at once only in traces that are made to take long.
constexpr std::size_t kMostOpen = 2048;
constexpr std::size_t kMostText = 1000; ///< of a function's or operator's name

/// Whole characters of UTF-8.
std::string_view shortened(std::string_view text)
{
    if (text.size() <= kMostText)
        return text;
    std::size_t size = kMostText;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U)
        --size;
    return text.substr(0, size);
}

/// "file.py(12): function"; all but the name may be missing.
struct NamedPlace
{
    std::string_view file;
    std::int32_t line = 0;
    std::string_view function;
};

std::optional<std::int32_t> lineOf(std::string_view digits)
{
    std::int32_t line = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
    return error == std::errc{} && end == digits.data() + digits.size() && line >= 0
               ? std::optional{line}
               : std::nullopt;
}

NamedPlace placeOf(std::string_view name)
{
    constexpr std::string_view kBehindLine = "): ";
    for (std::size_t at = name.find(kBehindLine); at != std::string_view::npos;
         at = name.find(kBehindLine, at + 1)) {
        const std::size_t bracket = name.rfind('(', at);
        if (bracket == std::string_view::npos || bracket == 0)
            continue;
        if (const auto line = lineOf(name.substr(bracket + 1, at - bracket - 1)))
            return {name.substr(0, bracket), *line, name.substr(at + kBehindLine.size())};
    }
    return {{}, 0, name};
}

/// The line of "file.py:12", if it is of that file.
std::optional<std::int32_t> lineIn(std::string_view file, std::string_view calledFrom)
{
    if (file.empty() || calledFrom.size() <= file.size() + 1 || !calledFrom.starts_with(file)
        || calledFrom[file.size()] != ':')
        return std::nullopt;
    return lineOf(calledFrom.substr(file.size() + 1));
}

} // namespace

void sortSpans(std::vector<Span>& spans)
{
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
        if (a.thread != b.thread)
            return a.thread < b.thread;
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
}

SpanStacks::SpanStacks(const std::vector<Span>& spans, const Names& names,
                       memtrace::StackTableBuilder& stacks)
    : m_spans{spans}, m_names{names}, m_stacks{stacks}
{
    m_hasPython = std::any_of(spans.begin(), spans.end(),
                              [](const Span& span) { return span.kind == Span::Kind::Python; });
}

void SpanStacks::advance(std::uint32_t thread, std::int64_t time)
{
    if (thread != m_thread) {
        m_thread = thread;
        m_open.clear();
        m_last.reset();
    }
    while (m_next < m_spans.size()
           && (m_spans[m_next].thread < thread
               || (m_spans[m_next].thread == thread && m_spans[m_next].begin <= time))) {
        const Span& span = m_spans[m_next];
        if (span.thread == thread && span.end >= time) {
            // Most that have ended are on top, for spans of a thread nest.
            while (!m_open.empty() && m_spans[m_open.back()].end < span.begin)
                m_open.pop_back();
            if (m_open.size() >= kMostOpen)
                std::erase_if(m_open, [&](std::size_t open) { return m_spans[open].end < time; });
            if (m_open.size() < kMostOpen)
                m_open.push_back(m_next);
            m_last.reset();
        }
        ++m_next;
    }
    if (m_last && time > m_lastHolds)
        m_last.reset();
}

StackId SpanStacks::stackAt(std::uint32_t thread, std::int64_t time)
{
    advance(thread, time);
    if (!m_last)
        m_last = build(time);
    return *m_last;
}

StackId SpanStacks::build(std::int64_t time)
{
    m_frames.clear();
    m_lastHolds = std::numeric_limits<std::int64_t>::max();
    std::erase_if(m_open, [&](std::size_t open) { return m_spans[open].end < time; });
    std::uint32_t inner = 0;
    bool hasCallStack = false;
    for (auto open = m_open.rbegin(); open != m_open.rend(); ++open) {
        const Span& span = m_spans[*open];
        m_lastHolds = std::min(m_lastHolds, span.end);
        if (m_frames.size() > kMostFrames)
            continue;
        m_frames.push_back(frameOf(span, inner));
        if (span.kind == Span::Kind::Python) {
            inner = span.calledFrom;
        } else if (span.calledFrom != 0 && !hasCallStack && !m_hasPython) {
            hasCallStack = true;
            addCallStack(m_names[span.calledFrom]);
        }
    }
    if (m_frames.size() > kMostFrames) {
        ++m_cutStacks;
        m_frames.resize(kMostFrames);
    }
    return m_stacks.stack(m_frames);
}

void SpanStacks::addCallStack(std::string_view callStack)
{
    while (!callStack.empty() && m_frames.size() <= kMostFrames) {
        const std::size_t end = std::min(callStack.find(';'), callStack.size());
        if (end > 0)
            m_frames.push_back(pythonFrame(callStack.substr(0, end), {}));
        callStack.remove_prefix(std::min(end + 1, callStack.size()));
    }
}

FrameId SpanStacks::frameOf(const Span& span, std::uint32_t inner)
{
    const bool isPython = span.kind == Span::Kind::Python;
    const std::uint64_t key =
        (std::uint64_t{span.name} << 32U) | (isPython ? inner : ~std::uint32_t{0});
    const auto known = m_frameIds.find(key);
    if (known != m_frameIds.end())
        return known->second;
    const FrameId frame =
        isPython
            ? pythonFrame(m_names[span.name], m_names[inner])
            : m_stacks.frame(
                {.file = {}, .name = m_stacks.text(shortened(m_names[span.name])), .detail = {}});
    m_frameIds.emplace(key, frame);
    return frame;
}

FrameId SpanStacks::pythonFrame(std::string_view name, std::string_view inner)
{
    const NamedPlace place = placeOf(name);
    memtrace::Frame frame;
    frame.file = m_stacks.text(shortened(place.file));
    frame.name = m_stacks.text(shortened(place.function));
    frame.line = lineIn(place.file, inner).value_or(place.line);
    return m_stacks.frame(frame);
}

} // namespace plimsoll::readers::kineto
