// SPDX-License-Identifier: Apache-2.0
// The planner page's part about a measurement that is laid over the prediction.
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/plan_panel/measured_page.h"
#include "ui/shell/measured_texts.h"
#include "ui/shell/pages_dock.h"
#include "ui/shell/plan_texts.h"
#include "ui/shell/planner_page.h"
#include "ui/shell/table_twins.h"

#include <algorithm>

namespace plimsoll::ui {

namespace {
constexpr QLatin1String kPlanMessage{"measuredPlan"};
} // namespace

/// Lays the runs over what is planned now: the second one where its plan is among those known here.
void PlannerPage::layRuns()
{
    m_measuredPlan.reset();
    m_measuredRun.reset();
    m_unplannedRun.reset();
    const workspace::OverlayPtr& overlay = m_document.document().overlay;
    if (!overlay)
        return;
    m_unplannedRun = workspace::runUnder(*overlay, *m_document.planned()->unplanned);
    if (overlay->measurement.runs.size() < 2)
        return;
    for (const plan::VerifiedPlanPtr& point : m_document.planned()->frontier->points()) {
        if (point->plan().repeatsNothing())
            continue;
        m_measuredRun = workspace::runUnder(*overlay, *point);
        if (m_measuredRun) {
            m_measuredPlan = point;
            return;
        }
    }
}

workspace::LaidRunPtr PlannerPage::runOfShown() const
{
    if (!m_unplannedRun || !m_shown)
        return nullptr;
    if (m_shown->plan().repeatsNothing())
        return m_unplannedRun;
    return m_measuredPlan && m_measuredPlan->plan() == m_shown->plan() ? m_measuredRun : nullptr;
}

void PlannerPage::showMeasured()
{
    const workspace::LaidRunPtr own = runOfShown();
    const plan::Problem& shown = m_shown->problem();
    // The plan that is shown was not measured: then its unplanned curve has the measured one.
    m_timeline->setMeasured(
        !m_unplannedRun ? std::nullopt
        : own           ? std::optional{measuredSetOf(*own, shown, nullptr)}
                        : std::optional{measuredSetOf(*m_unplannedRun, shown, m_unplannedStepAt)});
    if (own && own->live)
        m_twins->showMeasured({own, &own->run}, own->predicted);
    else
        m_twins->showMeasured(nullptr, nullptr);
    m_timeline->setSubtitle(subtitle());
    if (!m_unplannedRun || (own && own == m_measuredRun))
        m_strip->withdraw(kPlanMessage);
}

void PlannerPage::showMeasuredPage()
{
    const workspace::OverlayPtr& overlay = m_document.document().overlay;
    if (!overlay) {
        if (m_planDock->holds(m_measured)) {
            m_planDock->takePage(m_measured);
            m_measured->setParent(this);
            m_measured->hide();
        }
        return;
    }
    std::vector<MeasuredRow> rows;
    const graph::Program& program = *m_document.program();
    for (const workspace::LaidRunPtr& run : {m_unplannedRun, m_measuredRun})
        if (run)
            addRows(rows, *run, program);
    const QString sentence = measurementText(*overlay);
    m_measured->showRows(m_unplannedRun
                             ? sentence
                             : tr("%1. It is of other sizes than those chosen here.").arg(sentence),
                         std::move(rows));
    if (!m_planDock->holds(m_measured))
        m_planDock->addPage(m_measured, tr("Measured"));
}

void PlannerPage::goToMeasured(const MeasuredRow& row)
{
    m_timeline->showStep(m_shown->evaluation().schedule->stepOf(*row.op, row.isAgain));
}

/// Once for each measurement, when plans are in: which plan its second run is of.
void PlannerPage::offerMeasuredPlan()
{
    const workspace::OverlayPtr& overlay = m_document.document().overlay;
    if (!overlay || !m_unplannedRun || overlay->measurement.runs.size() < 2 || overlay == m_offered
        || !m_document.isPlanned())
        return;
    m_offered = overlay;
    if (m_measuredRun && runOfShown() == m_measuredRun)
        return;
    const compare::MeasuredPlan& plan = *overlay->measurement.runs[1].plan;
    const QString made = plan.budget ? bytesText(*plan.budget) : unknownText();
    if (m_measuredPlan) {
        const base::Bytes peak = m_measuredPlan->evaluation().peak;
        const base::Bytes shown = shownCeiling(peak);
        const base::Bytes budget =
            m_document.planned()->frontier->at(shown) == m_measuredPlan ? shown : peak;
        m_strip->post(
            {kPlanMessage,
             MessageKind::Offer,
             tr("The measurement has a second run, under a plan for %1.").arg(made),
             tr("Its line appears with that plan."),
             {{tr("Show that plan"), [this, budget] { m_document.commitBudget(budget); }}}});
        return;
    }
    m_strip->post(
        {kPlanMessage,
         MessageKind::Warn,
         tr("The measurement's second run is of a plan that is not known here."),
         tr("It was made by %1 (%2, %3%4) for %5: with the same choices its line appears.")
             .arg(fileText(plan.planner), fileText(plan.runtime), fileText(plan.granularity),
                  plan.freezeStats ? tr(", statistics frozen") : QString{}, made),
         {}});
}

} // namespace plimsoll::ui
