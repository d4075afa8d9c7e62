// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/device/device.h"
#include "core/graph/program.h"

#include <vector>

namespace plimsoll::plan {

/// Time of each op on a device: measured when the trace has it, else max(flops / peak, bytes /
/// bandwidth) + launch latency; views and ops that move nothing: 0.
[[nodiscard]] std::vector<base::Nanoseconds> opTimes(const graph::Program& program,
                                                     const Device& device);

} // namespace plimsoll::plan
