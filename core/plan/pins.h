// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/plan/schedule.h"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::plan {

/// "keep:GLOB", "recompute:GLOB".
[[nodiscard]] std::string pinText(const Pin& pin);

/// Reads such a text and finds what it means in the program. In a glob `*` stands for any
/// characters, `?` for one. It is held against the paths of modules (all that runs inside counts),
/// the targets of ops ("aten.addmm.default"), both at once ("h.0.mlp.c_fc:aten.addmm.default"; of
/// globs that have a colon) and the names of tensors. Counted are the values that forward or loss
/// makes and that are there in backward in the recorded step, the step's results aside; of a module
/// that is to be recomputed only those that nobody uses in forward and loss behind it, as a
/// region's results are kept.
/// Usage error, one sentence, for a text of another form and a glob that matches no such value.
[[nodiscard]] base::Result<Pin> resolvePin(std::string_view text, const graph::Program& program);

/// All of them; of equal ones the first. Usage error for too many of them, and one that names the
/// two pins where one keeps what another recomputes.
[[nodiscard]] base::Result<std::vector<Pin>> resolvePins(const std::vector<std::string>& texts,
                                                         const graph::Program& program);

/// Whether a plan's schedule does what the problem's pins say. verify() judges the same on its own.
[[nodiscard]] bool honoursPins(const Problem& problem, const Schedule& schedule);

} // namespace plimsoll::plan
