// SPDX-License-Identifier: Apache-2.0
// The largest sizes that run: searched in the window, stopped, taken, out of date.
#include "ui/problem_form/size_form.h"
#include "ui/tables/column_fitter.h"

#include "tests/support/test_main.h"
#include "tests/ui/fits/fits_fixture.h"

#include <QHeaderView>
#include <QLineEdit>

#include <map>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using base::Bytes;
using tests::kPatience;

class LargestSizesPageTest : public QObject, private tests::FitsFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void largestSizesAreThoseOfTheSearch();
    void aSizeIsTaken();
    void aStoppedSearchKeepsItsSizes();
    void aStepOfOneSizeHasNone();
    void plannersAreToldWhole();

private:
    static LargestSizeModel& sizes(PlannerPage& page) { return fits(page).sizes().model(); }
    /// The small graph with two axes, with the table of sizes in front.
    PlannerPage*
    openVaried(const QString& graph = QStringLiteral(PLIMSOLL_SOURCE_DIR
                                                     "/tests/data/varied.plimsoll.json"))
    {
        PlannerPage* page = open(graph);
        if (page == nullptr || !isDone(*page))
            return nullptr;
        page->document().commitBudget(page->document().planned()->unplannedNeeds);
        if (!isDone(*page))
            return nullptr;
        show(*page, "Sizes");
        return page;
    }
};

void LargestSizesPageTest::largestSizesAreThoseOfTheSearch()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    QCOMPARE(sentence(*page),
             QStringLiteral("Searches the largest sizes that run within the budget."));
    const workspace::PlanDocument& document = page->document().document();
    std::vector<workspace::SizeQuestion> questions;
    for (const graph::Axis& axis : document.graph.program->vary->axes)
        for (const workspace::Choices& each : workspace::choicesByPlanner(document.choices))
            questions.push_back({axis.name, each});
    QVERIFY(questions.size() > 4);
    QCOMPARE(sizes(*page).rowCount(), static_cast<int>(questions.size()));
    for (int row = 0; row < sizes(*page).rowCount(); ++row)
        QVERIFY(sizes(*page).rowAt(row)
                == largestSizeRow(questions[static_cast<std::size_t>(row)], {}));
    QCOMPARE(button(*page).text(), QStringLiteral("Find Largest Sizes"));
    search(*page);
    const auto expected =
        workspace::largestSizes(document.graph.program, questions, document.budget, {}, {}).value();
    std::map<std::string, std::int64_t> most;
    for (std::size_t row = 0; row < questions.size(); ++row) {
        QVERIFY(sizes(*page).rowAt(static_cast<int>(row))
                == largestSizeRow(questions[row], expected[row]));
        QVERIFY(expected[row].isOver && expected[row].largest);
        most[questions[row].axis] =
            std::max(most[questions[row].axis], expected[row].largest->size);
    }
    QCOMPARE(sentence(*page), QStringLiteral("Runs with batch up to %1, or sequence up to %2")
                                  .arg(most["batch"])
                                  .arg(most["sequence"]));
}

void LargestSizesPageTest::aSizeIsTaken()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    search(*page);
    const QString told = sentence(*page);
    QTableView& table = *fits(*page).sizes().table();
    const LargestSizeRow row = sizes(*page).rowAt(0);
    QCOMPARE(row.axis, std::string{"batch"});
    QVERIFY(*row.size != 4);
    doubleClick(table, 0);
    const workspace::Choices& choices = page->document().document().choices;
    QTRY_COMPARE(choices.sizes, (workspace::Sizes{{"batch", *row.size}}));
    QVERIFY(isDone(*page));
    // The form shows it, and what is planned there is the plan of the row.
    const auto boxes = tests::viewOf<SizeForm>(*page).findChildren<SizeBox*>();
    QCOMPARE(boxes.front()->text(), QString::number(*row.size));
    QCOMPARE(page->document().outcome().best->evaluation().stepTime, *row.stepTime);
    QCOMPARE(page->document().outcome().best->evaluation().peak, *row.peak);
    // Those of the other axis are for the former batch.
    QCOMPARE(sentence(*page),
             QStringLiteral("For batch 4, sequence 6, before the change: ") + told);
    trigger("edit.undo");
    QTRY_VERIFY(choices.sizes.empty());
    QVERIFY(isDone(*page));
    QCOMPARE(sentence(*page), told);
    // By key: the first row of the other axis.
    table.setFocus();
    while (sizes(*page).rowAt(table.currentIndex().row()).axis != "sequence")
        QTest::keyClick(&table, Qt::Key_Down);
    QTest::keyClick(&table, Qt::Key_Return);
    const LargestSizeRow other = sizes(*page).rowAt(table.currentIndex().row());
    QVERIFY(*other.size != 6);
    QTRY_COMPARE(choices.sizes, (workspace::Sizes{{"sequence", *other.size}}));
    trigger("edit.undo");
    QTRY_VERIFY(choices.sizes.empty());
    QVERIFY(isDone(*page));
    // Another budget has other sizes.
    page->document().commitBudget(page->document().budget() + Bytes{4096});
    QVERIFY(isDone(*page));
    QVERIFY(sentence(*page).startsWith(QStringLiteral("For a budget of ")));
}

void LargestSizesPageTest::aStoppedSearchKeepsItsSizes()
{
    PlannerPage* page =
        openVaried(plimsoll::tests::sampleFile("gpt2")); // whose search takes seconds
    QVERIFY(page != nullptr);
    const auto countSearched = [&] {
        int count = 0;
        for (int row = 0; row < sizes(*page).rowCount(); ++row)
            count += sizes(*page).rowAt(row).isOver ? 1 : 0;
        return count;
    };
    QTest::mouseClick(&button(*page), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return sizes(*page).rowAt(0).size.has_value(); }, kPatience));
    QTest::mouseClick(&button(*page), Qt::LeftButton);
    QVERIFY(areIdle(*page));
    const int rows = sizes(*page).rowCount();
    QVERIFY(sizes(*page).rowAt(0).size && countSearched() < rows);
    QVERIFY(!sizes(*page).rowAt(rows - 1).size);
    QCOMPARE(sizes(*page).index(rows - 1, LargestSizeModel::NextColumn).data().toString(),
             QStringLiteral("Not known yet"));
    QVERIFY(sentence(*page).endsWith(
        QStringLiteral("; %1 of %2 rows searched").arg(countSearched()).arg(rows)));
    // A row without a size can't be taken.
    doubleClick(*fits(*page).sizes().table(), rows - 1);
    QTest::qWait(50);
    QVERIFY(page->document().document().choices.sizes.empty());
}

void LargestSizesPageTest::aStepOfOneSizeHasNone()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    show(*page, "Sizes");
    QCOMPARE(sentence(*page), QStringLiteral("The step was traced at one size only."));
    QVERIFY(!button(*page).isEnabled());
    QCOMPARE(sizes(*page).rowCount(), 0);
}

/// Where there is room, beside what is said of the next size.
void LargestSizesPageTest::plannersAreToldWhole()
{
    PlannerPage* page = openVaried();
    QVERIFY(page != nullptr);
    const QTableView& table = *fits(*page).sizes().table();
    const auto needs = [&](int column) {
        int width = 0;
        for (int row = 0; row < sizes(*page).rowCount(); ++row)
            width = std::max(width, cellWidth(table.font(), sizes(*page).index(row, column)));
        return width;
    };
    for (const int column : {LargestSizeModel::AxisColumn, LargestSizeModel::PlannerColumn,
                             LargestSizeModel::TimeColumn, LargestSizeModel::PeakColumn})
        QVERIFY(table.columnWidth(column) >= needs(column));
    QVERIFY(table.columnWidth(LargestSizeModel::PlannerColumn) > 158);
    m_window->resize(1280, 720);
    QTRY_COMPARE(table.horizontalHeader()->length(), table.viewport()->width());
    QVERIFY(table.columnWidth(LargestSizeModel::NextColumn) >= m_theme->px(160));
}

} // namespace

PLIMSOLL_TEST(LargestSizesPageTest, QApplication)
#include "largest_sizes_page_test.moc"
