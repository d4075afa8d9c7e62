// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/frontier.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::writers {

/// A file format for plans. Writers receive verified plans only.
struct PlanWriter
{
    std::string id;        ///< "json"
    std::string name;      ///< "Plan file": for people
    std::string extension; ///< ".json": selects the format
    /// Usage error, a sentence, for a plan that can't be written so.
    base::Result<std::string> (*content)(const plan::FrontierPoint& plan) = nullptr;
};

/// The formats of this build, in the order in which menus show them.
[[nodiscard]] const std::vector<PlanWriter>& planWriters();

/// The extensions of all formats: ".json .py".
[[nodiscard]] std::string planEndings();

/// The format that a path's extension selects, the longest that matches; Usage error that lists the
/// extensions otherwise.
[[nodiscard]] base::Result<const PlanWriter*> writerFor(const std::filesystem::path& path);

/// Writes the plan as a whole or not at all, in the format that the extension selects. Refuses to
/// replace any of `graphs`, the files from which programs were read.
[[nodiscard]] base::Result<void>
writePlanFile(const plan::FrontierPoint& plan, const std::filesystem::path& path,
              const std::vector<std::filesystem::path>& graphs = {});
/// Writes content that was made of a plan elsewhere, with the same care.
[[nodiscard]] base::Result<void> writeContent(std::string_view content,
                                              const std::filesystem::path& path,
                                              const std::vector<std::filesystem::path>& graphs);

} // namespace plimsoll::writers
