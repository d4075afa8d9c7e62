// SPDX-License-Identifier: Apache-2.0
// A recording that grows while it is open: followed, with what the user looks at, and its alarm.
#include "core/capture/wire_activity.h"
#include "ui/base/numbers.h"
#include "ui/diagnosis/diagnosis_view.h"
#include "ui/profile_page/active_view.h"
#include "ui/profile_page/docks/diagnosis_page.h"
#include "ui/profile_page/live/alarm_bar.h"
#include "ui/profile_page/map_figures.h"

#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"
#include "tests/unit/capture/capture_file.h"

#include <QAction>
#include <QFile>
#include <QLineEdit>
#include <QUndoStack>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;
namespace wire = capture::wire;

constexpr std::uint64_t kEpoch = 1'700'000'000'000'000'000;
constexpr std::uint64_t kMs = 1'000'000;
constexpr std::int64_t kMiB = 1 << 20;

wire::Memory memory(std::uint64_t ms, wire::MemoryOperation operation, std::uint64_t place,
                    std::uint64_t mib)
{
    wire::Memory record;
    record.time = kEpoch + ms * kMs;
    record.operation = operation;
    record.kind = wire::MemoryKind::Device;
    record.address = place << 32U;
    record.bytes = mib << 20U;
    record.stream = wire::kNone;
    return record;
}
wire::Memory allocated(std::uint64_t ms, std::uint64_t place, std::uint64_t mib)
{
    return memory(ms, wire::MemoryOperation::Allocate, place, mib);
}

class FollowTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { closeWindow(); }
    void aGrowingFileIsFollowed();
    void nothingIsReadUnlessItIsFollowed();
    void theDiagnosisFollows();
    void theEdgeStaysAtNow();
    void whatIsSelectedStays();
    void aFileThatGoesIsTold();
    void theAlarmIsTold();
    void theAlarmIsDragged();
    void aSessionKeepsWhatWasRead();
    void largeFilesAreReadRarely();

private:
    /// The recording, of which chunks are written as they are sealed.
    void writeFile()
    {
        QFile file{m_path};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(m_file.bytes().data(), static_cast<qint64>(m_file.bytes().size()));
    }
    template <typename... Records>
    void append(const Records&... records)
    {
        (m_file.add(records), ...);
        m_file.seal();
        writeFile();
    }
    ProfilePage* openFollowed()
    {
        ProfilePage* page = openProfile(m_path);
        if (page != nullptr)
            trigger("profile.follow");
        return page;
    }
    static std::int64_t peakOf(const ProfilePage& page)
    {
        return tests::viewOf<ActiveView>(page).timeline()->peak().count() / kMiB;
    }

    QString m_path;
    tests::CaptureFile m_file;
};

void FollowTest::init()
{
    openWindow();
    m_path = QString::fromStdString(m_folder->file("step.plmcap"));
    m_file = tests::CaptureFile{};
    // 96 MiB from 20 ms on, until 100 ms.
    append(wire::Process{}, allocated(10, 1, 64), allocated(20, 2, 32),
           memory(100, wire::MemoryOperation::Release, 2, 32));
}

void FollowTest::aGrowingFileIsFollowed()
{
    ProfilePage* page = openFollowed();
    QVERIFY(page != nullptr);
    QVERIFY(m_window->findChild<QAction*>(QStringLiteral("profile.follow"))->isChecked());
    QCOMPARE(page->status().text, QStringLiteral("Following the file"));
    QCOMPARE(peakOf(*page), 96);
    append(allocated(200, 3, 100));
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 164, kPatience);
    QCOMPARE(page->controller().picture()->device().allocations().size(), std::size_t{3});
    QVERIFY2(page->factsText().startsWith(QStringLiteral("3 blocks of the driver")),
             qPrintable(page->factsText()));
    // What is idle in the driver's blocks isn't known.
    QVERIFY(page->findChild<MapFigures*>()->curve() == nullptr);
    for (const HoverRow& row : tests::viewOf<ActiveView>(*page).hoverAt(1).rows)
        QVERIFY(row.name != QStringLiteral("Largest gap"));
    // A chunk that is half written is read once it is complete, and a lost record is told.
    wire::Drops drops;
    drops.byCupti = 2;
    m_file.add(allocated(300, 4, 1000)).add(drops).seal();
    const std::string whole = m_file.bytes();
    QFile file{m_path};
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(whole.data(), static_cast<qint64>(whole.size()) - 9);
    file.close();
    QTest::qWait(900);
    QCOMPARE(peakOf(*page), 164);
    writeFile();
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 1164, kPatience);
    QCOMPARE(page->status().text, QStringLiteral("Following the file · 2 records lost"));
    trigger("profile.follow");
    QVERIFY(!page->live().isFollowing());
    QVERIFY(!m_window->findChild<QAction*>(QStringLiteral("profile.follow"))->isChecked());
}

void FollowTest::nothingIsReadUnlessItIsFollowed()
{
    ProfilePage* page = openProfile(m_path);
    QVERIFY(page != nullptr);
    append(allocated(200, 3, 100));
    QTest::qWait(1200);
    QCOMPARE(peakOf(*page), 96);
    trigger("profile.follow"); // what came before is read, too
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 164, kPatience);
}

void FollowTest::theDiagnosisFollows()
{
    ProfilePage* page = openFollowed();
    QVERIFY(page != nullptr);
    tests::chooseTab(*page, QStringLiteral("Diagnosis"), QStringLiteral("inspector"));
    auto& diagnosis = tests::viewOf<DiagnosisPage>(*page);
    const auto live = [&] { return diagnosis.view().value(QStringLiteral("Live")); };
    QTRY_COMPARE_WITH_TIMEOUT(live(), bytesText(base::Bytes{96 * kMiB}), kPatience);
    append(allocated(200, 3, 100));
    QTRY_COMPARE_WITH_TIMEOUT(live(), bytesText(base::Bytes{164 * kMiB}), kPatience);
    QVERIFY(diagnosis.isCurrent());
}

void FollowTest::theEdgeStaysAtNow()
{
    ProfilePage* page = openFollowed();
    QVERIFY(page != nullptr);
    auto& active = tests::viewOf<ActiveView>(*page);
    for (std::uint64_t i = 0; i < 200; ++i) // no less than four steps can be shown
        m_file.add(memory(
            101 + i / 4,
            i % 2 == 0 ? wire::MemoryOperation::Allocate : wire::MemoryOperation::Release, 50, 1));
    append(allocated(190, 3, 100));
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 164, kPatience);
    QVERIFY((active.visibleRange() == VisibleRange{}));
    active.setVisibleRange({0.5, 1});
    const double first = active.axisLength();
    append(allocated(370, 4, 100));
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 264, kPatience);
    QCOMPARE(active.visibleRange().end, 1.0);
    const double second = active.axisLength();
    QVERIFY(second > 1.9 * first);
    QVERIFY(qAbs((1 - active.visibleRange().begin) * second - 0.5 * first) < 1e-6 * second);
    active.setVisibleRange({0.25, 0.5}); // away from the edge
    append(allocated(730, 5, 100));
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 364, kPatience);
    const double third = active.axisLength();
    QVERIFY(qAbs(active.visibleRange().begin * third - 0.25 * second) < 1e-6 * third);
    QVERIFY(qAbs(active.visibleRange().end * third - 0.5 * second) < 1e-6 * third);
}

void FollowTest::whatIsSelectedStays()
{
    ProfilePage* page = openFollowed();
    QVERIFY(page != nullptr);
    const workspace::ProfilePicturePtr before = page->controller().picture();
    page->allocation().select(1); // 32 MiB
    const std::size_t step = before->device().firstStep(1);
    page->selection().setStep(step);
    page->selection().setRange(StepRange{step, step + 1});
    trigger("view.pin");
    // CUPTI gives records back as it likes: some are from before.
    append(allocated(15, 6, 8), allocated(5, 7, 4), allocated(200, 3, 100));
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 176, kPatience);
    const workspace::ProfilePicture& after = *page->controller().picture();
    QVERIFY(page->allocation().allocation().has_value());
    QCOMPARE(after.device().allocations().bytes[*page->allocation().allocation()], 32 * kMiB);
    QVERIFY(page->selection().step().has_value());
    QCOMPARE(after.timeline->timeAt(*page->selection().step()).count() + after.trace->epochNs(),
             static_cast<std::int64_t>(kEpoch + 20 * kMs));
    QVERIFY(page->selection().range().has_value());
    QCOMPARE(after.timeline->timeAt(page->selection().range()->begin).count()
                 + after.trace->epochNs(),
             static_cast<std::int64_t>(kEpoch + 20 * kMs));
    // So does what the user has chosen to see.
    QVERIFY(change(*page, [](workspace::ProfileSettings& settings) {
        settings.axis = memtrace::Axis::Events;
        settings.grouping = memtrace::Grouping::Stream;
    }));
    append(allocated(210, 8, 100));
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 276, kPatience);
    QCOMPARE(page->controller().picture()->settings.axis, memtrace::Axis::Events);
    QCOMPARE(page->controller().picture()->settings.grouping, memtrace::Grouping::Stream);
    QVERIFY(!page->isUnsaved() || page->undoStack().canUndo());
}

void FollowTest::aFileThatGoesIsTold()
{
    ProfilePage* page = openFollowed();
    QVERIFY(page != nullptr);
    QVERIFY2(page->factsText().contains(QStringLiteral("blocks of the driver, no tensors")),
             qPrintable(page->factsText()));
    QVERIFY(QFile::remove(m_path));
    QTRY_COMPARE_WITH_TIMEOUT(page->strip().count(), std::size_t{1}, kPatience);
    QCOMPARE(page->strip().shown().first, QStringLiteral("The file can't be read at present."));
    QVERIFY(page->strip().shown().rest.contains(QStringLiteral("step.plmcap")));
    QCOMPARE(peakOf(*page), 96);
    append(allocated(200, 3, 100));
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 164, kPatience);
    QCOMPARE(page->strip().count(), std::size_t{0});
}

void FollowTest::theAlarmIsTold()
{
    ProfilePage* page = openFollowed();
    QVERIFY(page != nullptr);
    auto& bar = tests::viewOf<AlarmBar>(*page);
    auto& active = tests::viewOf<ActiveView>(*page);
    trigger("profile.alarm");
    QTRY_VERIFY(bar.field().hasFocus());
    QTest::keyClicks(&bar.field(), QStringLiteral("much"));
    QTest::keyClick(&bar.field(), Qt::Key_Return);
    QVERIFY(!bar.fault().isEmpty());
    QVERIFY(!page->controller().document().alarm.has_value());
    bar.field().selectAll();
    QTest::keyClicks(&bar.field(), QStringLiteral("150 MiB"));
    QTest::keyClick(&bar.field(), Qt::Key_Return);
    QCOMPARE(bar.fault(), QString{});
    QCOMPARE(page->controller().document().alarm, std::optional{base::Bytes{150 * kMiB}});
    QVERIFY(active.axisTop() >= base::Bytes{150 * kMiB});
    QCOMPARE(page->strip().count(), std::size_t{0});
    append(allocated(210, 3, 100));
    QTRY_COMPARE_WITH_TIMEOUT(page->strip().count(), std::size_t{1}, kPatience);
    QCOMPARE(page->strip().shown().kind, MessageKind::Warn);
    QCOMPARE(
        page->strip().shown().first,
        QStringLiteral("Memory exceeded the alarm of %1.").arg(bytesText(base::Bytes{150 * kMiB})));
    QCOMPARE(page->strip().shown().rest,
             QStringLiteral("First at %1, with %2 (%3).")
                 .arg(timeText(base::Nanoseconds{200'000'000}), bytesText(base::Bytes{164 * kMiB}),
                      bytesDifferenceText(base::Bytes{14 * kMiB})));
    // Higher, it is no longer exceeded; Undo brings both back.
    bar.field().setFocus();
    bar.field().selectAll();
    QTest::keyClicks(&bar.field(), QStringLiteral("200 MiB"));
    QTest::keyClick(&bar.field(), Qt::Key_Return);
    QCOMPARE(page->strip().count(), std::size_t{0});
    page->undoStack().undo();
    QCOMPARE(page->controller().document().alarm, std::optional{base::Bytes{150 * kMiB}});
    QCOMPARE(bar.field().text(), bytesText(base::Bytes{150 * kMiB}));
    QCOMPARE(page->strip().count(), std::size_t{1});
    bar.field().clear();
    QTest::keyClick(&bar.field(), Qt::Key_Return);
    QVERIFY(!page->controller().document().alarm.has_value());
    QCOMPARE(page->strip().count(), std::size_t{0});
}

void FollowTest::theAlarmIsDragged()
{
    ProfilePage* page = openProfile(m_path);
    QVERIFY(page != nullptr);
    auto& active = tests::viewOf<ActiveView>(*page);
    page->controller().changeAlarm(base::Bytes{200 * kMiB});
    const QRectF plot = active.plotRect();
    const auto y = [&](std::int64_t mib) {
        const double share =
            static_cast<double>(mib * kMiB) / static_cast<double>(active.axisTop().count());
        return static_cast<int>(std::lround(plot.bottom() - share * plot.height()));
    };
    const int x = static_cast<int>(plot.center().x());
    const auto press = [&] {
        QTest::mouseMove(&active, {x, y(200)});
        QTest::mousePress(&active, Qt::LeftButton, {}, {x, y(200)});
        QTest::mouseMove(&active, {x, y(150)});
        QTest::mouseMove(&active, {x, y(100)});
    };
    const QLineEdit& alarmField = tests::viewOf<AlarmBar>(*page).field();
    press();
    const QString moved = alarmField.text();
    QVERIFY(moved != bytesText(base::Bytes{200 * kMiB}));
    QTest::mouseRelease(&active, Qt::LeftButton, {}, {x, y(100)});
    QCOMPARE(alarmField.text(), moved);
    const std::int64_t dragged = page->controller().document().alarm.value().count();
    QVERIFY2(std::abs(dragged - 100 * kMiB) < 2 * kMiB,
             qPrintable(bytesText(base::Bytes{dragged})));
    QVERIFY(!page->selection().range().has_value());
    page->undoStack().undo();
    QCOMPARE(page->controller().document().alarm, std::optional{base::Bytes{200 * kMiB}});
    // Esc cancels the drag, wherever the focus is, before it takes back a selection.
    page->allocation().select(std::uint32_t{0});
    for (QWidget* focused : {static_cast<QWidget*>(&active),
                             static_cast<QWidget*>(&tests::viewOf<AlarmBar>(*page).field())}) {
        press();
        focused->setFocus();
        QTest::keyClick(focused, Qt::Key_Escape);
        QTest::mouseRelease(&active, Qt::LeftButton, {}, {x, y(100)});
        QCOMPARE(page->controller().document().alarm, std::optional{base::Bytes{200 * kMiB}});
        QCOMPARE(page->allocation().allocation(), std::optional{std::uint32_t{0}});
        QCOMPARE(alarmField.text(), bytesText(base::Bytes{200 * kMiB}));
    }
}

void FollowTest::aSessionKeepsWhatWasRead()
{
    ProfilePage* page = openFollowed();
    QVERIFY(page != nullptr);
    page->controller().changeAlarm(base::Bytes{500 * kMiB});
    const QString session = QString::fromStdString(m_folder->file("kept.plimsoll"));
    m_window->saveTo(*page, session);
    QTRY_VERIFY_WITH_TIMEOUT(page->isInSession() && !page->isUnsaved(), kPatience);
    append(allocated(200, 3, 100));
    QTRY_COMPARE_WITH_TIMEOUT(peakOf(*page), 164, kPatience);
    QSignalSpy gone{page, &QObject::destroyed};
    m_window->closePage(*page);
    QVERIFY(gone.wait(kPatience));
    ProfilePage* kept = openProfile(session);
    QVERIFY(kept != nullptr);
    QCOMPARE(peakOf(*kept), 164);
    QCOMPARE(kept->controller().document().alarm, std::optional{base::Bytes{500 * kMiB}});
    QVERIFY(tests::viewOf<AlarmBar>(*kept).isVisible());
}

void FollowTest::largeFilesAreReadRarely()
{
    using std::chrono::milliseconds;
    QCOMPARE(ProfileFollower::restAfter(milliseconds{3}), milliseconds{500});
    QCOMPARE(ProfileFollower::restAfter(milliseconds{3000}), milliseconds{12'000});
}

} // namespace

PLIMSOLL_TEST(FollowTest, QApplication)
#include "follow_test.moc"
