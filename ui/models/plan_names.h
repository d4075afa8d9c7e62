// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"

#include <QString>

#include <vector>

namespace plimsoll::ui {

// How the window says what executes a plan; everywhere the same.

/// "checkpoint, modules", "checkpoint, ops, 3 results kept", "step".
[[nodiscard]] QString runtimeText(const plan::Plan& plan);
/// The same as sentences, with the call that runs it; empty for a plan that repeats nothing.
[[nodiscard]] QString runtimeSentence(const plan::Plan& plan);
/// Why regions don't express a plan of single ops: "No regions: Op 3 …"; empty for others.
[[nodiscard]] QString noRegionsSentence(const plan::VerifiedPlan& plan);
/// By row of Plan::recomputeSteps: how many ops it runs for the first time, ahead of their place.
[[nodiscard]] std::vector<int> movedByRow(const plan::Plan& plan);
/// Results that a region's saved sets keep, those of nested ones too.
[[nodiscard]] std::vector<graph::OpId> keptBy(const plan::Region& region);

} // namespace plimsoll::ui
