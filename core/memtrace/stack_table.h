// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/ids.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::memtrace {

struct Frame
{
    TextId file;
    TextId name;
    std::int32_t line = 0; ///< 0: unknown
    TextId detail;         ///< such as the node of a compiled graph; mostly empty
    /// An op of a graph of the model, which the recording doesn't have: see withGraphFrames(). Its
    /// detail is the module.
    bool isFromGraph = false;

    bool operator==(const Frame&) const = default;
};

/// The texts, frames and call stacks of a recording, each different one once: real recordings
/// repeat a few hundred stacks for millions of events.
class StackTable
{
public:
    [[nodiscard]] std::string_view text(TextId id) const { return m_texts[id.index()]; }
    [[nodiscard]] const Frame& frame(FrameId id) const { return m_frames[id.index()]; }
    /// Innermost frame first, as recorded.
    [[nodiscard]] std::span<const FrameId> stack(StackId id) const
    {
        const std::size_t begin = m_stackBegins[id.index()];
        return std::span{m_stackFrames}.subspan(begin, m_stackBegins[id.index() + 1] - begin);
    }
    [[nodiscard]] std::size_t textCount() const { return m_texts.size(); }
    [[nodiscard]] std::size_t frameCount() const { return m_frames.size(); }
    /// Of different stacks, the empty one included.
    [[nodiscard]] std::size_t stackCount() const { return m_stackBegins.size() - 1; }

    /// As they are stored: see StackTable::fromTables().
    struct Tables
    {
        std::vector<std::string> texts;
        std::vector<Frame> frames;
        std::vector<FrameId> stackFrames;
        std::vector<std::uint32_t> stackBegins;
    };
    [[nodiscard]] Tables tables() const
    {
        return {m_texts, m_frames, m_stackFrames, m_stackBegins};
    }
    /// Nothing if an id in them leads nowhere, or the empty text or stack is missing.
    [[nodiscard]] static std::optional<StackTable> fromTables(Tables tables);

private:
    friend class StackTableBuilder;

    std::vector<std::string> m_texts;
    std::vector<Frame> m_frames;
    std::vector<FrameId> m_stackFrames;
    std::vector<std::uint32_t> m_stackBegins; ///< by stack, and the end of the last one
};

} // namespace plimsoll::memtrace
