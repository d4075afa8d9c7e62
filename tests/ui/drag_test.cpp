// SPDX-License-Identifier: Apache-2.0
// The budget line under the mouse: every frame shows a verified plan; a drag is one change, or
// none.
#include "ui/budget_timeline/budget_timeline_view.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QTest>
#include <QUndoStack>
#include <QWindow>

namespace {

using plimsoll::base::Bytes;
using namespace plimsoll::tests;
using namespace plimsoll::ui;

class DragTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void showsACertifiedPlanInEveryFrame();
    void isCancelled_data();
    void isCancelled();
    void endsWhenTheWindowIsResized();
};

void DragTest::showsACertifiedPlanInEveryFrame()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    BudgetTimelineView& view = viewOf<BudgetTimelineView>(*page);
    const Bytes before = page->document().budget();
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    int plans = 0;
    for (int dy = 1; dy <= 60; ++dy) {
        QTest::mouseMove(&view, from + QPoint{0, dy});
        const auto best = page->document().outcome().best;
        if (best) {
            ++plans;
            QVERIFY(best->evaluation().peak <= page->document().budget());
            QCOMPARE(best->problem().budget.count(), page->document().budget().count());
        } else {
            QVERIFY(page->document().budget() < page->document().planned()->smallestPeak);
        }
        QVERIFY(page->strip().isHidden()); // nothing moves under the hand
    }
    QVERIFY(plans > 10);
    QVERIFY(page->document().isDragging());
    QTest::mouseRelease(&view, Qt::LeftButton, {}, from + QPoint{0, 60});
    QVERIFY(!page->document().isDragging());
    const Bytes after = page->document().budget();
    QVERIFY(after < before);
    QVERIFY(page->isUnsaved());
    QCOMPARE(page->document().undoStack().count(), 1);
    trigger("edit.undo");
    QVERIFY(page->document().budget() == before);
    QVERIFY(view.budget() == before);
    trigger("edit.redo");
    QVERIFY(page->document().budget() == after);
}

void DragTest::isCancelled_data()
{
    QTest::addColumn<QKeySequence>("keys");
    QTest::newRow("Escape") << QKeySequence{Qt::Key_Escape};
    QTest::newRow("Undo") << QKeySequence{QKeySequence::Undo};
}

void DragTest::isCancelled()
{
    QFETCH(QKeySequence, keys);
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    BudgetTimelineView& view = viewOf<BudgetTimelineView>(*page);
    page->document().commitBudget(Bytes{std::int64_t{2200} << 20});
    const Bytes before = page->document().budget();
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    QTest::mouseMove(&view, from + QPoint{0, 30});
    QVERIFY(page->document().budget() != before);
    QTest::keySequence(m_window->windowHandle(), keys); // whoever has the focus
    QVERIFY(page->document().budget() == before);
    QVERIFY(!page->document().isDragging());
    QTest::mouseRelease(&view, Qt::LeftButton, {}, from + QPoint{0, 30});
    QVERIFY(page->document().budget() == before);
    QCOMPARE(page->document().undoStack().index(), 1); // the change before it stays
}

/// The line would jump to wherever the hand is then.
void DragTest::endsWhenTheWindowIsResized()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    BudgetTimelineView& view = viewOf<BudgetTimelineView>(*page);
    page->document().commitBudget(Bytes{std::int64_t{2200} << 20});
    const Bytes before = page->document().budget();
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    QTest::mouseMove(&view, from + QPoint{0, 30});
    QVERIFY(page->document().isDragging());
    m_window->resize(m_window->size() - QSize{40, 120});
    QTRY_VERIFY(!page->document().isDragging());
    QTest::mouseMove(&view, from + QPoint{0, 31});
    QVERIFY(page->document().budget() == before);
    QVERIFY(view.budget() == before);
    QTest::mouseRelease(&view, Qt::LeftButton, {}, from + QPoint{0, 31});
    QVERIFY(page->document().budget() == before);
    QCOMPARE(pictureFault(*page), QString{});
}

} // namespace

PLIMSOLL_TEST(DragTest, QApplication)
#include "drag_test.moc"
