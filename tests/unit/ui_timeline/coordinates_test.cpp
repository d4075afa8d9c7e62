// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/coordinates.h"

#include "ui/timeline/stack_columns.h"
#include "ui/timeline/timeline_model.h"
#include "ui/timeline/viewport.h"

#include "tests/support/test_main.h"
#include "tests/unit/ui_timeline/sample_step.h"

#include <QTest>

#include <cmath>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::kMiB;
using plimsoll::tests::sampleStep;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

class CoordinatesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsBackWhatItPlaced_data();
    void findsBackWhatItPlaced();
    void placesBytesOnAPartOfTheMemoryAxis();
    void marksAStepInItsMiddleOrAtItsBegin();
    void putsEveryStepIntoSomeColumn();
    void showsTheLargestStepOfEachColumn_data();
    void showsTheLargestStepOfEachColumn();
    void keepsTheUnplannedCurveFlatWhileOpsAreRecomputed();
    void staysInsideTheStepWhenZoomedAndPanned();
    void dropsTheOverviewFirstAndThenTheBands();
};

void CoordinatesTest::findsBackWhatItPlaced_data()
{
    QTest::addColumn<double>("begin");
    QTest::addColumn<double>("end");
    QTest::addColumn<qint64>("top");
    QTest::newRow("whole step") << 0.0 << 1.64e8 << qint64{16 * 1024 * kMiB};
    QTest::newRow("a part") << 4.5e7 << 4.6e7 << qint64{16 * 1024 * kMiB};
    QTest::newRow("bytes") << 0.0 << 12.0 << qint64{8};
    QTest::newRow("a tebibyte") << 0.0 << 1e12 << qint64{1024 * 1024 * kMiB};
}

void CoordinatesTest::findsBackWhatItPlaced()
{
    QFETCH(double, begin);
    QFETCH(double, end);
    QFETCH(qint64, top);
    const Coordinates at{QRectF{58, 56, 947, 401}, begin, end, {{}, Bytes{top}}};
    for (int part = 0; part <= 10; ++part) {
        const double position = begin + (end - begin) * part / 10;
        QVERIFY(std::abs(at.positionAt(at.xOf(position)) - position)
                <= (end - begin) * 1e-12 + 1e-9);
        const Bytes bytes{top * part / 10};
        QVERIFY(
            std::abs(at.yOf(bytes)
                     - (457 - 401 * static_cast<double>(bytes.count()) / static_cast<double>(top)))
            <= 1e-9);
    }
    QCOMPARE(at.xOf(begin), 58.0);
    QCOMPARE(at.yOf(Bytes{top}), 56.0);
    QCOMPARE(at.yOf(Bytes{0}), 457.0);
}

void CoordinatesTest::placesBytesOnAPartOfTheMemoryAxis()
{
    // 100 bytes over 400 pixels, from 200 to 300.
    const Coordinates at{QRectF{0, 50, 100, 400}, 0, 1, {Bytes{200}, Bytes{300}}};
    QCOMPARE(at.yOf(Bytes{200}), 450.0);
    QCOMPARE(at.yOf(Bytes{300}), 50.0);
    QCOMPARE(at.yOf(Bytes{225}), 350.0);
    QCOMPARE(at.yOf(Bytes{100}), 850.0); // below the plot
    QCOMPARE(at.pixelsPerByte(), 4.0);
    QCOMPARE(at.bytesAt(450).count(), 200);
    QCOMPARE(at.bytesAt(350.9).count(), 225);
    QCOMPARE(at.bytesAt(0).count(), 313); // above it, rounded
    // The stack is cut: heights are above the lower edge, below it they are negative.
    plimsoll::timeline::Builder builder{{plimsoll::base::Nanoseconds{10}}};
    builder.add({0, 0, Bytes{150}, plimsoll::timeline::Category::Parameters, 0});
    builder.add({0, 0, Bytes{100}, plimsoll::timeline::Category::Activations, 0});
    const auto timeline = std::move(builder).build();
    const Coordinates columns{QRectF{0, 0, 4, 400}, 0, 10, {Bytes{200}, Bytes{300}}};
    const StackColumns stack = stackColumns(*timeline, StepAxis{timeline}, columns);
    QCOMPARE(stack.top.front().front(), -200.0F);
    QCOMPARE(stack.totalAt(0), 200.0F);
    // A curve far outside ends a little outside the plot.
    const Coordinates above{QRectF{0, 0, 4, 400}, 0, 10, {Bytes{}, Bytes{10}}};
    const std::vector<float> heights = curveHeights(*timeline, StepAxis{timeline}, {}, above);
    QVERIFY(heights.front() > 400 && heights.front() < 450);
    const Coordinates below{QRectF{0, 0, 4, 400}, 0, 10, {Bytes{2000}, Bytes{2010}}};
    const std::vector<float> depths = curveHeights(*timeline, StepAxis{timeline}, {}, below);
    QVERIFY(depths.front() < 0 && depths.front() > -50);
}

void CoordinatesTest::marksAStepInItsMiddleOrAtItsBegin()
{
    using plimsoll::base::Nanoseconds;
    plimsoll::timeline::Builder builder{{Nanoseconds{10}, Nanoseconds{90}}};
    builder.add({0, 1, Bytes{150}, plimsoll::timeline::Category::Parameters, 0});
    const auto timeline = std::move(builder).build();
    const StepAxis middle{timeline};
    const StepAxis begin{timeline, StepAxis::Mark::Begin};
    QCOMPARE(middle.markOf(1, 0, 100), 55.0);
    QCOMPARE(begin.markOf(1, 0, 100), 10.0);
    // Of a step that began before what is visible, the visible part counts.
    QCOMPARE(middle.markOf(1, 40, 60), 50.0);
    QCOMPARE(begin.markOf(1, 40, 60), 40.0);
    QCOMPARE(begin.markOf(0, 40, 60), 0.0);
    // Without times, steps are columns.
    plimsoll::timeline::Builder untimed{std::vector<Nanoseconds>(4)};
    untimed.add({0, 3, Bytes{1}, plimsoll::timeline::Category::Parameters, 0});
    QCOMPARE((StepAxis{std::move(untimed).build(), StepAxis::Mark::Begin}.markOf(2, 0, 4)), 2.5);
}

void CoordinatesTest::putsEveryStepIntoSomeColumn()
{
    for (const std::size_t steps : {1U, 3U, 97U, 4000U}) {
        const StepAxis axis{sampleStep(steps + 40, 0.5)};
        constexpr int kColumns = 331;
        const Coordinates at{QRectF{0, 0, kColumns, 100}, 0, axis.length(), {{}, Bytes{100}}};
        std::vector<bool> seen(axis.stepCount(), false);
        for (int column = 0; column < kColumns; ++column) {
            const StepSpan span = stepsIn(axis, at.positionAt(column), at.positionAt(column + 1));
            QVERIFY(span.begin < span.end && span.end <= axis.stepCount());
            for (std::size_t step = span.begin; step < span.end; ++step)
                seen[step] = true;
        }
        QVERIFY(std::find(seen.begin(), seen.end(), false) == seen.end());
    }
}

void CoordinatesTest::showsTheLargestStepOfEachColumn_data()
{
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("width");
    QTest::addColumn<double>("begin");
    QTest::addColumn<double>("end");
    QTest::newRow("many steps a column") << 4000 << 300 << 0.0 << 1.0;
    QTest::newRow("many columns a step") << 60 << 1000 << 0.0 << 1.0;
    QTest::newRow("zoomed in") << 4000 << 640 << 0.31 << 0.47;
}

void CoordinatesTest::showsTheLargestStepOfEachColumn()
{
    QFETCH(int, steps);
    QFETCH(int, width);
    QFETCH(double, begin);
    QFETCH(double, end);
    const auto timeline = sampleStep(static_cast<std::size_t>(steps), 0.4);
    const StepAxis axis{timeline};
    const Coordinates at{QRectF{0, 0, static_cast<double>(width), 500},
                         begin * axis.length(),
                         end * axis.length(),
                         {{}, timeline->peak()}};
    const StackColumns columns = stackColumns(*timeline, axis, at);
    QCOMPARE(columns.count(), static_cast<std::size_t>(width));
    const double scale = 500 / static_cast<double>(timeline->peak().count());
    for (std::size_t column = 0; column < columns.count(); ++column) {
        const double from = at.positionAt(static_cast<double>(column));
        const double to = at.positionAt(static_cast<double>(column) + 1);
        std::int64_t largest = -1;
        for (std::size_t step = 0; step < timeline->stepCount(); ++step)
            if (axis.positionOf(step + 1) > from && axis.positionOf(step) < to)
                largest = std::max(largest, timeline->totalAt(step).count());
        QCOMPARE(timeline->totalAt(columns.step[column]).count(), largest);
        QVERIFY(std::abs(static_cast<double>(columns.totalAt(column))
                         - static_cast<double>(largest) * scale)
                < 0.01);
    }
}

void CoordinatesTest::keepsTheUnplannedCurveFlatWhileOpsAreRecomputed()
{
    using plimsoll::base::Nanoseconds;
    plimsoll::timeline::Builder two{{Nanoseconds{10}, Nanoseconds{10}}};
    two.add({0, 0, Bytes{40}, plimsoll::timeline::Category::Inputs, 0});
    two.add({1, 1, Bytes{80}, plimsoll::timeline::Category::Inputs, 1});
    const auto unplanned = std::move(two).build();
    plimsoll::timeline::Builder four{
        {Nanoseconds{10}, Nanoseconds{10}, Nanoseconds{10}, Nanoseconds{10}}};
    const StepAxis planned{std::move(four).build()};
    const auto map = std::make_shared<const std::vector<std::uint32_t>>(
        std::initializer_list<std::uint32_t>{0, 0, 0, 1});
    const Coordinates at{QRectF{0, 0, 4, 80}, 0, 40, {{}, Bytes{80}}};
    QCOMPARE(curveColumns(*unplanned, columnSpans(planned, at), map, at),
             (std::vector<float>{40, 40, 40, 80}));
}

void CoordinatesTest::staysInsideTheStepWhenZoomedAndPanned()
{
    Viewport viewport{0.01};
    viewport.setRange(viewport.zoomed(0.5, 0.9));
    QVERIFY(std::abs(viewport.range().begin - 0.45) < 1e-12);
    QVERIFY(std::abs(viewport.range().end - 0.95) < 1e-12);
    viewport.setRange(viewport.panned(1.0));
    QVERIFY(std::abs(viewport.range().begin - 0.5) < 1e-12);
    QCOMPARE(viewport.range().end, 1.0);
    viewport.setRange(viewport.zoomed(1e-9, 1.0));
    QVERIFY(std::abs(viewport.width() - 0.01) < 1e-12);
    viewport.setRange(viewport.zoomed(1e9, 0.3));
    QCOMPARE(viewport.range(), (VisibleRange{0.0, 1.0}));
}

void CoordinatesTest::dropsTheOverviewFirstAndThenTheBands()
{
    const TimelineLayout all = layoutTimeline({1117, 520}, 1.0, true);
    QCOMPARE(all.plot.left(), 58.0);
    QCOMPARE(all.plot.right(), 1117.0 - 112.0);
    QCOMPARE(all.plot.top(), 56.0);
    QCOMPARE(all.overview.height(), 34.0);
    const TimelineLayout lower = layoutTimeline({1117, 260}, 1.0, true);
    QVERIFY(lower.overview.isEmpty() && !lower.bands.isEmpty());
    QVERIFY(lower.plot.height() >= 160);
    const TimelineLayout lowest = layoutTimeline({1117, 220}, 1.0, false);
    QVERIFY(lowest.overview.isEmpty() && lowest.bands.isEmpty());
    QCOMPARE(lowest.plot.right(), 1117.0 - 96.0);
    // Of two rows the outer one stays for longer.
    QCOMPARE(layoutTimeline({1117, 260}, 1.0, true, 2).bandRows, std::size_t{2});
    const TimelineLayout outer = layoutTimeline({1117, 230}, 1.0, true, 2);
    QCOMPARE(outer.bandRows, std::size_t{1});
    QCOMPARE(outer.bandRow(0), outer.bands);
    QVERIFY(outer.bandRow(1).isEmpty() && outer.overview.isEmpty());
    QVERIFY(outer.plot.height() >= 140);
}

} // namespace

PLIMSOLL_TEST(CoordinatesTest, QCoreApplication)
#include "coordinates_test.moc"
