// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/frontier.h"

#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::writers {

/// One kind of file that a plan can be written as. Writers see verified plans only.
struct PlanWriter
{
    std::string id;        ///< "json"
    std::string name;      ///< "Plan file": for people
    std::string extension; ///< ".json": by which the kind is chosen
    /// Usage error, a sentence, for a plan that can't be written so.
    base::Result<std::string> (*content)(const plan::FrontierPoint& plan) = nullptr;
};

/// The kinds of this build, in the order in which menus show them.
[[nodiscard]] const std::vector<PlanWriter>& planWriters();

/// The endings of all kinds: ".json .py".
[[nodiscard]] std::string planEndings();

/// The kind that a path's ending asks for, the longest that fits; Usage error that lists the
/// endings otherwise.
[[nodiscard]] base::Result<const PlanWriter*> writerFor(const std::filesystem::path& path);

/// Writes the plan as a whole or not at all, in the kind that the ending asks for. Refuses to
/// replace any of `graphs`, the files that programs were read from.
[[nodiscard]] base::Result<void>
writePlanFile(const plan::FrontierPoint& plan, const std::filesystem::path& path,
              const std::vector<std::filesystem::path>& graphs = {});

} // namespace plimsoll::writers
