// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/allocator/allocator_settings.h"
#include "core/evaluate/certify.h"

#include <numeric>
#include <optional>
#include <stop_token>
#include <vector>

namespace plimsoll::run {

/// Of a training loop, as far as it is replayed: later ones repeat the third.
inline constexpr int kIterations = 3;

/// The allocation for which there is no memory, even after all cached blocks were released: what
/// torch.cuda.OutOfMemoryError says.
struct OutOfMemory
{
    graph::OpId op;
    int iteration = 1;         ///< of the training loop, from 1
    base::Bytes asked;         ///< as requested
    base::Bytes free;          ///< of the device, in no segment
    base::Bytes cached;        ///< free parts of segments, all blocks together
    base::Bytes largestCached; ///< the largest of these
};

/// A training loop with a plan, in PyTorch's caching allocator, on a device of some size.
struct DeviceRun
{
    /// By iteration, up to the one that fails: how often the allocator released its cached blocks
    /// to make room and tried again. A flush waits for the device. The first iteration allocates
    /// the optimizer's states.
    std::vector<int> flushes;
    base::Bytes reserved; ///< most of what segments took
    std::optional<OutOfMemory> failure;

    [[nodiscard]] int flushCount() const
    {
        return std::accumulate(flushes.begin(), flushes.end(), 0);
    }
};

/// Replays `iterations` of the loop: parameters, buffers and inputs are allocated first, in the
/// order in which Module.to() moves them; the optimizer's states when its first step begins; all
/// else as the plan's schedule says, each size as PyTorch requests it. What a step leaves behind,
/// gradients for example, is freed at its end. `device`: bytes that the allocator may reserve, with
/// the plan's reserve taken off already. A stopped replay returns nothing.
[[nodiscard]] std::optional<DeviceRun> runLoop(const plan::VerifiedPlan& plan,
                                               const allocator::AllocatorSettings& settings,
                                               base::Bytes device, const std::stop_token& stop = {},
                                               int iterations = kIterations);

} // namespace plimsoll::run
