// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/device/device.h"
#include "core/graph/program.h"

#include <vector>

namespace plimsoll::plan {

/// Time of each op on a device: the measured time if the trace has one, else max(flops / peak,
/// bytes / bandwidth) + launch latency; 0 for views and ops that move nothing.
[[nodiscard]] std::vector<base::Nanoseconds> opTimes(const graph::Program& program,
                                                     const Device& device);

} // namespace plimsoll::plan
