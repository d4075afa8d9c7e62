// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <string>
#include <string_view>

namespace plimsoll::workspace {

/// The result of a finished search as a session keeps it: lines of JSON, of which the first says
/// what it is of and the others are plan files (session/FORMAT.md). `contentHash`: of the graph's
/// file. Takes some tenths of a second for a large step.
[[nodiscard]] std::string keptPlans(const Planned& planned, const std::string& contentHash);

/// The same result, with every plan evaluated and checked anew. Null if the text is of other
/// settings, another graph or another version of Plimsoll, or if anything in it is wrong: then the
/// step is to be planned. A second for a large step, off the GUI thread.
[[nodiscard]] PlannedPtr plannedFrom(std::string_view text, const std::string& contentHash,
                                     const graph::ProgramPtr& recorded, const Choices& choices,
                                     const base::JobContext& job);

} // namespace plimsoll::workspace
