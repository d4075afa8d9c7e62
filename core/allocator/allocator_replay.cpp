// SPDX-License-Identifier: Apache-2.0
#include "core/allocator/allocator_replay.h"

#include <algorithm>
#include <iterator>

namespace plimsoll::solve {

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;
constexpr std::int64_t kBlock = 512;
constexpr std::int64_t kMostSmall = kMiB;
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kLargeSegment = 20 * kMiB;
constexpr std::int64_t kLeastOwnSegment = 10 * kMiB; ///< requests from here on get their own
constexpr std::int64_t kOwnSegmentStep = 2 * kMiB;

std::int64_t roundedUp(std::int64_t size, std::int64_t step)
{
    return (size + step - 1) / step * step;
}

} // namespace

std::int64_t AllocatorReplay::bestFit(const Pool& pool, std::int64_t size) const
{
    const auto fit = pool.free.lower_bound({size, 0});
    if (fit == pool.free.end())
        return -1;
    const bool canGrow = m_segments == Segments::Expandable && fit->second + fit->first == pool.end;
    if (canGrow && std::next(fit) != pool.free.end())
        return std::next(fit)->second;
    return fit->second;
}

std::int64_t AllocatorReplay::addSegment(Pool& pool, std::int64_t size)
{
    const std::int64_t bytes = pool.isSmall              ? kSmallSegment
                               : size < kLeastOwnSegment ? kLargeSegment
                                                         : roundedUp(size, kOwnSegmentStep);
    const std::int64_t address = pool.end;
    pool.blocks[address] = {bytes, address, true};
    pool.free.emplace(bytes, address);
    pool.end += bytes;
    m_reserved += bytes;
    return address;
}

std::int64_t AllocatorReplay::grow(Pool& pool, std::int64_t size)
{
    std::int64_t address = pool.end;
    std::int64_t there = 0;
    if (!pool.blocks.empty()) {
        const auto last = std::prev(pool.blocks.end());
        if (last->second.isFree) {
            address = last->first;
            there = last->second.size;
            pool.free.erase({there, address});
        }
    }
    const std::int64_t bytes =
        roundedUp(size - there, pool.isSmall ? kSmallSegment : kLargeSegment);
    pool.blocks[address] = {there + bytes, 0, true};
    pool.free.emplace(there + bytes, address);
    pool.end += bytes;
    m_reserved += bytes;
    return address;
}

void AllocatorReplay::split(Pool& pool, std::int64_t address, std::int64_t size) const
{
    Block& block = pool.blocks[address];
    const std::int64_t rest = block.size - size;
    const bool staysFree =
        pool.isSmall || m_segments == Segments::Expandable ? rest >= kBlock : rest > kMostSmall;
    if (!staysFree)
        return;
    block.size = size;
    pool.blocks[address + size] = {rest, block.segment, true};
    pool.free.emplace(rest, address + size);
}

AllocatorReplay::Handle AllocatorReplay::allocate(base::Bytes size)
{
    const std::int64_t bytes = roundedUp(std::max<std::int64_t>(size.count(), 1), kBlock);
    Pool& pool = poolOf(bytes <= kMostSmall);
    std::int64_t address = bestFit(pool, bytes);
    if (address < 0)
        address = m_segments == Segments::Expandable ? grow(pool, bytes) : addSegment(pool, bytes);
    Block& block = pool.blocks[address];
    pool.free.erase({block.size, address});
    block.isFree = false;
    split(pool, address, bytes);
    m_allocated += block.size;
    m_handles.push_back({pool.isSmall, address});
    return m_handles.size() - 1;
}

/// Merges a freed block with free neighbours.
void AllocatorReplay::release(Pool& pool, std::int64_t address)
{
    auto block = pool.blocks.find(address);
    block->second.isFree = true;
    const auto joins = [&](auto other) {
        return other->second.isFree && other->second.segment == block->second.segment;
    };
    if (const auto next = std::next(block); next != pool.blocks.end() && joins(next)) {
        block->second.size += next->second.size;
        pool.free.erase({next->second.size, next->first});
        pool.blocks.erase(next);
    }
    if (block != pool.blocks.begin() && joins(std::prev(block))) {
        const auto previous = std::prev(block);
        pool.free.erase({previous->second.size, previous->first});
        previous->second.size += block->second.size;
        pool.blocks.erase(block);
        block = previous;
    }
    pool.free.emplace(block->second.size, block->first);
}

void AllocatorReplay::free(Handle handle)
{
    const InUse& used = m_handles[handle];
    Pool& pool = poolOf(used.isSmall);
    m_allocated -= pool.blocks[used.address].size;
    release(pool, used.address);
}

} // namespace plimsoll::solve
