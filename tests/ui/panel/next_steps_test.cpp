// SPDX-License-Identifier: Apache-2.0
// Cheapest next steps: differences of verified plans, a click that applies, a place that stays.
#include "ui/plan_panel/next_steps.h"

#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/plan_panel/budget_panel.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractButton>
#include <QTest>

namespace {

using namespace plimsoll::ui;
using namespace plimsoll;
using base::Bytes;
using namespace plimsoll::tests;

class NextStepsTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void listsDifferencesOfVerifiedPlans();
    void appliesAtAClick();
    void saysSoAtTheSmallestPlan();
    void keepsItsPlaceDuringADrag();

private:
    /// At a budget at which plans run without cache flushes.
    PlannerPage* openRunning();
};

bool waitForPlan(PlannerPage& page)
{
    return QTest::qWaitFor(
        [&] { return page.document().isPlanned() && page.document().isRefined(); }, kPatience);
}

PlannerPage* NextStepsTest::openRunning()
{
    PlannerPage* page = openPlanned();
    if (page == nullptr)
        return nullptr;
    page->document().commitBudget(Bytes{std::int64_t{3500} << 20});
    return waitForPlan(*page) ? page : nullptr;
}

QList<QAbstractButton*> rowsOf(const NextSteps& steps)
{
    QList<QAbstractButton*> rows;
    for (QAbstractButton* row : steps.findChildren<QAbstractButton*>())
        if (row->isVisible())
            rows << row;
    return rows;
}

void NextStepsTest::listsDifferencesOfVerifiedPlans()
{
    PlannerPage* page = openRunning();
    QVERIFY(page != nullptr);
    const NextSteps& next = viewOf<BudgetPanel>(*page).nextSteps();
    QVERIFY(next.isVisible());
    QCOMPARE(next.steps().size(), NextSteps::kRows);
    QCOMPARE(rowsOf(next).size(), qsizetype{3});
    const auto& now = page->document().outcome().best->evaluation();
    Bytes last;
    for (const NextStep& step : next.steps()) {
        QVERIFY(step.difference < last); // each needs less than the one above
        last = step.difference;
        // What is taken for the step's budget, and runs there.
        const base::Result<workspace::Answer> taken =
            workspace::answerAt(*page->document().planned(), step.budget, {}, {});
        QVERIFY(taken && taken->choice.verdict->status == run::RunStatus::Runs);
        const plan::FrontierPoint& plan = taken->choice.plan;
        // The shown numbers add up: the budgets' difference.
        QCOMPARE((step.budget - page->document().budget()).count(), step.difference.count());
        QVERIFY(plan->evaluation().peak < now.peak);
        QCOMPARE((plan->evaluation().stepTime - now.stepTime).count(), step.extraTime.count());
    }
}

void NextStepsTest::appliesAtAClick()
{
    PlannerPage* page = openRunning();
    QVERIFY(page != nullptr);
    const NextSteps& next = viewOf<BudgetPanel>(*page).nextSteps();
    const auto before = page->document().outcome().best->evaluationPtr();
    const Bytes budget = page->document().budget();
    const NextStep step = next.steps()[1];
    QTest::mouseClick(rowsOf(next)[1], Qt::LeftButton);
    QVERIFY(page->document().budget() == step.budget);
    const auto& now = page->document().outcome().best->evaluation();
    QCOMPARE((step.budget - budget).count(), step.difference.count());
    QVERIFY(now.peak < before->peak);
    QCOMPARE((now.stepTime - before->stepTime).count(), step.extraTime.count());
    QCOMPARE(page->document().undoStack().count(), 2); // the first is openRunning's
    page->document().undoStack().undo();
    QVERIFY(page->document().budget() == budget);
}

void NextStepsTest::saysSoAtTheSmallestPlan()
{
    PlannerPage* page = openRunning();
    QVERIFY(page != nullptr);
    const NextSteps& next = viewOf<BudgetPanel>(*page).nextSteps();
    page->document().commitBudget(page->document().planned()->smallestPeak);
    QVERIFY(waitForPlan(*page));
    QVERIFY(next.steps().empty());
    QVERIFY(next.isVisible());
    QVERIFY(rowsOf(next).isEmpty());
    const std::optional<Bytes> least = page->state().leastBudget();
    QVERIFY(least);
    QCOMPARE(next.findChildren<TextLabel*>().back()->text(),
             QStringLiteral("Below %1 no plan runs without flushes.")
                 .arg(bytesText(*least, Rounding::Up)));
    QVERIFY(next.findChildren<TextLabel*>().back()->isVisible());
    // The sentence is true.
    const auto statusAt = [&](Bytes budget) {
        return workspace::answerAt(*page->document().planned(), budget, {}, {})
            .value()
            .choice.verdict->status;
    };
    QVERIFY(statusAt(*least) == run::RunStatus::Runs);
    QVERIFY(statusAt(*least - Bytes{2 << 20}) != run::RunStatus::Runs);
    page->document().commitBudget(Bytes{1 << 20}); // no plan at all
    QVERIFY(waitForPlan(*page));
    QVERIFY(!next.isVisible());
}

void NextStepsTest::keepsItsPlaceDuringADrag()
{
    PlannerPage* page = openRunning();
    QVERIFY(page != nullptr);
    const NextSteps& next = viewOf<BudgetPanel>(*page).nextSteps();
    const QSize panel = viewOf<BudgetPanel>(*page).size();
    const QRect place = next.geometry();
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&viewOf<BudgetTimelineView>(*page), Qt::LeftButton, {}, from);
    bool vanished = false;
    for (int dy = 10; dy <= 300; dy += 10) {
        QTest::mouseMove(&viewOf<BudgetTimelineView>(*page), from + QPoint{0, dy});
        QTest::qWait(80);
        QCOMPARE(viewOf<BudgetPanel>(*page).size(), panel);
        if (next.isVisible())
            QCOMPARE(next.geometry(), place);
        else
            vanished = true;
    }
    QVERIFY(vanished); // far down there is no plan, and nothing to offer
    QTest::mouseRelease(&viewOf<BudgetTimelineView>(*page), Qt::LeftButton, {},
                        from + QPoint{0, 300});
}

} // namespace

PLIMSOLL_TEST(NextStepsTest, QApplication)
#include "next_steps_test.moc"
