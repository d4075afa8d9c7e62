// SPDX-License-Identifier: Apache-2.0
// Filter, leaks, the map of what is live, allocation blocks: as a person uses them.
#include "ui/base/numbers.h"
#include "ui/flame/flame_view.h"
#include "ui/memory_map/memory_map_view.h"
#include "ui/profile_page/active_view.h"
#include "ui/profile_page/docks/flame_page.h"
#include "ui/profile_page/docks/leaks_page.h"
#include "ui/profile_page/docks/live_groups_page.h"
#include "ui/profile_page/filter/filter_bar.h"
#include "ui/profile_page/filter/filter_chip.h"
#include "ui/treemap/treemap_view.h"

#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;
using tests::RecordedTraining;

class ProfileFilterTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        openWindow();
        m_page = openProfile(sessionOf({}));
        QVERIFY(m_page != nullptr);
    }
    void cleanup() { closeWindow(); }
    void aTypedTermFiltersEveryView();
    void chipsAreEditedAndRemoved();
    void aWrongValueIsToldAndNotTaken();
    void nothingMatchesAndResetBringsAllBack();
    void escapeGoesBackOneLevel();
    void aSessionKeepsTheFilter();
    void theSelectionSurvivesAFilter();
    void colorsAreThoseOfThePlot();
    void theMapOfWhatIsLiveFollows();
    void blocksStackWhatIsLive();
    void leaksAreLookedFor();

private:
    /// As typed by a person.
    void addTerm(memtrace::FilterField field, const char* value)
    {
        FilterBar& bar = tests::viewOf<FilterBar>(*m_page);
        bar.add(field);
        QTest::keyClicks(&bar.value(), QString::fromLatin1(value));
        QTest::keyClick(&bar.value(), Qt::Key_Return);
    }

    ProfilePage* m_page = nullptr;
};

void ProfileFilterTest::aTypedTermFiltersEveryView()
{
    const auto& bar = tests::viewOf<FilterBar>(*m_page);
    QCOMPARE(bar.text(), QString{});
    addTerm(memtrace::FilterField::Size, ">= 2 MiB");
    QVERIFY(settles(*m_page));
    // 12 weights, and two of three activations in two steps. At the peak 24 MiB and 8 times 5/2.
    QCOMPARE(bar.text(), QStringLiteral("28 of 60 allocations · %1 of %2 at the peak")
                             .arg(bytesText(base::Bytes{44 * RecordedTraining::kMiB}),
                                  bytesText(m_page->controller().picture()->timeline->peak())));
    AllocationPage& live = pageOf(*m_page, "Largest live");
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent() && live.model().rowCount() == 20; },
                            kPatience));
    auto& groups = tests::viewOf<LiveGroupsPage>(*m_page);
    QVERIFY(QTest::qWaitFor([&] { return groups.isCurrent() && groups.model().rowCount() == 9; },
                            kPatience));
    // The plot still adds up to everything; what is left out is a layer of its own.
    const timeline::Timeline& shown = *tests::viewOf<ActiveView>(*m_page).timeline();
    QCOMPARE(shown.layers().back().ink, timeline::kPaleInk);
    QCOMPARE(shown.peak(), m_page->controller().document().first->timeline->peak());
    addTerm(memtrace::FilterField::Phase, "forward");
    QVERIFY(settles(*m_page));
    QCOMPARE(bar.chips().size(), std::size_t{2});
    QVERIFY(bar.text().startsWith(QStringLiteral("16 of 60 allocations")));
    trigger("edit.undo");
    QVERIFY(settles(*m_page));
    QVERIFY(bar.text().startsWith(QStringLiteral("28 of 60 allocations")));
}

void ProfileFilterTest::chipsAreEditedAndRemoved()
{
    const auto& bar = tests::viewOf<FilterBar>(*m_page);
    addTerm(memtrace::FilterField::Class, "activations");
    addTerm(memtrace::FilterField::Size, "> 1 MiB");
    QVERIFY(settles(*m_page));
    QTest::mouseClick(bar.chips()[0], Qt::LeftButton, {}, QPoint{8, 8});
    QCOMPARE(bar.value().text(), QStringLiteral("activations"));
    QCOMPARE(bar.field().currentIndex(), static_cast<int>(memtrace::FilterField::Class));
    bar.value().clear();
    QTest::keyClicks(&bar.value(), QStringLiteral("temporaries"));
    QTest::keyClick(&bar.value(), Qt::Key_Return);
    QVERIFY(settles(*m_page));
    QVERIFY(bar.text().startsWith(QStringLiteral("0 of 60 allocations match")));
    // The second one by its cross, the first by a key.
    FilterChip* second = bar.chips()[1];
    QTest::mouseClick(second, Qt::LeftButton, {}, QPoint{second->width() - 6, 10});
    QVERIFY(settles(*m_page));
    QCOMPARE(bar.chips().size(), std::size_t{1});
    QVERIFY(bar.text().startsWith(QStringLiteral("24 of 60 allocations")));
    QTest::keyClick(bar.chips()[0], Qt::Key_Delete);
    QVERIFY(settles(*m_page));
    QVERIFY(bar.chips().empty());
    QCOMPARE(bar.text(), QString{});
}

void ProfileFilterTest::aWrongValueIsToldAndNotTaken()
{
    FilterBar& bar = tests::viewOf<FilterBar>(*m_page);
    bar.add(memtrace::FilterField::Size);
    QTest::keyClicks(&bar.value(), QStringLiteral(">= lots"));
    QVERIFY(bar.text().contains(QStringLiteral("\"lots\" is not a size")));
    QTest::keyClick(&bar.value(), Qt::Key_Return);
    QVERIFY(bar.value().isVisible());
    QVERIFY(m_page->controller().document().settings.filter.empty());
    // Esc closes the field, and nothing else.
    m_page->allocation().select(1);
    QTest::keyClick(&bar.value(), Qt::Key_Escape);
    QVERIFY(!bar.value().isVisible());
    QCOMPARE(bar.text(), QString{});
    QVERIFY(m_page->allocation().allocation().has_value());
}

void ProfileFilterTest::nothingMatchesAndResetBringsAllBack()
{
    addTerm(memtrace::FilterField::Pool, "private");
    QVERIFY(settles(*m_page));
    const auto& bar = tests::viewOf<FilterBar>(*m_page);
    QCOMPARE(bar.text(), QStringLiteral("0 of 60 allocations match"));
    AllocationPage& live = pageOf(*m_page, "Largest live");
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent() && live.model().rowCount() == 0; },
                            kPatience));
    QPushButton* reset = nullptr;
    for (QPushButton* button : bar.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Reset"))
            reset = button;
    QVERIFY(reset != nullptr && reset->isVisible());
    QTest::mouseClick(reset, Qt::LeftButton);
    QVERIFY(settles(*m_page));
    QVERIFY(!reset->isVisible());
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent() && live.model().rowCount() == 25; },
                            kPatience));
}

void ProfileFilterTest::escapeGoesBackOneLevel()
{
    addTerm(memtrace::FilterField::Class, "activations");
    QVERIFY(settles(*m_page));
    m_page->selection().setRange(StepRange{2, 5});
    m_page->allocation().select(1);
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(!m_page->allocation().allocation().has_value());
    QVERIFY(m_page->selection().range().has_value());
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(!m_page->selection().range().has_value());
    QVERIFY(!m_page->controller().document().settings.filter.empty());
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(m_page->controller().document().settings.filter.empty());
}

void ProfileFilterTest::aSessionKeepsTheFilter()
{
    addTerm(memtrace::FilterField::Frame, "/:1[0-3]:/");
    QVERIFY(change(*m_page, [](workspace::ProfileSettings& settings) {
        settings.lower = workspace::LowerPlot::Blocks;
        settings.grouping = memtrace::Grouping::Phase;
    }));
    const workspace::ProfileSettings settings = m_page->controller().document().settings;
    const QString path = m_page->originFile();
    QVERIFY(
        QTest::qWaitFor([&] { return m_page->isSettled() && !m_page->isUnsaved(); }, kPatience));
    trigger("file.close");
    QVERIFY(QTest::qWaitFor([&] { return m_window->currentPage() == nullptr; }, kPatience));
    m_page = openProfile(path);
    QVERIFY(m_page != nullptr);
    QCOMPARE(m_page->controller().document().settings, settings);
    QCOMPARE(tests::viewOf<FilterBar>(*m_page).chips().size(), std::size_t{1});
    QVERIFY(tests::viewOf<FilterBar>(*m_page).text().startsWith(QStringLiteral("8 of 60")));
}

/// What one plot shows in a color, the others don't show in that of something else.
void ProfileFilterTest::colorsAreThoseOfThePlot()
{
    auto& live = tests::viewOf<LiveGroupsPage>(*m_page);
    live.setGrouping(memtrace::LiveBy::Class);
    m_page->selection().setStep(3); // in forward
    QVERIFY(change(*m_page, [](workspace::ProfileSettings& settings) {
        settings.grouping = memtrace::Grouping::Phase;
    }));
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent(); }, kPatience));
    const timeline::Layers& layers = m_page->controller().picture()->timeline->layers();
    const auto inkOfLayer = [&](const char* name) {
        const auto at = std::ranges::find(layers, name, &timeline::Layer::name);
        return at == layers.end() ? -1 : int{at->ink};
    };
    const std::vector<TreemapItem>& items = live.map().items();
    const auto inkOfItem = [&](const QString& name) {
        const auto at = std::ranges::find(items, name, &TreemapItem::name);
        return at == items.end() ? -1 : int{at->ink};
    };
    QVERIFY(inkOfLayer("Forward") >= 0);
    QVERIFY(inkOfItem(QStringLiteral("Before the recording")) >= 0);
    QCOMPARE(inkOfItem(QStringLiteral("Activations")), inkOfLayer("Forward"));
    QVERIFY(inkOfItem(QStringLiteral("Activations"))
            != inkOfItem(QStringLiteral("Before the recording")));
    tests::chooseTab(*m_page, QStringLiteral("Flame"), QStringLiteral("live"));
    auto& flame = tests::viewOf<FlamePage>(*m_page);
    QVERIFY(QTest::qWaitFor([&] { return flame.isCurrent(); }, kPatience));
    const memtrace::Flame& shown = *flame.view().flame();
    QVERIFY(shown.layers == m_page->controller().picture()->layering.layers);
    const auto function =
        std::ranges::find(shown.nodes, "train/model.py:12:forward", &memtrace::FlameNode::name);
    QVERIFY(function != shown.nodes.end());
    QCOMPARE(shown.layers->at(function->mainLayer).name, std::string{"Forward"});
}

void ProfileFilterTest::theSelectionSurvivesAFilter()
{
    m_page->selection().setStep(3);
    m_page->selection().setRange(StepRange{1, 4});
    m_page->allocation().select(2);
    addTerm(memtrace::FilterField::Class, "activations");
    QVERIFY(settles(*m_page));
    QCOMPARE(m_page->selection().step(), std::optional<std::size_t>{3});
    QVERIFY(m_page->selection().range() == (StepRange{1, 4}));
    QCOMPARE(m_page->allocation().allocation(), std::optional<std::uint32_t>{2});
}

void ProfileFilterTest::theMapOfWhatIsLiveFollows()
{
    auto& live = tests::viewOf<LiveGroupsPage>(*m_page);
    QVERIFY(live.isMap());
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent(); }, kPatience));
    TreemapView& map = live.map();
    QCOMPARE(map.items().size(), std::size_t{14});
    QCOMPARE(map.items()[0].name, QStringLiteral("(before the recording)"));
    QCOMPARE(map.items()[0].bytes, base::Bytes{24 * RecordedTraining::kMiB});
    // Areas are as the bytes are: weights have 24 of 48.5 MiB.
    const auto area = [&](std::size_t item) {
        return map.rectOf(item).width() * map.rectOf(item).height();
    };
    double all = 0;
    for (std::size_t i = 0; i < map.items().size(); ++i)
        all += area(i);
    QVERIFY(std::abs(area(0) / all - 24 / 48.5) < 1e-6);
    // A click makes a group current in the table, too; keys go on from there.
    QTest::mouseClick(&map, Qt::LeftButton, {}, map.rectOf(1).center().toPoint());
    QCOMPARE(map.current(), std::optional<std::size_t>{1});
    QCOMPARE(live.table().currentIndex().row(), 1);
    QTest::keyClick(&map, Qt::Key_Right);
    QCOMPARE(live.table().currentIndex().row(), 2);
    live.setMap(false);
    QVERIFY(live.table().isVisible() && !map.isVisible());
    live.setGrouping(memtrace::LiveBy::Class);
    QVERIFY(
        QTest::qWaitFor([&] { return live.isCurrent() && map.items().size() == 3; }, kPatience));
    QCOMPARE(map.items()[0].name, QStringLiteral("Activations"));
}

void ProfileFilterTest::blocksStackWhatIsLive()
{
    QVERIFY(change(*m_page, [](workspace::ProfileSettings& settings) {
        settings.axis = memtrace::Axis::Events;
        settings.lower = workspace::LowerPlot::Blocks;
    }));
    auto& map = tests::viewOf<MemoryMapView>(*m_page);
    map.resize(map.width(), 400);
    QVERIFY(QTest::qWaitFor([&] { return map.isCurrent(); }, kPatience));
    const workspace::ProfilePicture& picture = *m_page->controller().picture();
    const memtrace::DeviceTrace& device = picture.device();
    const QRectF plot = map.plotRect();
    const double top = 1.02 * static_cast<double>(picture.timeline->peak().count());
    int looked = 0;
    for (std::size_t step = 0; step < device.stepCount(); step += 3) {
        // The live ones in the order in which they began: what is at the middle of each.
        const double begin = static_cast<double>(picture.timeline->timeAt(step).count());
        const double end = static_cast<double>(picture.timeline->timeAt(step + 1).count());
        const double x = plot.left()
                         + (begin + end) / 2
                               / static_cast<double>(picture.timeline->duration().count())
                               * plot.width();
        std::vector<std::uint32_t> live = picture.timeline->aliveAt(step);
        std::ranges::sort(live);
        double bytes = 0;
        for (const std::uint32_t index : live) {
            const timeline::Interval& interval = picture.timeline->intervals()[index];
            const double middle = bytes + static_cast<double>(interval.bytes.count()) / 2;
            bytes += static_cast<double>(interval.bytes.count());
            const double y = plot.bottom() - middle / top * plot.height();
            QCOMPARE(map.allocationAt({x, y}), std::optional{interval.origin});
            ++looked;
        }
        QVERIFY(!map.allocationAt({x, plot.bottom() - (bytes / top * plot.height() + 3)}));
    }
    QVERIFY2(looked > 400, qPrintable(QString::number(looked)));
    // A click selects; the outline is where the block is.
    const QPointF weight{plot.center().x(), plot.bottom() - 4};
    QTest::mouseClick(&map, Qt::LeftButton, {}, weight.toPoint());
    QVERIFY(m_page->allocation().allocation().has_value());
    QVERIFY(map.rectOf(*m_page->allocation().allocation()).contains(weight));
}

void ProfileFilterTest::leaksAreLookedFor()
{
    tests::chooseTab(*m_page, QStringLiteral("Leaks"), QStringLiteral("tables"));
    auto& leaks = tests::viewOf<LeaksPage>(*m_page);
    QVERIFY(QTest::qWaitFor([&] { return leaks.isCurrent(); }, kPatience));
    QVERIFY(leaks.text().contains(QStringLiteral("three steps or more"))); // it has two
    RecordedTraining longer;
    longer.steps = 4;
    ProfilePage* page = openProfile(sessionOf(std::move(longer), "longer.plimsoll"));
    QVERIFY(page != nullptr);
    tests::chooseTab(*page, QStringLiteral("Leaks"), QStringLiteral("tables"));
    auto& none = tests::viewOf<LeaksPage>(*page);
    QVERIFY(QTest::qWaitFor([&] { return none.isCurrent(); }, kPatience));
    QCOMPARE(none.text(), QStringLiteral("Nothing grows from step to step (4 steps, from "
                                         "annotations such as \"step 0\")."));
    QAbstractItemModelTester tester{&none.model()};
    none.model().setGroups({{"a/b.py:3:f", true, base::Bytes{1 << 20}, base::Bytes{4 << 20}, 4, 0},
                            {"(no Python frame)", false, {}, base::Bytes{512}, 1, 1}});
    QCOMPARE(none.model().index(0, LeakModel::NameColumn).data().toString(),
             QStringLiteral("f, b.py:3"));
    QCOMPARE(none.model().index(0, LeakModel::GrowthColumn).data().toString(),
             bytesDifferenceText(base::Bytes{1 << 20}));
    QCOMPARE(none.model().index(1, LeakModel::GrowthColumn).data().toString(),
             QStringLiteral("stays"));
}

} // namespace

PLIMSOLL_TEST(ProfileFilterTest, QApplication)
#include "profile_filter_test.moc"
