// SPDX-License-Identifier: Apache-2.0
// A range drawn in the plot: the tables show what concerns it, until it is removed; the plot's
// menu.
#include "core/evaluate/live.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/models/access_model.h"
#include "ui/models/live_model.h"
#include "ui/plan_tables/access_page.h"
#include "ui/plan_tables/live_page.h"
#include "ui/plan_tables/pin_page.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/step_filter/range_chip.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <cmath>

namespace {

using plimsoll::base::Bytes;
using namespace plimsoll;
using namespace plimsoll::tests;
using namespace plimsoll::ui;

class RangeTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void filtersThePlan();
    void filtersAccesses();
    void filtersWhatIsLive();
    void staysAtItsOpsInOtherPlans();
    void setsTheBudgetByTheMenu();
    void copiesPinsAndZoomsByTheMenu();
    void offersNoPinsOfWhatBackwardComputes();

private:
    /// A step with a plan that recomputes.
    PlannerPage* openWithPlan()
    {
        PlannerPage* page = openPlanned();
        if (page == nullptr)
            return nullptr;
        page->document().commitBudget(Bytes{std::int64_t{3200} << 20});
        const bool isPlanned = QTest::qWaitFor(
            [&] { return isDone(*page) && viewOf<PlanPage>(*page).model()->rowCount() > 0; },
            kPatience);
        return isPlanned ? page : nullptr;
    }
    static QPoint placeAt(PlannerPage& page, double share, int up)
    {
        auto& timeline = viewOf<BudgetTimelineView>(page);
        TimelineModel model;
        model.line = timeline.budget();
        const QRectF plot = frameFor(model, timeline.size(), Theme::current().scale()).layout.plot;
        return {static_cast<int>(plot.left() + share * plot.width()),
                static_cast<int>(plot.bottom()) - up};
    }
    static StepRange draw(PlannerPage& page, double from, double to)
    {
        auto& timeline = viewOf<BudgetTimelineView>(page);
        QTest::mousePress(&timeline, Qt::LeftButton, {}, placeAt(page, from, 15));
        QTest::mouseMove(&timeline, placeAt(page, (from + to) / 2, 15));
        QTest::mouseMove(&timeline, placeAt(page, to, 15));
        QTest::mouseRelease(&timeline, Qt::LeftButton, {}, placeAt(page, to, 15));
        return page.selection().range().value_or(StepRange{});
    }
    static QMenu* openMenu(PlannerPage& page, double share, int up)
    {
        auto& timeline = viewOf<BudgetTimelineView>(page);
        QTest::mouseClick(&timeline, Qt::RightButton, {}, placeAt(page, share, up));
        for (QMenu* menu : timeline.findChildren<QMenu*>())
            if (menu->isVisible())
                return menu;
        return nullptr;
    }
    /// The entry that begins so; null: the menu has none.
    static QAction* entry(QMenu& menu, const QString& text)
    {
        for (QAction* action : menu.actions())
            if (QString{action->text()}.remove(u'&').startsWith(text))
                return action;
        return nullptr;
    }
    static void choose(QMenu& menu, QAction* action)
    {
        QTest::mouseClick(&menu, Qt::LeftButton, {}, menu.actionGeometry(action).center());
    }
};

void RangeTest::filtersThePlan()
{
    PlannerPage* page = openWithPlan();
    QVERIFY(page != nullptr);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    const auto shown = [&] {
        std::vector<PlanModel::Stretch> stretches;
        for (int row = 0; row < model.rowCount(); ++row)
            for (const auto& stretch : model.stretchesAt(model.index(row, 0)))
                stretches.push_back(stretch);
        std::ranges::sort(stretches);
        return stretches;
    };
    const std::vector<PlanModel::Stretch> all = shown();
    QVERIFY(all.size() > 2);
    RangeChip& chip = *viewOf<PlanPage>(*page).findChild<RangeChip*>();
    QVERIFY(chip.isHidden());
    const StepRange range = draw(*page, 0.02, 0.12);
    QVERIFY(range.begin < range.end);
    // By hand: what has an op that runs in these steps.
    const plan::VerifiedPlanPtr plan = page->state().shown;
    const bool areRegions = !plan->plan().isCompiledStep();
    std::vector<PlanModel::Stretch> expected;
    for (const PlanModel::Stretch& stretch : all) {
        bool runs = false;
        for (std::size_t step = range.begin; step <= range.end; ++step) {
            const auto op =
                static_cast<graph::OpIndex>(plan->evaluation().schedule->steps[step].op.index());
            runs = runs
                   || (areRegions ? op >= stretch.first && op <= stretch.second
                                  : op == stretch.first || op == stretch.second);
        }
        if (runs)
            expected.push_back(stretch);
    }
    QVERIFY(expected.size() < all.size());
    QCOMPARE(shown(), expected);
    QVERIFY(chip.isVisible());
    QCOMPARE(chip.text(), QStringLiteral("Steps %1–%2").arg(range.begin).arg(range.end));
    QTest::mouseClick(&chip, Qt::LeftButton);
    QVERIFY(!page->selection().range());
    QVERIFY(chip.isHidden());
    QCOMPARE(shown(), all);
    draw(*page, 0.02, 0.12);
    QCOMPARE(shown(), expected);
    viewOf<BudgetTimelineView>(*page).setFocus();
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_Escape);
    QCOMPARE(shown(), all);
    // In the optimizer nothing is recomputed, which the page says.
    draw(*page, 0.993, 0.999);
    QVERIFY(shown().empty());
    const auto labels = viewOf<PlanPage>(*page).findChildren<TextLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const TextLabel* label) {
        return label->isVisible()
               && label->text() == QStringLiteral("No decision of the plan is about these steps.");
    }));
}

void RangeTest::filtersAccesses()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    AccessPage& accesses = viewOf<AccessPage>(*page);
    chooseTab(*page, QStringLiteral("Accesses"));
    QVERIFY(QTest::qWaitFor([&] { return accesses.tables() > 0; }, kPatience));
    AccessModel& model = *accesses.model();
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    const int all = model.rowCount();
    const StepRange range = draw(*page, 0.1, 0.2);
    const std::vector<plan::Step>& steps = page->state().shown->evaluation().schedule->steps;
    const auto isInside = [&](graph::OpIndex op) {
        for (std::size_t step = range.begin; step <= range.end; ++step)
            if (steps[step].op.index() == static_cast<std::size_t>(op))
                return true;
        return false;
    };
    int expected = 0;
    for (const solve::ValueAccess& value : model.table()->profile.values) {
        const solve::Accesses& uses = value.accesses;
        expected += isInside(uses.firstForward) || isInside(uses.lastForward)
                            || isInside(uses.firstBackward) || isInside(uses.lastBackward)
                        ? 1
                        : 0;
    }
    QVERIFY(expected > 0 && expected < all);
    QCOMPARE(model.rowCount(), expected);
    model.sort(AccessModel::BytesColumn, Qt::AscendingOrder);
    QCOMPARE(model.rowCount(), expected);
    QTest::mouseClick(accesses.findChild<RangeChip*>(), Qt::LeftButton);
    QCOMPARE(model.rowCount(), all);
}

void RangeTest::filtersWhatIsLive()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    LivePage& live = viewOf<LivePage>(*page);
    chooseTab(*page, QStringLiteral("Live at cursor"));
    const StepRange range = draw(*page, 0.1, 0.2);
    int before = live.growths();
    viewOf<BudgetTimelineView>(*page).showStep(range.end + 20);
    QVERIFY(QTest::qWaitFor([&] { return live.growths() > before; }, kPatience));
    const LiveTreePtr filtered = live.model()->tree();
    Bytes expected;
    for (const plan::Live& value : plan::liveAt(*filtered->evaluation, range.end + 20))
        if (value.maker && value.since >= range.begin && value.since <= range.end)
            expected += value.bytes;
    QVERIFY(expected.count() > 0);
    QCOMPARE(filtered->total, expected);
    before = live.growths();
    QTest::mouseClick(live.findChild<RangeChip*>(), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return live.growths() > before; }, kPatience));
    QCOMPARE(live.model()->tree()->total, filtered->evaluation->timeline->totalAt(range.end + 20));
}

void RangeTest::staysAtItsOpsInOtherPlans()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const StepRange range = draw(*page, 0.6, 0.8);
    const auto opAt = [&](std::size_t step) {
        return page->state().shown->evaluation().schedule->steps[step].op;
    };
    const graph::OpId first = opAt(range.begin);
    const graph::OpId last = opAt(range.end);
    const plan::EvaluationPtr before = page->state().shown->evaluationPtr();
    page->document().commitBudget(Bytes{std::int64_t{2400} << 20});
    QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    QVERIFY(page->state().shown->evaluationPtr() != before);
    const StepRange moved = *page->selection().range();
    QVERIFY(moved != range); // recomputations run before it
    QVERIFY(opAt(moved.begin) == first);
    QVERIFY(opAt(moved.end) == last);
    trigger("edit.undo");
    QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    const StepRange back = *page->selection().range();
    QVERIFY(opAt(back.begin) == first);
    QVERIFY(opAt(back.end) == last);
    if (page->state().shown->evaluationPtr() == before)
        QCOMPARE(back, range);
}

void RangeTest::setsTheBudgetByTheMenu()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto& timeline = viewOf<BudgetTimelineView>(*page);
    const int undos = page->document().undoStack().count();
    QMenu* menu = openMenu(*page, 0.3, 90);
    QVERIFY(menu != nullptr);
    TimelineModel model;
    model.line = timeline.budget();
    const QRectF plot = frameFor(model, timeline.size(), Theme::current().scale()).layout.plot;
    const Coordinates at{plot, 0, 1, timeline.shownBytes()};
    const Bytes here = timeline.snapped(at.bytesAt(placeAt(*page, 0.3, 90).y()));
    QAction* set = entry(*menu, QStringLiteral("Set Budget Here"));
    QVERIFY(set != nullptr && set->isEnabled());
    choose(*menu, set);
    QCOMPARE(page->document().budget(), here);
    QCOMPARE(page->document().undoStack().count(), undos + 1);
}

void RangeTest::copiesPinsAndZoomsByTheMenu()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto& timeline = viewOf<BudgetTimelineView>(*page);
    QMenu* menu = openMenu(*page, 0.5, 8); // on the optimizer state
    QVERIFY(menu != nullptr);
    QVERIFY(!entry(*menu, QStringLiteral("Zoom to Range"))->isEnabled());
    QVERIFY(entry(*menu, QStringLiteral("Always keep")) == nullptr); // it is kept anyhow
    choose(*menu, entry(*menu, QStringLiteral("Copy")));
    const QStringList copied = QGuiApplication::clipboard()->text().split(u'\t');
    QCOMPARE(copied.size(), 3);
    QCOMPARE(copied[0], QStringLiteral("optimizer state"));
    QVERIFY2(copied[1].endsWith(QStringLiteral("B)")), qPrintable(copied[1]));

    menu = openMenu(*page, 0.5, 8);
    choose(*menu, entry(*menu, QStringLiteral("Pin Card")));
    QCOMPARE(timeline.pinnedSteps().size(), std::size_t{1});

    TimelineSpot spot;
    connect(&timeline, &TimelineView::menuRequested, this,
            [&spot](const TimelineSpot& wanted, const QPoint& /*at*/) { spot = wanted; });
    // On the activations near the middle of the step, just below the curve.
    const StepRange range = draw(*page, 0.3, 0.5);
    menu = openMenu(*page, 0.45, 60);
    QAction* keep = entry(*menu, QStringLiteral("Always keep"));
    QVERIFY(keep != nullptr);
    QAction* zoom = entry(*menu, QStringLiteral("Zoom to Range"));
    QVERIFY(zoom->isEnabled());
    choose(*menu, zoom);
    const auto positionOf = [&](std::size_t step) {
        const timeline::Timeline& shown = *timeline.timeline();
        return static_cast<double>(shown.timeAt(step).count())
               / static_cast<double>(shown.duration().count());
    };
    QVERIFY(std::abs(timeline.visibleRange().begin - positionOf(range.begin)) < 1e-6);
    QVERIFY(std::abs(timeline.visibleRange().end - positionOf(range.end + 1)) < 1e-6);
    trigger("view.whole");

    menu = openMenu(*page, 0.45, 60);
    choose(*menu, entry(*menu, QStringLiteral("Zoom to Value")));
    std::optional<plan::Live> largest;
    for (const plan::Live& live : plan::liveAt(page->state().shown->evaluation(), spot.step))
        if (!largest && static_cast<std::size_t>(live.category) == spot.layer)
            largest = live;
    QVERIFY(largest && largest->maker);
    QVERIFY(std::abs(timeline.visibleRange().begin - positionOf(largest->since)) < 1e-6);
    QVERIFY(std::abs(timeline.visibleRange().end - positionOf(largest->until + 1)) < 1e-6);
    trigger("view.whole");

    menu = openMenu(*page, 0.45, 60);
    keep = entry(*menu, QStringLiteral("Always keep"));
    const QString glob = keep->text()
                             .section(QStringLiteral(": "), 1)
                             .replace(QStringLiteral("&&"), QStringLiteral("&"));
    choose(*menu, keep);
    const std::vector<std::string>& pins = page->document().document().choices.pins;
    QCOMPARE(pins.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(pins.front()),
             QStringLiteral("keep:") + QString{glob}.remove(u'&'));
}

/// Nothing keeps that for backward, so the pin would match nothing.
void RangeTest::offersNoPinsOfWhatBackwardComputes()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    TimelineSpot spot;
    connect(&viewOf<BudgetTimelineView>(*page), &TimelineView::menuRequested, this,
            [&spot](const TimelineSpot& wanted, const QPoint& /*at*/) { spot = wanted; });
    bool isSeen = false;
    for (int up = 4; up < 150 && !isSeen; up += 4) {
        QMenu* menu = openMenu(*page, 0.8, up);
        QVERIFY(menu != nullptr);
        isSeen = spot.layer == static_cast<std::size_t>(timeline::Category::Gradients);
        if (isSeen) {
            QVERIFY(entry(*menu, QStringLiteral("Copy: ")) != nullptr);
            QVERIFY(entry(*menu, QStringLiteral("Always keep")) == nullptr);
            QVERIFY(entry(*menu, QStringLiteral("Always recompute")) == nullptr);
        }
        menu->close();
        QCoreApplication::sendPostedEvents(menu, QEvent::DeferredDelete);
    }
    QVERIFY(isSeen);
}

} // namespace

PLIMSOLL_TEST(RangeTest, QApplication)
#include "range_test.moc"
