// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/plan/plan_json.h"

namespace plimsoll::cli {

/// Reads a graph, with progress.
[[nodiscard]] base::Result<readers::ReadProgram> readGraph(const std::filesystem::path& path,
                                                           const Common& common);

/// Reads a plan file of this graph; errors name the file.
[[nodiscard]] base::Result<plan::PlanFile> readPlanFile(const std::filesystem::path& path,
                                                        const graph::Program& program);

} // namespace plimsoll::cli
