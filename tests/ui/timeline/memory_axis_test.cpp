// SPDX-License-Identifier: Apache-2.0
// The zoomed memory axis in the window: by keys, and through everything else that changes.
#include "core/device/known_devices.h"
#include "ui/budget_timeline/budget_timeline_view.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAction>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <cstdlib>

namespace {

using plimsoll::base::Bytes;
using namespace plimsoll;
using namespace plimsoll::tests;
using namespace plimsoll::ui;

class MemoryAxisTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow({1024, 640}); }
    void cleanup() { closeWindow(); }
    void showsThePlannableRangeByAKey();
    void staysThroughBudgetsDevicesAndUndo();
    void isKeptInASession();
    void goesWhenAnotherSizeLeavesNothingToSee();

private:
    /// Of a step for which plans are known.
    PlannerPage* openWithPlans()
    {
        PlannerPage* page = openPlanned();
        if (page == nullptr)
            return nullptr;
        page->document().commitBudget(Bytes{std::int64_t{2400} << 20});
        const auto& timeline = viewOf<BudgetTimelineView>(*page);
        return QTest::qWaitFor([&] { return isDone(*page) && timeline.plannableRange(); },
                               kPatience)
                   ? page
                   : nullptr;
    }
};

void MemoryAxisTest::showsThePlannableRangeByAKey()
{
    PlannerPage* page = openWithPlans();
    QVERIFY(page != nullptr);
    auto& timeline = viewOf<BudgetTimelineView>(*page);
    const Bytes least = page->document().planned()->frontier->points().front()->evaluation().peak;
    // Its allocator needs more than the peak.
    const Bytes most = std::max(page->document().planned()->unplanned->evaluation().peak,
                                page->state().byBudget.back().budget);
    QVERIFY(least < most);
    const ByteRange whole = timeline.shownBytes();
    QCOMPARE(whole.bottom.count(), 0);
    timeline.setFocus();
    QTest::keyClick(&timeline, Qt::Key_F);
    const ByteRange fit = timeline.shownBytes();
    QVERIFY(fit.bottom < least && fit.bottom.count() > 0 && fit.top > most);
    QVERIFY((most - least).count() * 2 >= fit.span().count());
    QTest::keyClick(&timeline, Qt::Key_W, Qt::ShiftModifier);
    QVERIFY(timeline.shownBytes().span() < fit.span());
    QTest::keyClick(&timeline, Qt::Key_S, Qt::ShiftModifier);
    QVERIFY(std::abs((timeline.shownBytes().span() - fit.span()).count()) < 16);
    QTest::keyClick(&timeline, Qt::Key_H, Qt::ShiftModifier);
    QCOMPARE(timeline.shownBytes(), whole);
}

void MemoryAxisTest::staysThroughBudgetsDevicesAndUndo()
{
    PlannerPage* page = openWithPlans();
    QVERIFY(page != nullptr);
    auto& timeline = viewOf<BudgetTimelineView>(*page);
    trigger("view.plannable");
    QVERIFY(timeline.byteZoom().has_value());
    const ByteRange fit = timeline.shownBytes();
    page->document().commitBudget(Bytes{std::int64_t{2200} << 20});
    QCOMPARE(timeline.shownBytes(), fit);
    workspace::Choices choices = page->document().document().choices;
    workspace::setDevice(choices, *page->document().document().graph.program,
                         *plan::findDevice("h100"));
    page->document().commitChoices(choices);
    QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    QCOMPARE(timeline.shownBytes(), fit);
    trigger("edit.undo");
    trigger("edit.undo");
    QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    QCOMPARE(timeline.shownBytes(), fit);
    QVERIFY(fit.contains(page->document().planned()->unplanned->evaluation().peak));
}

void MemoryAxisTest::isKeptInASession()
{
    PlannerPage* page = openWithPlans();
    QVERIFY(page != nullptr);
    trigger("view.plannable");
    QVERIFY(viewOf<BudgetTimelineView>(*page).byteZoom().has_value());
    const ByteRange fit = viewOf<BudgetTimelineView>(*page).shownBytes();
    const QString file = QString::fromStdString(m_folder->file("work.plimsoll"));
    QSignalSpy saved{page, &DocumentPage::sessionSaved};
    m_window->saveTo(*page, file);
    QVERIFY(saved.wait(kPatience));
    m_window->closePage(*m_window->pages().front());
    page = open(file);
    QVERIFY(page != nullptr);
    QCOMPARE(viewOf<BudgetTimelineView>(*page).shownBytes(), fit);
}

void MemoryAxisTest::goesWhenAnotherSizeLeavesNothingToSee()
{
    PlannerPage* page = openPlanned("gpt2");
    QVERIFY(page != nullptr);
    auto& timeline = viewOf<BudgetTimelineView>(*page);
    QVERIFY(page->document().document().graph.program->vary.has_value());
    trigger("view.plannable");
    QVERIFY(timeline.byteZoom().has_value());
    workspace::Choices choices = page->document().document().choices;
    const std::string axis = page->document().document().graph.program->vary->axes.front().name;
    choices.sizes[axis] = 2 * page->document().document().graph.program->vary->axes.front().size;
    page->document().commitChoices(choices);
    QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    QVERIFY(!timeline.byteZoom());
}

} // namespace

PLIMSOLL_TEST(MemoryAxisTest, QApplication)
#include "memory_axis_test.moc"
