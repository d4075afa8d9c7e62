// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/measurement.h"
#include "core/plan/plan.h"

#include <string>
#include <string_view>

namespace plimsoll::plan {
struct PlanFile;
}

namespace plimsoll::compare {

/// Whether a measurement can be one of this graph's step, by model class and batch: empty, or a
/// sentence that says what differs and what to do.
[[nodiscard]] std::string otherStep(const Measurement& measurement, const graph::Program& program);

/// Whether a run was measured under this plan, by what the measurement copied from the plan's file:
/// empty, or a sentence.
[[nodiscard]] std::string otherPlan(const MeasuredPlan& measured, const plan::PlanFile& file);

/// Whether a plan was made for the graph at another size: empty, or both sizes, as the beginning of
/// a sentence that says what to do.
[[nodiscard]] std::string otherSize(const plan::PlanFile& file, const graph::Program& program);

/// Whether measured and predicted times (of the problem's device, or of the machine that measured
/// the graph's ops) are comparable: empty, or the reason why not. Bytes always are.
[[nodiscard]] std::string otherTimes(const Measurement& measurement, const plan::Problem& problem);

/// Whether PyTorch's name of a GPU ("NVIDIA A100-SXM4-80GB") is that of a device of the table or by
/// hand: it has all words of the device's id, of a device by hand those of its name.
[[nodiscard]] bool isDevice(std::string_view measuredName, const plan::Device& device);

} // namespace plimsoll::compare
