// SPDX-License-Identifier: Apache-2.0
// The selected range by mouse and keys, its readout, and the menu of the plot.
#include "core/timeline/change.h"
#include "ui/base/numbers.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/timeline_view.h"

#include "tests/support/test_main.h"
#include "tests/unit/ui_timeline/view_fixture.h"

#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::sampleStep;
using namespace plimsoll;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

class RangeInputTest : public QObject, private plimsoll::tests::ViewFixture<TimelineView>
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        openView(&plimsoll::tests::fillTimeline);
        m_view->setSelection(&m_selection);
        m_view->setFocus();
    }
    void cleanup()
    {
        closeView();
        m_selection.clear();
    }

    void movesEitherEndByDragging();
    void dragsAnEndOverTheOther();
    void escapeEndsTheDrag();
    void undoEndsTheDragAlone();
    void extendsByShiftAndArrows();
    void extendsByShiftAndAClick();
    void placesItsReadout();
    void opensItsMenuByTheRightButton();
    void pansByTheRightButtonWithoutAMenu();
    void opensItsMenuByTheKeyboard();

private:
    [[nodiscard]] QPoint at(double fraction, int up = 20) const
    {
        const QRectF plot = frame().layout.plot;
        return {static_cast<int>(plot.left() + fraction * plot.width()),
                static_cast<int>(plot.bottom()) - up};
    }
    void drag(const QPoint& from, const QPoint& to)
    {
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, from);
        QTest::mouseMove(m_view.get(), (from + to) / 2);
        QTest::mouseMove(m_view.get(), to);
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, to);
    }
    /// Where the line of an end is drawn.
    [[nodiscard]] QPoint edge(bool isEnd) const
    {
        const auto step = isEnd ? m_selection.range()->end + 1 : m_selection.range()->begin;
        const timeline::Timeline& shown = *m_view->timeline();
        return at(static_cast<double>(shown.timeAt(step).count())
                  / static_cast<double>(shown.duration().count()));
    }

    Selection m_selection;
};

void RangeInputTest::movesEitherEndByDragging()
{
    drag(at(0.3), at(0.5));
    const StepRange before = *m_selection.range();
    QVERIFY(before.begin < before.end);
    drag(edge(true), at(0.7));
    QCOMPARE(m_selection.range()->begin, before.begin);
    QVERIFY(m_selection.range()->end > before.end + 100);
    const StepRange wider = *m_selection.range();
    drag(edge(false), at(0.1));
    QCOMPARE(m_selection.range()->end, wider.end);
    QVERIFY(m_selection.range()->begin + 100 < wider.begin);
}

void RangeInputTest::dragsAnEndOverTheOther()
{
    drag(at(0.3), at(0.5));
    const StepRange before = *m_selection.range();
    drag(edge(false), at(0.8)); // the begin, past the end
    QCOMPARE(m_selection.range()->begin, before.end);
    QVERIFY(m_selection.range()->end > before.end + 100);
}

void RangeInputTest::escapeEndsTheDrag()
{
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, at(0.3));
    QTest::mouseMove(m_view.get(), at(0.5));
    QVERIFY(m_selection.range());
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!m_selection.range());
    QTest::mouseMove(m_view.get(), at(0.6));
    QVERIFY(!m_selection.range());
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, at(0.6));
    QVERIFY(!m_selection.range() && m_view->pinnedSteps().empty());
    drag(at(0.3), at(0.5)); // and the next one works
    const std::optional<StepRange> before = m_selection.range();
    QVERIFY(before);
    // One that was there is there again.
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, at(0.7));
    QTest::mouseMove(m_view.get(), at(0.8));
    QVERIFY(m_selection.range() && m_selection.range() != before);
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QCOMPARE(m_selection.range(), before);
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, at(0.8));
    QCOMPARE(m_selection.range(), before);
}

/// What was done before it isn't undone.
void RangeInputTest::undoEndsTheDragAlone()
{
    int undone = 0;
    QAction undo{m_view.get()};
    undo.setShortcut(QKeySequence::Undo);
    m_view->addAction(&undo);
    connect(&undo, &QAction::triggered, this, [&] { ++undone; });
    QTest::mousePress(m_view.get(), Qt::LeftButton, {}, at(0.3));
    QTest::mouseMove(m_view.get(), at(0.5));
    QVERIFY(m_selection.range());
    QTest::keyClick(m_view.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!m_selection.range());
    QTest::mouseMove(m_view.get(), at(0.6));
    QVERIFY(!m_selection.range());
    QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, at(0.6));
    QCOMPARE(undone, 0);
    QTest::keyClick(m_view.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(undone, 1);
}

void RangeInputTest::extendsByShiftAndArrows()
{
    QTest::keyClick(m_view.get(), Qt::Key_Home); // the cursor at step 0
    for (int i = 0; i < 3; ++i)
        QTest::keyClick(m_view.get(), Qt::Key_Right, Qt::ControlModifier);
    QVERIFY(!m_selection.range());
    const auto extend = [this](Qt::Key key, int times, bool bySteps = true) {
        for (int i = 0; i < times; ++i)
            QTest::keyClick(m_view.get(), key,
                            Qt::ShiftModifier | (bySteps ? Qt::ControlModifier : Qt::NoModifier));
    };
    extend(Qt::Key_Right, 4);
    QCOMPARE(*m_selection.range(), (StepRange{3, 7}));
    extend(Qt::Key_Left, 2);
    QCOMPARE(*m_selection.range(), (StepRange{3, 5}));
    extend(Qt::Key_Left, 4); // past the other end
    QCOMPARE(*m_selection.range(), (StepRange{1, 3}));
    extend(Qt::Key_End, 1, false);
    QCOMPARE(*m_selection.range(), (StepRange{3, m_view->timeline()->stepCount() - 1}));
    extend(Qt::Key_Home, 1, false);
    QCOMPARE(*m_selection.range(), (StepRange{0, 3}));
    extend(Qt::Key_Right, 1, false); // by a column, which is at least one step
    QVERIFY(m_selection.range()->begin >= 1);
    QCOMPARE(m_selection.range()->end, std::size_t{3});
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!m_selection.range());
    // The moved end is scrolled into view.
    m_view->setVisibleRange({0.0, 0.1});
    QTest::keyClick(m_view.get(), Qt::Key_Home);
    m_view->showStep(100);
    m_view->setVisibleRange({0.0, 100.5 / static_cast<double>(m_view->timeline()->stepCount())});
    extend(Qt::Key_Right, 3);
    QVERIFY(m_view->visibleRange().begin > 0);
    QCOMPARE(*m_selection.range(), (StepRange{100, 103}));
}

void RangeInputTest::extendsByShiftAndAClick()
{
    const auto click = [this](double fraction) {
        QTest::mouseClick(m_view.get(), Qt::LeftButton, Qt::ShiftModifier, at(fraction));
    };
    click(0.4);
    QVERIFY(m_view->pinnedSteps().empty()); // that is a click without Shift
    QCOMPARE(m_selection.range()->begin, m_selection.range()->end);
    const std::size_t first = m_selection.range()->begin;
    click(0.6);
    QCOMPARE(m_selection.range()->begin, first);
    const std::size_t second = m_selection.range()->end;
    QVERIFY(second > first + 100);
    click(0.5); // the second end follows
    QCOMPARE(m_selection.range()->begin, first);
    QVERIFY(m_selection.range()->end < second);
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    // From a pinned step.
    QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, at(0.2));
    const std::size_t pin = m_view->pinnedSteps().front();
    click(0.05);
    QCOMPARE(m_selection.range()->end, pin);
    QVERIFY(m_selection.range()->begin < pin);
}

/// In the plot, by the range, over no other label; its figures are those of core/timeline.
void RangeInputTest::placesItsReadout()
{
    TimelineModel model;
    model.stacked = sampleStep(1000, 0.35);
    model.axis = StepAxis{model.stacked};
    model.layers = model.stacked->layersPtr();
    model.range = StepRange{100, 300};
    for (const QSizeF size : {QSizeF{560, 260}, QSizeF{1117, 520}}) {
        const TimelineFrame now = frameFor(model, size, 1.0);
        const StackColumns columns =
            stackColumns(*model.stacked, model.axis, now.deviceCoordinates(1.0));
        const PlacedLabels labels = placeLabels(model, now, *m_theme, columns, 1.0);
        QVERIFY(labels.range && now.layout.plot.contains(*labels.range));
        const double left = now.at.xOf(model.axis.positionOf(100));
        const double right = now.at.xOf(model.axis.positionOf(301));
        QVERIFY(labels.range->left() < right && labels.range->right() > left);
        QVERIFY(labels.peak && !labels.range->intersects(*labels.peak));
        for (const auto& name : labels.layerNames)
            QVERIFY(!name || !labels.range->intersects(*name));
    }
    const timeline::Change change = timeline::changeBetween(*model.stacked, 100, 300);
    const std::array<Tag, 2> lines = rangeReadout(model);
    QCOMPARE(lines[0].strong, bytesDifferenceText(change.difference));
    QVERIFY(
        lines[0].plain.contains(timeText(model.stacked->timeAt(301) - model.stacked->timeAt(100))));
    QVERIFY(lines[0].plain.contains(QStringLiteral("100–300")));
    QVERIFY(lines[1].plain.contains(bytesText(change.allocated)));
    QVERIFY(lines[1].plain.contains(bytesText(change.freed)));
    // Without times there are only steps.
    timeline::Builder builder{std::vector<base::Nanoseconds>(4)};
    builder.add({1, 2, Bytes{100}, timeline::Category::Inputs, 0});
    model.stacked = std::move(builder).build();
    model.axis = StepAxis{model.stacked};
    model.range = StepRange{1, 1};
    QCOMPARE(rangeReadout(model)[0].plain, QStringLiteral("step 1"));
}

void RangeInputTest::opensItsMenuByTheRightButton()
{
    QList<TimelineSpot> spots;
    connect(m_view.get(), &TimelineView::menuRequested, this,
            [&](const TimelineSpot& spot, const QPoint& /*at*/) { spots << spot; });
    const TimelineFrame now = frame();
    const auto click = [&](const QPoint& pos) {
        QTest::mousePress(m_view.get(), Qt::RightButton, {}, pos);
        QVERIFY(spots.isEmpty()); // until the button is released it may drag
        QTest::mouseRelease(m_view.get(), Qt::RightButton, {}, pos);
    };
    click(at(0.25, 5));
    QCOMPARE(spots.size(), 1);
    QCOMPARE(*spots.front().layer, static_cast<std::size_t>(timeline::Category::Parameters));
    QCOMPARE(spots.front().bytes, now.at.bytesAt(at(0.25, 5).y()));
    QCOMPARE(spots.takeFirst().step, *m_view->cursorStep());
    click(QPoint{at(0.25).x(), static_cast<int>(now.layout.plot.top()) + 5});
    QCOMPARE(spots.size(), 1);
    QVERIFY(!spots.takeFirst().layer); // above the stack
    // On the edge of a range, too, but not outside of the plot.
    drag(at(0.3), at(0.5));
    click(edge(true));
    QCOMPARE(spots.size(), 1);
    spots.clear();
    click(QPoint{10, 200});
    QVERIFY(spots.isEmpty());
}

void RangeInputTest::pansByTheRightButtonWithoutAMenu()
{
    const QSignalSpy menus{m_view.get(), &TimelineView::menuRequested};
    m_view->setVisibleRange({0.25, 0.75});
    QTest::mousePress(m_view.get(), Qt::RightButton, {}, at(0.5));
    QTest::mouseMove(m_view.get(), at(0.3));
    QTest::mouseRelease(m_view.get(), Qt::RightButton, {}, at(0.3));
    QVERIFY(m_view->visibleRange().begin > 0.3);
    QCOMPARE(menus.size(), 0);
}

void RangeInputTest::opensItsMenuByTheKeyboard()
{
    QList<TimelineSpot> spots;
    connect(m_view.get(), &TimelineView::menuRequested, this,
            [&](const TimelineSpot& spot, const QPoint& /*at*/) { spots << spot; });
    const auto pressMenu = [this] {
        QContextMenuEvent event{QContextMenuEvent::Keyboard, {1, 1}, {1, 1}};
        QApplication::sendEvent(m_view.get(), &event);
    };
    pressMenu(); // no cursor
    QVERIFY(spots.isEmpty());
    m_view->showStep(400);
    pressMenu();
    QCOMPARE(spots.size(), 1);
    QVERIFY(spots.front().layer.has_value());
    // At the column of the cursor, which shows its largest step.
    QVERIFY(std::abs(static_cast<double>(spots.front().step) - 400) < 5);
}

} // namespace

PLIMSOLL_TEST(RangeInputTest, QApplication)
#include "range_input_test.moc"
