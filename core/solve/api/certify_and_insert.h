// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/frontier.h"
#include "core/solve/api/planner.h"

namespace plimsoll::solve {

/// Puts what a planner proposes into the frontier where it improves on what is there. A proposal
/// over the problem's budget, or against its pins, is dropped. One that fails its check is a bug of
/// the planner or of the check and is never dropped silently: an error of kind Internal, whose
/// sentence holds the fault. The listener is told of a frontier that got better. `provenance`: null
/// means the planner that the proposal names.
[[nodiscard]] base::Result<void>
certifyAndInsert(plan::Frontier& frontier, const plan::Problem& problem, const plan::Plan& proposal,
                 const Listener& listener = {},
                 std::shared_ptr<const plan::Provenance> provenance = nullptr);

/// A point that every frontier begins with: a plan that repeats nothing, if the problem's pins
/// allow it. Regions between ops replace the model's code, which alone changes what lives when, so
/// that the plan without them is a point of its own.
/// An error of kind CheckFailed where not even that goes with the graph and the planner's options.
[[nodiscard]] base::Result<void>
beginFrontier(plan::Frontier& frontier, const plan::Problem& problem, const plan::Plan& everything);

} // namespace plimsoll::solve
