// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/selection.h"
#include "ui/plan_tables/decision_names.h"

#include <Qt>

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace plimsoll::ui {

/// In the order of PlanModel::Column.
enum class PlanColumn : std::uint8_t {
    ModuleColumn,
    SavedColumn,
    CostColumn,
    TensorColumn,
    SourceColumn,
    DecisionColumn,
    RateColumn,    ///< cost per saved byte
    OpColumn,      ///< places in the recorded order
    LastUseColumn, ///< of a value
    PinColumn,
};

/// A row of a plan's tree.
struct PlanSpot
{
    enum class Kind : std::uint8_t { Group, Decision, Value };
    Kind kind = Kind::Group;
    int number = 0; ///< of the group, or of the decision in the plan's order
    int value = 0;  ///< among those of the decision

    bool operator==(const PlanSpot&) const = default;
};

/// Decisions at the same place of repeated blocks.
struct PlanGroup
{
    int key = 0; ///< the same in other plans of the program
    PlanFigures figures = {};
    std::vector<int> rows; ///< its decisions, sorted
    int first = 0;         ///< the first one of the plan
    int row = 0;           ///< at the top

    bool operator==(const PlanGroup&) const = default;
};

/// Gives each key of a group a number, for as long as one program is shown.
using PlanGroupNumbers = std::map<PlanGroupKey, int>;

/// The decisions of a plan, those at the same place of repeated blocks in groups. All figures are
/// evaluate()'s, or sums of them.
class PlanTree
{
public:
    /// Where a decision is shown.
    struct Place
    {
        int group = -1; ///< -1: at the top
        int row = 0;

        bool operator==(const Place&) const = default;
    };

    /// No rows.
    PlanTree() = default;
    /// With a range, only decisions with an op that runs in it are shown.
    PlanTree(plan::VerifiedPlanPtr plan, std::shared_ptr<const DecisionNames> names,
             PlanGroupNumbers& numbers, const std::optional<StepRange>& range = {});

    void sort(PlanColumn column, Qt::SortOrder order);

    [[nodiscard]] const plan::VerifiedPlanPtr& plan() const { return m_plan; }
    [[nodiscard]] const std::shared_ptr<const DecisionNames>& names() const { return m_names; }
    [[nodiscard]] const graph::Program& program() const { return *m_plan->problem().step(); }
    /// In the plan's order, whether shown or not.
    [[nodiscard]] const std::vector<PlanRow>& decisions() const { return m_rows; }
    [[nodiscard]] const std::vector<PlanGroup>& groups() const { return m_groups; }
    /// Groups and the decisions that stand alone, sorted.
    [[nodiscard]] const std::vector<PlanSpot>& top() const { return m_top; }
    [[nodiscard]] bool isShown(int decision) const
    {
        return m_isShown[static_cast<std::size_t>(decision)];
    }
    [[nodiscard]] const Place& placeOf(int decision) const
    {
        return m_places[static_cast<std::size_t>(decision)];
    }
    /// What a decision consists of, in order of execution; made when asked for.
    [[nodiscard]] const std::vector<PlanValue>& valuesOf(int decision) const;
    /// Whether any values were asked for.
    [[nodiscard]] bool hasOpenDecisions() const { return !m_values.empty(); }

    [[nodiscard]] const PlanGroup& groupAt(const PlanSpot& spot) const
    {
        return m_groups[static_cast<std::size_t>(spot.number)];
    }
    /// The decision of a spot, for a group its first one.
    [[nodiscard]] int decisionOf(const PlanSpot& spot) const;
    [[nodiscard]] const PlanRow& rowAt(const PlanSpot& spot) const
    {
        return m_rows[static_cast<std::size_t>(decisionOf(spot))];
    }
    [[nodiscard]] const PlanValue& valueAt(const PlanSpot& spot) const
    {
        return valuesOf(spot.number)[static_cast<std::size_t>(spot.value)];
    }
    /// Of a group or decision.
    [[nodiscard]] const PlanFigures& figuresOf(const PlanSpot& spot) const;
    /// The decisions of a spot: all of a group's, or the one to which it belongs.
    [[nodiscard]] std::vector<const PlanRow*> rowsOf(const PlanSpot& spot) const;
    [[nodiscard]] base::Bytes mostSaved() const { return m_mostSaved; }

    /// Whether both have the same groups and decisions at the same places.
    [[nodiscard]] bool hasShapeOf(const PlanTree& other) const;

private:
    void chooseShown(const std::optional<StepRange>& range);
    void group(PlanGroupNumbers& numbers);
    [[nodiscard]] bool precedes(PlanColumn column, const PlanSpot& a, const PlanSpot& b) const;
    [[nodiscard]] double rateOf(const PlanSpot& spot) const;
    [[nodiscard]] QString sourceOf(const PlanSpot& spot) const;

    plan::VerifiedPlanPtr m_plan;
    std::shared_ptr<const DecisionNames> m_names;
    std::vector<PlanRow> m_rows;
    std::vector<bool> m_isShown; ///< of these
    std::vector<Place> m_places; ///< of those that are shown
    std::vector<PlanGroup> m_groups;
    std::vector<PlanSpot> m_top;
    base::Bytes m_mostSaved{1};                                       ///< of all rows at the top
    mutable std::unordered_map<int, std::vector<PlanValue>> m_values; ///< by decision
};

} // namespace plimsoll::ui
