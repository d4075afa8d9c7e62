// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/graph/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::graph {

/// A requested size of an axis.
struct AxisSize
{
    std::string axis;
    std::int64_t size = 0;

    bool operator==(const AxisSize&) const = default;
};

/// "batch 8, 16, 24; sequence 512, 1024, 2048 in steps of 32": what was recorded. Needs `vary`.
[[nodiscard]] std::string axesText(const Program& program);

/// Why the axis can't have that size, as far as the recorded sizes tell (smallest size, step); the
/// laws may still refuse it. An error of kind Usage.
[[nodiscard]] base::Result<void> checkSize(const Program& program, const AxisSize& wanted);

/// The step of `program` (as read) at other sizes, by its laws; axes that aren't named keep theirs.
/// All invariants hold. Header::assumed mentions extrapolation and omitted measured times. An error
/// of kind Usage says why the model can't be resized; Cancelled if the job was stopped.
[[nodiscard]] base::Result<ProgramPtr>
resized(const ProgramPtr& program, const std::vector<AxisSize>& sizes, const base::JobContext& job);

} // namespace plimsoll::graph
