// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_view.h"

#include "tests/support/test_main.h"
#include "tests/unit/ui_timeline/view_fixture.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

namespace {

using plimsoll::tests::sampleStep;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

class TimelineViewTest : public QObject, private plimsoll::tests::ViewFixture<TimelineView>
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openView(&plimsoll::tests::fillTimeline); }
    void cleanup() { closeView(); }

    void hoversTheStepThatAColumnShows();
    void pinsAndUnpinsByClick();
    void selectsARangeByDragging();
    void zoomsAtTheMouseAndShowsTheWholeStepAgain();
    void theCursorStaysUnderTheMouseWhileTheWheelPans();
    void movesTheWindowByTheOverview();
    void walksTheCursorByKeys();
};

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

void TimelineViewTest::theCursorStaysUnderTheMouseWhileTheWheelPans()
{
    m_view->setVisibleRange({0.0, 0.5});
    const QPoint pos = frame().layout.plot.center().toPoint();
    QTest::mouseMove(m_view.get(), pos - QPoint{5, 0});
    QTest::mouseMove(m_view.get(), pos);
    const std::optional<std::size_t> before = m_view->cursorStep();
    QVERIFY(before.has_value());
    QWheelEvent wheel{pos,
                      m_view->mapToGlobal(pos),
                      {},
                      QPoint{0, -360},
                      Qt::NoButton,
                      Qt::ShiftModifier,
                      Qt::NoScrollPhase,
                      false};
    QApplication::sendEvent(m_view.get(), &wheel);
    QVERIFY(m_view->visibleRange().begin > 0.1);
    const std::optional<std::size_t> after = m_view->cursorStep();
    QVERIFY(after.has_value() && *after > *before);
    QTest::mouseMove(m_view.get(), pos - QPoint{5, 0});
    QTest::mouseMove(m_view.get(), pos);
    QCOMPARE(*m_view->cursorStep(), *after);
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

PLIMSOLL_TEST(TimelineViewTest, QApplication)
#include "timeline_view_test.moc"
