// SPDX-License-Identifier: Apache-2.0
// The planner page's part about a measurement that is laid over the prediction.
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/plan_tables/measured_page.h"
#include "ui/planner_page/measured_texts.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/table_twins.h"
#include "ui/shell/pages_dock.h"

#include <algorithm>

namespace plimsoll::ui {

namespace {
constexpr QLatin1String kPlanMessage{"measuredPlan"};
} // namespace

/// Lays the runs over what is planned now, on a thread of its own. What is known of the first one
/// is there at once.
void PlannerPage::layRuns()
{
    m_laid = {};
    const workspace::OverlayPtr overlay = m_document.document().overlay;
    if (!overlay) {
        m_layer.stop();
        return;
    }
    const workspace::PlannedPtr planned = m_document.planned();
    if (planned->recorded() == overlay->over.program
        && planned->choices.device == overlay->over.device)
        m_laid.unplanned = overlay->unplanned;
    m_layer.start(
        [overlay, planned](const base::JobContext& job) {
            return workspace::layRuns(*overlay, *planned, job);
        },
        [this, overlay, planned](base::Result<workspace::LaidRuns> laid) {
            if (!laid || overlay != m_document.document().overlay
                || planned != m_document.planned())
                return;
            m_laid = *std::move(laid);
            showMeasured();
            showMeasuredPage();
            offerMeasuredPlan();
            Q_EMIT stateChanged();
            Q_EMIT runsLaid();
        });
}

workspace::MeasuredRunPtr PlannerPage::runOfShown() const
{
    if (!m_laid.unplanned || !m_shown)
        return nullptr;
    if (m_shown->plan().recomputesNothing())
        return m_laid.unplanned;
    return m_laid.plan && m_laid.plan->plan() == m_shown->plan() ? m_laid.planned : nullptr;
}

void PlannerPage::showMeasured()
{
    const workspace::MeasuredRunPtr own = runOfShown();
    const plan::Problem& shown = m_shown->problem();
    // The plan that is shown was not measured: then its unplanned curve has the measured one.
    m_timeline->setMeasured(
        !m_laid.unplanned ? std::nullopt
        : own             ? std::optional{measuredSetOf(*own, shown, nullptr)}
              : std::optional{measuredSetOf(*m_laid.unplanned, shown, m_unplannedStepAt)});
    if (own && own->live)
        m_twins->showMeasured({own, &own->run}, own->predicted);
    else
        m_twins->showMeasured(nullptr, nullptr);
    m_timeline->setSubtitle(subtitle());
    if (!m_laid.unplanned || (own && own == m_laid.planned))
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
    for (const workspace::MeasuredRunPtr& run : {m_laid.unplanned, m_laid.planned})
        if (run)
            addRows(rows, *run, program);
    const QString sentence = measurementText(*overlay);
    m_measured->showRows(m_laid.unplanned || m_layer.isRunning()
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
    if (!overlay || !m_laid.unplanned || overlay->measurement.runs.size() < 2
        || overlay == m_offered || !m_document.isPlanned() || m_layer.isRunning())
        return;
    m_offered = overlay;
    if (m_laid.planned && runOfShown() == m_laid.planned)
        return;
    const compare::MeasuredPlan& plan = *overlay->measurement.runs[1].plan;
    const QString made = plan.budget ? bytesText(*plan.budget) : unknownText();
    if (m_laid.plan) {
        const base::Bytes peak = m_laid.plan->evaluation().peak;
        const base::Bytes shown = shownCeiling(peak);
        const base::Bytes budget =
            m_document.planned()->frontier->at(shown).plan == m_laid.plan ? shown : peak;
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
