// SPDX-License-Identifier: Apache-2.0
// A profile in the window, out of a session: beside a graph, changed, undone, saved, opened again.
#include "ui/profile_page/profile_page.h"

#include "core/memtrace/analysis/gaps.h"
#include "core/workspace/profile/profile_document.h"
#include "ui/base/numbers.h"
#include "ui/memory_map/memory_map_view.h"
#include "ui/profile_page/active_view.h"
#include "ui/profile_page/docks/allocation_page.h"
#include "ui/profile_page/docks/events_page.h"
#include "ui/profile_page/docks/inspector.h"
#include "ui/profile_page/docks/live_groups_page.h"

#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QAction>
#include <QMenuBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QWheelEvent>

#include <algorithm>
#include <set>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;
using tests::RecordedTraining;

class ProfilePageTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void showsTheRecording();
    void whatOthersHoldIsShown();
    void theLargestGapIsALine();
    void theMapSharesTheAxis();
    void aClickInTheMapSelects();
    void tablesFollowCursorAndRange();
    void groupsFollowTheCursor();
    void theInspectorTellsTheAllocation();
    void theSessionKeepsTheRange();
    void eventsSelect();
    void devicesAreTabs();
    void framesAreFound();
    void changesAreUndone();
    void aSessionKeepsWhatIsShown();
    void aSessionHoldsGraphsAndProfiles();
    void aDamagedCopyIsTold();

private:
    [[nodiscard]] QStringList menus() const
    {
        QStringList titles;
        for (const QAction* action : m_window->menuBar()->actions())
            if (action->isVisible())
                titles << action->text().remove(u'&');
        return titles;
    }
    static void choose(ProfilePage& page, memtrace::Axis axis)
    {
        workspace::ProfileSettings settings = page.controller().document().settings;
        settings.axis = axis;
        page.controller().change(QStringLiteral("Axis"), settings);
    }
};

void ProfilePageTest::showsTheRecording()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    const auto& active = tests::viewOf<ActiveView>(*page);
    // 12 weights of 2 MiB; activations of 1, 2 and 3 MiB in turn, the first backward's scratch.
    const std::int64_t peak =
        (12 * 2 + 4 * 6) * RecordedTraining::kMiB + RecordedTraining::kMiB / 2;
    const base::Bytes reserved{4 * 14 * RecordedTraining::kMiB};
    QCOMPARE(active.timeline()->peak().count(), peak);
    QCOMPARE(active.axisTop() >= base::Bytes{4 * 14 * RecordedTraining::kMiB}, true);
    QVERIFY(active.subtitle().contains(QStringLiteral("GPU 0")));
    QVERIFY(active.subtitle().contains(QStringLiteral("peak ") + bytesText(base::Bytes{peak})));
    QVERIFY(active.subtitle().contains(QStringLiteral("reserved ") + bytesText(reserved)));
    QCOMPARE(page->factsText(), QStringLiteral("60 allocations · 144 events"));
    QCOMPARE(active.timeline()->bands().size(), std::size_t{6});
    QVERIFY(menus().contains(QStringLiteral("Profile")));
    QVERIFY(!menus().contains(QStringLiteral("Plan")));
    page->selection().setStep(0);
    QCOMPARE(page->cursorText(),
             QStringLiteral("before the first event · active %1 · reserved %2")
                 .arg(bytesText(base::Bytes{24 * RecordedTraining::kMiB}), bytesText(reserved)));
}

/// Of a recording that is joined with PyTorch's snapshot.
void ProfilePageTest::whatOthersHoldIsShown()
{
    const memtrace::MemoryTracePtr plain = RecordedTraining{}.trace();
    memtrace::TraceParts parts = plain->parts();
    memtrace::DeviceColumns columns = parts.devices.front().columns();
    const base::Bytes most{200 * RecordedTraining::kMiB};
    columns.foreign = {{0, base::Bytes{}}, {5, most}};
    parts.devices.front() = memtrace::DeviceTrace{std::move(columns)};
    ProfilePage* page = openProfile(
        write("joined.plimsoll", memtrace::writeColumns(memtrace::MemoryTrace{std::move(parts)})));
    QVERIFY(page != nullptr);
    const auto& active = tests::viewOf<ActiveView>(*page);
    const base::Bytes reserved{4 * 14 * RecordedTraining::kMiB};
    QVERIFY(active.axisTop() >= reserved + most);
    QVERIFY(active.subtitle().contains(QStringLiteral("outside PyTorch ") + bytesText(most)));
    page->selection().setStep(5);
    QVERIFY2(page->cursorText().endsWith(QStringLiteral("reserved %1 · outside PyTorch %2")
                                             .arg(bytesText(reserved), bytesText(most))),
             qPrintable(page->cursorText()));
    page->selection().setStep(4);
    QVERIFY2(page->cursorText().endsWith(QStringLiteral("reserved ") + bytesText(reserved)),
             qPrintable(page->cursorText()));
}

/// Line, card, and what stands above the map say the same at each step.
void ProfilePageTest::theLargestGapIsALine()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    auto& active = tests::viewOf<ActiveView>(*page);
    QVERIFY(QTest::qWaitFor([&] { return active.gaps() != nullptr; }, kPatience));
    const auto named = [](const auto& row) { return row.name == QStringLiteral("Largest gap"); };
    QVERIFY(std::ranges::any_of(active.legend(), named));
    const workspace::ProfilePicture& picture = *page->controller().picture();
    std::set<std::int64_t> values;
    for (std::size_t step = 0; step < picture.timeline->stepCount(); ++step) {
        std::vector<std::uint32_t> live;
        for (const std::uint32_t index : picture.timeline->aliveAt(step))
            live.push_back(picture.timeline->intervals()[index].origin);
        const base::Bytes largest =
            memtrace::figuresOf(memtrace::gapsAt(picture.device(), live, step)).largest;
        QCOMPARE(active.gaps()->at(step).count(), largest.count());
        const HoverContent card = active.hoverAt(step);
        const auto row = std::ranges::find_if(card.rows, named);
        QVERIFY(row != card.rows.end());
        QCOMPARE(row->value, bytesText(largest));
        if (step > 0) { // the number that tables and CSV have, with its time
            const auto event = static_cast<memtrace::EventIndex>(step - 1);
            QCOMPARE(card.position, timeText(picture.device().timeOf(event))
                                        + QStringLiteral(" · event %1")
                                              .arg(countText(picture.device().shownIndex(event))));
        }
        values.insert(largest.count());
    }
    QVERIFY2(values.size() > 3, qPrintable(QString::number(values.size())));
    auto& map = tests::viewOf<MemoryMapView>(*page);
    for (const std::size_t step : {std::size_t{5}, std::size_t{40}}) {
        page->selection().setStep(step);
        const QString told =
            QStringLiteral("the largest %1,").arg(bytesText(active.gaps()->at(step)));
        QVERIFY2(QTest::qWaitFor([&] { return map.accessibleDescription().contains(told); }, 5000),
                 qPrintable(map.accessibleDescription()));
    }
    // The curve stays while the same recording is drawn otherwise.
    const memtrace::GapCurvePtr before = active.gaps();
    choose(*page, memtrace::Axis::Events);
    QVERIFY(settles(*page));
    QVERIFY(active.gaps() == before);
}

void ProfilePageTest::theMapSharesTheAxis()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    auto& active = tests::viewOf<ActiveView>(*page);
    auto& map = tests::viewOf<MemoryMapView>(*page);
    QVERIFY(QTest::qWaitFor([&] { return map.isCurrent(); }, kPatience));
    QCOMPARE(map.plotRect().left(), active.plotRect().left());
    QCOMPARE(map.plotRect().width(), active.plotRect().width());
    // The wheel over the map zooms both.
    const QPointF middle = map.plotRect().center();
    QWheelEvent wheel{middle,         map.mapToGlobal(middle), {},   {0, 240}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase,       false};
    QCoreApplication::sendEvent(&map, &wheel);
    QVERIFY(active.visibleRange().end - active.visibleRange().begin < 0.9);
    QVERIFY(QTest::qWaitFor([&] { return map.isCurrent(); }, kPatience));
    // A drag over the map selects a range of steps, which the plot above reads out.
    const QPoint from = (middle - QPointF{60, 0}).toPoint();
    const QPoint to = (middle + QPointF{80, 10}).toPoint();
    QTest::mousePress(&map, Qt::LeftButton, {}, from);
    QTest::mouseMove(&map, from + QPoint{20, 0});
    QTest::mouseMove(&map, to);
    QTest::mouseRelease(&map, Qt::LeftButton, {}, to);
    QVERIFY(page->selection().range().has_value());
    QCOMPARE(active.range(), page->selection().range());
    QVERIFY(!page->allocation().allocation().has_value());
}

void ProfilePageTest::aClickInTheMapSelects()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    auto& map = tests::viewOf<MemoryMapView>(*page);
    QVERIFY(QTest::qWaitFor([&] { return map.isCurrent(); }, kPatience));
    const memtrace::DeviceTrace& device = page->controller().picture()->device();
    int clicked = 0;
    for (std::uint32_t i = 0; i < device.allocations().size(); ++i) {
        const QRectF rect = map.rectOf(i);
        if (rect.width() < 4 || rect.height() < 4)
            continue;
        QTest::mouseClick(&map, Qt::LeftButton, {}, rect.center().toPoint());
        QCOMPARE(page->allocation().allocation(), std::optional{i});
        ++clicked;
    }
    QVERIFY2(clicked > 20, qPrintable(QString::number(clicked)));
    // Esc deselects, and a click beside all of them does.
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(!page->allocation().allocation().has_value());
}

void ProfilePageTest::tablesFollowCursorAndRange()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    AllocationPage& live = pageOf(*page, "Largest live");
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent(); }, kPatience));
    // At the peak: 12 weights, 12 activations, the first scratch. Largest first.
    QCOMPARE(live.model().rowCount(), 25);
    QCOMPARE(live.model().index(0, AllocationModel::SizeColumn).data().toString(),
             bytesText(base::Bytes{3 * RecordedTraining::kMiB}));
    QCOMPARE(live.model().index(0, AllocationModel::NameColumn).data().toString(),
             QStringLiteral("forward, model.py:12"));
    page->selection().setStep(2); // after two activations
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent() && live.model().rowCount() == 14; },
                            kPatience));
    tests::chooseTab(*page, QStringLiteral("Allocations"), QStringLiteral("tables"));
    AllocationPage& all = pageOf(*page, "Allocations");
    QVERIFY(QTest::qWaitFor([&] { return all.isCurrent(); }, kPatience));
    QCOMPARE(all.model().rowCount(), 60);
    page->selection().setRange(StepRange{1, 3});
    QVERIFY(QTest::qWaitFor([&] { return all.isCurrent() && all.model().rowCount() == 15; },
                            kPatience));
    // A click on a header sorts; on a row, it selects in every view.
    all.table().sortByColumn(AllocationModel::SizeColumn, Qt::AscendingOrder);
    QVERIFY(QTest::qWaitFor(
        [&] {
            return all.isCurrent()
                   && all.model().index(0, AllocationModel::SizeColumn).data().toString()
                          == bytesText(base::Bytes{RecordedTraining::kMiB});
        },
        kPatience));
    all.table().selectRow(0);
    QCOMPARE(page->allocation().allocation(), std::optional{all.model().allocationAt(0)});
}

void ProfilePageTest::groupsFollowTheCursor()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    auto& live = tests::viewOf<LiveGroupsPage>(*page);
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent(); }, kPatience));
    const auto cell = [&](int row, int column) {
        return live.model().index(row, column).data().toString();
    };
    QCOMPARE(live.model().rowCount(), 14); // before, twelve layers, backward's scratch
    QCOMPARE(cell(0, LiveGroupModel::NameColumn), QStringLiteral("(before the recording)"));
    QCOMPARE(cell(0, LiveGroupModel::SizeColumn),
             bytesText(base::Bytes{24 * RecordedTraining::kMiB}));
    page->selection().setStep(1);
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent() && live.model().rowCount() == 2; },
                            kPatience));
    QCOMPARE(cell(1, LiveGroupModel::NameColumn), QStringLiteral("forward, model.py:10"));
    live.setGrouping(memtrace::LiveBy::Class);
    QVERIFY(QTest::qWaitFor(
        [&] { return live.isCurrent() && cell(1, 0) == QStringLiteral("Activations"); },
        kPatience));
}

void ProfilePageTest::theInspectorTellsTheAllocation()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    const auto& inspector = tests::viewOf<Inspector>(*page);
    QCOMPARE(inspector.value(QStringLiteral("Size")), QString{});
    page->allocation().select(1); // the second activation: 2 MiB
    QCOMPARE(inspector.value(QStringLiteral("Size")),
             exactBytesText(base::Bytes{2 * RecordedTraining::kMiB}));
    QCOMPARE(inspector.value(QStringLiteral("Allocated")), timeText(base::Nanoseconds{100'000}));
    QCOMPARE(inspector.value(QStringLiteral("Stream")), QStringLiteral("default"));
    QCOMPARE(inspector.value(QStringLiteral("Class")), QStringLiteral("Activations"));
    QCOMPARE(inspector.rule(), QStringLiteral("Forward allocated it, and backward still has it."));
    QCOMPARE(inspector.value(QStringLiteral("Block")), QString{}); // it is freed before the end
    page->allocation().select(48);                                 // a weight
    QCOMPARE(inspector.value(QStringLiteral("Allocated")), QStringLiteral("before the recording"));
    QCOMPARE(inspector.value(QStringLiteral("Freed")), QStringLiteral("not within the recording"));
    QCOMPARE(inspector.value(QStringLiteral("Block")), inspector.value(QStringLiteral("Size")));
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QCOMPARE(inspector.value(QStringLiteral("Size")), QString{});
}

void ProfilePageTest::theSessionKeepsTheRange()
{
    const QString session = sessionOf({});
    const std::optional<StepRange> ranges[] = {StepRange{3, 9}, std::nullopt};
    for (const std::optional<StepRange>& range : ranges) {
        for (const bool isAgain : {false, true}) {
            ProfilePage* page = openProfile(session);
            QVERIFY(page != nullptr);
            if (isAgain)
                QCOMPARE(page->selection().range(), range);
            else
                page->selection().setRange(range);
            m_window->closePage(*page);
            QTRY_VERIFY_WITH_TIMEOUT(m_window->pages().empty(), kPatience);
        }
    }
}

void ProfilePageTest::eventsSelect()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    tests::chooseTab(*page, QStringLiteral("Events"), QStringLiteral("tables"));
    auto& events = tests::viewOf<EventsPage>(*page);
    QVERIFY(QTest::qWaitFor([&] { return events.isCurrent(); }, kPatience));
    QTableView* table = &events.table();
    // 24 allocations of activations, 24 of scratch, 48 frees that are two events each.
    QCOMPARE(table->model()->rowCount(), 96);
    QCOMPARE(table->model()->index(95, 0).data().toString(), QStringLiteral("143"));
    QCOMPARE(table->model()->index(95, 2).data().toString(), QStringLiteral("free"));
    table->selectRow(3);
    QCOMPARE(page->selection().step(), std::optional<std::size_t>{4});
    QCOMPARE(page->allocation().allocation(), std::optional<std::uint32_t>{3});
}

void ProfilePageTest::devicesAreTabs()
{
    RecordedTraining training;
    training.devices = 3;
    ProfilePage* page = openProfile(sessionOf(std::move(training)));
    QVERIFY(page != nullptr);
    QTabBar* tabs = nullptr;
    for (QTabBar* bar : page->findChildren<QTabBar*>())
        if (bar->accessibleName() == QStringLiteral("Devices"))
            tabs = bar;
    QVERIFY(tabs != nullptr && tabs->isVisible());
    QCOMPARE(tabs->count(), 3);
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(2).center());
    QVERIFY(
        QTest::qWaitFor([&] { return page->controller().picture()->deviceIndex == 2; }, kPatience));
    QVERIFY(tests::viewOf<ActiveView>(*page).subtitle().contains(QStringLiteral("GPU 2")));
    trigger("edit.undo");
    QVERIFY(
        QTest::qWaitFor([&] { return page->controller().picture()->deviceIndex == 0; }, kPatience));
    QCOMPARE(tabs->currentIndex(), 0);
}

void ProfilePageTest::framesAreFound()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    const auto hitsFor = [&](const char* query) {
        return page->searchFor(QString::fromLatin1(query))({}).value_or(DocumentPage::Hits{});
    };
    QCOMPARE(hitsFor("model\\.py:1[12]:").size(), std::size_t{4}); // two layers, two steps
    QCOMPARE(hitsFor("TRAIN.PY").size(), std::size_t{24});
    QCOMPARE(hitsFor("model.py:11:forward(").size(), std::size_t{0}); // no expression, and no text
    const DocumentPage::Hits hits = hitsFor("py:11:");
    QCOMPARE(hits, (DocumentPage::Hits{1, 25}));
    page->showHit(hits[1]);
    QCOMPARE(page->allocation().allocation(), std::optional<std::uint32_t>{25});
    QCOMPARE(page->selection().step(), std::optional<std::size_t>{50});
}

void ProfilePageTest::changesAreUndone()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    const auto& active = tests::viewOf<ActiveView>(*page);
    const double duration = active.axisLength();
    QCOMPARE(duration, double(page->controller().document().trace->duration().count()));
    choose(*page, memtrace::Axis::Events);
    QVERIFY(QTest::qWaitFor([&] { return active.axisLength() != duration; }, kPatience));
    QCOMPARE(active.axisLength(), 145.0); // 144 events, and the state after the last
    trigger("edit.undo");
    QVERIFY(QTest::qWaitFor([&] { return active.axisLength() == duration; }, kPatience));
    trigger("edit.redo");
    QVERIFY(QTest::qWaitFor([&] { return active.axisLength() != duration; }, kPatience));
    QVERIFY(page->isUnsaved());
}

void ProfilePageTest::aSessionKeepsWhatIsShown()
{
    const QString path = sessionOf({});
    ProfilePage* page = openProfile(path);
    QVERIFY(page != nullptr);
    choose(*page, memtrace::Axis::Events);
    tests::chooseTab(*page, QStringLiteral("Flame"), QStringLiteral("live"));
    tests::chooseTab(*page, QStringLiteral("Leaks"), QStringLiteral("tables"));
    page->controller().setNotes(QStringLiteral("look at step 1"));
    QVERIFY(QTest::qWaitFor([&] { return page->isSettled() && !page->isUnsaved(); }, kPatience));
    trigger("file.close");
    QVERIFY(QTest::qWaitFor([&] { return m_window->currentPage() == nullptr; }, kPatience));
    page = openProfile(path);
    QVERIFY(page != nullptr);
    QCOMPARE(page->controller().document().settings.axis, memtrace::Axis::Events);
    QCOMPARE(page->controller().document().notesText, std::string{"look at step 1"});
    QCOMPARE(page->dock(QStringLiteral("live")).currentPage(), 1); // of each dock
    QCOMPARE(page->dock(QStringLiteral("tables")).currentPage(), 2);
    QCOMPARE(page->dock(QStringLiteral("inspector")).currentPage(), 0);
    QVERIFY(!page->isUnsaved());
}

void ProfilePageTest::aSessionHoldsGraphsAndProfiles()
{
    ProfilePage* profile = openProfile(sessionOf({}));
    QVERIFY(profile != nullptr);
    PlannerPage* graph = open(tests::sampleFile("resnet18"));
    QVERIFY(graph != nullptr);
    QVERIFY(menus().contains(QStringLiteral("Plan")));
    trigger("view.kind.profile");
    QCOMPARE(m_window->currentPage(), static_cast<DocumentPage*>(profile));
    trigger("view.kind.plan");
    QCOMPARE(m_window->currentPage(), static_cast<DocumentPage*>(graph));
    graph->saveInto(profile->sessionFile());
    QVERIFY(
        QTest::qWaitFor([&] { return graph->isInSession() && !graph->isUnsaved(); }, kPatience));
    const auto store = session::SessionStore::open(profile->originFile().toStdString());
    QVERIFY(store);
    const auto documents = store->documents();
    QVERIFY(documents);
    QCOMPARE(documents->size(), std::size_t{2});
    QCOMPARE(documents->at(0).kind, std::string{"profile"});
    QCOMPARE(documents->at(1).kind, std::string{"plan"});
}

void ProfilePageTest::aDamagedCopyIsTold()
{
    std::string columns = memtrace::writeColumns(*RecordedTraining{}.trace());
    columns.resize(columns.size() / 2);
    QSignalSpy failed{m_window.get(), &MainWindow::openFailed};
    m_window->openFiles({write("cut.plimsoll", columns)});
    QVERIFY(failed.wait(kPatience));
    QVERIFY(m_window->currentPage() == nullptr);
}

} // namespace

PLIMSOLL_TEST(ProfilePageTest, QApplication)
#include "profile_page_test.moc"
