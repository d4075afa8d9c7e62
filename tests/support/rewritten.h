// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"
#include "core/lower/lower.h"

namespace plimsoll::tests {

/// The step of a verified plan, written as a program.
[[nodiscard]] inline base::Result<graph::Program> rewritten(const plan::VerifiedPlan& plan)
{
    return plan::rewrite(plan.problem(), plan.plan(), *plan.evaluation().schedule);
}

} // namespace plimsoll::tests
