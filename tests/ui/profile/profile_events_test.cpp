// SPDX-License-Identifier: Apache-2.0
// The events of a recording: found by a regular expression, in a range, sorted, off the GUI thread.
#include "core/memtrace/builder.h"
#include "core/workspace/profile/profile_picture.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/docks/events_page.h"
#include "ui/profile_tables/event_rows.h"
#include "ui/step_filter/range_chip.h"

#include "tests/support/gui_time.h"
#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLineEdit>

#include <algorithm>
#include <set>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;
using tests::RecordedTraining;

workspace::ProfilePicturePtr pictureOf(const memtrace::MemoryTracePtr& trace)
{
    auto picture = workspace::profilePicture(trace, {}, {});
    return picture ? *picture : nullptr;
}

class ProfileEventsTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void theModelIsSound();
    void sortsByEachColumn_data();
    void sortsByEachColumn();
    void findsActionsAndFrames();
    void canBeStopped();
    void thePageFiltersAndSorts();
    void manyRowsDoNotStopTheWindow();
};

void ProfileEventsTest::theModelIsSound()
{
    EventModel model;
    QAbstractItemModelTester tester{&model};
    const auto picture = pictureOf(RecordedTraining{}.trace());
    QVERIFY(picture != nullptr);
    model.setRows(picture, nullptr);
    QCOMPARE(model.rowCount(), 96);
    QCOMPARE(model.rowOf(95), 95);
    QCOMPARE(model.rowOf(96), -1);
    model.setRows(picture, std::make_shared<const std::vector<memtrace::EventIndex>>(
                               std::vector<memtrace::EventIndex>{7, 3}));
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.eventAt(1), memtrace::EventIndex{3});
    QCOMPARE(model.rowOf(3), 1);
    QCOMPARE(model.rowOf(4), -1);
    QCOMPARE(model.index(1, EventModel::NumberColumn).data().toString(), QStringLiteral("3"));
}

void ProfileEventsTest::sortsByEachColumn_data()
{
    QTest::addColumn<int>("column");
    QTest::addColumn<bool>("isDescending");
    for (int column = EventModel::NumberColumn; column <= EventModel::StackColumn; ++column)
        for (const bool isDescending : {false, true})
            QTest::addRow("%d %d", column, isDescending ? 1 : 0) << column << isDescending;
}

/// Every event once, in the order of the shown cells; ties in that of the recording.
void ProfileEventsTest::sortsByEachColumn()
{
    QFETCH(int, column);
    QFETCH(bool, isDescending);
    const auto picture = pictureOf(RecordedTraining{}.trace());
    WantedEvents wanted;
    wanted.picture = picture;
    wanted.column = static_cast<EventModel::Column>(column);
    wanted.isDescending = isDescending;
    const auto rows = eventRows(wanted);
    QVERIFY(rows);
    EventModel model;
    model.setRows(picture, *rows);
    QCOMPARE(model.rowCount(), 96);
    const memtrace::DeviceTrace& device = picture->device();
    const auto keyOf = [&](int row) -> std::pair<qint64, QString> {
        const memtrace::EventIndex event = model.eventAt(row);
        const std::uint32_t subject = device.subject(event);
        switch (column) {
        case EventModel::ActionColumn: return {static_cast<qint64>(device.action(event)), {}};
        case EventModel::SizeColumn: return {device.allocations().bytes[subject], {}};
        case EventModel::AddressColumn:
            return {static_cast<qint64>(device.allocations().address[subject]), {}};
        case EventModel::StackColumn:
            return {0, model.index(row, EventModel::StackColumn).data().toString()};
        default: return {event, {}};
        }
    };
    std::set<memtrace::EventIndex> all;
    for (int row = 0; row < 96; ++row) {
        all.insert(model.eventAt(row));
        if (row == 0)
            continue;
        const auto before = keyOf(row - 1);
        const auto now = keyOf(row);
        QVERIFY2(isDescending ? now <= before : before <= now, qPrintable(QString::number(row)));
        if (before == now)
            QVERIFY(model.eventAt(row - 1) < model.eventAt(row));
    }
    QCOMPARE(all.size(), std::size_t{96});
}

void ProfileEventsTest::findsActionsAndFrames()
{
    const auto picture = pictureOf(RecordedTraining{}.trace());
    const memtrace::DeviceTrace& device = picture->device();
    const auto found = [&](const char* query, std::optional<StepRange> range = {}) {
        WantedEvents wanted;
        wanted.picture = picture;
        wanted.query = query;
        wanted.range = range;
        const auto rows = eventRows(wanted);
        if (!rows)
            qFatal("failed");
        return *rows ? (*rows)->size() : device.eventCount();
    };
    QCOMPARE(found(""), std::size_t{96});
    QCOMPARE(found("^free$"), std::size_t{48});
    QCOMPARE(found("^alloc"), std::size_t{48});
    // Layers 10 to 21 of forward: each allocated and freed in both steps.
    QCOMPARE(found(":12:forward"), std::size_t{4});
    QCOMPARE(found(R"(:1[0-2]:FORWARD$)"), std::size_t{12});
    QCOMPARE(found("[no such"), std::size_t{0}); // not an expression: contained as it is
    QCOMPARE(found("", StepRange{0, 12}), std::size_t{12});
    QCOMPARE(found("^free$", StepRange{12, 20}), std::size_t{5});
    QCOMPARE(found("", StepRange{90, 4000}), std::size_t{6});
}

void ProfileEventsTest::canBeStopped()
{
    std::stop_source source;
    source.request_stop();
    WantedEvents wanted;
    wanted.picture = pictureOf(RecordedTraining{}.trace());
    wanted.column = EventModel::SizeColumn;
    const auto rows = eventRows(wanted, base::JobContext{.stop = source.get_token()});
    QVERIFY(!rows);
    QVERIFY(rows.error().kind == base::ErrorKind::Cancelled);
}

void ProfileEventsTest::thePageFiltersAndSorts()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    tests::chooseTab(*page, QStringLiteral("Events"), QStringLiteral("tables"));
    auto& events = tests::viewOf<EventsPage>(*page);
    const auto settles = [&] {
        QTest::qWait(1); // the work is begun a moment after the last change
        return QTest::qWaitFor([&] { return events.isCurrent(); }, kPatience);
    };
    QVERIFY(settles());
    const QAbstractItemModel& model = *events.table().model();
    QCOMPARE(model.rowCount(), 96);
    events.table().selectRow(3);
    auto* field = events.findChild<QLineEdit*>();
    QTest::keyClicks(field, QStringLiteral("^alloc"));
    QVERIFY(settles());
    QCOMPARE(model.rowCount(), 48);
    QCOMPARE(page->selection().step(), std::optional<std::size_t>{4});
    QCOMPARE(events.table().currentIndex().row(), 3); // the chosen event stays chosen
    // What is no expression is looked for as it is, and the page says so.
    const auto isSaid = [&] {
        return std::ranges::any_of(events.findChildren<TextLabel*>(), [](const TextLabel* label) {
            return label->text().contains(QLatin1String{"searched as text"});
        });
    };
    QVERIFY(!isSaid());
    QTest::keyClicks(field, QStringLiteral("("));
    QVERIFY(settles());
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(isSaid());
    QTest::keyClick(field, Qt::Key_Backspace);
    QVERIFY(settles());
    QCOMPARE(model.rowCount(), 48);
    QVERIFY(!isSaid());
    // A click on the head of Size: the largest first with the second one.
    QHeaderView& header = *events.table().horizontalHeader();
    const QPoint head{header.sectionViewportPosition(EventModel::SizeColumn) + 20,
                      header.height() / 2};
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, head);
    QVERIFY(settles());
    const QString first = model.index(0, EventModel::SizeColumn).data().toString();
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, head);
    QVERIFY(settles());
    const QString second = model.index(0, EventModel::SizeColumn).data().toString();
    QStringList ends{first, second};
    ends.sort();
    QCOMPARE(ends, (QStringList{QStringLiteral("3.0\u00A0MiB"), QStringLiteral("512.0\u00A0KiB")}));
    // The range filters, and its chip removes it.
    page->selection().setRange(StepRange{0, 12});
    QVERIFY(settles());
    QCOMPARE(model.rowCount(), 12);
    const QString chip = events.findChild<RangeChip*>()->text();
    QVERIFY2(chip.startsWith(QStringLiteral("before the first event – ")), qPrintable(chip));
    // So does the page's filter.
    QVERIFY(change(*page, [](workspace::ProfileSettings& settings) {
        settings.filter = {{memtrace::FilterField::Size, ">= 3 MiB"}};
    }));
    QVERIFY(settles());
    QCOMPARE(model.rowCount(), 4);
}

/// Many events: nothing takes long on the GUI thread.
void ProfileEventsTest::manyRowsDoNotStopTheWindow()
{
    memtrace::Builder builder;
    memtrace::DeviceBuilder& device = builder.device(0);
    memtrace::RecordedEvent event;
    event.timeNs = 1;
    for (std::uint32_t i = 0; i < 400'000; ++i) {
        event.action = i % 2 == 0 ? memtrace::Action::Alloc : memtrace::Action::FreeCompleted;
        event.address = 0x7f0000000000 + (i / 2 % 64) * 0x200000ULL;
        event.bytes = 512 * (1 + i / 2 % 4001);
        QVERIFY(device.add(event).has_value());
    }
    auto trace = std::move(builder).build();
    QVERIFY(trace);
    const auto picture = pictureOf(*trace);
    QVERIFY(picture != nullptr);
    EventsPage page;
    page.resize(900, 400);
    page.show();
    const auto settles = [&] {
        QTest::qWait(1);
        return QTest::qWaitFor([&] { return page.isCurrent(); }, kPatience);
    };
    tests::GuiTime time;
    page.setPicture(picture);
    QVERIFY(settles());
    QCOMPARE(page.table().model()->rowCount(), 400'000);
    page.table().horizontalHeader()->setSortIndicator(EventModel::SizeColumn, Qt::DescendingOrder);
    QVERIFY(settles());
    page.table().scrollToBottom();
    QTest::qWait(20);
    page.findChild<QLineEdit*>()->setText(QStringLiteral("^free"));
    QVERIFY(settles());
    QCOMPARE(page.table().model()->rowCount(), 200'000);
    QVERIFY2(time.longest() < tests::kFreeze, qPrintable(QString::number(time.longest())));
}

} // namespace

PLIMSOLL_TEST(ProfileEventsTest, QApplication)
#include "profile_events_test.moc"
