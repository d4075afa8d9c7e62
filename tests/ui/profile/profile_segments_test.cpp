// SPDX-License-Identifier: Apache-2.0
// The table of segments, and what a selected range does with it.
#include "core/memtrace/analysis/leaks.h"
#include "core/memtrace/builder.h"
#include "ui/base/numbers.h"
#include "ui/profile_page/docks/leaks_page.h"
#include "ui/profile_tables/segment_model.h"
#include "ui/step_filter/range_chip.h"
#include "ui/tables/cell_roles.h"

#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QAbstractItemModelTester>
#include <QTableView>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;

constexpr std::int64_t kMiB = base::kMiB;

/// Three segments: one that is released, one that stays, one from after the release.
memtrace::MemoryTracePtr recordedSegments()
{
    memtrace::Builder builder;
    std::int64_t time = 1000;
    const auto add = [&](memtrace::Action action, std::uint64_t address, std::int64_t bytes) {
        memtrace::RecordedEvent event;
        event.action = action;
        event.address = address;
        event.bytes = bytes;
        event.timeNs = time += 10;
        if (!builder.device(0).add(event))
            qFatal("not added");
    };
    using memtrace::Action;
    add(Action::SegmentAlloc, 0x7f0000000000, 30 * kMiB);
    add(Action::Alloc, 0x7f0000000000, 512);
    add(Action::SegmentAlloc, 0x7f1000000000, 40 * kMiB);
    add(Action::FreeCompleted, 0x7f0000000000, 512);
    add(Action::SegmentFree, 0x7f0000000000, 30 * kMiB);
    add(Action::SegmentAlloc, 0x7f2000000000, 50 * kMiB);
    auto trace = std::move(builder).build();
    return trace ? *trace : nullptr;
}

QStringList sizesIn(const QAbstractItemModel& model)
{
    QStringList sizes;
    for (int row = 0; row < model.rowCount(); ++row)
        sizes << model.index(row, SegmentModel::SizeColumn).data().toString();
    sizes.sort();
    return sizes;
}

class ProfileSegmentsTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void theModelIsSound();
    void aRangeFilters();
    void oneLeakIsCounted();
};

void ProfileSegmentsTest::theModelIsSound()
{
    const memtrace::MemoryTracePtr trace = recordedSegments();
    const auto picture = workspace::profilePicture(trace, {}, {});
    QVERIFY(picture);
    SegmentModel model;
    QAbstractItemModelTester tester{&model};
    model.setPicture(*picture);
    const std::vector<memtrace::Segment>& segments = trace->devices().front().segments();
    QCOMPARE(segments.size(), std::size_t{3});
    QCOMPARE(model.rowCount(), 3);
    for (int row = 0; row < 3; ++row) {
        const memtrace::Segment& segment = segments[static_cast<std::size_t>(row)];
        const auto exact = [&](int column) { return model.index(row, column).data(ExactRole); };
        QCOMPARE(exact(SegmentModel::SizeColumn).toLongLong(), segment.bytes);
        QCOMPARE(exact(SegmentModel::FromColumn).toLongLong(),
                 trace->devices().front().timeOf(segment.begin).count());
        QCOMPARE(exact(SegmentModel::ToColumn).isValid(), segment.end != memtrace::kNoEvent);
    }
    // Before anything is reserved, with the first two, and without the released one.
    model.setRange(StepRange{0, 0});
    QCOMPARE(model.rowCount(), 0);
    const std::size_t last = (*picture)->timeline->stepCount() - 1;
    model.setRange(StepRange{last, last});
    QCOMPARE(model.rowCount(), 2);
    model.setRange(std::nullopt);
    QCOMPARE(model.rowCount(), 3);
}

void ProfileSegmentsTest::aRangeFilters()
{
    ProfilePage* page =
        openProfile(write("segments.plimsoll", memtrace::writeColumns(*recordedSegments())));
    QVERIFY(page != nullptr);
    tests::chooseTab(*page, QStringLiteral("Segments"), QStringLiteral("tables"));
    QTableView* table = nullptr;
    for (auto* each : page->findChildren<QTableView*>())
        if (each->accessibleName() == QLatin1String{"Segments"})
            table = each;
    QVERIFY(table != nullptr);
    auto* chip = table->parentWidget()->findChild<RangeChip*>();
    QVERIFY(chip != nullptr && !chip->isVisible());
    QCOMPARE(table->model()->rowCount(), 3);
    const std::size_t last = page->controller().picture()->timeline->stepCount() - 1;
    page->selection().setRange(StepRange{last, last});
    QVERIFY(chip->isVisible());
    QCOMPARE(sizesIn(*table->model()),
             (QStringList{QStringLiteral("40.0\u00A0MiB"), QStringLiteral("50.0\u00A0MiB")}));
    QTest::mouseClick(chip, Qt::LeftButton);
    QVERIFY(!page->selection().range());
    QCOMPARE(table->model()->rowCount(), 3);
    QVERIFY(!chip->isVisible());
}

/// "1 place holds" has its numbers in their places.
void ProfileSegmentsTest::oneLeakIsCounted()
{
    memtrace::Builder builder;
    std::int64_t time = 1000;
    std::uint64_t address = 0x7f0000000000;
    memtrace::StackTableBuilder& stacks = builder.stacks();
    const memtrace::StackId stack = stacks.stack(std::vector<memtrace::FrameId>{
        stacks.frame({stacks.text("log.py"), stacks.text("keep"), 3, {}})});
    for (int step = 0; step < 4; ++step) {
        const std::string name = "step " + std::to_string(step);
        builder.beginRange(name, 0, time += 10);
        memtrace::RecordedEvent event;
        event.action = memtrace::Action::Alloc;
        event.address = address += 0x10000;
        event.bytes = 8192;
        event.timeNs = time += 10;
        event.stack = stack;
        QVERIFY(builder.device(0).add(event).has_value());
        builder.endRange(name, 0, time += 10);
    }
    const auto trace = std::move(builder).build();
    QVERIFY(trace);
    ProfilePage* page = openProfile(write("leak.plimsoll", memtrace::writeColumns(**trace)));
    QVERIFY(page != nullptr);
    tests::chooseTab(*page, QStringLiteral("Leaks"), QStringLiteral("tables"));
    auto& leaks = tests::viewOf<LeaksPage>(*page);
    QVERIFY(QTest::qWaitFor([&] { return leaks.isCurrent(); }, kPatience));
    QCOMPARE(leaks.text(),
             QStringLiteral("1 place holds 8.0\u00A0KiB more after each step (4 steps, from "
                            "annotations such as \"step 0\")."));
    // A range keeps the steps that end in it.
    auto& chip = *leaks.findChild<RangeChip*>();
    QVERIFY(chip.isHidden());
    const memtrace::DeviceTrace& device = page->controller().picture()->device();
    const std::size_t third = memtrace::stepEnds(**trace, device).at.at(2);
    page->selection().setRange(StepRange{0, third});
    QVERIFY(QTest::qWaitFor([&] { return leaks.isCurrent(); }, kPatience));
    QCOMPARE(leaks.text(),
             QStringLiteral("1 place holds 8.0\u00A0KiB more after each step (3 steps that end in "
                            "the range, from annotations such as \"step 0\")."));
    QVERIFY(chip.isVisible());
    // To the end of the last step, as the plot's range and its duration.
    const auto timeOf = [&](std::size_t step) {
        return timeText(base::Nanoseconds{device.axisTimes()[step]});
    };
    QVERIFY2(chip.text().endsWith(timeOf(third + 1)), qPrintable(chip.text()));
    QVERIFY(timeOf(third) != timeOf(third + 1));
    page->selection().setRange(StepRange{0, third - 1});
    QVERIFY(QTest::qWaitFor([&] { return leaks.isCurrent(); }, kPatience));
    QCOMPARE(leaks.text(), QStringLiteral("Leaks show over three steps or more, and 2 end in the "
                                          "range: choose a longer one."));
    QTest::mouseClick(&chip, Qt::LeftButton);
    QVERIFY(!page->selection().range());
}

} // namespace

PLIMSOLL_TEST(ProfileSegmentsTest, QApplication)
#include "profile_segments_test.moc"
