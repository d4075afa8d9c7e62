// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"

#include <QString>

#include <vector>

namespace plimsoll::ui {

// How the window names what executes a plan; the same everywhere.

/// "checkpoint, modules", "checkpoint, ops, 3 results kept", "step".
[[nodiscard]] QString runtimeText(const plan::Plan& plan);
/// The same as sentences, with the call that runs it; empty for a plan that recomputes nothing.
[[nodiscard]] QString runtimeSentence(const plan::Plan& plan);
/// Why regions can't express a recompute schedule: "No regions: Op 3 …"; empty for others.
[[nodiscard]] QString noRegionsSentence(const plan::VerifiedPlan& plan);
/// By row of Plan::recomputeSteps: how many ops it runs for the first time, ahead of their place.
[[nodiscard]] std::vector<int> movedByRow(const plan::Plan& plan);
/// Number of results in a region's saved sets, including nested ones.
[[nodiscard]] std::vector<graph::OpId> keptBy(const plan::Region& region);

} // namespace plimsoll::ui
