// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"

#include <string>

namespace plimsoll::cli {

/// The report of `inspect` about a plan file: its content, without verifying it.
[[nodiscard]] Answer inspectPlan(const std::string& file);

/// The report of `inspect` about a measurement.
[[nodiscard]] Answer inspectMeasurement(const std::string& file);

} // namespace plimsoll::cli
