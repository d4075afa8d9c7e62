// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/stack_table.h"

#include <cstddef>
#include <deque>
#include <span>
#include <string_view>
#include <tsl/robin_map.h>

namespace plimsoll::memtrace {

/// Collects texts, frames and stacks; equal ones get the same id.
class StackTableBuilder
{
public:
    StackTableBuilder();

    [[nodiscard]] TextId text(std::string_view text);
    [[nodiscard]] FrameId frame(const Frame& frame);
    [[nodiscard]] StackId stack(std::span<const FrameId> frames);
    [[nodiscard]] StackTable build() &&;

private:
    struct FrameHash
    {
        std::size_t operator()(const Frame& frame) const;
    };

    StackTable m_table;
    std::deque<std::string> m_texts; ///< keeps addresses, to which m_textIds refers
    tsl::robin_map<std::string_view, TextId> m_textIds;
    tsl::robin_map<Frame, FrameId, FrameHash> m_frameIds;
    tsl::robin_map<std::size_t, std::vector<StackId>> m_stackIds; ///< by hash
};

} // namespace plimsoll::memtrace
