// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"
#include "core/device/device.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::plan {

/// The step as one rank of data parallel training runs it, with its own batch and device
/// (PARALLEL.md).
struct DataParallel
{
    std::int64_t world = 2;            ///< number of processes
    std::optional<base::Bytes> bucket; ///< DDP's bucket_cap_mb; none: PyTorch's default, 1 MiB for
                                       ///< the first bucket and 25 MiB for the others
    double busBandwidth = 0;           ///< bytes per second that a ring moves over each link
    base::Nanoseconds latency;         ///< of one hop of a collective
    bool views = false;                ///< gradient_as_bucket_view
    bool manual = false;               ///< reduced after backward by plimsoll.ddp, tensor by tensor
    /// 1: the optimizer's state is shared out (ZeroRedundancyOptimizer); 2: gradients and
    /// parameters outside of the step, too (fully_shard(reshard_after_forward=False)); 3:
    /// parameters also between forward and backward (fully_shard). From 2 on without buckets, views
    /// and `manual`.
    std::int64_t zero = 0;

    /// Whether fully_shard() shards the parameters, instead of DDP copying them.
    [[nodiscard]] bool isSharded() const { return zero >= 2; }

    bool operator==(const DataParallel&) const = default;
};

/// Bytes per second between the devices of a machine, unless the user says otherwise.
[[nodiscard]] double usualBusBandwidth(const Device& device);

/// Reads a line such as
///
///     world=8,bucket=25MiB,busbw=100GB/s,latency=5us,views,manual,zero=1
///
/// `world` must be there. `busbw` in bytes per second may end in k, M, G or T (powers of 1000) and
/// B/s; left out it is the device's link to another device, without one its link to the host.
/// `latency` ends in ns, us or ms; left out it is 5us. Usage error, one sentence.
[[nodiscard]] base::Result<DataParallel> parseDataParallel(std::string_view text,
                                                           const Device& device);

/// The setting as such a line with every value in it, exact.
[[nodiscard]] std::string dataParallelText(const DataParallel& setting);

} // namespace plimsoll::plan
