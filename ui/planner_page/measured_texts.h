// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/overlay.h"
#include "ui/budget_timeline/budget_model.h"
#include "ui/models/measured_model.h"

#include <QString>

#include <vector>

namespace plimsoll::ui {

// What the timeline and the page of a measurement show of it: values turned into view data. Pure.

/// `shown` is what the sizes of the plan count; `stepAt` as in MeasuredSet: given, the levels say
/// that they are of the unplanned step.
[[nodiscard]] MeasuredSet measuredSetOf(const workspace::MeasuredRun& run,
                                        const plan::Problem& shown,
                                        std::shared_ptr<const std::vector<std::uint32_t>> stepAt);

/// "GPT-2 small, measured on cpu with torch 2.15.0 · gpt2.measurement.json".
[[nodiscard]] QString measurementText(const workspace::Overlay& overlay);

/// The numbers of a run that were measured, then the steps at which the curves lie apart.
void addRows(std::vector<MeasuredRow>& rows, const workspace::MeasuredRun& run,
             const graph::Program& program);

} // namespace plimsoll::ui
