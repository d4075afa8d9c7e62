// SPDX-License-Identifier: Apache-2.0
#include "ui/budget_timeline/budget_timeline_view.h"

#include "tests/support/test_main.h"
#include "tests/unit/ui_budget_timeline/filled_view.h"
#include "tests/unit/ui_timeline/view_fixture.h"

#include <QApplication>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::kGiB;
using plimsoll::tests::kMiB;
using plimsoll::tests::sampleStep;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

class BudgetTimelineViewTest : public QObject,
                               private plimsoll::tests::ViewFixture<BudgetTimelineView>
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openView(&plimsoll::tests::fill); }
    void cleanup() { closeView(); }

    void dragsTheLineAndTellsEachNewValue();
    void restoresTheBudgetOnEscape();
    void keepsItsFrameWhileDragged();
    void hasRoomForTheSlowestPlanWhileDragged_data();
    void hasRoomForTheSlowestPlanWhileDragged();
    void ignoresABudgetFromOutsideWhileDragged();
    void movesTheLineByKeysInExactSteps_data();
    void movesTheLineByKeysInExactSteps();
    void readsATypedBudget();
    void keepsTheFieldOpenForAnUnreadableBudget();
    void setsTheBudgetToAClickedDevice();
};

void BudgetTimelineViewTest::dragsTheLineAndTellsEachNewValue()
{
    QList<std::int64_t> dragged;
    QList<std::pair<std::int64_t, std::int64_t>> committed;
    connect(m_view.get(), &BudgetTimelineView::budgetDragged, this,
            [&](Bytes bytes) { dragged.append(bytes.count()); });
    connect(m_view.get(), &BudgetTimelineView::budgetCommitted, this,
            [&](Bytes bytes, Bytes before) {
                committed.append({bytes.count(), before.count()});
            });
    const double pixels = frame().layout.plot.height();
    const Bytes quantum = dragQuantum(m_view->axisTop(), pixels);
    QCOMPARE(m_view->axisTop().count(), 14 * kGiB);
    const QPoint start = onLine();
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, start);
    QVERIFY(m_view->isDragging());
    QCOMPARE(dragged, QList<std::int64_t>{7424 * kMiB}); // the hand is on the line
    dragged.clear();
    for (int y = 1; y <= 40; ++y)
        QTest::mouseMove(m_view.get(), start + QPoint{0, y});
    QCOMPARE(dragged.size(), 40);
    const double bytesPerPixel = static_cast<double>(14 * kGiB) / pixels;
    const auto expected =
        static_cast<std::int64_t>(std::llround((7424.0 * kMiB - 40 * bytesPerPixel)
                                               / static_cast<double>(quantum.count())))
        * quantum.count();
    QCOMPARE(dragged.back(), expected);
    QCOMPARE(dragged.back() % quantum.count(), 0);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, start + QPoint{0, 40});
    QVERIFY(!m_view->isDragging());
    QCOMPARE(committed.size(), 1);
    QCOMPARE(committed.front().first, expected);
    QCOMPARE(committed.front().second, 7424 * kMiB);
    QCOMPARE(m_view->budget()->count(), expected);
}

void BudgetTimelineViewTest::restoresTheBudgetOnEscape()
{
    const QSignalSpy cancelled{m_view.get(), &BudgetTimelineView::budgetDragCancelled};
    const QSignalSpy committed{m_view.get(), &BudgetTimelineView::budgetCommitted};
    const QPoint start = onLine();
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, start);
    QTest::mouseMove(m_view.get(), start + QPoint{0, 50});
    QVERIFY(m_view->budget()->count() < 7424 * kMiB);
    QTest::keyClick(QApplication::focusWidget() != nullptr ? QApplication::focusWidget()
                                                           : m_view->findChild<QWidget*>(),
                    Qt::Key_Escape);
    QCOMPARE(cancelled.size(), 1);
    QCOMPARE(m_view->budget()->count(), 7424 * kMiB);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, start + QPoint{0, 50});
    QCOMPARE(committed.size(), 0);
}

void BudgetTimelineViewTest::keepsItsFrameWhileDragged()
{
    const QPoint start = onLine();
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, start);
    QTest::mouseMove(m_view.get(), start + QPoint{0, 30});
    const Bytes top = m_view->axisTop();
    m_view->setTimelines({sampleStep(1000, 1.0), sampleStep(1000, 1.0), nullptr});
    m_view->setLowerBound(LowerBound{Bytes{40 * kGiB}, {}, {}});
    QCOMPARE(m_view->axisTop(), top);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, start + QPoint{0, 30});
    QVERIFY(m_view->axisTop() > top);
}

void BudgetTimelineViewTest::hasRoomForTheSlowestPlanWhileDragged_data()
{
    QTest::addColumn<double>("begin");
    QTest::addColumn<double>("end");
    QTest::newRow("whole step") << 0.0 << 1.0;
    QTest::newRow("zoomed") << 0.2 << 0.6;
}

void BudgetTimelineViewTest::hasRoomForTheSlowestPlanWhileDragged()
{
    QFETCH(double, begin);
    QFETCH(double, end);
    const auto slowest = sampleStep(1000, 0.0);
    const double length = m_view->axisLength();
    const double most = StepAxis{slowest}.length();
    QVERIFY(most > 1.04 * length);
    m_view->setLongest(slowest);
    QCOMPARE(m_view->axisLength(), length);
    m_view->setVisibleRange({begin, end});
    const QPoint start = onLine();
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, start);
    QCOMPARE(m_view->axisLength(), most);
    // A zoomed part stays where it is; the whole step is the whole of the slowest one.
    const bool isWhole = begin == 0.0;
    const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
    QVERIFY(near(m_view->visibleRange().begin, isWhole ? 0.0 : begin * length / most));
    QVERIFY(near(m_view->visibleRange().end, isWhole ? 1.0 : end * length / most));
    QTest::mouseMove(m_view.get(), start + QPoint{0, 40});
    m_view->setTimelines({slowest, sampleStep(1000, 1.0), nullptr});
    QCOMPARE(m_view->axisLength(), most); // nothing of it lies outside
    m_view->setTimelines({sampleStep(1000, 0.35), sampleStep(1000, 1.0), nullptr});
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, start + QPoint{0, 40});
    QCOMPARE(m_view->axisLength(), length);
    QVERIFY(near(m_view->visibleRange().begin, begin) && near(m_view->visibleRange().end, end));
}

void BudgetTimelineViewTest::ignoresABudgetFromOutsideWhileDragged()
{
    const QPoint start = onLine();
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, start);
    QTest::mouseMove(m_view.get(), start + QPoint{0, 30});
    const auto value = m_view->budget();
    m_view->setBudget(Bytes{kGiB});
    QCOMPARE(m_view->budget(), value);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, start + QPoint{0, 30});
}

void BudgetTimelineViewTest::movesTheLineByKeysInExactSteps_data()
{
    QTest::addColumn<int>("key");
    QTest::addColumn<int>("modifiers");
    QTest::addColumn<qint64>("mebibytes");
    const int none = Qt::NoModifier;
    QTest::newRow("up") << int{Qt::Key_Up} << none << qint64{7424 + 64};
    QTest::newRow("down") << int{Qt::Key_Down} << none << qint64{7424 - 64};
    QTest::newRow("fine") << int{Qt::Key_Up} << int{Qt::ControlModifier} << qint64{7424 + 8};
    QTest::newRow("coarse") << int{Qt::Key_Down} << int{Qt::ShiftModifier} << qint64{7424 - 512};
    QTest::newRow("next target") << int{Qt::Key_PageUp} << none << qint64{8192};
    QTest::newRow("target before") << int{Qt::Key_PageDown} << none << qint64{2580};
    QTest::newRow("smallest") << int{Qt::Key_End} << none << qint64{2580};
}

void BudgetTimelineViewTest::movesTheLineByKeysInExactSteps()
{
    QFETCH(int, key);
    QFETCH(int, modifiers);
    QFETCH(qint64, mebibytes);
    const QSignalSpy committed{m_view.get(), &BudgetTimelineView::budgetCommitted};
    m_view->focusBudgetLine();
    QWidget* handle = m_view->focusWidget();
    QVERIFY(handle != nullptr && handle != m_view.get());
    QTest::keyClick(handle, static_cast<Qt::Key>(key),
                    static_cast<Qt::KeyboardModifier>(modifiers));
    QCOMPARE(m_view->budget()->count(), mebibytes * kMiB);
    QCOMPARE(committed.size(), 1);
}

void BudgetTimelineViewTest::readsATypedBudget()
{
    m_view->focusBudgetLine();
    QTest::keyClick(m_view->focusWidget(), Qt::Key_Return);
    auto* field = m_view->findChild<QLineEdit*>();
    QVERIFY(field->isVisible());
    field->setText(QStringLiteral("6.5"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(!field->isVisible());
    QCOMPARE(m_view->budget()->count(), 6656 * kMiB);
}

void BudgetTimelineViewTest::keepsTheFieldOpenForAnUnreadableBudget()
{
    const QSignalSpy rejected{m_view.get(), &BudgetTimelineView::budgetRejected};
    m_view->typeBudget();
    auto* field = m_view->findChild<QLineEdit*>();
    field->setText(QStringLiteral("a lot"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(rejected.size(), 1);
    QVERIFY(field->isVisible());
    // Another budget, as by undo, ends it.
    m_view->setBudget(Bytes{6144 * kMiB});
    QVERIFY(!field->isVisible());
    m_view->setBudget(Bytes{7424 * kMiB});
    m_view->typeBudget();
    QVERIFY(field->isVisible());
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!field->isVisible());
    QCOMPARE(m_view->budget()->count(), 7424 * kMiB);
}

void BudgetTimelineViewTest::setsTheBudgetToAClickedDevice()
{
    const TimelineFrame now = frame();
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {},
                      QPoint{static_cast<int>(now.layout.plot.right()) + 20,
                             static_cast<int>(now.at.yOf(Bytes{12 * kGiB}))});
    QCOMPARE(m_view->budget()->count(), 12 * kGiB);
}

} // namespace

PLIMSOLL_TEST(BudgetTimelineViewTest, QApplication)
#include "budget_timeline_view_test.moc"
