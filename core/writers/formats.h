// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/frontier.h"

#include <span>
#include <string>
#include <string_view>

namespace plimsoll::writers {

/// One row for each value that the plan recomputes, with a header line, as in RFC 4180.
[[nodiscard]] std::string recomputedTable(const plan::FrontierPoint& plan);

/// The plan's timeline as an SVG picture: memory by class over the step, the budget, the peak.
/// Contains no font and no script.
[[nodiscard]] std::string timelinePicture(const plan::FrontierPoint& plan);

/// A program with the calls of its ops, as a graph file (core/readers/plimsoll_graph/FORMAT.md),
/// one row per line. Reading it gives an equal program. One that varies must be rewritten
/// (plan::rewrite()).
[[nodiscard]] std::string graphText(const graph::Program& program);

/// The step that the plan makes, written out (plan::rewrite()), as a graph file. Usage error for
/// plans of runtime Checkpoint, and for a size at which the calls of ops aren't known.
[[nodiscard]] base::Result<std::string> rewrittenGraph(const plan::FrontierPoint& plan);

/// A Python module that needs nothing but torch: `apply(model)` makes the model recompute as
/// planned. It contains the modules that plimsoll.apply() runs as well: one implementation.
[[nodiscard]] std::string pythonModule(const plan::FrontierPoint& plan);

/// The same plan as a few lines to paste into a training script that has a `model`. If a few lines
/// don't suffice (modules called more than once, arguments that grow), lines that use the module
/// above.
[[nodiscard]] std::string pythonSnippet(const plan::FrontierPoint& plan);

/// The modules of the Python package that run a plan of checkpoint regions, embedded unchanged;
/// each imports only from those before it.
[[nodiscard]] std::span<const std::string_view> pythonRuntimeModules();

/// The same modules joined into one self-contained text: the docstring of the last, every import
/// from outside the package once, then the definitions of each.
[[nodiscard]] std::string joinPythonModules(std::span<const std::string_view> modules);

} // namespace plimsoll::writers
