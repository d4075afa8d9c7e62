// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"
#include "core/graph/module_tree.h"

#include <cstdint>
#include <vector>

namespace plimsoll::plan {

/// What a plan does with the values that a module makes.
enum class ModuleDecision : std::uint8_t {
    None,      ///< it makes none that backward could need
    Keep,      ///< nothing is recomputed
    Part,      ///< some are recomputed, some kept
    Recompute, ///< all are recomputed, except for results of the module that its caller keeps
};

/// A module with those inside it, in one evaluation.
struct ModuleFigures
{
    base::Bytes atPeak;     ///< of what is live at the peak
    base::Bytes saved;      ///< results of forward that are in memory when it ends
    base::Bytes recomputed; ///< values that are made again; each counts once
    base::Nanoseconds time; ///< of all its ops, recomputations included
    base::Nanoseconds recomputeTime;
    ModuleDecision decision = ModuleDecision::None;

    ModuleFigures& operator+=(const ModuleFigures& other); ///< all but the decision
    bool operator==(const ModuleFigures&) const = default;
};

/// By node of the tree, and at the end what belongs to no called module. The last one and the nodes
/// without parent add up to the evaluation's peak, less the reserve, and to its times. The
/// evaluation is of that program. In O(instances + steps).
[[nodiscard]] std::vector<ModuleFigures> moduleFigures(const graph::Program& program,
                                                       const graph::ModuleTree& tree,
                                                       const Evaluation& evaluation);

/// Steps first..last, both included.
struct StepRun
{
    std::size_t first = 0;
    std::size_t last = 0;

    bool operator==(const StepRun&) const = default;
};

/// The runs of consecutive steps that execute ops of a node or of those inside it, in order.
[[nodiscard]] std::vector<StepRun> stepsOfModule(const graph::Program& program,
                                                 const graph::ModuleTree& tree, std::int32_t node,
                                                 const Schedule& schedule);

} // namespace plimsoll::plan
