// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_view.h"

#include "ui/plot/scene.h"
#include "ui/timeline/paint_context.h"

#include "tests/unit/ui_timeline/view_fixture.h"

#include <QApplication>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::kGiB;
using plimsoll::tests::kMiB;
using plimsoll::tests::sampleStep;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

class TimelineViewTest : public QObject, private plimsoll::tests::ViewFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openView(); }
    void cleanup() { closeView(); }

    void dragsTheLineAndTellsEachNewValue();
    void restoresTheBudgetOnEscape();
    void keepsItsFrameWhileDragged();
    void ignoresABudgetFromOutsideWhileDragged();
    void movesTheLineByKeysInExactSteps_data();
    void movesTheLineByKeysInExactSteps();
    void readsATypedBudget();
    void keepsTheFieldOpenForAnUnreadableBudget();
    void hoversTheStepThatAColumnShows();
    void pinsAndUnpinsByClick();
    void selectsARangeByDragging();
    void zoomsAtTheMouseAndShowsTheWholeStepAgain();
    void movesTheWindowByTheOverview();
    void setsTheBudgetToAClickedDevice();
    void walksTheCursorByKeys();
};

void TimelineViewTest::dragsTheLineAndTellsEachNewValue()
{
    QList<std::int64_t> dragged;
    QList<std::pair<std::int64_t, std::int64_t>> committed;
    connect(m_view.get(), &TimelineView::budgetDragged, this,
            [&](Bytes bytes) { dragged.append(bytes.count()); });
    connect(m_view.get(), &TimelineView::budgetCommitted, this, [&](Bytes bytes, Bytes before) {
        committed.append({bytes.count(), before.count()});
    });
    const double pixels = frame().layout.plot.height();
    const Bytes quantum = dragQuantum(m_view->axisTop(), pixels);
    QCOMPARE(m_view->axisTop().count(), 14 * kGiB);
    const QPoint start = onLine();
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, start);
    QVERIFY(m_view->isDragging());
    QVERIFY(dragged.isEmpty());
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

void TimelineViewTest::restoresTheBudgetOnEscape()
{
    const QSignalSpy cancelled{m_view.get(), &TimelineView::budgetDragCancelled};
    const QSignalSpy committed{m_view.get(), &TimelineView::budgetCommitted};
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

void TimelineViewTest::keepsItsFrameWhileDragged()
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

void TimelineViewTest::ignoresABudgetFromOutsideWhileDragged()
{
    const QPoint start = onLine();
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, start);
    QTest::mouseMove(m_view.get(), start + QPoint{0, 30});
    const auto value = m_view->budget();
    m_view->setBudget(Bytes{kGiB});
    QCOMPARE(m_view->budget(), value);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, start + QPoint{0, 30});
}

void TimelineViewTest::movesTheLineByKeysInExactSteps_data()
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

void TimelineViewTest::movesTheLineByKeysInExactSteps()
{
    QFETCH(int, key);
    QFETCH(int, modifiers);
    QFETCH(qint64, mebibytes);
    const QSignalSpy committed{m_view.get(), &TimelineView::budgetCommitted};
    m_view->focusBudgetLine();
    QWidget* handle = m_view->focusWidget();
    QVERIFY(handle != nullptr && handle != m_view.get());
    QTest::keyClick(handle, static_cast<Qt::Key>(key),
                    static_cast<Qt::KeyboardModifier>(modifiers));
    QCOMPARE(m_view->budget()->count(), mebibytes * kMiB);
    QCOMPARE(committed.size(), 1);
}

void TimelineViewTest::readsATypedBudget()
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

void TimelineViewTest::keepsTheFieldOpenForAnUnreadableBudget()
{
    const QSignalSpy rejected{m_view.get(), &TimelineView::budgetRejected};
    m_view->typeBudget();
    auto* field = m_view->findChild<QLineEdit*>();
    field->setText(QStringLiteral("a lot"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(rejected.size(), 1);
    QVERIFY(field->isVisible());
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!field->isVisible());
    QCOMPARE(m_view->budget()->count(), 7424 * kMiB);
}

void TimelineViewTest::hoversTheStepThatAColumnShows()
{
    Selection selection;
    m_view->setSelection(&selection);
    const QRectF plot = frame().layout.plot;
    const auto planned = sampleStep(1000, 0.35);
    for (const int x : {0, 100, 517, static_cast<int>(plot.width()) - 1}) {
        QTest::mouseMove(m_view.get(), QPoint{static_cast<int>(plot.left()) + x,
                                              static_cast<int>(plot.bottom()) - 20});
        QVERIFY(selection.step().has_value());
        const double scale = static_cast<double>(planned->duration().count()) / plot.width();
        std::size_t best = planned->stepCount();
        for (std::size_t step = 0; step < planned->stepCount(); ++step) {
            const auto begin = static_cast<double>(planned->timeAt(step).count());
            const auto end = static_cast<double>(planned->timeAt(step + 1).count());
            if (end <= x * scale || begin >= (x + 1) * scale)
                continue;
            if (best == planned->stepCount() || planned->totalAt(step) > planned->totalAt(best))
                best = step;
        }
        QCOMPARE(planned->totalAt(*selection.step()), planned->totalAt(best));
    }
    QTest::mouseMove(m_view.get(), QPoint{2, 2});
    QVERIFY(!selection.step().has_value());
}

void TimelineViewTest::pinsAndUnpinsByClick()
{
    const QRectF plot = frame().layout.plot;
    const QPoint filled{static_cast<int>(plot.left()) + 200, static_cast<int>(plot.bottom()) - 10};
    // Where the accent-coloured pin of a pinned card would be.
    const auto pins = [&] {
        const QImage image = m_view->grab().toImage();
        int found = 0;
        for (int x = filled.x() + 240; x < filled.x() + 290; ++x)
            for (int y = 0; y < 24; ++y) {
                // Accent is the only strongly blue ink there.
                const QColor ink = image.pixelColor(x, static_cast<int>(plot.top()) + 16 + y);
                found += ink.blue() - ink.red() > 60 ? 1 : 0;
            }
        return found;
    };
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, filled);
    QTest::mouseMove(m_view.get(), QPoint{2, 2});
    QVERIFY(pins() > 5);
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, filled);
    QTest::mouseMove(m_view.get(), QPoint{2, 2});
    QCOMPARE(pins(), 0);
}

void TimelineViewTest::selectsARangeByDragging()
{
    Selection selection;
    m_view->setSelection(&selection);
    const QRectF plot = frame().layout.plot;
    const QPoint from{static_cast<int>(plot.left()) + 100, static_cast<int>(plot.bottom()) - 20};
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, from);
    QTest::mouseMove(m_view.get(), from + QPoint{200, 0});
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, from + QPoint{200, 0});
    QVERIFY(selection.range().has_value());
    QVERIFY(selection.range()->begin < selection.range()->end);
    m_view->zoomToRange();
    QVERIFY(m_view->visibleRange().end - m_view->visibleRange().begin < 0.3);
    m_view->setFocus();
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!selection.range().has_value());
}

void TimelineViewTest::zoomsAtTheMouseAndShowsTheWholeStepAgain()
{
    const QSignalSpy changed{m_view.get(), &TimelineView::visibleRangeChanged};
    const QRectF plot = frame().layout.plot;
    const QPointF pos{plot.left() + plot.width() / 4, plot.center().y()};
    QWheelEvent wheel{pos, m_view->mapToGlobal(pos), {},   QPoint{0, 240}, Qt::NoButton,
                      {},  Qt::NoScrollPhase,        false};
    QApplication::sendEvent(m_view.get(), &wheel);
    QCOMPARE(changed.size(), 1);
    const VisibleRange range = m_view->visibleRange();
    QVERIFY(std::abs(range.end - range.begin - 0.64) < 1e-9);
    QVERIFY(std::abs(range.begin + (range.end - range.begin) / 4 - 0.25) < 1e-9);
    m_view->showWholeStep();
    QCOMPARE(m_view->visibleRange(), (VisibleRange{0.0, 1.0}));
}

void TimelineViewTest::movesTheWindowByTheOverview()
{
    m_view->setVisibleRange({0.0, 0.5});
    const QRectF strip = frame().layout.overview;
    const QPoint from{static_cast<int>(strip.left() + strip.width() / 4),
                      static_cast<int>(strip.center().y())};
    const QPoint to = from + QPoint{static_cast<int>(strip.width() / 4), 0};
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, from);
    QTest::mouseMove(m_view.get(), to);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, to);
    QVERIFY(std::abs(m_view->visibleRange().begin - 0.25) < 0.005);
    QVERIFY(std::abs(m_view->visibleRange().end - 0.75) < 0.005);
}

void TimelineViewTest::setsTheBudgetToAClickedDevice()
{
    const TimelineFrame now = frame();
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {},
                      QPoint{static_cast<int>(now.layout.plot.right()) + 20,
                             static_cast<int>(now.at.yOf(Bytes{12 * kGiB}))});
    QCOMPARE(m_view->budget()->count(), 12 * kGiB);
}

void TimelineViewTest::walksTheCursorByKeys()
{
    Selection selection;
    m_view->setSelection(&selection);
    m_view->setFocus();
    QTest::keyClick(m_view.get(), Qt::Key_Home);
    QCOMPARE(*selection.step(), std::size_t{0});
    QTest::keyClick(m_view.get(), Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(*selection.step(), std::size_t{1});
    QTest::keyClick(m_view.get(), Qt::Key_End);
    const std::size_t last = *selection.step();
    QTest::keyClick(m_view.get(), Qt::Key_Left, Qt::ControlModifier);
    QCOMPARE(*selection.step(), last - 1);
    QTest::keyClick(m_view.get(), Qt::Key_Plus);
    QVERIFY(m_view->visibleRange().begin > 0.4);
}

} // namespace

QTEST_MAIN(TimelineViewTest)
#include "timeline_view_test.moc"
