// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/compare/step_times.h"

#include <filesystem>

namespace plimsoll::workspace {

/// Whether files of this name may hold the times of operators, by what they begin with. Reads a few
/// kilobytes.
[[nodiscard]] bool hasStepTimes(const std::filesystem::path& profile);

/// The times of a graph's ops in a profile: reads it and finds the ops. Errors are one sentence.
/// Takes seconds for large files: off the GUI thread.
[[nodiscard]] base::Result<compare::StepTimesPtr>
readStepTimes(const std::filesystem::path& profile, const graph::Program& program,
              const base::JobContext& job);

} // namespace plimsoll::workspace
