// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// What PyTorch's CUDA caching allocator would reserve from the device for a sequence of
/// allocations and frees on one stream, with default settings and nothing released in between.
///
/// Requests are rounded up to 512 B. Up to 1 MiB they are served from the small pool, whose
/// segments have 2 MiB; above, from the large pool: in segments of 20 MiB below 10 MiB, from there
/// on in ones of their own, rounded up to 2 MiB. The smallest free block that is large enough is
/// taken, of equal ones the lowest address; what remains of it stays free, if that is 512 B or more
/// (small pool) or more than 1 MiB (large pool). A freed block joins free neighbours of its
/// segment. With expandable segments each pool is one range of addresses that grows at its end, in
/// steps of 2 MiB or 20 MiB, and any remainder of 512 B or more stays free; a block at the end
/// counts as large as it can grow, so that another one that is large enough is preferred.
class AllocatorReplay
{
public:
    enum class Segments : std::uint8_t { Fixed, Expandable };
    using Handle = std::size_t;

    explicit AllocatorReplay(Segments segments) : m_segments{segments} {}

    /// At least 1 byte; callers must not ask for 0.
    [[nodiscard]] Handle allocate(base::Bytes size);
    void free(Handle handle);

    /// The reservation now; as nothing is released, also the largest so far.
    [[nodiscard]] base::Bytes reserved() const { return base::Bytes{m_reserved}; }
    /// Bytes of blocks in use, which may exceed the bytes requested.
    [[nodiscard]] base::Bytes allocated() const { return base::Bytes{m_allocated}; }

private:
    struct Block
    {
        std::int64_t size = 0;
        std::int64_t segment = 0; ///< address at which its segment begins
        bool isFree = false;
    };
    /// Blocks by address, and the free ones by size, then address. Segments get rising addresses.
    struct Pool
    {
        std::map<std::int64_t, Block> blocks;
        std::set<std::pair<std::int64_t, std::int64_t>> free;
        std::int64_t end = 0; ///< address after the last segment
        bool isSmall = false;
    };
    struct InUse
    {
        bool isSmall;
        std::int64_t address;
    };

    [[nodiscard]] Pool& poolOf(bool isSmall) { return isSmall ? m_small : m_large; }
    /// Address of a free block that is large enough; -1: none.
    [[nodiscard]] std::int64_t bestFit(const Pool& pool, std::int64_t size) const;
    [[nodiscard]] std::int64_t addSegment(Pool& pool, std::int64_t size);
    [[nodiscard]] std::int64_t grow(Pool& pool, std::int64_t size);
    void split(Pool& pool, std::int64_t address, std::int64_t size) const;
    static void release(Pool& pool, std::int64_t address);

    Segments m_segments;
    Pool m_small{{}, {}, 0, true};
    Pool m_large;
    std::vector<InUse> m_handles;
    std::int64_t m_reserved = 0;
    std::int64_t m_allocated = 0;
};

} // namespace plimsoll::solve
