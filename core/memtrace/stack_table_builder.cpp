// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/stack_table_builder.h"

#include "core/memtrace/hashes.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace plimsoll::memtrace {

namespace {

std::size_t mixed(std::size_t hash, std::size_t value)
{
    return mixedBits(hash * 0x9e3779b97f4a7c15U + value);
}

} // namespace

StackTableBuilder::StackTableBuilder()
{
    m_table.m_stackBegins.push_back(0);
    static_cast<void>(text({}));
    static_cast<void>(stack({}));
}

std::size_t StackTableBuilder::FrameHash::operator()(const Frame& frame) const
{
    std::size_t hash = mixed(frame.file.index(), frame.name.index());
    hash = mixed(hash, static_cast<std::size_t>(frame.line));
    return mixed(hash, frame.detail.index());
}

TextId StackTableBuilder::text(std::string_view text)
{
    const auto known = m_textIds.find(text);
    if (known != m_textIds.end())
        return known->second;
    const TextId id{m_texts.size()};
    m_textIds.emplace(m_texts.emplace_back(text), id);
    return id;
}

FrameId StackTableBuilder::frame(const Frame& frame)
{
    const auto [at, isNew] = m_frameIds.try_emplace(frame, FrameId{m_table.m_frames.size()});
    if (isNew)
        m_table.m_frames.push_back(frame);
    return at->second;
}

StackId StackTableBuilder::stack(std::span<const FrameId> frames)
{
    std::size_t hash = frames.size();
    for (const FrameId frame : frames)
        hash = mixed(hash, frame.index());
    std::vector<StackId>& candidates = m_stackIds[hash];
    for (const StackId candidate : candidates)
        if (std::ranges::equal(m_table.stack(candidate), frames))
            return candidate;
    const StackId id{m_table.stackCount()};
    m_table.m_stackFrames.insert(m_table.m_stackFrames.end(), frames.begin(), frames.end());
    m_table.m_stackBegins.push_back(static_cast<std::uint32_t>(m_table.m_stackFrames.size()));
    candidates.push_back(id);
    return id;
}

StackTable StackTableBuilder::build() &&
{
    m_table.m_texts.assign(std::make_move_iterator(m_texts.begin()),
                           std::make_move_iterator(m_texts.end()));
    m_table.m_frames.shrink_to_fit();
    m_table.m_stackFrames.shrink_to_fit();
    m_table.m_stackBegins.shrink_to_fit();
    return std::move(m_table);
}

} // namespace plimsoll::memtrace
