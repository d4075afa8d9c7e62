// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/chain/rotor/annotation.h"
#include "core/solve/regions/linearize.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::solve {

/// The effect of one checkpointed region by itself.
struct RegionGain
{
    std::int64_t spared = 0; ///< bytes fewer kept when backward starts; negative: its arguments are
                             ///< larger than what it saves
    double time = 0;         ///< of the recomputed ops, in nanoseconds
};

/// The gain of every run of stages as one region: what only it makes and saves, less what must be
/// kept as its argument. Each storage counts once, however many cuts it crosses. Recomputation ends
/// when the last value is saved, as with checkpoint's early stop. Exact for a single region; for
/// two, where one receives what the other frees, the sum is too large.
class RegionGains
{
public:
    /// `step` is the problem's.
    RegionGains(const plan::Problem& problem, const LinearizedStep& step);

    /// Both inclusive, first <= last.
    [[nodiscard]] RegionGain of(std::size_t first, std::size_t last) const;

private:
    [[nodiscard]] std::int64_t& at(std::size_t first, std::size_t last)
    {
        return m_bytes[first * m_stages + last];
    }
    std::vector<bool> countSaved();
    void countArguments(const std::vector<bool>& isSaved);
    void findLastSaves(const LinearizedStep& step);
    [[nodiscard]] std::int64_t bytesOf(const graph::Storage& storage) const;
    [[nodiscard]] bool isInner(const graph::Storage& storage) const;
    [[nodiscard]] std::size_t stageAt(graph::OpIndex op) const
    {
        return m_stageOf[static_cast<std::size_t>(op)];
    }

    const graph::Program& m_program;
    graph::Rounding m_rounding;
    std::size_t m_stages;
    std::vector<std::size_t> m_stageOf; ///< by forward or loss op
    std::vector<std::int64_t> m_bytes;  ///< [first][last]
    std::vector<double> m_begin;        ///< by stage: time of all ops before it
    std::vector<double> m_lastSave;     ///< by stage: time of all ops that have run when the last
                                        ///< value up to its end is saved
};

/// Checkpointing without nesting, counted on storages: disjoint legal runs of stages, and the bytes
/// that are then no longer kept when backward starts. A chain must charge a residual to every cut
/// that it crosses or only to the first one; here each storage counts once, at its last saving op.
/// The memory that recomputation itself needs is left to the evaluation on the full graph.
///
/// One
/// entry per useful number of bytes: the runs that save that much with the smallest recomputation
/// time. In order of the bytes saved, without the empty choice. If stopped early: none.
[[nodiscard]] std::vector<std::vector<Region>> singleLevelRegions(const plan::Problem& problem,
                                                                  const LinearizedStep& step,
                                                                  const base::JobContext& job);

} // namespace plimsoll::solve
