// SPDX-License-Identifier: Apache-2.0
// Where the step fits: GPUs compared in the window, filled in place, stopped, taken, out of date.
#include "tests/support/test_main.h"
#include "tests/ui/fits/fits_fixture.h"

#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QPointer>
#include <QProgressBar>

#include <set>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using base::Bytes;
using tests::kPatience;
using workspace::FitStatus;

constexpr int kFreeze = 1000; ///< ms, longer than which the window would seem to hang

class DeviceFitsPageTest : public QObject, private tests::FitsFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void nothingIsPlannedUntilAsked();
    void gpusAreThoseOfTheSearch();
    void rowsFillInPlace();
    void aStopKeepsWhatIsKnown();
    void aRowIsTaken();
    void keysAreEnough();
    void otherSettingsAreTold();
    void otherSettingsEndTheSearch();
    void aRefusalIsShown();
    void closingEndsTheSearch();

private:
    static DeviceFitModel& gpus(PlannerPage& page) { return fits(page).devices().model(); }
    /// ResNet-18 with that reserve, planned by one planner, with the page in front.
    PlannerPage* openResNet(Bytes reserve = Bytes{std::int64_t{5400} << 20},
                            const char* planner = "rotor", std::vector<std::string> pins = {})
    {
        PlannerPage* page = openPlanned();
        if (page == nullptr)
            return nullptr;
        change(*page, [&](workspace::Choices& choices) {
            choices.reserve = reserve;
            choices.planner = planner;
            choices.pins = std::move(pins);
        });
        show(*page, "GPUs");
        return page;
    }
    static int rowOf(PlannerPage& page, const char* device)
    {
        for (int row = 0; row < gpus(page).rowCount(); ++row)
            if (gpus(page).rowAt(row).device.id == device)
                return row;
        return -1;
    }
    static std::string deviceOf(PlannerPage& page)
    {
        return page.document().document().choices.device.id;
    }
    static std::vector<std::string> order(PlannerPage& page)
    {
        std::vector<std::string> ids;
        for (int row = 0; row < gpus(page).rowCount(); ++row)
            ids.push_back(gpus(page).rowAt(row).device.id);
        return ids;
    }
    static int countOver(PlannerPage& page)
    {
        int count = 0;
        for (int row = 0; row < gpus(page).rowCount(); ++row)
            count += gpus(page).rowAt(row).isOver ? 1 : 0;
        return count;
    }
    static std::vector<DeviceFitRow> allRows(PlannerPage& page)
    {
        std::vector<DeviceFitRow> rows;
        for (int row = 0; row < gpus(page).rowCount(); ++row)
            rows.push_back(gpus(page).rowAt(row));
        return rows;
    }
};

void DeviceFitsPageTest::nothingIsPlannedUntilAsked()
{
    PlannerPage* page = openResNet();
    QVERIFY(page != nullptr);
    QVERIFY(fits(*page).isVisible());
    QCOMPARE(sentence(*page),
             QStringLiteral("Plans the step for each GPU with all of its memory."));
    QCOMPARE(button(*page).text(), QStringLiteral("Compare GPUs"));
    QTest::qWait(200);
    for (const JobRunnerBase* job : fits(*page).jobs())
        QVERIFY(job->isIdle());
    QCOMPARE(gpus(*page).rowCount(), static_cast<int>(plan::builtInDevices().size()));
    int chosen = 0;
    for (int row = 0; row < gpus(*page).rowCount(); ++row) {
        QVERIFY(!gpus(*page).rowAt(row).status);
        const bool isChosen = gpus(*page).rowAt(row).device.id == deviceOf(*page);
        QCOMPARE(gpus(*page)
                     .index(row, 0)
                     .data(Qt::AccessibleTextRole)
                     .toString()
                     .endsWith(QStringLiteral(", chosen")),
                 isChosen);
        chosen += isChosen ? 1 : 0;
    }
    QCOMPARE(chosen, 1);
}

void DeviceFitsPageTest::gpusAreThoseOfTheSearch()
{
    PlannerPage* page = openResNet();
    QVERIFY(page != nullptr);
    search(*page);
    const workspace::PlanDocument& document = page->document().document();
    std::vector<workspace::Choices> choices;
    for (const plan::Device& device : plan::builtInDevices()) {
        choices.push_back(document.choices);
        workspace::setDevice(choices.back(), *document.graph.program, device);
    }
    const auto expected = workspace::deviceFits(document.graph.program, choices, {}, {}).value();
    std::set<FitStatus> seen;
    int runs = 0;
    int unplanned = 0;
    for (const workspace::DeviceFit& fit : expected) {
        const int row = rowOf(*page, fit.device.id.c_str());
        QVERIFY(row >= 0);
        QVERIFY2(gpus(*page).rowAt(row) == deviceFitRow(fit), fit.device.id.c_str());
        QVERIFY(fit.isOver);
        seen.insert(*fit.status);
        unplanned += fit.status == FitStatus::Unplanned ? 1 : 0;
        runs += fit.status == FitStatus::Unplanned || fit.status == FitStatus::Planned ? 1 : 0;
    }
    QVERIFY(seen.size() > 1); // else the reserve no longer tells GPUs apart
    QCOMPARE(sentence(*page),
             QStringLiteral("Fits %1 of %2 GPUs with all of their memory, %3 without a plan")
                 .arg(runs)
                 .arg(expected.size())
                 .arg(unplanned));
    QCOMPARE(button(*page).text(), QStringLiteral("Compare GPUs"));
}

void DeviceFitsPageTest::rowsFillInPlace()
{
    PlannerPage* page = openResNet();
    QVERIFY(page != nullptr);
    const std::vector<std::string> before = order(*page);
    QTableView& table = *fits(*page).devices().table();
    const QRect place = table.geometry();
    const QRect where = button(*page).geometry();
    std::set<int> over;
    QObject::connect(&gpus(*page), &QAbstractItemModel::dataChanged, page, [&] {
        over.insert(countOver(*page));
        QCOMPARE(order(*page), before);
    });
    QTest::mouseClick(&button(*page), Qt::LeftButton);
    QCOMPARE(button(*page).text(), QStringLiteral("Stop"));
    QVERIFY(sentence(*page).startsWith(QStringLiteral("Planning: ")));
    QTest::qWait(50); // the layout would follow with the next event
    QCOMPARE(table.geometry(), place);
    QCOMPARE(button(*page).geometry(), where);
    const auto* progress = fits(*page).devices().findChild<QProgressBar*>();
    QVERIFY(progress->isVisible());
    QVERIFY(areIdle(*page));
    QVERIFY(!progress->isVisible());
    QCOMPARE(table.geometry(), place);
    QVERIFY2(over.size() > 4, qPrintable(QString::number(over.size())));
    QCOMPARE(*over.rbegin(), gpus(*page).rowCount());
}

void DeviceFitsPageTest::aStopKeepsWhatIsKnown()
{
    // With the pin, no GPU has an answer without planning.
    PlannerPage* page = openResNet({}, "auto", {"recompute:layer1.0"});
    QVERIFY(page != nullptr);
    QTest::mouseClick(&button(*page), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return countOver(*page) > 0; }, kPatience));
    const std::vector<DeviceFitRow> atStop = allRows(*page);
    QElapsedTimer clock;
    clock.start();
    QTest::mouseClick(&button(*page), Qt::LeftButton);
    QVERIFY(areIdle(*page));
    const std::vector<DeviceFitRow> rows = allRows(*page);
    int unknown = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (atStop[row].isOver)
            QVERIFY(rows[row] == atStop[row]);
        if (rows[row].isOver)
            QVERIFY(rows[row].status == FitStatus::Planned && rows[row].leastBudget);
        else
            QCOMPARE(gpus(*page)
                         .index(static_cast<int>(row), DeviceFitModel::StatusColumn)
                         .data()
                         .toString(),
                     QStringLiteral("Not known yet"));
        unknown += rows[row].isOver ? 0 : 1;
    }
    QVERIFY(unknown > 0);
    const int known = static_cast<int>(rows.size()) - unknown;
    QCOMPARE(
        sentence(*page),
        QStringLiteral("Stopped: %1 of %2 GPUs compared. Known to run on %1, on 0 without a plan")
            .arg(known)
            .arg(rows.size()));
    QCOMPARE(button(*page).text(), QStringLiteral("Compare GPUs"));
}

void DeviceFitsPageTest::aRowIsTaken()
{
    PlannerPage* page = openResNet();
    QVERIFY(page != nullptr);
    search(*page);
    const QString told = sentence(*page);
    const std::string before = deviceOf(*page);
    QTableView& table = *fits(*page).devices().table();
    const int t4 = rowOf(*page, "t4");
    doubleClick(table, t4);
    QCOMPARE(deviceOf(*page), std::string{"t4"});
    QVERIFY(isDone(*page));
    const auto isMarked = [&](const char* device) {
        const QModelIndex index = gpus(*page).index(rowOf(*page, device), 0);
        return index.data(Qt::AccessibleTextRole).toString().endsWith(QStringLiteral(", chosen"));
    };
    QVERIFY(isMarked("t4") && !isMarked(before.c_str()));
    QCOMPARE(sentence(*page), told); // it holds for every choice of GPU
    // The plan of the row is what the window plans, once the budget is the GPU's memory.
    page->document().commitBudget(gpus(*page).rowAt(t4).device.memory);
    QVERIFY(isDone(*page));
    QCOMPARE(*gpus(*page).rowAt(t4).stepTime,
             page->document().outcome().best->evaluation().stepTime);
    trigger("edit.undo");
    trigger("edit.undo");
    QCOMPARE(deviceOf(*page), before);
    QVERIFY(isMarked(before.c_str()));
    // From the menu of the row.
    const QPoint at = place(table, rowOf(*page, "l4"));
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(deviceOf(*page), before); // a click only selects
    const QList<QAction*> actions = table.actions();
    QCOMPARE(actions.size(), 1);
    QCOMPARE(QString{actions.front()->text()}.remove(u'&'), QStringLiteral("Use This GPU"));
    actions.front()->trigger();
    QCOMPARE(deviceOf(*page), std::string{"l4"});
}

void DeviceFitsPageTest::keysAreEnough()
{
    PlannerPage* page = openResNet();
    QVERIFY(page != nullptr);
    button(*page).setFocus(Qt::TabFocusReason);
    QTest::keyClick(&button(*page), Qt::Key_Space);
    QCOMPARE(button(*page).text(), QStringLiteral("Stop"));
    QVERIFY(button(*page).hasFocus());
    QVERIFY(areIdle(*page));
    QVERIFY(button(*page).hasFocus());
    QTest::keyClick(&button(*page), Qt::Key_Tab);
    QTableView& table = *fits(*page).devices().table();
    QCOMPARE(QApplication::focusWidget(), &table);
    QTest::keyClick(&table, Qt::Key_Home);
    const std::string before = deviceOf(*page);
    const int from = table.currentIndex().row();
    QTest::keyClick(&table, Qt::Key_Down);
    const int row = table.currentIndex().row();
    QCOMPARE(row, from + 1);
    QVERIFY(gpus(*page).rowAt(row).device.id != before);
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(deviceOf(*page), gpus(*page).rowAt(row).device.id);
}

void DeviceFitsPageTest::otherSettingsAreTold()
{
    PlannerPage* page = openResNet();
    QVERIFY(page != nullptr);
    search(*page);
    const QString told = sentence(*page);
    const std::vector<DeviceFitRow> rows = allRows(*page);
    const auto cell = [&] {
        QTableView& table = *fits(*page).devices().table();
        table.clearSelection();
        const QModelIndex index = gpus(*page).index(0, DeviceFitModel::StatusColumn);
        table.scrollTo(index);
        return table.viewport()->grab(table.visualRect(index)).toImage();
    };
    const QImage bright = cell();
    change(*page, [](workspace::Choices& choices) { choices.planner = "chen"; });
    QCOMPARE(sentence(*page), QStringLiteral("For planner rotor, before the change: ") + told);
    QVERIFY(allRows(*page) == rows);
    QVERIFY(cell() != bright);
    trigger("edit.undo");
    QVERIFY(isDone(*page));
    QCOMPARE(sentence(*page), told);
    QCOMPARE(cell(), bright);
    page->document().setAllocator({.expandableSegments = true});
    QVERIFY(isDone(*page));
    QCOMPARE(sentence(*page),
             QStringLiteral("For no expandable segments, before the change: ") + told);
    search(*page);
    QVERIFY(!sentence(*page).startsWith(QStringLiteral("For ")));
    QVERIFY(allRows(*page) != rows); // less is needed
}

void DeviceFitsPageTest::otherSettingsEndTheSearch()
{
    PlannerPage* page = openResNet({}, "auto", {"recompute:layer1.0"});
    QVERIFY(page != nullptr);
    QTest::mouseClick(&button(*page), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return countOver(*page) > 0; }, kPatience));
    // Another GPU doesn't.
    doubleClick(*fits(*page).devices().table(), rowOf(*page, "t4"));
    QVERIFY(fits(*page).devices().job().isRunning());
    workspace::Choices choices = page->document().document().choices;
    choices.pins.clear();
    page->document().commitChoices(choices);
    QVERIFY(areIdle(*page));
    QVERIFY(countOver(*page) < gpus(*page).rowCount());
    QVERIFY(sentence(*page).startsWith(QStringLiteral("For 1 pin, before the change: Stopped: ")));
    QCOMPARE(button(*page).text(), QStringLiteral("Compare GPUs"));
}

void DeviceFitsPageTest::aRefusalIsShown()
{
    PlannerPage* page = openResNet();
    QVERIFY(page != nullptr);
    workspace::Choices choices = page->document().document().choices;
    choices.pins = {"keep:nothing"};
    page->document().commitChoices(choices);
    search(*page);
    const auto expected =
        workspace::deviceFits(page->document().document().graph.program, {choices}, {}, {});
    QVERIFY(!expected);
    QCOMPARE(sentence(*page).toStdString(), base::told(expected.error()));
    for (const DeviceFitRow& row : allRows(*page))
        QVERIFY(!row.status);
    trigger("edit.undo"); // then it is no longer true
    QCOMPARE(sentence(*page),
             QStringLiteral("Plans the step for each GPU with all of its memory."));
}

void DeviceFitsPageTest::closingEndsTheSearch()
{
    QPointer<PlannerPage> page = openResNet({}, "auto", {"recompute:layer1.0"});
    QVERIFY(page);
    QTest::mouseClick(&button(*page), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return countOver(*page) > 0; }, kPatience));
    QVERIFY(!page->isIdle());
    QElapsedTimer clock;
    clock.start();
    m_window->closePage(*page);
    QVERIFY2(clock.elapsed() < kFreeze, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(m_window->pages().empty());
    QVERIFY(QTest::qWaitFor([&] { return page.isNull(); }, kPatience));
}

} // namespace

PLIMSOLL_TEST(DeviceFitsPageTest, QApplication)
#include "device_fits_page_test.moc"
