// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/timeline/timeline.h"
#include "ui/base/tokens.h"
#include "ui/timeline/budget_values.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// The curves shown: the plan's, filled, and the unplanned program's, dashed.
struct TimelineSet
{
    timeline::TimelinePtr planned;
    timeline::TimelinePtr unplanned; ///< may be null or the same object
    /// For each planned step the unplanned step of the same op (the last one while something is
    /// recomputed). Null: the two have the same steps.
    std::shared_ptr<const std::vector<std::uint32_t>> unplannedStepAt;
};

/// A size that was measured of the whole step.
struct MeasuredLevel
{
    base::Bytes bytes;
    QString name; ///< "allocator peak"

    bool operator==(const MeasuredLevel&) const = default;
};

/// What real steps took, over what was predicted for them.
struct MeasuredSet
{
    timeline::TimelinePtr live;      ///< null: not known by op
    timeline::TimelinePtr predicted; ///< what `live` was predicted to be, step by step
    /// How its sizes are counted where those of the plan are not: "without rounding"; else empty.
    QString basis;
    /// For each planned step the step of `live`, as TimelineSet has it: the shown plan was not
    /// measured, the unplanned step was. Null: the same steps.
    std::shared_ptr<const std::vector<std::uint32_t>> stepAt;
    std::vector<MeasuredLevel> levels;

    bool operator==(const MeasuredSet&) const = default;
};

/// Smallest number of bytes any plan needs, and where.
struct LowerBound
{
    base::Bytes bytes;
    QString where;                   ///< "lm_head, backward"
    std::optional<std::size_t> step; ///< planned step at which it is reached
};

enum class BudgetState : std::uint8_t { Feasible, Infeasible };

/// What a hover card says about a step besides time and bytes, which the view knows.
struct HoverContent
{
    QString title;        ///< "softmax, recomputed"
    QString where;        ///< "transformer.h.6.attn · backward"
    QString decisionIcon; ///< name of an icon; empty: no decision block
    Role decisionRole = Role::Muted;
    QString decision; ///< "192 MiB paid with 0.30 ms"
    QString source;   ///< "modeling_gpt2.py:214"
};
using HoverProvider = std::function<HoverContent(std::size_t plannedStep)>;

/// One row of the read-out that stands beside the line while it is dragged.
struct ReadoutRow
{
    QString name;  ///< "Step time"
    QString value; ///< "+15.3 ms (+10.2 %)"
};

/// Part of the step that is visible, as fractions 0 … 1 of the axis.
struct VisibleRange
{
    double begin = 0.0;
    double end = 1.0;

    bool operator==(const VisibleRange&) const = default;
};

} // namespace plimsoll::ui
