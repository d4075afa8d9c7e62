// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"

#include <QStringList>

namespace plimsoll::ui {

/// The glob for the results of an op: "h.0.mlp.c_fc:aten.addmm.default".
[[nodiscard]] QString opGlob(const graph::Program& program, graph::OpId op);

/// Globs for a row of a plan's table, at most a dozen: the modules of the outermost region
/// `first..last`; without modules, its ops; at runtime Step the ops that are recomputed before op
/// `last`.
[[nodiscard]] QStringList rowGlobs(const plan::VerifiedPlan& plan, graph::OpIndex first,
                                   graph::OpIndex last);

} // namespace plimsoll::ui
