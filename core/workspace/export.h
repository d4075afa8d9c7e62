// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/frontier.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace plimsoll::workspace {

/// Writes the plan in the format that the path's extension selects. Refuses to replace any of
/// `graphs`, and any session, as those hold work.
[[nodiscard]] base::Result<void> exportPlan(const plan::FrontierPoint& plan,
                                            const std::filesystem::path& path,
                                            const std::vector<std::filesystem::path>& graphs);
/// Writes `content`, made of a plan, with the same care.
[[nodiscard]] base::Result<void> exportContent(std::string_view content,
                                               const std::filesystem::path& path,
                                               const std::vector<std::filesystem::path>& graphs);

/// A program as a graph file, compressed if the path ends with ".gz". Usage error for another
/// extension than that of graphs, and for a size at which the calls of ops aren't known.
[[nodiscard]] base::Result<void> exportGraph(const graph::Program& program,
                                             const std::filesystem::path& path,
                                             const std::vector<std::filesystem::path>& graphs);

} // namespace plimsoll::workspace
