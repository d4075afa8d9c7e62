// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"

#include <string>

namespace plimsoll::cli {

/// What `inspect` tells of a plan file: what stands in it, not whether that is true.
[[nodiscard]] Answer inspectPlan(const std::string& file);

/// What `inspect` tells of a measurement.
[[nodiscard]] Answer inspectMeasurement(const std::string& file);

} // namespace plimsoll::cli
