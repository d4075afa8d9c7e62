// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/decisions.h"

#include <span>

namespace plimsoll::plan {

/// An option of planners that plans of a kind don't support, and the sentence that says so.
struct RefusedOption
{
    const char* option;
    const char* why;
};

/// The differences between the alternatives of Plan::decisions: one row of a table each.
struct PlanKind
{
    const char* id;        ///< of its runtime, in files and options: "checkpoint", "step"
    const char* runner;    ///< function of the Python package that runs it
    const char* unit;      ///< what Plan::decisionCount() counts
    bool takesGranularity; ///< else written as Granularity::Module
    bool takesFreezeStats; ///< else a recomputation never updates statistics
    bool isProgram; ///< rewrite() can write it out as a graph; otherwise Python code can express it
    std::span<const RefusedOption> refused;
};

[[nodiscard]] const PlanKind& kindOf(Runtime runtime);

/// "checkpoint", "step".
[[nodiscard]] const char* runtimeName(Runtime runtime);
/// "module", "op".
[[nodiscard]] const char* granularityName(Granularity granularity);

} // namespace plimsoll::plan
