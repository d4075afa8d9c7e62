// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/stack_table.h"

#include <algorithm>
#include <utility>

namespace plimsoll::memtrace {

std::optional<StackTable> StackTable::fromTables(Tables tables)
{
    const std::vector<std::uint32_t>& begins = tables.stackBegins;
    const auto isText = [&](TextId id) { return id.index() < tables.texts.size(); };
    const auto isFrame = [&](FrameId id) { return id.index() < tables.frames.size(); };
    if (tables.texts.empty() || !tables.texts.front().empty() || begins.size() < 2
        || begins.front() != 0 || begins[1] != 0 || begins.back() != tables.stackFrames.size()
        || !std::is_sorted(begins.begin(), begins.end())
        || !std::all_of(tables.stackFrames.begin(), tables.stackFrames.end(), isFrame)
        || !std::all_of(tables.frames.begin(), tables.frames.end(), [&](const Frame& frame) {
               return isText(frame.file) && isText(frame.name) && isText(frame.detail);
           }))
        return std::nullopt;
    StackTable table;
    table.m_texts = std::move(tables.texts);
    table.m_frames = std::move(tables.frames);
    table.m_stackFrames = std::move(tables.stackFrames);
    table.m_stackBegins = std::move(tables.stackBegins);
    return table;
}

} // namespace plimsoll::memtrace
