// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/pin_prices.h"
#include "ui/base/job_runner.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// Plans without each pin in the background, and tells what each one costs.
class PinPricer : public QObject
{
    Q_OBJECT

public:
    explicit PinPricer(QObject* parent = nullptr);

    /// Of these plans from now on; without pins there is nothing to do.
    void start(const graph::ProgramPtr& recorded, const workspace::PlannedPtr& planned,
               const allocator::AllocatorSettings& settings);
    /// The plan that is chosen for a budget; null: none is.
    void setChosen(const plan::VerifiedPlanPtr& plan, base::Bytes budget);
    /// For such a plan; empty: not known yet.
    [[nodiscard]] std::vector<workspace::PinPrice> prices(const plan::VerifiedPlanPtr& plan,
                                                          base::Bytes budget) const;
    /// Whether the prices of these plans are known or on their way.
    [[nodiscard]] bool isFor(const workspace::PlannedPtr& planned) const
    {
        return m_planned == planned;
    }
    [[nodiscard]] JobRunnerBase& planner() { return m_planner; }
    [[nodiscard]] JobRunnerBase& pricer() { return m_pricer; }

Q_SIGNALS:
    void pricesChanged();

private:
    /// What prices are of: a plan, or that there is none, and a budget.
    struct Asked
    {
        plan::EvaluationPtr plan;
        base::Bytes budget;

        bool operator==(const Asked&) const = default;
    };
    using Without = std::vector<workspace::WithoutPin>;

    static Asked askedOf(const plan::VerifiedPlanPtr& plan, base::Bytes budget);
    void price();

    workspace::PlannedPtr m_planned;
    allocator::AllocatorSettings m_settings;
    std::shared_ptr<const Without> m_without; ///< by pin; null: not known yet
    plan::VerifiedPlanPtr m_chosen;
    std::optional<base::Bytes> m_budget; ///< for which it is chosen; empty: not known yet
    std::vector<workspace::PinPrice> m_prices;
    Asked m_pricesOf;
    JobRunner<std::shared_ptr<const Without>> m_planner;
    JobRunner<std::vector<workspace::PinPrice>> m_pricer;
};

} // namespace plimsoll::ui
