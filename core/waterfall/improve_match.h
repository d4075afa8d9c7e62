// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/step_match.h"

namespace plimsoll::waterfall {

/// Of several allocations of one size in a row, order alone can't tell which is the predicted one
/// if some of them aren't predicted. Moves pairs of StepMatch::inOrder to their unmatched
/// neighbours of the same size where the two lifetimes agree better: where more nearly the same
/// predicted allocation is the next one after both are freed. Pairs stay in order.
void improveMatch(const compare::PredictedStep& step, const MeasuredStep& measured,
                  StepMatch& match);

} // namespace plimsoll::waterfall
