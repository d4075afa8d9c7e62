// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/segments.h"

#include "core/readers/torch_snapshot/roles.h"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::readers::torch_snapshot {

namespace {

using State = memtrace::RecordedBlock::State;

constexpr std::size_t kSegmentBytes = 256; ///< the most that one costs the builder
constexpr std::size_t kBlockBytes = 192;

} // namespace

bool Segments::take(bool isHost, Items items)
{
    memtrace::RecordedSegment segment;
    std::optional<std::uint64_t> address;
    std::int64_t ordinal = isHost ? kHost : 0;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        bool isRead = true;
        switch (items[i].is(PickleKind::Text) ? items[i].data : std::uint64_t{word::Count}) {
        case word::Device:
            ordinal = isHost ? kHost : m_recording.readInteger(value).value_or(ordinal);
            break;
        case word::Address: isRead = m_recording.readAddress(value, address); break;
        case word::TotalSize: isRead = m_recording.readSize(value, segment.bytes); break;
        case word::Stream: segment.stream = m_recording.readStream(value); break;
        case word::SegmentPoolId:
            segment.pool = m_recording.readPool(value).value_or(segment.pool);
            break;
        case word::SegmentType:
            segment.isLarge = value.is(PickleKind::Text) && value.data == word::Large;
            break;
        case word::IsExpandable:
            segment.isExpandable = m_recording.readInteger(value).value_or(0) != 0;
            break;
        case word::Frames: segment.stack = m_recording.readStack(value); break;
        default: break;
        }
        if (!isRead)
            return false;
    }
    const bool isComplete = address.has_value() && ordinal >= kHost
                            && ordinal < static_cast<std::int64_t>(kMostDevices);
    if (!isComplete) {
        m_recording.count("incomplete_segments");
        m_blocks.clear();
        return true;
    }
    m_recording.setIsSnapshot();
    segment.address = *address;
    memtrace::DeviceBuilder& builder = m_recording.device(static_cast<int>(ordinal));
    if (const base::Result<void> added = builder.addSegment(segment); !added)
        return m_recording.failWith(added.error(), "a segment");
    m_recording.addBytes(kSegmentBytes);
    return addBlocks(builder, segment.address);
}

bool Segments::addBlocks(memtrace::DeviceBuilder& device, std::uint64_t address)
{
    for (PendingBlock& pending : m_blocks) {
        memtrace::RecordedBlock& block = pending.block;
        // Old files have no addresses; blocks cover their segment without gaps.
        if (!pending.hasAddress)
            block.address = address;
        if (const base::Result<void> added = device.addBlock(block); !added)
            return m_recording.failWith(added.error(), "a block");
        address = block.address + static_cast<std::uint64_t>(block.bytes);
        m_recording.addBytes(kBlockBytes);
    }
    m_blocks.clear();
    return true;
}

bool Segments::takeBlock(Items items)
{
    PendingBlock pending;
    memtrace::RecordedBlock& block = pending.block;
    std::optional<std::uint64_t> address;
    std::uint64_t state = word::Nothing;
    bool hasRequest = false;
    bool hasFrames = false;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        bool isRead = true;
        switch (items[i].is(PickleKind::Text) ? items[i].data : std::uint64_t{word::Count}) {
        case word::Address: isRead = m_recording.readAddress(value, address); break;
        case word::Size: isRead = m_recording.readSize(value, block.bytes); break;
        case word::RequestedSize:
            isRead = m_recording.readSize(value, block.requestedBytes);
            hasRequest = true;
            break;
        case word::State: state = wordOf(value); break;
        case word::Frames:
            block.stack = m_recording.readStack(value);
            hasFrames = true;
            break;
        default: break;
        }
        if (!isRead)
            return false;
    }
    const std::optional<Owner> owner = std::exchange(m_owner, std::nullopt);
    switch (state) {
    case word::ActiveAllocated: block.state = State::Active; break;
    case word::ActivePendingFree:
    case word::ActiveAwaitingFree: block.state = State::PendingFree; break;
    case word::Inactive: break;
    default: m_recording.count("unknown_block_states");
    }
    if (!hasRequest && block.state != State::Idle)
        block.requestedBytes = owner ? owner->bytes : block.bytes;
    if (!hasFrames && owner)
        block.stack = owner->stack;
    if (!address && owner)
        address = owner->address;
    pending.hasAddress = address.has_value();
    block.address = address.value_or(0);
    m_blocks.push_back(pending);
    return true;
}

bool Segments::takeOwner(Items items)
{
    Owner owner;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        const PickleValue& value = items[i + 1];
        bool isRead = true;
        switch (items[i].is(PickleKind::Text) ? items[i].data : std::uint64_t{word::Count}) {
        case word::Addr: isRead = m_recording.readAddress(value, owner.address); break;
        case word::RealSize: isRead = m_recording.readSize(value, owner.bytes); break;
        case word::Frames: owner.stack = m_recording.readStack(value); break;
        default: break;
        }
        if (!isRead)
            return false;
    }
    m_owner = owner;
    return true;
}

} // namespace plimsoll::readers::torch_snapshot
