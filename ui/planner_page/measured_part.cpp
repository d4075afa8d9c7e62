// SPDX-License-Identifier: Apache-2.0
// The view of a measurement that is laid over the prediction.
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/document_page/pages_dock.h"
#include "ui/plan_tables/measured_page.h"
#include "ui/planner_page/measured_texts.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"

namespace plimsoll::ui {

namespace {

constexpr QLatin1String kPlanMessage{"measuredPlan"};

void showRows(MeasuredPage* measured, PlannerPage& page, const PlannerState& state)
{
    const workspace::OverlayPtr& overlay = state.document.overlay;
    PagesDock& dock = page.dock(QStringLiteral("plan"));
    if (!overlay) {
        dock.takePage(measured, &page);
        return;
    }
    std::vector<MeasuredRow> rows;
    for (const workspace::MeasuredRunPtr& run : {state.laid.unplanned, state.laid.planned})
        if (run)
            addRows(rows, *run, *state.planned.program());
    const QString sentence = measurementText(*overlay);
    measured->showRows(
        state.laid.unplanned || state.isLaying
            ? sentence
            : PlannerPage::tr("%1. It is of other sizes than those chosen here.").arg(sentence),
        std::move(rows));
    if (!dock.holds(measured))
        dock.addPage(measured, PlannerPage::tr("Measured"));
}

/// Once for each measurement, when plans are in: which plan its second run is of.
void offerPlan(workspace::OverlayPtr& offered, PlannerPage& page, const PlannerState& state)
{
    const workspace::OverlayPtr& overlay = state.document.overlay;
    if (!overlay || !state.laid.unplanned || overlay->measurement.runs.size() < 2
        || overlay == offered || !state.isPlanned || state.isLaying)
        return;
    offered = overlay;
    if (state.laid.planned && state.runOfShown() == state.laid.planned)
        return;
    const compare::MeasuredPlan& plan = *overlay->measurement.runs[1].plan;
    const QString made = plan.budget ? bytesText(*plan.budget) : unknownText();
    if (state.laid.plan) {
        const base::Bytes peak = state.laid.plan->evaluation().peak;
        const base::Bytes shown = shownCeiling(peak);
        const base::Bytes budget =
            state.planned.frontier->at(shown).plan == state.laid.plan ? shown : peak;
        page.strip().post(
            {kPlanMessage,
             MessageKind::Offer,
             PlannerPage::tr("The measurement has a second run, under a plan for %1.").arg(made),
             PlannerPage::tr("Its line appears with that plan."),
             {{PlannerPage::tr("Show that plan"),
               [document = &page.document(), budget] { document->commitBudget(budget); }}}});
        return;
    }
    page.strip().post(
        {kPlanMessage,
         MessageKind::Warn,
         PlannerPage::tr("The measurement's second run is of a plan that is not known here."),
         PlannerPage::tr(
             "It was made by %1 (%2, %3%4) for %5: with the same choices its line appears.")
             .arg(fileText(plan.planner), fileText(plan.runtime), fileText(plan.granularity),
                  plan.freezeStats ? PlannerPage::tr(", statistics frozen") : QString{}, made),
         {}});
}

} // namespace

PlannerView makeMeasuredView(PlannerPage& page)
{
    auto* measured = new MeasuredPage{&page}; // in the dock while a measurement is laid over
    measured->hide();
    QObject::connect(measured, &MeasuredPage::rowChosen, &page, [&page](const MeasuredRow& row) {
        Q_EMIT page.stepWanted(
            page.state().shown->evaluation().schedule->stepOf(*row.op, row.isRecomputed));
    });
    QObject::connect(measured, &MeasuredPage::removeRequested, &page.document(),
                     [document = &page.document()] { document->setOverlay(nullptr); });
    return {nullptr, [measured, &page, offered = workspace::OverlayPtr{}](const PlannerState& state,
                                                                          Changes what) mutable {
                if (what & (Change::Answer | Change::Overlay)) {
                    const workspace::MeasuredRunPtr own = state.runOfShown();
                    if (!state.laid.unplanned || (own && own == state.laid.planned))
                        page.strip().withdraw(kPlanMessage);
                }
                if (what & (Change::Planned | Change::Overlay)) {
                    showRows(measured, page, state);
                    offerPlan(offered, page, state);
                }
            }};
}

} // namespace plimsoll::ui
