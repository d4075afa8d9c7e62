// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::ui {

/// Numbers of a decision, or the sums of several.
struct PlanFigures
{
    base::Bytes saved;      ///< what forward no longer keeps for backward
    base::Nanoseconds cost; ///< of all their recomputations
    int tensors = 0;
    int nested = 0; ///< regions inside
    int kept = 0;   ///< results in saved sets
    int moved = 0;  ///< ops that run here instead of at their own place

    PlanFigures& operator+=(const PlanFigures& other);
    bool operator==(const PlanFigures&) const = default;
};

/// Where a decision begins or ends: a whole module, or an op in it.
struct PlanEnd
{
    std::int32_t module = -1; ///< index into Program::modules; -1: outside of any
    std::int32_t op = -1;     ///< index into Program::ops; -1: the whole module

    bool operator==(const PlanEnd&) const = default;
};

/// A decision of a plan: an outermost region, or at runtime Step the ops that run before another.
struct PlanRow
{
    /// Ops first..last of the row's region, or the first recomputed op and the op before which it
    /// runs, which identify the same decision in another plan.
    using Stretch = std::pair<graph::OpIndex, graph::OpIndex>;
    Stretch stretch;
    PlanEnd first;
    PlanEnd last;
    PlanFigures figures;
    std::int32_t source = -1; ///< index into Program::sources; -1: unknown
    int firstStep = 0;
    bool hasValues = false; ///< whether planValues() has any
    bool isRegion = false;
    bool isRepeated = true; ///< whether some ops are recomputed

    bool operator==(const PlanRow&) const = default;
};

/// The decisions of a plan in its order, with the figures of its evaluation.
[[nodiscard]] std::vector<PlanRow> planRows(const plan::VerifiedPlan& verified);

/// Whether a decision is about ops of a module or of one inside it.
[[nodiscard]] bool isAbout(const graph::Program& program, const PlanRow& row,
                           graph::ModuleId module);

/// A value that a decision recomputes, or an op without one that runs for it.
struct PlanValue
{
    graph::OpId op;
    std::optional<graph::StorageId> storage = {}; ///< none: the op makes no value of its own
    base::Bytes bytes = {};
    base::Bytes saved = {};
    base::Nanoseconds cost = {};
    bool isMoved = false; ///< runs here instead of at its own place
};

/// What the decision at `row` of planRows() consists of, in order of execution: together they have
/// its figures.
[[nodiscard]] std::vector<PlanValue> planValues(const plan::VerifiedPlan& verified,
                                                const std::vector<PlanRow>& rows, std::size_t row);

} // namespace plimsoll::ui
