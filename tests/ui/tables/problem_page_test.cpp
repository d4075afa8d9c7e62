// SPDX-License-Identifier: Apache-2.0
// Problems: what the file, the plan and the strip have to say, counted, with a way to the place.
#include "ui/base/numbers.h"
#include "ui/document_page/pages_dock.h"
#include "ui/models/problem_model.h"
#include "ui/tables/table_look.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QTest>

namespace {

using namespace plimsoll::ui;
using plimsoll::base::Bytes;
using namespace plimsoll::tests;
namespace graph = plimsoll::graph;
namespace workspace = plimsoll::workspace;

class ProblemPageTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void keepsTheRulesOfModels();
    void saysWhenThereIsNothing();
    void countsInTheTitle();
    void tellsWhatTheTraceAssumed();
    void opensFromTheStrip();
    void goesToThePlace();
    void tellsOfStatisticsUpdatedTwice();
    void forgetsWhatNoLongerHolds();
};

bool waitForPlan(PlannerPage& page)
{
    return QTest::qWaitFor(
        [&] { return page.document().isPlanned() && page.document().isRefined(); }, kPatience);
}

QString tabOf(PlannerPage& page)
{
    for (const QTabBar* tabs : planDock(page).findChildren<QTabBar*>())
        for (int tab = 0; tab < tabs->count(); ++tab)
            if (tabs->tabText(tab).startsWith(QStringLiteral("Problems")))
                return tabs->tabText(tab);
    return {};
}

/// Row whose sentence contains a text, -1: none.
int rowWith(const ProblemModel& problems, const QString& text)
{
    for (int row = 0; row < problems.rowCount(); ++row)
        if (problems.rowAt(row).sentence.contains(text))
            return row;
    return -1;
}

void ProblemPageTest::keepsTheRulesOfModels()
{
    ProblemModel model;
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    Problem remark;
    remark.sentence = QStringLiteral("A remark.");
    Problem fault;
    fault.kind = ProblemKind::Fault;
    fault.sentence = QStringLiteral("A fault.");
    fault.count = 2114;
    model.setProblems({remark, fault});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.rowAt(0).sentence, QStringLiteral("A fault.")); // the worst first
    QCOMPARE(model.index(0, ProblemModel::CountColumn).data().toString(), QStringLiteral("2,114"));
    QCOMPARE(model.index(0, 0).data(Qt::AccessibleTextRole).toString(),
             QStringLiteral("Fault: A fault."));
    model.setProblems({});
    QCOMPARE(model.rowCount(), 0);
}

void ProblemPageTest::saysWhenThereIsNothing()
{
    auto* problems = new ProblemModel;
    QTableView* table = makeTable(problems, nullptr, QStringLiteral("Problems"));
    const std::unique_ptr<QWidget> view{makeTablePage(table, QStringLiteral("Nothing."))};
    QVERIFY(!table->isVisibleTo(view.get()));
    problems->setProblems({Problem{}});
    QVERIFY(table->isVisibleTo(view.get()));
    problems->setProblems({});
    QVERIFY(!table->isVisibleTo(view.get()));
}

void ProblemPageTest::countsInTheTitle()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    // What the trace assumed is no problem.
    const int before = viewOf<ProblemModel>(*page).rowCount();
    const int remarks = viewOf<ProblemModel>(*page).remarkCount();
    QVERIFY(remarks >= 3);
    QCOMPARE(tabOf(*page), before == remarks ? QStringLiteral("Problems")
                                             : QStringLiteral("Problems %1").arg(before - remarks));
    page->strip().post({{}, MessageKind::Warn, QStringLiteral("One."), QStringLiteral("Two."), {}});
    QCOMPARE(viewOf<ProblemModel>(*page).rowCount(), before + 1);
    QCOMPARE(tabOf(*page), QStringLiteral("Problems %1").arg(before + 1 - remarks));
    // The same once more is the same row.
    page->strip().post({{}, MessageKind::Warn, QStringLiteral("One."), QStringLiteral("Two."), {}});
    QCOMPARE(viewOf<ProblemModel>(*page).rowCount(), before + 1);
    const int row = rowWith(viewOf<ProblemModel>(*page), QStringLiteral("One. Two."));
    QCOMPARE(viewOf<ProblemModel>(*page).rowAt(row).count, std::uint64_t{2});
}

void ProblemPageTest::tellsWhatTheTraceAssumed()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const auto& assumed = page->document().document().graph.program->header.assumed;
    QVERIFY(!assumed.empty());
    for (const std::string& sentence : assumed)
        QVERIFY(rowWith(viewOf<ProblemModel>(*page), QString::fromStdString(sentence)) >= 0);
    const auto& kernels = page->document().document().graph.program->header.kernels;
    QVERIFY(!kernels.empty());
    const int row =
        rowWith(viewOf<ProblemModel>(*page), QStringLiteral("Kernels of the trace (cuda): "));
    QVERIFY(row >= 0);
    for (const plimsoll::graph::KernelChoice& choice : kernels)
        QVERIFY(viewOf<ProblemModel>(*page).rowAt(row).sentence.contains(
            QString::fromStdString(choice.family + ' ' + choice.kernel + ' ')));
}

void ProblemPageTest::opensFromTheStrip()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    for (const char* text : {"First.", "Second.", "Third."})
        page->strip().post({{}, MessageKind::Warn, QString::fromLatin1(text), {}, {}});
    QVERIFY(!qobject_cast<QTableView*>(viewOf<ProblemModel>(*page).parent())->isVisible());
    QPushButton* more = buttonOf(page->strip(), "2 more");
    QVERIFY(more != nullptr);
    QTest::mouseClick(more, Qt::LeftButton);
    QVERIFY(qobject_cast<QTableView*>(viewOf<ProblemModel>(*page).parent())->isVisible());
    for (const char* text : {"First.", "Second.", "Third."})
        QVERIFY(rowWith(viewOf<ProblemModel>(*page), QString::fromLatin1(text)) >= 0);
}

void ProblemPageTest::goesToThePlace()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    page->document().commitBudget(Bytes{200 << 20});
    QVERIFY(QTest::qWaitFor([&] { return page->document().isRefined(); }, kPatience));
    const int row = rowWith(viewOf<ProblemModel>(*page), bytesText(Bytes{200 << 20}));
    QVERIFY(row >= 0);
    const Problem problem = viewOf<ProblemModel>(*page).rowAt(row);
    QVERIFY(problem.kind == ProblemKind::Fault);
    QVERIFY(problem.op == page->document().planned()->peakBound.op);
    page->showView(QStringLiteral("problems"));
    auto* table = qobject_cast<QTableView*>(viewOf<ProblemModel>(*page).parent());
    const QPoint at = table->visualRect(table->model()->index(row, 0)).center();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
    const auto& schedule = *page->document().shownPlan()->evaluation().schedule;
    const auto step = static_cast<std::size_t>(schedule.stepOfOp[problem.op->index()]);
    const auto& timeline = *page->document().shownPlan()->evaluation().timeline;
    QCOMPARE(page->cursorText(), timeText(timeline.timeAt(step)) + QStringLiteral(" · ")
                                     + bytesText(timeline.totalAt(step), Rounding::Up));
}

void ProblemPageTest::tellsOfStatisticsUpdatedTwice()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    page->document().commitBudget(page->document().planned()->smallestPeak);
    QVERIFY(waitForPlan(*page));
    const int row = rowWith(viewOf<ProblemModel>(*page), QStringLiteral("updated a second time"));
    QVERIFY(row >= 0);
    const Problem& problem = viewOf<ProblemModel>(*page).rowAt(row);
    QVERIFY(problem.count > 1);
    QVERIFY(problem.op.has_value());
    // Everything kept: nothing is updated again.
    page->document().commitBudget(page->document().planned()->unplanned->evaluation().peak
                                  + Bytes{std::int64_t{4} << 30});
    QVERIFY(waitForPlan(*page));
    QCOMPARE(rowWith(viewOf<ProblemModel>(*page), QStringLiteral("updated a second time")), -1);
}

void ProblemPageTest::forgetsWhatNoLongerHolds()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr && waitForPlan(*page));
    const ProblemModel& problems = viewOf<ProblemModel>(*page);
    const QString none = QStringLiteral("No plan fits");
    const Bytes before = page->document().budget();
    page->document().commitBudget(Bytes{1 << 20});
    QVERIFY(waitForPlan(*page));
    QVERIFY(rowWith(problems, none) >= 0);
    page->document().commitBudget(before);
    QVERIFY(waitForPlan(*page));
    QCOMPARE(rowWith(problems, none), -1);
    // Nor what was dismissed.
    page->document().commitBudget(Bytes{1 << 20});
    QVERIFY(waitForPlan(*page));
    QTest::mouseClick(buttonOf(page->strip(), "Dismiss"), Qt::LeftButton);
    QCOMPARE(page->strip().count(), std::size_t{0});
    QVERIFY(rowWith(problems, none) >= 0); // it still holds
    page->document().commitBudget(before);
    QVERIFY(waitForPlan(*page));
    QCOMPARE(rowWith(problems, none), -1);
}

} // namespace

PLIMSOLL_TEST(ProblemPageTest, QApplication)
#include "problem_page_test.moc"
