// SPDX-License-Identifier: Apache-2.0
// The messages of a planner page: what the strip says of the document, and the list of all.
#include "ui/base/numbers.h"
#include "ui/document_page/pages_dock.h"
#include "ui/plan_tables/problem_page.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/planner_page/problem_log.h"

#include <memory>

namespace plimsoll::ui {

namespace {

constexpr QLatin1String kBudgetMessage{"budget"}; ///< as infeasibleMessage() has it

QString failureText(const QString& id)
{
    return id == QStringLiteral("size")
               ? PlannerPage::tr("The model can't be resized to this value.")
               : PlannerPage::tr("Planning failed.");
}

/// A budget without a plan.
void showBudget(MessageStrip& strip, DocumentController& document, const PlannerState& state)
{
    if (state.outcome.best || state.isWaiting || state.isOutdated || !state.document.budget) {
        strip.withdraw(kBudgetMessage);
        strip.setProperty("budget", QString{});
        return;
    }
    // The same message twice would undo a Dismiss; a new budget is a new message.
    const auto text = bytesText(state.budget);
    if (strip.property("budget").toString() == text && state.isRefined)
        return;
    strip.setProperty("budget", text);
    Message message = infeasibleMessage(state.planned, state.budget);
    const base::Bytes rounded = shownCeiling(state.planned.smallestPeak);
    message.actions.push_back({PlannerPage::tr("Set budget to %1").arg(bytesText(rounded)),
                               [&document, rounded] { document.commitBudget(rounded); }});
    strip.post(std::move(message));
}

void showProblems(ProblemPage& list, const ProblemLog& log, PlannerPage& page)
{
    list.setProblems(log.problemsOf(*page.state().shown));
    // Remarks are no problems: a file in order shows no number.
    const int count = list.model()->rowCount() - list.model()->remarkCount();
    page.dockOf(&list)->setPageTitle(&list, count > 0 ? PlannerPage::tr("Problems %1").arg(count)
                                                      : PlannerPage::tr("Problems"));
}

} // namespace

PlannerView makeProblemView(PlannerPage& page)
{
    auto* list = new ProblemPage;
    DocumentController& document = page.document();
    MessageStrip& strip = page.strip();
    const auto log = std::make_shared<ProblemLog>(document.document().graph);
    QObject::connect(list, &ProblemPage::placeChosen, &page, [&page](const Problem& problem) {
        page.selectOp(*problem.op, problem.recomputed);
    });
    QObject::connect(&strip, &MessageStrip::posted, &page, [=, &page](const Message& message) {
        // A budget without a plan has its place where the bound is reached.
        std::optional<graph::OpId> op;
        if (message.id == kBudgetMessage)
            op = page.document().planned()->peakBound.op;
        log->note(*page.document().program(), message, op);
        showProblems(*list, *log, page);
    });
    QObject::connect(&strip, &MessageStrip::moreClicked, &page,
                     [list, &page] { page.dockOf(list)->showPage(list); });
    QObject::connect(&document, &DocumentController::failed, &page,
                     [&strip](const QString& id, const QString& sentence) {
                         strip.post({id, MessageKind::Danger, failureText(id), sentence, {}});
                     });
    return {list, [=, &page, &strip](const PlannerState& state, Changes what) {
                if (what & Change::Choices)
                    for (const char* id : {"size", "plan"}) // of the previous settings
                        strip.withdraw(QString::fromLatin1(id));
                if (what & Change::AtRest)
                    showProblems(*list, *log, page);
                // A strip would move the layout under the hand that drags.
                if ((what & Change::Answer) && !state.isDragging)
                    showBudget(strip, page.document(), state);
            }};
}

} // namespace plimsoll::ui
