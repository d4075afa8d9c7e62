// SPDX-License-Identifier: Apache-2.0
// Packed and reserved memory in the panel: those of the plan beside them or dots, never another's.
#include "ui/plan_panel/memory_lines.h"

#include "core/run/reserved_table.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/plan_panel/budget_panel.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QTest>

#include <algorithm>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using namespace plimsoll::tests;

class MemoryLinesTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow({1440, 1100}); }
    void cleanup() { closeWindow(); }
    void figuresAreOfThePlanThatIsShown();
    void noFigureOutlivesItsPlanDuringADrag();
    void segmentsAreSwitchedByAClickAndRemembered();
    void settingsAreTyped();
    void withoutAPlanThereIsNoFigure();
};

QStringList textsOf(const MemoryLines& lines)
{
    QStringList texts;
    for (const TextLabel* label : lines.findChildren<TextLabel*>())
        texts << label->text();
    return texts;
}

bool waitForFigures(const MemoryLines& lines)
{
    return QTest::qWaitFor([&] { return lines.figures().has_value(); }, kPatience);
}

QString shown(base::Bytes bytes)
{
    return ui::bytesText(bytes, Rounding::Up);
}

bool isOfTheAnswer(PlannerPage& page)
{
    const auto expected = solve::planMemory(*page.document().outcome().best, {});
    const auto figures = viewOf<BudgetPanel>(page).memoryLines().figures();
    return expected && figures && figures->packedHeight == expected->packedHeight
           && figures->packedLowerBound == expected->packedLowerBound
           && figures->reserved == expected->reserved
           && figures->reservedExpandable == expected->reservedExpandable;
}

void MemoryLinesTest::figuresAreOfThePlanThatIsShown()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    viewOf<BudgetPanel>(*page).showDetails(true);
    const MemoryLines& lines = viewOf<BudgetPanel>(*page).memoryLines();
    QVERIFY(waitForFigures(lines));
    QVERIFY(isOfTheAnswer(*page));
    const solve::PlanMemory memory = *lines.figures();
    QVERIFY(textsOf(lines).contains(shown(memory.packedHeight)));
    QVERIFY(textsOf(lines).contains(shown(memory.reserved)));
    QVERIFY(memory.packedHeight >= page->document().outcome().best->evaluation().peak);
    page->document().commitBudget(page->document().planned()->smallestPeak);
    QVERIFY(!lines.figures());
    QVERIFY(waitForFigures(lines));
    QVERIFY(isOfTheAnswer(*page));
    QVERIFY(textsOf(lines).contains(shown(lines.figures()->reserved)));
    page->document().undoStack().undo(); // known already: at once
    QVERIFY(isOfTheAnswer(*page));
}

void MemoryLinesTest::noFigureOutlivesItsPlanDuringADrag()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    viewOf<BudgetPanel>(*page).showDetails(true);
    const MemoryLines& lines = viewOf<BudgetPanel>(*page).memoryLines();
    QVERIFY(waitForFigures(lines));
    const plan::EvaluationPtr before = page->document().outcome().best->evaluationPtr();
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&viewOf<BudgetTimelineView>(*page), Qt::LeftButton, {}, from);
    int others = 0;
    int dy = 0;
    for (; dy <= 60; dy += 4) {
        QTest::mouseMove(&viewOf<BudgetTimelineView>(*page), from + QPoint{0, dy});
        const plan::VerifiedPlanPtr& best = page->document().outcome().best;
        if (!best || best->evaluationPtr() == before)
            continue;
        ++others;
        QVERIFY(!lines.figures());
        QCOMPARE(textsOf(lines).count(QStringLiteral("…")), qsizetype{2});
    }
    QVERIFY(others > 2);
    QVERIFY(page->document().isDragging());
    QVERIFY(waitForFigures(lines)); // the hand is down, but rests
    QVERIFY(isOfTheAnswer(*page));
    QTest::mouseRelease(&viewOf<BudgetTimelineView>(*page), Qt::LeftButton, {},
                        from + QPoint{0, dy});
    QVERIFY(waitForFigures(lines));
    QVERIFY(isOfTheAnswer(*page));
}

void MemoryLinesTest::segmentsAreSwitchedByAClickAndRemembered()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    viewOf<BudgetPanel>(*page).showDetails(true);
    const MemoryLines& lines = viewOf<BudgetPanel>(*page).memoryLines();
    // The unplanned step runs there whatever the segments are: they don't change the plan.
    page->document().commitBudget(base::Bytes{std::int64_t{8} << 30});
    QVERIFY(isDone(*page));
    QVERIFY(waitForFigures(lines));
    const solve::PlanMemory memory = *lines.figures();
    QVERIFY(memory.reserved != memory.reservedExpandable);
    auto* box = lines.findChild<QCheckBox*>();
    QVERIFY(box != nullptr && !box->isChecked());
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint{8, box->height() / 2});
    QVERIFY(box->isChecked());
    const QPoint place = box->mapTo(page->window(), QPoint{});
    QVERIFY(textsOf(lines).contains(shown(memory.reservedExpandable)));
    QVERIFY(!textsOf(lines).contains(shown(memory.reserved)));
    QVERIFY(page->document().document().view.find(R"("allocator":"expandable_segments:True")")
            != std::string::npos);
    QVERIFY(page->document().document().view.find(R"("answerDetails":true)") != std::string::npos);
    // It stays under the hand, whatever texts come and go.
    page->document().commitBudget(base::Bytes{std::int64_t{2304} << 20});
    QVERIFY(isDone(*page));
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint{8, box->height() / 2});
    QVERIFY(isDone(*page));
    QCOMPARE(box->mapTo(page->window(), QPoint{}), place);
}

/// The user's PYTORCH_CUDA_ALLOC_CONF decides what is reserved, and whether a plan runs.
void MemoryLinesTest::settingsAreTyped()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto& panel = viewOf<BudgetPanel>(*page);
    panel.showDetails(true);
    MemoryLines& lines = panel.memoryLines();
    page->document().commitBudget(base::Bytes{std::int64_t{3} << 30});
    QVERIFY(isDone(*page));
    QVERIFY(waitForFigures(lines));
    auto* edit = lines.findChild<QLineEdit*>();
    auto* box = lines.findChild<QCheckBox*>();
    QVERIFY(edit != nullptr && edit->text().isEmpty());
    const auto type = [&](const char* text) {
        edit->selectAll();
        QTest::keyClick(edit, Qt::Key_Delete);
        QTest::keyClicks(edit, QString::fromLatin1(text));
        QTest::keyClick(edit, Qt::Key_Return);
    };
    type("roundup_power2_divisions:2");
    const allocator::AllocatorSettings settings =
        allocator::parseAllocatorSettings("roundup_power2_divisions:2").value();
    QVERIFY(page->document().allocator() == settings);
    QVERIFY(isDone(*page));
    QVERIFY(QTest::qWaitFor([&] { return lines.reserved().has_value(); }, kPatience));
    const run::PlanChoice& choice = page->document().choice();
    QVERIFY(*lines.reserved() == *run::reservedBy(*choice.plan, settings, {}));
    QVERIFY(*lines.reserved() != lines.figures()->reserved);
    QVERIFY(textsOf(lines).contains(shown(*lines.reserved())));
    QVERIFY(QTest::qWaitFor([&] { return choice.verdict.has_value(); }, kPatience));
    QVERIFY(choice.verdict->status
            == run::runStatus(*choice.plan, settings, page->document().budget(), {}).value());

    type("max_split_size_mb:lots"); // is told and taken back
    QCOMPARE(edit->text(), QStringLiteral("roundup_power2_divisions:2"));
    QVERIFY(page->document().allocator() == settings);
    const auto errors = lines.findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(errors, [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QStringLiteral("whole number"));
    }));
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint{8, box->height() / 2});
    QCOMPARE(edit->text(), QStringLiteral("expandable_segments:True,roundup_power2_divisions:2"));
    QVERIFY(page->document().allocator().expandableSegments);
    type(""); // the defaults again
    QVERIFY(!box->isChecked());
    QVERIFY(page->document().allocator() == allocator::AllocatorSettings{});
    page->document().undoStack().undo();
    page->document().undoStack().undo();
    QCOMPARE(edit->text(), QStringLiteral("roundup_power2_divisions:2"));
    QVERIFY(page->document().allocator() == settings && !box->isChecked());
    page->document().undoStack().redo();
    QVERIFY(page->document().allocator().expandableSegments && box->isChecked());
}

void MemoryLinesTest::withoutAPlanThereIsNoFigure()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    viewOf<BudgetPanel>(*page).showDetails(true);
    const MemoryLines& lines = viewOf<BudgetPanel>(*page).memoryLines();
    QVERIFY(waitForFigures(lines));
    page->document().commitBudget(base::Bytes{1 << 20});
    QVERIFY(!lines.figures());
    QCOMPARE(textsOf(lines).count(unknownText()), qsizetype{2});
    QTest::qWait(300);
    QCOMPARE(textsOf(lines).count(unknownText()), qsizetype{2});
}

} // namespace

PLIMSOLL_TEST(MemoryLinesTest, QApplication)
#include "memory_lines_test.moc"
