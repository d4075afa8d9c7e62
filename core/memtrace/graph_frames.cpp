// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/graph_frames.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>
#include <utility>

namespace plimsoll::memtrace {

namespace {

/// Appends to the tables of a trace's stacks.
class Extender
{
public:
    explicit Extender(const StackTable& stacks) : m_tables{stacks.tables()} {}

    [[nodiscard]] FrameId add(const GraphFrame& told)
    {
        Frame frame;
        frame.file = textOf(told.file);
        frame.name = textOf(told.file.empty() ? fmt::format("({}, from the graph)", told.op)
                                              : fmt::format("{} (from the graph)", told.op));
        frame.line = told.line;
        frame.detail = textOf(told.module);
        frame.isFromGraph = true;
        m_tables.frames.push_back(frame);
        return FrameId{m_tables.frames.size() - 1};
    }
    /// The stack with that frame inside of all others.
    [[nodiscard]] std::uint32_t stackWith(FrameId frame, std::uint32_t stack)
    {
        const std::uint64_t key = (static_cast<std::uint64_t>(frame.index()) << 32U) | stack;
        const auto [at, isNew] =
            m_stacks.try_emplace(key, static_cast<std::uint32_t>(m_tables.stackBegins.size() - 1));
        if (isNew) {
            m_tables.stackFrames.push_back(frame);
            for (std::size_t i = m_tables.stackBegins[stack]; i < m_tables.stackBegins[stack + 1];
                 ++i)
                m_tables.stackFrames.push_back(FrameId{m_tables.stackFrames[i].index()});
            m_tables.stackBegins.push_back(static_cast<std::uint32_t>(m_tables.stackFrames.size()));
        }
        return at->second;
    }
    [[nodiscard]] StackTable finished() &&
    {
        return *StackTable::fromTables(std::move(m_tables)); // what is appended refers to it
    }

private:
    [[nodiscard]] TextId textOf(const std::string& text)
    {
        if (text.empty())
            return {};
        const auto [at, isNew] = m_texts.try_emplace(text, m_tables.texts.size());
        if (isNew)
            m_tables.texts.push_back(text);
        return TextId{at->second};
    }

    StackTable::Tables m_tables;
    std::map<std::string, std::size_t> m_texts; ///< that were added
    std::unordered_map<std::uint64_t, std::uint32_t> m_stacks;
};

} // namespace

MemoryTracePtr withGraphFrames(const MemoryTrace& trace, std::size_t device,
                               const std::vector<GraphFrame>& frames,
                               const std::vector<std::uint32_t>& frameOf)
{
    Extender extender{trace.stacks()};
    std::vector<FrameId> ids;
    ids.reserve(frames.size());
    for (const GraphFrame& frame : frames)
        ids.push_back(extender.add(frame));
    DeviceColumns columns = trace.devices()[device].columns();
    std::vector<std::uint32_t> stacks{columns.allocations.stack.begin(),
                                      columns.allocations.stack.end()};
    for (std::size_t i = 0; i < stacks.size(); ++i)
        if (frameOf[i] != kNone)
            stacks[i] = extender.stackWith(ids[frameOf[i]], stacks[i]);
    columns.allocations.stack = base::Column{std::move(stacks)};
    TraceParts parts = trace.parts();
    parts.devices[device] = DeviceTrace{std::move(columns)};
    parts.stacks = std::move(extender).finished();
    return std::make_shared<const MemoryTrace>(std::move(parts));
}

} // namespace plimsoll::memtrace
