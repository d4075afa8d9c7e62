// SPDX-License-Identifier: Apache-2.0
#include "core/allocator/allocator_replay.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

namespace plimsoll::allocator {

namespace {

using base::kMiB;

constexpr std::int64_t kBlock = 512;
constexpr std::int64_t kMostSmall = kMiB;
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kLargeSegment = 20 * kMiB;
constexpr std::int64_t kLeastOwnSegment = 10 * kMiB; ///< requests from here on get their own
constexpr std::int64_t kOwnSegmentStep = 2 * kMiB;
constexpr std::int64_t kMostRange = std::int64_t{1} << 46U;

std::int64_t roundedUp(std::int64_t size, std::int64_t step)
{
    return (size + step - 1) / step * step;
}

std::int64_t mappingStep(bool isSmall)
{
    return isSmall ? kSmallSegment : kLargeSegment;
}

/// To the next of the parts into which the range between two powers of two is divided.
std::int64_t roundedToDivision(std::int64_t size, std::int64_t divisions)
{
    const auto bits = static_cast<std::uint64_t>(size);
    if (std::has_single_bit(bits))
        return size;
    const auto floor = static_cast<std::int64_t>(std::bit_floor(bits));
    const std::int64_t part = floor / divisions;
    return part == 0 ? floor * 2 : roundedUp(size, part);
}

} // namespace

std::int64_t AllocatorReplay::rounded(std::int64_t size) const
{
    constexpr std::size_t kFirstInterval = 20; // sizes below 2 MiB share the first entry
    const auto power = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(size)));
    const std::size_t interval = std::min(std::max(power, kFirstInterval + 1) - kFirstInterval - 1,
                                          m_settings.roundupDivisions.size() - 1);
    const std::int64_t divisions = m_settings.roundupDivisions[interval];
    if (divisions > 1 && size > kBlock * divisions)
        return roundedToDivision(size, divisions);
    return roundedUp(std::max<std::int64_t>(size, 1), kBlock);
}

void AllocatorReplay::count(base::Bytes AllocatorCounters::*counter, std::int64_t change)
{
    m_now.*counter += base::Bytes{change};
    m_peaks.*counter = std::max(m_peaks.*counter, m_now.*counter);
}

std::optional<AllocatorReplay::Blocks::iterator> AllocatorReplay::before(Blocks::iterator block)
{
    if (block == m_blocks.begin() || std::prev(block)->second.segment != block->second.segment)
        return std::nullopt;
    return std::prev(block);
}

std::optional<AllocatorReplay::Blocks::iterator> AllocatorReplay::after(Blocks::iterator block)
{
    const auto next = std::next(block);
    if (next == m_blocks.end() || next->second.segment != block->second.segment)
        return std::nullopt;
    return next;
}

bool AllocatorReplay::isSplit(Blocks::iterator block)
{
    return before(block).has_value() || after(block).has_value();
}

void AllocatorReplay::insertFree(Blocks::iterator block)
{
    const Block& of = block->second;
    if (of.isMapped)
        m_free.emplace(of.place, of.size, block->first);
    else
        m_unmapped.emplace(of.place, block->first);
}

void AllocatorReplay::eraseFree(Blocks::iterator block)
{
    const Block& of = block->second;
    if (of.isMapped)
        m_free.erase({of.place, of.size, block->first});
    else
        m_unmapped.erase({of.place, block->first});
}

/// The address of the best free block.
std::optional<std::int64_t> AllocatorReplay::bestFree(const Place& place, std::int64_t size) const
{
    const auto blockOf = [this](Free::const_iterator free) {
        return m_blocks.find(std::get<2>(*free));
    };
    const auto isHere = [&](Free::const_iterator free) {
        return free != m_free.end() && std::get<0>(*free) == place;
    };
    const auto growable = [this](Blocks::const_iterator block) {
        const auto next = std::next(block);
        const bool grows = next != m_blocks.end() && !next->second.isMapped
                           && next->second.segment == block->second.segment;
        return block->second.size + (grows ? next->second.size : 0);
    };
    auto fit = m_free.lower_bound({place, size, 0});
    if (!isHere(fit))
        return std::nullopt;
    for (auto next = std::next(fit); blockOf(fit)->second.isExpandable && isHere(next)
                                     && growable(blockOf(next)) < growable(blockOf(fit));
         ++next)
        fit = next;
    const std::int64_t found = std::get<1>(*fit);
    const std::int64_t limit = m_settings.maxSplitSize.count();
    if (size < limit ? found >= limit : found >= size + m_settings.maxNonSplitRounding.count())
        return std::nullopt;
    return std::get<2>(*fit);
}

/// The best free block, no longer among the free ones.
std::optional<AllocatorReplay::Blocks::iterator> AllocatorReplay::takeFree(const Place& place,
                                                                           std::int64_t size)
{
    const std::optional<std::int64_t> address = bestFree(place, size);
    if (!address)
        return std::nullopt;
    const auto block = m_blocks.find(*address);
    eraseFree(block);
    return block;
}

bool AllocatorReplay::takeFromDevice(std::int64_t bytes)
{
    if (m_now.reserved.count() + bytes > m_device)
        return false;
    count(&AllocatorCounters::reserved, bytes);
    return true;
}

void AllocatorReplay::giveToDevice(std::int64_t bytes)
{
    count(&AllocatorCounters::reserved, -bytes);
}

std::optional<AllocatorReplay::Blocks::iterator> AllocatorReplay::addSegment(const Place& place,
                                                                             std::int64_t size)
{
    const std::int64_t bytes = place.isSmall             ? kSmallSegment
                               : size < kLeastOwnSegment ? kLargeSegment
                                                         : roundedUp(size, kOwnSegmentStep);
    if (!takeFromDevice(bytes))
        return std::nullopt;
    const std::int64_t address = std::exchange(m_end, m_end + bytes);
    return m_blocks.emplace(address, Block{.size = bytes, .segment = address, .place = place})
        .first;
}

/// A range of addresses for expandable segments: as large as the device and an eighth, as far as
/// there are addresses for many of them.
AllocatorReplay::Blocks::iterator AllocatorReplay::newRange(const Place& place, std::int64_t size)
{
    const std::int64_t bytes = roundedUp(std::max(std::min(m_device, kMostRange) / 8 * 9, size),
                                         mappingStep(place.isSmall));
    const std::int64_t address = std::exchange(m_end, m_end + bytes);
    const auto block = m_blocks.emplace(address, Block{.size = bytes,
                                                       .segment = address,
                                                       .place = place,
                                                       .isMapped = false,
                                                       .isExpandable = true});
    insertFree(block.first);
    return block.first;
}

/// The first free or unmapped block from which as many bytes can be mapped in one piece.
AllocatorReplay::Blocks::iterator AllocatorReplay::expandableFor(const Place& place,
                                                                 std::int64_t size)
{
    for (auto unmapped = m_unmapped.lower_bound({place, 0});
         unmapped != m_unmapped.end() && unmapped->first == place; ++unmapped) {
        auto first = m_blocks.find(unmapped->second);
        if (const auto previous = before(first); previous && (*previous)->second.isFree)
            first = *previous;
        std::int64_t bytes = 0;
        for (std::optional at{first}; at && (*at)->second.isFree && bytes < size; at = after(*at))
            bytes += (*at)->second.size;
        if (bytes >= size)
            return first;
    }
    return newRange(place, size);
}

/// Maps memory at the begin of an unmapped block; joined with its neighbours it becomes `block`.
bool AllocatorReplay::mapMemory(Blocks::iterator& block, std::int64_t size)
{
    const std::int64_t bytes =
        std::min(roundedUp(size, mappingStep(block->second.place.isSmall)), block->second.size);
    if (!takeFromDevice(bytes))
        return false;
    eraseFree(block);
    const std::int64_t rest = block->second.size - bytes;
    if (rest > 0) {
        Block unmapped = block->second;
        unmapped.size = rest;
        insertFree(m_blocks.emplace(block->first + bytes, unmapped).first);
    }
    block->second.size = bytes;
    block->second.isMapped = true;
    block = joined(block);
    insertFree(block);
    return true;
}

std::optional<AllocatorReplay::Blocks::iterator> AllocatorReplay::expand(const Place& place,
                                                                         std::int64_t size)
{
    auto block = expandableFor(place, size);
    if (!block->second.isMapped && !mapMemory(block, std::min(block->second.size, size)))
        return std::nullopt;
    while (block->second.size < size) {
        auto next = *after(block);
        if (!mapMemory(next, std::min(size - block->second.size, next->second.size)))
            return std::nullopt;
        block = next;
    }
    eraseFree(block);
    return block;
}

std::optional<AllocatorReplay::Blocks::iterator> AllocatorReplay::addMemory(const Place& place,
                                                                            std::int64_t size)
{
    return m_settings.expandableSegments ? expand(place, size) : addSegment(place, size);
}

/// A segment that is one free block goes back to the device.
void AllocatorReplay::releaseSegment(Blocks::iterator block)
{
    eraseFree(block);
    giveToDevice(block->second.size);
    m_blocks.erase(block);
}

/// Whole steps of a free block of an expandable segment go back to the device.
void AllocatorReplay::unmapMemory(Blocks::iterator block)
{
    const std::int64_t step = mappingStep(block->second.place.isSmall);
    const std::int64_t base = block->second.segment;
    const std::int64_t begin = base + roundedUp(block->first - base, step);
    const std::int64_t blockEnd = block->first + block->second.size;
    const std::int64_t end = base + (blockEnd - base) / step * step;
    if (end <= begin)
        return;
    eraseFree(block);
    giveToDevice(end - begin);
    const auto part = [&](std::int64_t from, std::int64_t to, bool isMapped) {
        Block one = block->second;
        one.size = to - from;
        one.isMapped = isMapped;
        return std::pair{from, one};
    };
    const auto head = part(block->first, begin, true);
    const auto middle = part(begin, end, false);
    const auto tail = part(end, blockEnd, true);
    m_blocks.erase(block);
    for (const auto& [address, one] : {head, tail})
        if (one.size > 0)
            insertFree(m_blocks.emplace(address, one).first);
    insertFree(joined(m_blocks.emplace(middle.first, middle.second).first));
}

/// With a split limit: the smallest cached block that would do, or several large ones.
bool AllocatorReplay::releaseLarge(const Place& place, std::int64_t size)
{
    const std::int64_t limit = m_settings.maxSplitSize.count();
    if (limit == std::numeric_limits<std::int64_t>::max())
        return false;
    const std::int64_t wanted = std::max(size, limit);
    const auto isHere = [&](Free::iterator free) {
        return free != m_free.end() && std::get<0>(*free) == place;
    };
    const auto blockOf = [this](Free::iterator free) { return m_blocks.find(std::get<2>(*free)); };
    auto fit = m_free.lower_bound({place, wanted, 0});
    if (isHere(fit)) {
        if (blockOf(fit)->second.isExpandable)
            return false;
        releaseSegment(blockOf(fit));
        return true;
    }
    std::int64_t released = 0;
    while (released < wanted && fit != m_free.begin()) {
        const auto largest = std::prev(fit);
        if (!isHere(largest) || std::get<1>(*largest) < limit)
            break;
        if (blockOf(largest)->second.isExpandable) {
            fit = largest;
            continue;
        }
        released += std::get<1>(*largest);
        releaseSegment(blockOf(largest));
    }
    return released >= wanted;
}

void AllocatorReplay::releaseCached()
{
    std::vector<std::int64_t> cached;
    for (const auto& [place, size, address] : m_free)
        if (place.pool == 0)
            cached.push_back(address);
    for (const std::int64_t address : cached) {
        const auto block = m_blocks.find(address);
        if (block->second.isExpandable)
            unmapMemory(block);
        else if (!isSplit(block))
            releaseSegment(block);
    }
}

bool AllocatorReplay::staysFree(const Block& block, std::int64_t size) const
{
    const std::int64_t rest = block.size - size;
    return block.place.isSmall || m_settings.expandableSegments
               ? rest >= kBlock
               : size < m_settings.maxSplitSize.count() && rest > kMostSmall;
}

void AllocatorReplay::putInUse(Blocks::iterator block, std::int64_t size)
{
    const bool wasSplit = isSplit(block);
    const bool isCounted = !block->second.isExpandable;
    block->second.isFree = false;
    if (staysFree(block->second, size)) {
        Block rest = block->second;
        rest.size -= size;
        rest.isFree = true;
        block->second.size = size;
        insertFree(m_blocks.emplace(block->first + size, rest).first);
        if (isCounted)
            count(&AllocatorCounters::inactiveSplit, wasSplit ? -size : rest.size);
    } else if (wasSplit && isCounted) {
        count(&AllocatorCounters::inactiveSplit, -block->second.size);
    }
    count(&AllocatorCounters::allocated, block->second.size);
    count(&AllocatorCounters::active, block->second.size);
}

std::optional<AllocatorReplay::Handle> AllocatorReplay::allocate(base::Bytes size, Stream stream,
                                                                 Pool pool)
{
    const std::int64_t bytes = rounded(size.count());
    const Place place{.pool = pool, .isSmall = bytes <= kMostSmall, .stream = stream};
    auto block = takeFree(place, bytes);
    if (!block)
        block = addMemory(place, bytes);
    if (!block && releaseLarge(place, bytes))
        block = addMemory(place, bytes);
    if (!block) {
        ++m_retries;
        releaseCached();
        block = addMemory(place, bytes);
    }
    if (!block)
        return std::nullopt;
    putInUse(*block, bytes);
    count(&AllocatorCounters::requested, size.count());
    m_handles.push_back({(*block)->first, size.count()});
    return m_handles.size() - 1;
}

base::Bytes AllocatorReplay::cached() const
{
    std::int64_t bytes = 0;
    for (const auto& free : m_free)
        bytes += std::get<1>(free);
    return base::Bytes{bytes};
}

base::Bytes AllocatorReplay::largestCached() const
{
    std::int64_t largest = 0;
    for (const auto& free : m_free)
        largest = std::max(largest, std::get<1>(free));
    return base::Bytes{largest};
}

bool AllocatorReplay::hasCached(base::Bytes size, Stream stream, Pool pool) const
{
    const std::int64_t bytes = rounded(size.count());
    return bestFree({.pool = pool, .isSmall = bytes <= kMostSmall, .stream = stream}, bytes)
        .has_value();
}

std::vector<AllocatorReplay::CachedBlock> AllocatorReplay::cachedBlocks() const
{
    std::vector<CachedBlock> blocks;
    blocks.reserve(m_free.size());
    for (const auto& [place, size, address] : m_free)
        blocks.push_back({base::Bytes{size}, place.stream, place.pool, place.isSmall});
    return blocks;
}

void AllocatorReplay::requestFree(Handle handle)
{
    count(&AllocatorCounters::allocated, -m_blocks.at(m_handles[handle].address).size);
}

/// Joins a block that is not among the free ones with free neighbours that are mapped as it is, and
/// removes these from the free ones.
AllocatorReplay::Blocks::iterator AllocatorReplay::joined(Blocks::iterator block)
{
    const auto joins = [&](const std::optional<Blocks::iterator>& other) {
        return other && (*other)->second.isFree
               && (*other)->second.isMapped == block->second.isMapped;
    };
    if (const auto next = after(block); joins(next)) {
        eraseFree(*next);
        block->second.size += (*next)->second.size;
        m_blocks.erase(*next);
    }
    if (const auto previous = before(block); joins(previous)) {
        eraseFree(*previous);
        (*previous)->second.size += block->second.size;
        m_blocks.erase(block);
        block = *previous;
    }
    return block;
}

void AllocatorReplay::completeFree(Handle handle)
{
    auto block = m_blocks.find(m_handles[handle].address);
    const std::int64_t size = block->second.size;
    const bool isCounted = !block->second.isExpandable;
    block->second.isFree = true;
    block = joined(block);
    insertFree(block);
    if (isCounted) {
        // Its free neighbours were counted; the whole is, unless it is a segment in one piece.
        const std::int64_t neighbours = block->second.size - size;
        count(&AllocatorCounters::inactiveSplit,
              isSplit(block) ? block->second.size - neighbours : -neighbours);
    }
    count(&AllocatorCounters::active, -size);
    count(&AllocatorCounters::requested, -m_handles[handle].requested);
}

} // namespace plimsoll::allocator
