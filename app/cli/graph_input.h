// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/at_option.h"
#include "app/cli/command.h"
#include "app/cli/times_option.h"
#include "core/compare/measurement.h"
#include "core/plan_file/plan_json.h"
#include "core/readers/file_value.h"

#include <string>

namespace plimsoll::cli {

/// Reads a graph, with progress, and resizes it as requested.
[[nodiscard]] readers::ReadProgram readGraph(const std::filesystem::path& path, const AtOption& at,
                                             const Common& common);

/// Reads a measurement; errors name the file.
[[nodiscard]] compare::Measurement readMeasurement(const std::string& path);

/// Reads a plan file without its graph; errors name the file.
[[nodiscard]] plan::PlanOutline readOutline(const std::string& path);

/// A plan file and the problem for which it was made.
struct PlanInput
{
    plan::PlanFile file;
    plan::Problem problem;
};

/// Reads a graph, and a plan file for it; errors name the file. With `times`, the graph gets those.
[[nodiscard]] PlanInput readPlan(const std::string& planPath, const std::string& graphPath,
                                 const AtOption& at, const Common& common,
                                 TimesOption* times = nullptr);

/// Of a plan at a size other than its own: both, and what to do.
[[nodiscard]] std::string otherSizeText(const plan::PlanFile& file, const graph::Program& program);

} // namespace plimsoll::cli
