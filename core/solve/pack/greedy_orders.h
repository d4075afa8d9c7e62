// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/pack/packing.h"

#include <span>
#include <stop_token>

namespace plimsoll::solve {

/// Places buffers one by one, each as low as the buffers placed before allow. Neighbours are found
/// in a tree over the buffers by begin, whose nodes hold the latest end of those placed below them.
class FirstFit
{
public:
    explicit FirstFit(const PackBuffers& buffers);

    /// The packing for that order, which must contain every buffer with a size once. O(n log n),
    /// plus the number of pairs that are live together. Once stopped, it puts the remaining buffers
    /// on top.
    [[nodiscard]] PackOffsets pack(std::span<const std::uint32_t> order,
                                   const std::stop_token& stop = {});
    /// Number of buffers placed and met so far: a machine-independent measure of time.
    [[nodiscard]] std::uint64_t work() const { return m_work; }

private:
    struct Block
    {
        std::int64_t begin; ///< bytes
        std::int64_t end;
    };

    struct Subtree
    {
        std::size_t node;
        std::size_t first; ///< leaf
        std::size_t leaves;
    };

    void place(std::uint32_t buffer, std::int64_t offset);
    /// Collects in m_met the blocks that are live at the same time as the buffer.
    void meet(const PackBuffer& buffer);
    /// The lowest gap of that size among m_met, which is sorted by this.
    [[nodiscard]] std::int64_t lowestGap(std::int64_t size);

    const PackBuffers& m_buffers;
    std::vector<std::uint32_t> m_byLower;  ///< buffers by begin
    std::vector<std::int64_t> m_lowers;    ///< their begins
    std::vector<std::uint32_t> m_leafOf;   ///< by buffer: place in m_byLower
    std::size_t m_leaves = 1;              ///< power of two
    std::vector<std::int64_t> m_latestEnd; ///< by node, root 1; the smallest number: nothing placed
    std::vector<Block> m_blocks;           ///< by leaf, of those placed
    std::vector<Block> m_met;
    std::vector<Subtree> m_stack;
    std::uint64_t m_work = 0;
};

/// A packing and its height.
struct Packed
{
    std::int64_t height = 0;
    PackOffsets offsets;
};

/// When the greedy orders stop, whatever they have found.
struct GreedyLimits
{
    std::int64_t goal = 0;                ///< at that height
    int passes = 40;                      ///< after that many packings
    std::uint64_t mostWork = 500'000'000; ///< after that many buffers placed and met: a few seconds
};

/// First fit in several orders, then in orders repaired after each packing: buffers that lie too
/// high are placed earlier. Returns the best packing, always at least one, even when stopped.
[[nodiscard]] Packed packGreedily(const PackBuffers& buffers, const GreedyLimits& limits,
                                  const base::JobContext& context);

} // namespace plimsoll::solve
