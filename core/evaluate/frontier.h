// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"
#include "core/evaluate/planner_progress.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plan {

/// A planner and all of its options, as strings.
struct PlannerCall
{
    std::string planner; ///< id
    std::vector<std::pair<std::string, std::string>> options;

    bool operator==(const PlannerCall&) const = default;
};

/// The provenance of a plan.
struct Provenance
{
    PlannerCall asked;
    std::optional<PlannerCall> maker = {}; ///< empty: the planner that was called

    [[nodiscard]] const PlannerCall& madeBy() const { return maker ? *maker : asked; }
    bool operator==(const Provenance&) const = default;
};

/// A verified plan and its provenance: the entry of frontiers, and what files are written from.
/// Empty without a plan.
struct FrontierPoint
{
    FrontierPoint() = default;
    // A point is used as its plan.
    // NOLINTBEGIN(google-explicit-constructor)
    /// The provenance of a plan whose planner was called itself.
    FrontierPoint(VerifiedPlanPtr verified);
    FrontierPoint(VerifiedPlanPtr verified, std::shared_ptr<const Provenance> from);

    operator const VerifiedPlanPtr&() const { return plan; }
    // NOLINTEND(google-explicit-constructor)
    explicit operator bool() const { return plan != nullptr; }
    const VerifiedPlan* operator->() const { return plan.get(); }
    const VerifiedPlan& operator*() const { return *plan; }
    /// Whether it is the same plan, whichever planner was called.
    bool operator==(const FrontierPoint& other) const { return plan == other.plan; }
    bool operator==(std::nullptr_t) const { return plan == nullptr; }

    VerifiedPlanPtr plan;
    std::shared_ptr<const Provenance> provenance; ///< null only without a plan
};

/// Verified plans, none of which is both larger and slower than another: by rising peak and falling
/// step time. Beside them, some that are, but with which PyTorch's allocator may reserve less.
/// Immutable once published.
class Frontier
{
public:
    /// Keeps the point if no other dominates it, and drops those it dominates. Equal points: the
    /// first one stays.
    void insert(FrontierPoint point);
    /// Whether insert() would keep a plan with these numbers.
    [[nodiscard]] bool improvedBy(const Evaluation& evaluation) const;
    /// The fastest plan whose peak is within the budget; empty when none is. O(log n).
    [[nodiscard]] FrontierPoint at(base::Bytes budget) const;
    [[nodiscard]] const std::vector<FrontierPoint>& points() const { return m_points; }
    /// Keeps a plan that a point dominates.
    void keepDominated(FrontierPoint plan) { m_dominated.push_back(std::move(plan)); }
    [[nodiscard]] const std::vector<FrontierPoint>& dominated() const { return m_dominated; }
    /// points() and dominated(), the slowest first; of equally slow ones, the largest first. Which
    /// of them to take where peak and step time aren't all that counts, see run::choosePlan().
    [[nodiscard]] std::vector<FrontierPoint> candidates() const;
    /// Records that a planner made no plans for this frontier, and why.
    void leaveOut(std::string sentence) { m_leftOut.push_back(std::move(sentence)); }
    [[nodiscard]] const std::vector<std::string>& leftOut() const { return m_leftOut; }
    /// The runtime of its plans, the same for all of them; also known while there is none.
    void setRuntime(Runtime runtime) { m_runtime = runtime; }
    [[nodiscard]] Runtime runtime() const
    {
        return m_points.empty() ? m_runtime : m_points.front()->plan().runtime();
    }
    /// For a frontier that several planners made: the current progress of each.
    void setParts(std::shared_ptr<const PlannerProgressList> parts) { m_parts = std::move(parts); }
    /// Null if a single planner made it.
    [[nodiscard]] const std::shared_ptr<const PlannerProgressList>& parts() const
    {
        return m_parts;
    }

private:
    std::vector<FrontierPoint> m_points;
    std::vector<FrontierPoint> m_dominated;
    std::vector<std::string> m_leftOut;
    Runtime m_runtime = Runtime::CheckpointedModule;
    std::shared_ptr<const PlannerProgressList> m_parts;
};

[[nodiscard]] ProgressPoint progressPoint(const VerifiedPlan& plan);
/// Peak and step time of each point.
[[nodiscard]] std::vector<ProgressPoint> progressPoints(const Frontier& frontier);

using FrontierPtr = std::shared_ptr<const Frontier>;

} // namespace plimsoll::plan
