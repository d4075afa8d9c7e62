// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/frontier.h"

#include <string>

namespace plimsoll::writers {

/// A program whose ops' calls are known, as a graph file (core/readers/plimsoll_graph/FORMAT.md), a
/// row a line. Reading it gives an equal program. One that varies must be rewritten
/// (plan/rewrite.h).
[[nodiscard]] std::string graphText(const graph::Program& program);

/// The step that the plan makes, written out (plan/rewrite.h), as a graph file. Usage error for
/// plans of runtime Checkpoint, and for a size at which the calls of ops aren't known.
[[nodiscard]] base::Result<std::string> rewrittenGraph(const plan::FrontierPoint& plan);

} // namespace plimsoll::writers
