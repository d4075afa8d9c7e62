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

} // namespace plimsoll::workspace
