// SPDX-License-Identifier: Apache-2.0
// The memory axis zoomed by wheel, mouse and keys, and the budget line on it.
#include "ui/budget_timeline/budget_timeline_view.h"

#include "tests/support/test_main.h"
#include "tests/unit/ui_budget_timeline/filled_view.h"
#include "tests/unit/ui_timeline/view_fixture.h"

#include <QApplication>
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

class ByteZoomTest : public QObject, private plimsoll::tests::ViewFixture<BudgetTimelineView>
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openView(&plimsoll::tests::fill); }
    void cleanup() { closeView(); }

    void zoomsAroundThePointerByTheWheel();
    void movesByShiftAndTheWheelByDraggingAndByKeys();
    void showsTheWholeAxisOnADoubleClick();
    void fitsThePlannableRange();
    void keepsItsPartWhileContentChanges();
    void isResetForAnotherGraph();
    void dragsTheLineInItsScale();
    void takesInALineThatIsOutside();
    void dragsFreelyWithAlt_data();
    void dragsFreelyWithAlt();
    void leavesOutWhatIsOutside();
    void tearsTheLowerEdge();

private:
    [[nodiscard]] QPoint axisAt(double fraction) const
    {
        const QRectF plot = frame().layout.plot;
        return {static_cast<int>(plot.left()) - 30,
                static_cast<int>(std::lround(plot.bottom() - fraction * plot.height()))};
    }
    void wheel(const QPoint& pos, int notches, Qt::KeyboardModifiers modifiers = {})
    {
        QWheelEvent event{QPointF{pos},
                          m_view->mapToGlobal(QPointF{pos}),
                          {},
                          QPoint{0, 120 * notches},
                          Qt::NoButton,
                          modifiers,
                          Qt::NoScrollPhase,
                          false};
        QApplication::sendEvent(m_view.get(), &event);
    }
    [[nodiscard]] static bool near(Bytes a, double gibibytes)
    {
        return std::abs(static_cast<double>(a.count()) - gibibytes * kGiB) < 0.02 * kGiB;
    }
};

void ByteZoomTest::zoomsAroundThePointerByTheWheel()
{
    const QSignalSpy changed{m_view.get(), &TimelineView::byteZoomChanged};
    const VisibleRange steps = m_view->visibleRange();
    QCOMPARE(m_view->shownBytes(), (ByteRange{{}, Bytes{14 * kGiB}}));
    wheel(axisAt(0.5), 1); // 7 GiB stays in the middle
    QCOMPARE(changed.size(), 1);
    QVERIFY(near(m_view->shownBytes().bottom, 1.4));
    QVERIFY(near(m_view->shownBytes().top, 12.6));
    wheel(axisAt(0.0), 1, Qt::ControlModifier); // fine, around the lower edge
    QVERIFY(near(m_view->shownBytes().bottom, 1.4));
    QVERIFY(near(m_view->shownBytes().top, 1.4 + 11.2 * 0.95));
    QCOMPARE(m_view->axisTop().count(), 14 * kGiB);
    QCOMPARE(m_view->visibleRange(), steps);
    wheel(axisAt(0.5), -20);
    QCOMPARE(m_view->shownBytes(), (ByteRange{{}, Bytes{14 * kGiB}}));
    QVERIFY(!m_view->byteZoom()); // all of the axis again, also when it grows
    // Over the plot the wheel zooms into time as ever.
    wheel({500, 200}, 1);
    QVERIFY(m_view->visibleRange() != steps);
    QVERIFY(!m_view->byteZoom());
}

void ByteZoomTest::movesByShiftAndTheWheelByDraggingAndByKeys()
{
    m_view->setByteZoom(ByteRange{Bytes{4 * kGiB}, Bytes{8 * kGiB}});
    const VisibleRange steps = m_view->visibleRange();
    wheel(axisAt(0.3), 1, Qt::ShiftModifier);
    QVERIFY(near(m_view->shownBytes().bottom, 4.4));
    QCOMPARE(m_view->visibleRange(), steps);
    wheel(axisAt(0.3), -1, Qt::ShiftModifier);
    const QSignalSpy changed{m_view.get(), &TimelineView::byteZoomChanged};
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, axisAt(0.75));
    QTest::mouseMove(m_view.get(), axisAt(0.5));
    QTest::mouseMove(m_view.get(), axisAt(0.25)); // pulls the values down by half of 4 GiB
    QCOMPARE(changed.size(), 0);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, axisAt(0.25));
    QCOMPARE(changed.size(), 1);
    QVERIFY(near(m_view->shownBytes().bottom, 6));
    QVERIFY(near(m_view->shownBytes().top, 10));
    m_view->setFocus();
    QTest::keyClick(m_view.get(), Qt::Key_Down);
    QVERIFY(near(m_view->shownBytes().bottom, 5.5));
    QTest::keyClick(m_view.get(), Qt::Key_Up);
    QVERIFY(near(m_view->shownBytes().bottom, 6));
    for (int i = 0; i < 40; ++i)
        QTest::keyClick(m_view.get(), Qt::Key_Up);
    QVERIFY(near(m_view->shownBytes().top, 14)); // no further than the axis
    // The middle button moves both axes.
    m_view->setVisibleRange({0.25, 0.75});
    const QPoint from{500, 200};
    QTest::mousePress(m_view.get(), Qt::MiddleButton, {}, from);
    QTest::mouseMove(m_view.get(), from + QPoint{-50, -60});
    QTest::mouseRelease(m_view.get(), Qt::MiddleButton, {}, from + QPoint{-50, -60});
    QVERIFY(m_view->visibleRange().begin > 0.25);
    QVERIFY(m_view->shownBytes().top < Bytes{14 * kGiB});
}

void ByteZoomTest::showsTheWholeAxisOnADoubleClick()
{
    m_view->setByteZoom(ByteRange{Bytes{4 * kGiB}, Bytes{8 * kGiB}});
    m_view->setVisibleRange({0.2, 0.6});
    QTest::mouseDClick(m_view.get(), Qt::LeftButton, {}, axisAt(0.6));
    QVERIFY(!m_view->byteZoom());
    QCOMPARE(m_view->visibleRange().begin, 0.2); // that is the other axis
}

void ByteZoomTest::fitsThePlannableRange()
{
    const auto slowest = sampleStep(1000, 0.0);
    const Bytes least = slowest->peak();
    const Bytes most = sampleStep(1000, 1.0)->peak();
    QVERIFY(!m_view->plannableRange()); // nothing is planned yet
    m_view->fitToPlannableRange();
    QVERIFY(!m_view->byteZoom());
    m_view->setLongest(slowest);
    m_view->fitToPlannableRange();
    const ByteRange shown = m_view->shownBytes();
    QVERIFY(shown.bottom < least && shown.top > most);
    const double height = static_cast<double>((most - least).count());
    QVERIFY(height / static_cast<double>(shown.span().count()) >= 0.5);
    QVERIFY(height / static_cast<double>(shown.span().count()) <= 0.9); // with some room
    m_view->setSnapTargets({{Bytes{20 * kGiB}, {}}}); // where a plan runs may be above the peak
    QVERIFY(m_view->plannableRange()->top > Bytes{20 * kGiB});
    m_view->setSnapTargets({});
    m_view->showWholeMemoryAxis();
    // Where nothing can be planned there is no such range.
    m_view->setLongest(sampleStep(1000, 1.0));
    QVERIFY(!m_view->plannableRange());
}

void ByteZoomTest::keepsItsPartWhileContentChanges()
{
    const ByteRange part{Bytes{5 * kGiB}, Bytes{13 * kGiB}};
    m_view->setByteZoom(part);
    m_view->setCapacityMarks({{Bytes{24 * kGiB}, QStringLiteral("RTX 4090"), true}});
    QCOMPARE(m_view->axisTop().count(), 28 * kGiB);
    QCOMPARE(m_view->shownBytes(), part);
    m_view->setCapacityMarks({});
    m_view->setBudget(Bytes{6 * kGiB});
    QCOMPARE(m_view->shownBytes(), part);
    m_view->setTimelines({sampleStep(1000, 0.2), sampleStep(1000, 1.0), nullptr});
    QCOMPARE(m_view->shownBytes(), part);
    const TimelineFrame now = frame();
    const QPoint line{400, static_cast<int>(std::lround(now.at.yOf(Bytes{6 * kGiB})))};
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, line);
    QVERIFY(m_view->isDragging());
    QTest::mouseMove(m_view.get(), line - QPoint{0, 40});
    QCOMPARE(m_view->shownBytes(), part);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, line - QPoint{0, 40});
    QCOMPARE(m_view->shownBytes(), part);
}

void ByteZoomTest::isResetForAnotherGraph()
{
    const auto large = sampleStep(1000, 1.0);
    const Bytes half{kGiB / 2};
    m_view->setByteZoom(ByteRange{large->peak() - half, large->peak() + half});
    m_view->setBudget(Bytes{2 * kGiB});
    const auto small = sampleStep(1000, 0.1);
    m_view->setTimelines({small, small, nullptr}); // its peak is below what is shown
    QVERIFY(!m_view->byteZoom());
    // A part in which the peak wasn't seen stays, as long as it shows something.
    m_view->setByteZoom(ByteRange{Bytes{kGiB}, Bytes{2 * kGiB}});
    m_view->setTimelines({large, large, nullptr});
    QVERIFY(m_view->byteZoom());
    m_view->setCapacityMarks({});
    m_view->setByteZoom(ByteRange{Bytes{14 * kGiB}, Bytes{15 * kGiB}});
    QVERIFY(!m_view->byteZoom()); // above everything
}

void ByteZoomTest::dragsTheLineInItsScale()
{
    m_view->setByteZoom(ByteRange{Bytes{7 * kGiB}, Bytes{8 * kGiB}});
    const double pixels = frame().layout.plot.height();
    const QPoint start = onLine();
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, start);
    QVERIFY(m_view->isDragging());
    QTest::mouseMove(m_view.get(), start + QPoint{0, 40}, -1);
    const Bytes quantum = dragQuantum(Bytes{kGiB}, pixels);
    QVERIFY(quantum < dragQuantum(Bytes{14 * kGiB}, pixels));
    const auto expected =
        static_cast<std::int64_t>(std::llround((7424.0 * kMiB - 40.0 * kGiB / pixels)
                                               / static_cast<double>(quantum.count())))
        * quantum.count();
    QCOMPARE(m_view->budget()->count(), expected);
    QTest::mouseMove(m_view.get(), start + QPoint{0, 2000});
    QCOMPARE(m_view->budget()->count(), 7 * kGiB); // not out of sight
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, start + QPoint{0, 2000});
    QCOMPARE(m_view->budget()->count(), 7 * kGiB);
    // Keys step in its grid and leave it.
    m_view->focusBudgetLine();
    QTest::keyClick(m_view->focusWidget(), Qt::Key_Down);
    QCOMPARE(m_view->budget()->count(), 7 * kGiB - 128 * kMiB / 32);
}

void ByteZoomTest::takesInALineThatIsOutside()
{
    m_view->setByteZoom(ByteRange{Bytes{8 * kGiB}, Bytes{12 * kGiB}}); // the line is at 7.25 GiB
    const QSignalSpy committed{m_view.get(), &BudgetTimelineView::budgetCommitted};
    const QRectF plot = frame().layout.plot;
    // Nothing to grip over the plot, but the handle waits at the edge.
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {},
                      QPoint{static_cast<int>(plot.left()) + 20, static_cast<int>(plot.bottom())});
    QVERIFY(!m_view->isDragging());
    const QPoint mark{static_cast<int>(plot.right()) + 14, static_cast<int>(plot.bottom())};
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, mark);
    QVERIFY(m_view->isDragging());
    QCOMPARE(m_view->budget()->count(), 7424 * kMiB); // until it is moved
    QTest::mouseMove(m_view.get(), mark - QPoint{0, static_cast<int>(plot.height() / 4)});
    QVERIFY(near(*m_view->budget(), 9));
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {},
                        mark - QPoint{0, static_cast<int>(plot.height() / 4)});
    QCOMPARE(committed.size(), 1);
}

void ByteZoomTest::dragsFreelyWithAlt_data()
{
    QTest::addColumn<bool>("isZoomed");
    QTest::addColumn<bool>("isFree");
    QTest::newRow("snaps") << false << false;
    QTest::newRow("Alt") << false << true;
    QTest::newRow("zoomed, snaps") << true << false;
    QTest::newRow("zoomed, Alt") << true << true;
}

/// 8 GiB is a device: the line stays on it for some pixels, with Alt it takes every value.
void ByteZoomTest::dragsFreelyWithAlt()
{
    QFETCH(bool, isZoomed);
    QFETCH(bool, isFree);
    if (isZoomed)
        m_view->setByteZoom(ByteRange{Bytes{7 * kGiB}, Bytes{9 * kGiB}});
    const QPoint start = onLine();
    const auto target = static_cast<int>(std::lround(frame().at.yOf(Bytes{8 * kGiB})));
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, start);
    QList<qint64> values;
    for (int y = target + 3; y >= target - 3; --y) {
        QMouseEvent move{
            QEvent::MouseMove, QPointF(start.x(), y), m_view->mapToGlobal(QPointF(start.x(), y)),
            Qt::NoButton,      Qt::LeftButton,        isFree ? Qt::AltModifier : Qt::NoModifier};
        QApplication::sendEvent(m_view.get(), &move);
        values << m_view->budget()->count();
    }
    if (isFree) {
        for (int i = 1; i < values.size(); ++i)
            QVERIFY(values[i] > values[i - 1]);
    } else {
        QCOMPARE(values, QList<qint64>(7, 8 * kGiB));
    }
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, start);
}

/// Lines, marks and labels outside the part are nowhere, inside they are at their bytes.
void ByteZoomTest::leavesOutWhatIsOutside()
{
    TimelineModel model;
    BudgetModel budget{model};
    model.stacked = sampleStep(1000, 0.35); // peak 6.7 GiB
    model.axis = StepAxis{model.stacked};
    model.layers = model.stacked->layersPtr();
    budget.unplanned = sampleStep(1000, 1.0); // 13.2 GiB
    budget.bound = LowerBound{Bytes{2468 * kMiB}, {}, {}};
    budget.capacities = {{Bytes{8 * kGiB}, QStringLiteral("RTX 4060"), true},
                         {Bytes{12 * kGiB}, QStringLiteral("RTX 4070"), false}};
    model.line = Bytes{7424 * kMiB};
    model.content = budget.content();
    const auto frameOf = [&](std::int64_t bottom, std::int64_t top) {
        model.byteZoom = ByteRange{Bytes{bottom * kMiB}, Bytes{top * kMiB}};
        return frameFor(model, {1117, 520}, 1.0);
    };
    const TimelineFrame upper = frameOf(7168, 14336); // 7 to 14 GiB
    QVERIFY(!peakMark(model, upper));
    const auto mark = unplannedPeakMark(budget, upper);
    QVERIFY(mark && upper.layout.plot.contains(mark->apex));
    QCOMPARE(upper.at.bytesAt(mark->apex.y()).count() / kMiB,
             budget.unplanned->peak().count() / kMiB);
    QCOMPARE(capacityLabels(budget, upper).size(), std::size_t{2});
    const TimelineFrame lower = frameOf(2048, 9216); // 2 to 9 GiB
    QVERIFY(peakMark(model, lower).has_value());
    QVERIFY(!unplannedPeakMark(budget, lower));
    QCOMPARE(capacityLabels(budget, lower).size(), std::size_t{1});
    QCOMPARE(budget.limits(lower).shown, lower.bytes.shown);
    QCOMPARE(budget.limits(lower).axisTop, lower.wholeTop);
}

void ByteZoomTest::tearsTheLowerEdge()
{
    const QRectF plot = frame().layout.plot;
    // The straight line under the plot, or the teeth of a torn edge.
    const auto teeth = [&] {
        const QImage image = m_view->grab().toImage();
        int count = 0;
        const int y = static_cast<int>(plot.bottom()) - 1;
        for (int x = static_cast<int>(plot.left()) + 20; x < plot.right() - 20; ++x) {
            const bool isHere = image.pixelColor(x, y).lightness() > 235;
            const bool wasHere = image.pixelColor(x - 1, y).lightness() > 235;
            count += isHere && !wasHere ? 1 : 0;
        }
        return count;
    };
    m_view->setBudget(std::nullopt);
    QCOMPARE(teeth(), 0);
    m_view->setByteZoom(ByteRange{Bytes{512 * kMiB}, Bytes{13 * kGiB}});
    QVERIFY(teeth() > 60);
    m_view->setByteZoom(ByteRange{{}, Bytes{3 * kGiB}}); // begins at 0
    QCOMPARE(teeth(), 0);
}

} // namespace

PLIMSOLL_TEST(ByteZoomTest, QApplication)
#include "byte_zoom_test.moc"
