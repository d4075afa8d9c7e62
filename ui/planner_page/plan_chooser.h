// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"
#include "ui/base/job_runner.h"

#include <QObject>

#include <vector>

namespace plimsoll::ui {

/// Tells which plan to take for a budget so that it runs in PyTorch's allocator: at once, from what
/// is known. What each plan reserves is computed in the background.
class PlanChooser : public QObject
{
    Q_OBJECT

public:
    explicit PlanChooser(QObject* parent = nullptr);

    /// The plans to choose from.
    void setPlans(const workspace::PlannedPtr& planned);
    /// Of the allocator.
    void setSettings(const allocator::AllocatorSettings& settings);
    [[nodiscard]] const allocator::AllocatorSettings& settings() const { return m_settings; }
    /// Without a verdict if it isn't known whether the plan runs.
    [[nodiscard]] run::PlanChoice at(base::Bytes budget) const;
    /// From which budget on each plan is the one that at() gives, as far as is known.
    [[nodiscard]] const run::PlansByBudget& plans() const { return m_plans; }
    /// Whether plans() takes plans that run in the allocator: else those whose peak is within the
    /// budget, since the table is not known yet.
    [[nodiscard]] bool isByRun() const { return table() || !hasAllocator(); }
    /// Of the current plans and settings; null if it isn't known yet.
    [[nodiscard]] run::ReservedTablePtr table() const;
    /// Keeps the choice for a budget among the current plans under the current settings.
    void learn(base::Bytes budget, const run::PlanChoice& choice);
    [[nodiscard]] JobRunnerBase& job() { return m_job; }

Q_SIGNALS:
    /// at() may tell more now.
    void tableChanged();

private:
    /// The latest of the same choices and settings, perhaps of fewer plans; null: none.
    [[nodiscard]] run::ReservedTablePtr lastTable() const;
    struct Known
    {
        /// Doesn't keep it: partial ones have plans that no later one has.
        std::weak_ptr<const plan::Frontier> frontier;
        workspace::Choices choices; ///< for which it was planned
        allocator::AllocatorSettings settings;
        base::Bytes budget;
        run::PlanChoice choice;
    };
    void update();
    /// Whether what was learned last is that a plan, perhaps of a former result, runs there.
    [[nodiscard]] bool isLearned(base::Bytes budget) const;
    [[nodiscard]] bool hasAllocator() const;

    workspace::PlannedPtr m_planned;
    allocator::AllocatorSettings m_settings;
    run::ReservedTablePtr m_table; ///< latest; perhaps of former plans or settings
    workspace::Choices m_tableOf;  ///< the choices of its plans
    run::PlansByBudget m_plans;
    std::vector<Known> m_known; ///< newest first
    JobRunner<run::ReservedTablePtr> m_job;
};

} // namespace plimsoll::ui
