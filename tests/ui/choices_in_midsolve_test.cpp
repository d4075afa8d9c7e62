// SPDX-License-Identifier: Apache-2.0
// An impatient user: while planning runs for one choice, another one is made, the line is dragged,
// Cancel is pressed. The window stays responsive, and finally shows what a fresh solve of the last
// choice gives.
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/shell/status_line.h"

#include "tests/support/gui_time.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using plimsoll::tests::viewOf;
using tests::kFreeze;
using tests::kPatience;

class ChoicesInMidsolveTest : public QObject, private tests::WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void aDragDuringASolve();
    void anotherOptionDuringASolve();
    void cancelDuringASolve();

private:
    /// By keyboard, like a user without a mouse.
    static void check(PlannerPage& page, const char* name, bool on)
    {
        for (QCheckBox* box : viewOf<BudgetPanel>(page).findChildren<QCheckBox*>()) {
            if (box->accessibleName() != QString::fromUtf8(name))
                continue;
            QCOMPARE(box->isChecked(), !on);
            box->setFocus();
            QTest::keyClick(box, Qt::Key_Space);
            QCOMPARE(box->isChecked(), on);
            return;
        }
        QFAIL("The panel has no such switch.");
    }
    static void choose(PlannerPage& page, const char* name, const char* value)
    {
        for (QComboBox* box : viewOf<BudgetPanel>(page).findChildren<QComboBox*>()) {
            if (box->accessibleName() != QString::fromUtf8(name))
                continue;
            box->setFocus();
            const int wanted = box->findText(QString::fromUtf8(value));
            QVERIFY(wanted >= 0);
            while (box->currentIndex() != wanted)
                QTest::keyClick(box, box->currentIndex() < wanted ? Qt::Key_Down : Qt::Key_Up);
            return;
        }
        QFAIL("The panel has no such choice.");
    }
    static bool makesProgress(PlannerPage& page)
    {
        QSignalSpy progress{&page.document(), &DocumentController::planningProgressed};
        return progress.wait(kPatience) && page.document().isPlanning();
    }
    /// The shown result equals a fresh planning run, to the byte.
    static void compareWithFresh(PlannerPage& page)
    {
        const workspace::PlanDocument& document = page.document().document();
        const auto fresh = workspace::planGraph(document.graph.program, document.choices, {});
        QVERIFY(fresh);
        const workspace::Planned& shown = *page.document().planned();
        const auto& points = (*fresh)->frontier->points();
        QCOMPARE(shown.frontier->points().size(), points.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            QVERIFY(shown.frontier->points()[i]->plan() == points[i]->plan());
            QVERIFY(shown.frontier->points()[i]->evaluation().peak == points[i]->evaluation().peak);
        }
        const solve::Outcome answer =
            workspace::answerAt(**fresh, page.document().budget(), {}, {})->outcome;
        const solve::Outcome& mine = page.document().outcome();
        QVERIFY(mine.status == answer.status);
        QVERIFY(mine.timeBound == answer.timeBound);
        QVERIFY(mine.peakBound.bytes == answer.peakBound.bytes);
        QCOMPARE(mine.best != nullptr, answer.best != nullptr);
        if (answer.best) {
            QVERIFY(mine.best->plan() == answer.best->plan());
            QCOMPARE(mine.best->evaluation().peak.count(), answer.best->evaluation().peak.count());
            QCOMPARE(mine.best->evaluation().stepTime.count(),
                     answer.best->evaluation().stepTime.count());
            QCOMPARE(viewOf<PlanPage>(page).model()->rowCount() > 0,
                     !answer.best->plan().recomputesNothing());
        }
    }
};

void ChoicesInMidsolveTest::aDragDuringASolve()
{
    PlannerPage* page = openPlanned("unet");
    QVERIFY(page != nullptr);
    const tests::GuiTime time;
    choose(*page, "Regions", "op");
    QVERIFY(makesProgress(*page));
    BudgetTimelineView& view = viewOf<BudgetTimelineView>(*page);
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    for (int dy = 1; dy <= 60; ++dy) {
        QTest::mouseMove(&view, from + QPoint{0, dy});
        QTest::qWait(1);
        const auto& best = page->document().outcome().best;
        QVERIFY(!best || best->evaluation().peak <= page->document().budget());
    }
    QTest::mouseRelease(&view, Qt::LeftButton, {}, from + QPoint{0, 60});
    const base::Bytes budget = page->document().budget();
    QVERIFY(isDone(*page));
    QVERIFY2(time.longest() < kFreeze, qPrintable(QString::number(time.longest())));
    QVERIFY(page->document().budget() == budget);
    QCOMPARE(page->document().outcome().best->plan().granularity(), plan::Granularity::Op);
    compareWithFresh(*page);
}

void ChoicesInMidsolveTest::anotherOptionDuringASolve()
{
    PlannerPage* page = openPlanned("unet");
    QVERIFY(page != nullptr);
    const tests::GuiTime time;
    choose(*page, "Regions", "op");
    QVERIFY(makesProgress(*page));
    check(*page, "Keep single results", true);
    QVERIFY(makesProgress(*page));
    choose(*page, "Regions", "module");
    page->document().commitBudget(base::Bytes{page->document().budget().count() / 4 * 3});
    QVERIFY(isDone(*page));
    QVERIFY2(time.longest() < kFreeze, qPrintable(QString::number(time.longest())));
    QCOMPARE(page->document().document().choices.options,
             (solve::Options{{"granularity", 0}, {"saved-sets", 1}}));
    compareWithFresh(*page);
}

/// With both options that take long.
void ChoicesInMidsolveTest::cancelDuringASolve()
{
    PlannerPage* page = openPlanned("unet");
    QVERIFY(page != nullptr);
    const workspace::PlannedPtr before = page->document().planned();
    const tests::GuiTime time;
    for (const bool isSwitch : {false, true}) {
        if (isSwitch)
            check(*page, "Keep single results", true);
        else
            choose(*page, "Regions", "op");
        QVERIFY(makesProgress(*page));
        QTest::mouseClick(m_window->findChild<StatusLine*>()->findChild<QPushButton*>(),
                          Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return !page->document().isPlanning(); }, kPatience));
        QVERIFY(!page->document().isPlanned());
        // The result known by then, else the previous plan, each labelled accordingly.
        const bool isFormer = page->document().planned() == before;
        QCOMPARE(page->document().isOutdated(), isFormer);
        QVERIFY(page->document().outcome().best);
        QCOMPARE(page->status().text,
                 isFormer ? QStringLiteral("Showing the plan for the previous settings")
                          : QStringLiteral("Stopped: the best plan so far is kept"));
    }
    choose(*page, "Regions", "module");
    check(*page, "Keep single results", false);
    choose(*page, "Runtime", "step");
    QVERIFY(isDone(*page));
    page->document().commitBudget(page->document().planned()->smallestPeak);
    QVERIFY(isDone(*page));
    QCOMPARE(page->document().outcome().best->plan().runtime(), plan::Runtime::CompiledStep);
    QVERIFY2(time.longest() < kFreeze, qPrintable(QString::number(time.longest())));
    compareWithFresh(*page);
}

} // namespace

PLIMSOLL_TEST(ChoicesInMidsolveTest, QApplication)
#include "choices_in_midsolve_test.moc"
