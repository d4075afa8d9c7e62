// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/against_plan.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::compare {

/// A step as it would run: of a graph, or of a plan for it.
struct PredictedStep
{
    plan::Problem problem;
    plan::Plan plan;
    plan::EvaluationPtr evaluation;
};

/// A number of two steps; empty for a step without that phase.
struct Pair
{
    std::string name; ///< "peak_backward": a key
    Unit unit = Unit::Bytes;
    std::optional<std::int64_t> first;
    std::optional<std::int64_t> second;
};

/// The first execution in which two steps differ; "nothing" past the end of one.
struct OtherOp
{
    std::size_t step = 0;
    std::string first; ///< "layer1.0.relu · aten.relu, recomputed"
    std::string second;

    bool operator==(const OtherOp&) const = default;
};

/// A region, nested or not, or a row of recomputed ops.
struct Decision
{
    graph::OpIndex first = 0; ///< of a row: the op before which it runs
    graph::OpIndex last = 0;
    std::size_t depth = 0;        ///< regions around it
    std::vector<graph::OpId> ops; ///< saved inside it; of a row: recomputed

    auto operator<=>(const Decision&) const = default;
};

/// The differences between two steps.
struct StepDifference
{
    std::vector<Pair> pairs; ///< peaks, also by phase, and times
    std::optional<OtherOp> op;
    std::vector<Decision> onlyFirst; ///< of the plans; sorted
    std::vector<Decision> onlySecond;
};

[[nodiscard]] StepDifference compareSteps(const PredictedStep& first, const PredictedStep& second);

} // namespace plimsoll::compare
