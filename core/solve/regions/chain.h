// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::solve {

/// Which runs of stages may become a checkpointed region. A default constructed mask allows all.
class RegionMask
{
public:
    RegionMask() = default;
    RegionMask(std::size_t stages, bool allowed);

    /// `first <= last < stages`; both inclusive.
    void set(std::size_t first, std::size_t last, bool allowed);
    [[nodiscard]] bool mayCheckpoint(std::size_t first, std::size_t last) const
    {
        return m_bits.empty() || m_bits[index(first, last)];
    }
    /// True if nothing was ever restricted.
    [[nodiscard]] bool allowsAll() const { return m_bits.empty(); }
    [[nodiscard]] std::size_t stages() const { return m_stages; }

private:
    [[nodiscard]] static std::size_t index(std::size_t first, std::size_t last)
    {
        return last * (last + 1) / 2 + first;
    }

    std::size_t m_stages = 0;
    std::vector<bool> m_bits; ///< lower triangle, row = last stage
};

/// A stage variant: one way to run a stage with saving.
struct StageVariant
{
    double ftime = 0;
    double btime = 0;
    std::int64_t xbar = 0; ///< all kept, the stage's output included
    std::int64_t ftmp = 0;
    std::int64_t btmp = 0; ///< including what backward recomputes of the stage
    double ftail = 0;

    bool operator==(const StageVariant&) const = default;
};

/// A training step as a chain of L stages and a loss stage L. Times in any one unit, sizes in any
/// one unit. The gradient of a value is as large as the value.
struct Chain
{
    std::vector<double> ftime;      ///< [L] one forward of the stage
    std::vector<double> btime;      ///< [L + 1] one backward; the last is the loss's
    std::vector<std::int64_t> x;    ///< [L + 1] value entering the stage; x[L] = output
    std::vector<std::int64_t> xbar; ///< [L + 1] xbar[i + 1] = all kept by a saving run of stage i,
                                    ///< its output included
    std::vector<std::int64_t> ftmp; ///< [L] live only while the forward runs
    std::vector<std::int64_t> btmp; ///< [L + 1] live only while the backward runs, the input
                                    ///< gradient included
    std::vector<double> ftail;      ///< [L] part of `ftime` after the last value that the stage
                                    ///< saves: a recomputation that ends with this stage skips it.
                                    ///< Empty: none does
    std::vector<double> ntime;      ///< [L] one forward without saving. Empty: as `ftime`
    std::vector<std::int64_t> ntmp; ///< [L] live only while it runs. Empty: as `ftmp`
    std::vector<std::vector<StageVariant>>
        variants;              ///< [L] variants 1, 2, … of each stage;
                               ///< variant 0 is that of the arrays. Empty: no more variants
    bool variantsOnce = false; ///< recomputations save by variant 0 only
    RegionMask regions;

    [[nodiscard]] std::size_t stages() const { return ftime.size(); }
    /// Number of variants, at least one; also for the loss stage.
    [[nodiscard]] std::size_t variantsOf(std::size_t stage) const
    {
        return stage < variants.size() ? variants[stage].size() + 1 : 1;
    }
    [[nodiscard]] StageVariant variant(std::size_t stage, std::size_t number) const;
    /// The variant with the smallest time of forward and backward.
    [[nodiscard]] std::size_t fastestVariant(std::size_t stage) const;
    /// Of a forward without saving.
    [[nodiscard]] double plainTime(std::size_t stage) const
    {
        return ntime.empty() ? ftime[stage] : ntime[stage];
    }
    [[nodiscard]] std::int64_t plainTemporary(std::size_t stage) const
    {
        return ntmp.empty() ? ftmp[stage] : ntmp[stage];
    }
};

/// Checks lengths, signs, finite times, and that no sum of sizes overflows. An `xbar` below its `x`
/// is allowed: see `normalised`.
[[nodiscard]] base::Result<void> validate(const Chain& chain);

/// The chain with `xbar >= x` in each variant: a saved set holds at least the stage's output.
[[nodiscard]] Chain normalised(Chain chain);

/// A normalised chain whose `btmp` covers what a stage's backward leaves: the gradient of its
/// input, in place of what the stage kept and of its output's gradient, which tables can't see
/// otherwise. Not for chains of programs, whose input seldom has a gradient.
[[nodiscard]] Chain withLeftGradients(Chain chain);

/// Time of one forward and one backward of each stage, each in its fastest variant: no schedule is
/// faster.
[[nodiscard]] double baseTime(const Chain& chain);

/// A lower bound on the memory of any schedule, persistent or not: the working set of each single
/// step (its input, what it makes in the variant that needs least, the gradient it needs and the
/// model input). For a valid, normalised chain.
[[nodiscard]] std::int64_t peakLowerBound(const Chain& chain);

} // namespace plimsoll::solve
