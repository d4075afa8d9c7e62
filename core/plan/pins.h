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

/// Reads such a text and resolves it in the program. In a glob `*` stands for any characters, `?`
/// for one. It is matched against the paths of modules (everything that runs inside counts), the
/// targets of ops ("aten.addmm.default"), both joined ("h.0.mlp.c_fc:aten.addmm.default"; for globs
/// with a colon) and the names of tensors. It selects values that forward or loss computes and that
/// the recorded step still holds in backward, except the step's results. For a module to be
/// recomputed, only those that nothing in forward and loss uses after the module, as a region's
/// results are kept. Usage error, one sentence, for a text of another form and a glob that matches
/// no such value.
[[nodiscard]] base::Result<Pin> resolvePin(std::string_view text, const graph::Program& program);

/// All of them, without duplicates. Usage error if there are too many, and one that names the two
/// pins if one keeps what another recomputes.
[[nodiscard]] base::Result<std::vector<Pin>> resolvePins(const std::vector<std::string>& texts,
                                                         const graph::Program& program);

/// Whether a plan's schedule honours the problem's pins. verify() checks the same independently.
[[nodiscard]] bool honoursPins(const Problem& problem, const Schedule& schedule);

} // namespace plimsoll::plan
