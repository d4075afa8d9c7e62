// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/plan_chooser.h"

#include <algorithm>

namespace plimsoll::ui {

namespace {
constexpr std::size_t kMostChoices = 64;
} // namespace

PlanChooser::PlanChooser(QObject* parent) : QObject{parent} {}

bool PlanChooser::hasAllocator() const
{
    return m_planned && run::hasAllocator(m_planned->problem);
}

void PlanChooser::setPlans(const workspace::PlannedPtr& planned)
{
    m_planned = planned;
    if (!m_known.empty()) // the newest one may still be of use, see isLearned()
        m_known.erase(std::remove_if(m_known.begin() + 1, m_known.end(),
                                     [](const Known& row) { return row.frontier.expired(); }),
                      m_known.end());
    update();
}

void PlanChooser::setSettings(const allocator::AllocatorSettings& settings)
{
    m_settings = settings;
    if (m_planned)
        update();
}

run::ReservedTablePtr PlanChooser::table() const
{
    const bool isCurrent = m_table && m_planned && m_table->frontier == m_planned->frontier
                           && m_table->settings == m_settings;
    return isCurrent ? m_table : nullptr;
}

run::ReservedTablePtr PlanChooser::lastTable() const
{
    return m_table && m_table->settings == m_settings && m_tableOf == m_planned->choices ? m_table
                                                                                         : nullptr;
}

/// A running job goes on: most of the plans that it looks at are among the new ones, too.
void PlanChooser::update()
{
    m_plans = table() ? run::plansByBudget(*table()) : run::plansByBudget(*m_planned->frontier);
    if (!hasAllocator() || table() || m_job.isRunning())
        return;
    m_job.start(
        [planned = m_planned, settings = m_settings, known = m_table](const base::JobContext& job) {
            return run::reservedTable(planned->frontier, settings, known, job);
        },
        [this, choices = m_planned->choices](base::Result<run::ReservedTablePtr> found) {
            if (!found) // only ever cancelled, when the document closes
                return;
            m_table = *std::move(found);
            m_tableOf = choices;
            update();
            if (table())
                Q_EMIT tableChanged();
        });
}

run::PlanChoice PlanChooser::at(base::Bytes budget) const
{
    const auto known = std::ranges::find_if(m_known, [&](const Known& row) {
        return row.frontier.lock() == m_planned->frontier && row.settings == m_settings
               && row.budget == budget;
    });
    if (known != m_known.end())
        return known->choice;
    run::PlanChoice choice;
    choice.plan = workspace::planAt(*m_planned, budget);
    // A former plan that runs stays until it is known which of the new ones do.
    const run::ReservedTablePtr table = lastTable();
    const std::optional<std::size_t> place =
        table && choice.plan ? table->fastestWithin(budget) : std::nullopt;
    if (!place)
        return choice.plan && isLearned(budget) ? m_known.front().choice : choice;
    const std::vector<plan::FrontierPoint>& plans = table->plans;
    const plan::FrontierPoint& point = plans[*place];
    base::Result<plan::VerifiedPlanPtr> fitted = plan::withBudget(*point, budget);
    if (!fitted)
        return choice;
    const auto faster =
        std::count_if(plans.begin() + static_cast<std::ptrdiff_t>(*place) + 1, plans.end(),
                      [&](const plan::FrontierPoint& plan) {
                          return plan->evaluation().peak <= budget
                                 && plan->evaluation().stepTime < point->evaluation().stepTime;
                      });
    if (faster > 0)
        choice.passedOver =
            run::PassedOver{static_cast<std::size_t>(faster), choice.plan, std::nullopt};
    choice.plan = {*std::move(fitted), point.provenance};
    if (!m_settings.expandableSegments) {
        choice.verdict = run::RunVerdict{};
        choice.verdict->run.flushes.assign(run::kIterations, 0);
        choice.verdict->run.reserved = table->reserved[*place] - m_planned->problem.reserve;
    }
    return choice;
}

bool PlanChooser::isLearned(base::Bytes budget) const
{
    if (m_known.empty())
        return false;
    const Known& last = m_known.front();
    return last.budget == budget && last.settings == m_settings
           && last.choices == m_planned->choices && last.choice.verdict
           && last.choice.verdict->status == run::RunStatus::Runs;
}

void PlanChooser::learn(base::Bytes budget, const run::PlanChoice& choice)
{
    m_known.insert(m_known.begin(),
                   {m_planned->frontier, m_planned->choices, m_settings, budget, choice});
    if (m_known.size() > kMostChoices)
        m_known.pop_back();
}

} // namespace plimsoll::ui
