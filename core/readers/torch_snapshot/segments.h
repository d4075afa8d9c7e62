// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/recording.h"

namespace plimsoll::readers::torch_snapshot {

/// The state at the end of the recording: segments and their blocks. The blocks of a segment are
/// taken before it, the owner of a block before that.
class Segments
{
public:
    explicit Segments(Recording& recording) : m_recording{recording} {}

    /// `isHost`: of pinned host memory, whatever device it names.
    [[nodiscard]] bool take(bool isHost, Items items);
    [[nodiscard]] bool takeBlock(Items items);
    /// In files of torch 2.0 and older.
    [[nodiscard]] bool takeOwner(Items items);

    [[nodiscard]] std::size_t memoryBytes() const
    {
        return m_blocks.capacity() * sizeof(PendingBlock);
    }

private:
    struct PendingBlock
    {
        memtrace::RecordedBlock block;
        bool hasAddress = false;
    };
    struct Owner
    {
        std::int64_t bytes = 0;
        std::optional<std::uint64_t> address;
        memtrace::StackId stack;
    };

    [[nodiscard]] bool addBlocks(memtrace::DeviceBuilder& device, std::uint64_t address);

    Recording& m_recording;
    std::vector<PendingBlock> m_blocks; ///< of the segment that is being read
    std::optional<Owner> m_owner;       ///< of the block that is being read
};

} // namespace plimsoll::readers::torch_snapshot
