// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/frontier.h"
#include "core/solve/api/planner.h"

namespace plimsoll::solve {

/// Certifies a planner's proposal and inserts it into the frontier if it improves that. A proposal
/// that exceeds the problem's budget or violates its pins is dropped. One that fails its check is a
/// bug in the planner or in the check and is never dropped silently: an error of kind Internal,
/// whose sentence holds the fault. The listener is notified when the frontier improves.
/// `provenance`: null means the planner that the proposal names.
[[nodiscard]] base::Result<void>
certifyAndInsert(plan::Frontier& frontier, const plan::Problem& problem, const plan::Plan& proposal,
                 const Listener& listener = {},
                 std::shared_ptr<const plan::Provenance> provenance = nullptr);

/// The first point of every frontier: a plan that recomputes nothing, if the problem's pins allow
/// it. Regions of ops replace the model's code, which by itself changes lifetimes, so that the plan
/// without regions is a point of its own there. An error of kind CheckFailed if not even that plan
/// suits the graph and the planner's options.
[[nodiscard]] base::Result<void>
beginFrontier(plan::Frontier& frontier, const plan::Problem& problem, const plan::Plan& everything);

} // namespace plimsoll::solve
