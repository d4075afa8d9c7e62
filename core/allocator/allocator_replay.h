// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/allocator/allocator_settings.h"
#include "core/base/quantity.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace plimsoll::allocator {

/// Bytes as torch.cuda.memory_stats() counts them.
struct AllocatorCounters
{
    base::Bytes requested;     ///< as asked for, of what is active
    base::Bytes allocated;     ///< of blocks in use, which may exceed what was asked for
    base::Bytes active;        ///< in use, or freed but still waited for by a stream
    base::Bytes reserved;      ///< of all segments
    base::Bytes inactiveSplit; ///< of free parts of segments; expandable ones are not counted
};

/// What PyTorch's CUDA caching allocator does for a sequence of allocations and frees.
///
/// Requests are rounded up to 512 B. Up to 1 MiB they are served from the small pool, whose
/// segments have 2 MiB; above, from the large pool: in segments of 20 MiB below 10 MiB, from there
/// on in ones of their own, rounded up to 2 MiB. The smallest free block that is large enough is
/// taken, of equal ones the lowest address; what remains of it stays free, if that is 512 B or more
/// (small pool) or more than 1 MiB (large pool). A freed block joins free neighbours of its
/// segment. With expandable segments each pool is a range of addresses into which memory is mapped
/// in steps of 2 MiB or 20 MiB, any remainder of 512 B or more stays free, and a block before
/// unmapped addresses counts as large as it can grow, so that another one is preferred.
///
/// When the device has no memory left, cached blocks that are as large as needed are released
/// (with a split limit), then all free segments, and the allocation is tried again.
///
/// Not modelled: garbage_collection_threshold, the cudaMallocAsync backend, CUDA graphs that are
/// being captured. Segments get rising addresses, which decides between equal free blocks; a
/// driver may give others.
class AllocatorReplay
{
public:
    using Handle = std::size_t;
    using Stream = std::int64_t; ///< 0: the default one
    using Pool = std::int64_t;   ///< 0: the default one; others are private and released by nobody

    static constexpr base::Bytes kUnlimited{std::int64_t{1} << 60};

    explicit AllocatorReplay(const AllocatorSettings& settings = {},
                             base::Bytes device = kUnlimited)
        : m_settings{settings}, m_device{device.count()}
    {
    }

    /// At least 1 byte; callers must not ask for 0. Nothing if the device is full.
    [[nodiscard]] std::optional<Handle> allocate(base::Bytes size, Stream stream = 0,
                                                 Pool pool = 0);
    /// Freed; other streams still use it, so that it can't be given again yet.
    void requestFree(Handle handle);
    /// After requestFree(): the streams are done.
    void completeFree(Handle handle);
    void free(Handle handle)
    {
        requestFree(handle);
        completeFree(handle);
    }
    /// torch.cuda.empty_cache().
    void releaseCached();

    [[nodiscard]] const AllocatorCounters& counters() const { return m_now; }
    [[nodiscard]] const AllocatorCounters& peaks() const { return m_peaks; }
    /// torch.cuda.reset_peak_memory_stats().
    void resetPeaks() { m_peaks = m_now; }
    /// How often cached blocks were released to make room.
    [[nodiscard]] int retries() const { return m_retries; }
    /// Bytes of the device that no segment has.
    [[nodiscard]] base::Bytes deviceFree() const { return base::Bytes{m_device} - m_now.reserved; }
    /// Free blocks of segments: all together, and the largest.
    [[nodiscard]] base::Bytes cached() const;
    [[nodiscard]] base::Bytes largestCached() const;

    /// Whether a request would be served from what is cached, without more memory.
    [[nodiscard]] bool hasCached(base::Bytes size, Stream stream = 0, Pool pool = 0) const;
    /// A free block, and for which requests it can be given.
    struct CachedBlock
    {
        base::Bytes bytes;
        Stream stream = 0;
        Pool pool = 0;
        bool isSmall = false; ///< for requests of up to 1 MiB
    };
    /// By pool, then smallest first.
    [[nodiscard]] std::vector<CachedBlock> cachedBlocks() const;

private:
    /// Blocks of a pool and a stream are searched together.
    struct Place
    {
        Pool pool = 0;
        bool isSmall = false;
        Stream stream = 0;
        // clang-tidy 14 takes the zero that the compiler compares with for a null pointer.
        // NOLINTNEXTLINE(modernize-use-nullptr)
        auto operator<=>(const Place&) const = default;
    };
    struct Block
    {
        std::int64_t size = 0;
        std::int64_t segment = 0; ///< address at which its segment begins
        Place place{};
        bool isFree = true;
        bool isMapped = true;
        bool isExpandable = false;
    };
    using Blocks = std::map<std::int64_t, Block>; ///< by address
    /// A place's free, mapped blocks by size, then address.
    using Free = std::set<std::tuple<Place, std::int64_t, std::int64_t>>;
    struct InUse
    {
        std::int64_t address;
        std::int64_t requested;
    };

    [[nodiscard]] std::int64_t rounded(std::int64_t size) const;
    [[nodiscard]] std::optional<std::int64_t> bestFree(const Place& place, std::int64_t size) const;
    [[nodiscard]] std::optional<Blocks::iterator> takeFree(const Place& place, std::int64_t size);
    [[nodiscard]] std::optional<Blocks::iterator> addMemory(const Place& place, std::int64_t size);
    [[nodiscard]] std::optional<Blocks::iterator> addSegment(const Place& place, std::int64_t size);
    [[nodiscard]] std::optional<Blocks::iterator> expand(const Place& place, std::int64_t size);
    [[nodiscard]] Blocks::iterator expandableFor(const Place& place, std::int64_t size);
    [[nodiscard]] Blocks::iterator newRange(const Place& place, std::int64_t size);
    [[nodiscard]] bool mapMemory(Blocks::iterator& block, std::int64_t size);
    void unmapMemory(Blocks::iterator block);
    [[nodiscard]] bool releaseLarge(const Place& place, std::int64_t size);
    void releaseSegment(Blocks::iterator block);
    [[nodiscard]] bool takeFromDevice(std::int64_t bytes);
    void giveToDevice(std::int64_t bytes);

    [[nodiscard]] bool staysFree(const Block& block, std::int64_t size) const;
    void putInUse(Blocks::iterator block, std::int64_t size);
    [[nodiscard]] Blocks::iterator joined(Blocks::iterator block);
    [[nodiscard]] std::optional<Blocks::iterator> before(Blocks::iterator block);
    [[nodiscard]] std::optional<Blocks::iterator> after(Blocks::iterator block);
    [[nodiscard]] bool isSplit(Blocks::iterator block);
    void insertFree(Blocks::iterator block);
    void eraseFree(Blocks::iterator block);
    void count(base::Bytes AllocatorCounters::*counter, std::int64_t change);

    AllocatorSettings m_settings;
    std::int64_t m_device;
    Blocks m_blocks;
    Free m_free;
    std::set<std::pair<Place, std::int64_t>> m_unmapped; ///< addresses of unmapped blocks
    std::vector<InUse> m_handles;
    std::int64_t m_end = 0; ///< address after the last segment
    AllocatorCounters m_now;
    AllocatorCounters m_peaks;
    int m_retries = 0;
};

} // namespace plimsoll::allocator
