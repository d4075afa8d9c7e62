// SPDX-License-Identifier: Apache-2.0
// Whatever a user does with a sample, the window never freezes: opening it, switching the theme,
// dragging the line, another size of the step, a measurement attached to it.
#include "tests/support/gui_time.h"

#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/problem_form/size_form.h"

#include "tests/support/measurement_file.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QApplication>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <functional>
#include <vector>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
namespace plan = plimsoll::plan;
namespace tests = plimsoll::tests;

class GuiTimeTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow({1920, 1080}); }
    void cleanup() { closeWindow(); }
    void neverStandsStill_data();
    void neverStandsStill();

private:
    static void drag(PlannerPage& page);
    static void resize(PlannerPage& page);
    void measure(PlannerPage& page);
    [[nodiscard]] static double slowness();
};

void GuiTimeTest::neverStandsStill_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("the largest") << QStringLiteral("llama_7b");
    if (isExhaustive())
        QTest::newRow("with sizes to choose") << QStringLiteral("gpt2");
}

void GuiTimeTest::drag(PlannerPage& page)
{
    const QPoint from = budgetHandle(page);
    QTest::mousePress(&viewOf<BudgetTimelineView>(page), Qt::LeftButton, {}, from);
    for (int move = 1; move <= 40; ++move) {
        QTest::mouseMove(&viewOf<BudgetTimelineView>(page),
                         from + QPoint{0, 3 * (move <= 20 ? move : 40 - move)});
        QTest::qWait(4);
    }
    QTest::mouseRelease(&viewOf<BudgetTimelineView>(page), Qt::LeftButton, {},
                        from + QPoint{0, 30});
    QVERIFY(isDone(page));
}

void GuiTimeTest::resize(PlannerPage& page)
{
    for (SizeBox* box : page.findChildren<SizeBox*>()) {
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Up);
        QTest::keyClick(box, Qt::Key_Return);
        QVERIFY(isDone(page));
    }
}

void GuiTimeTest::measure(PlannerPage& page)
{
    const auto& points = page.document().planned()->frontier->points();
    const QString path = QString::fromStdString(m_folder->file("a.measurement.json"));
    QFile file{path};
    QVERIFY(file.open(QIODevice::WriteOnly));
    std::vector<plan::VerifiedPlanPtr> plans{page.document().planned()->unplanned};
    if (!points.front()->plan().recomputesNothing())
        plans.push_back(points.front()); // the longest
    file.write(QByteArray::fromStdString(tests::measurementOf(plans, 1 << 20)));
    file.close();
    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    currentPage()->addFile(path);
    QVERIFY(laid.wait(kPatience));
    page.document().commitBudget(page.document().planned()->smallestPeak); // that plan
    QVERIFY(isDone(page));
    QTest::qWait(20);
}

/// How much slower this computer is than the one on which the limits were set, at least 1: by the
/// time in which Qt styles all widgets of the page anew and paints them.
double GuiTimeTest::slowness()
{
    constexpr double kUsual = 200; // ms
    const GuiTime time;
    qApp->setStyleSheet(qApp->styleSheet() + u' ');
    QTest::qWait(50);
    return std::max(1.0, time.longest() / kUsual);
}

void GuiTimeTest::neverStandsStill()
{
    QFETCH(QString, name);
    PlannerPage* page = nullptr;
    struct Doing
    {
        const char* what;
        std::function<void()> run;
        double share = 1; ///< of the limit
    };
    const std::vector<Doing> doings{
        {"opening", [&] { page = openPlanned(qPrintable(name)); },
         1.5}, // the widgets of a whole page are made and styled at once
        {"dragging", [&] { drag(*page); }},
        {"switching the theme",
         [&] {
             trigger("theme.dark");
             QTest::qWait(50);
             trigger("theme.light");
             QTest::qWait(50);
         },
         4}, // Qt styles all widgets twice: for the palette and for the style sheet
        {"measuring", [&] { measure(*page); }},
        {"dragging over the measurement", [&] { drag(*page); }},
        {"another size", [&] { resize(*page); }},
    };
    QTest::qWait(50); // the window's own first picture
    for (const auto& [what, run, share] : doings) {
        const GuiTime time;
        run();
        QVERIFY(page != nullptr && !QTest::currentTestFailed());
        QTest::qWait(10); // the last picture counts, too
        const double longest = time.longest();
        const double limit = share * kFreeze * slowness();
        const QString told =
            QStringLiteral("%1: %2 of %3 ms").arg(QString::fromUtf8(what)).arg(longest).arg(limit);
        QVERIFY2(longest < limit, qPrintable(told));
        qInfo("%s", qPrintable(told));
    }
}

} // namespace

PLIMSOLL_TEST(GuiTimeTest, QApplication)
#include "gui_time_test.moc"
