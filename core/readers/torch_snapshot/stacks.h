// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/pickle_memo.h"
#include "core/readers/torch_snapshot/recording.h"

namespace plimsoll::readers::torch_snapshot {

/// Frames and lists of frames. A list of anything else becomes Other.
class Stacks
{
public:
    Stacks(Recording& recording, PickleMemo& memo) : m_recording{recording}, m_memo{memo} {}

    /// Other if the dict is no frame.
    [[nodiscard]] PickleValue frameOf(Items items);
    /// Adds frames to the topmost list of the pickle's stack.
    [[nodiscard]] bool append(PickleValue& list, Items items);
    /// The stack that a list is so far.
    [[nodiscard]] memtrace::StackId stackOf(const PickleValue& list);
    /// Replaces a list by the stack that it is.
    void close(PickleValue& list);

    [[nodiscard]] std::size_t memoryBytes() const
    {
        return m_frames.capacity() * sizeof(memtrace::FrameId);
    }

private:
    [[nodiscard]] memtrace::TextId detailOf(std::span<const std::uint32_t> texts);

    Recording& m_recording;
    PickleMemo& m_memo;
    /// Of lists that are being filled, in the order of the pickle's stack. A list's data: where its
    /// frames begin, and how many they are.
    std::vector<memtrace::FrameId> m_frames;
    std::size_t m_lastStack = 0;
};

} // namespace plimsoll::readers::torch_snapshot
