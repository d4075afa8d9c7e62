// SPDX-License-Identifier: Apache-2.0
// Plans that keep single results and plans of the step runtime: chosen in the panel, told in
// tables and texts, and measured.
#include "core/device/op_times.h"
#include "core/lower/lower.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/document_page/pages_dock.h"
#include "ui/frontier/frontier_view.h"
#include "ui/models/measured_model.h"
#include "ui/models/point_model.h"
#include "ui/models/program_texts.h"
#include "ui/models/step_model.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/planner_page/plan_texts.h"

#include "tests/support/measurement_file.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <set>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
using plimsoll::base::Bytes;
using plimsoll::base::Nanoseconds;
namespace graph = plimsoll::graph;
namespace plan = plimsoll::plan;
namespace tests = plimsoll::tests;

/// The part of these bytes that a measurement has, too.
Bytes withoutReserve(PlannerPage& page, Bytes bytes)
{
    return bytes - page.document().document().choices.reserve;
}

class PlanKindsTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void tellsWhichResultsAreKept();
    void countsRecomputationsOfTheStepRuntime();
    void laysAMeasuredStepPlanOver();

private:
    static void chooseStepRuntime(PlannerPage& page);
    static QString cell(const QAbstractItemModel& model, int row, int column,
                        int role = Qt::DisplayRole)
    {
        return model.index(row, column).data(role).toString();
    }
    static bool tells(const QWidget& widget, const QString& text)
    {
        const auto labels = widget.findChildren<TextLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const TextLabel* label) {
            return label->isVisible() && label->text() == text;
        });
    }
};

void PlanKindsTest::chooseStepRuntime(PlannerPage& page)
{
    auto* runtime = viewOf<BudgetPanel>(page).findChild<QComboBox*>(QStringLiteral("runtime"));
    QVERIFY(runtime != nullptr);
    runtime->setFocus();
    QTest::keyClick(runtime, Qt::Key_Down);
    QCOMPARE(runtime->currentText(), QStringLiteral("step"));
    QVERIFY(isDone(page));
    QCOMPARE(page.document().planned()->frontier->points().front()->plan().runtime(),
             plan::Runtime::CompiledStep);
}

/// The forward or loss ops whose results a region and its nested regions keep, in traversal order.
void collectKept(const plan::Region& region, std::vector<graph::OpId>& kept)
{
    kept.insert(kept.end(), region.save.begin(), region.save.end());
    for (const plan::Region& nested : region.nested)
        collectKept(nested, kept);
}

void PlanKindsTest::tellsWhichResultsAreKept()
{
    PlannerPage* page = openPlanned("unet");
    QVERIFY(page != nullptr);
    auto* box = viewOf<BudgetPanel>(*page).findChild<QCheckBox*>(QStringLiteral("saved-sets"));
    QTest::mouseClick(box, Qt::LeftButton, {}, {box->height() / 2, box->height() / 2});
    QVERIFY(box->isChecked());
    QVERIFY(isDone(*page));
    // The plan that keeps most.
    plan::VerifiedPlanPtr most;
    plimsoll::base::Bytes budget;
    std::vector<graph::OpId> all;
    for (const plimsoll::run::PlanFrom& from : page->document().chooser().plans()) {
        std::vector<graph::OpId> kept;
        for (const plan::Region& region : from.plan->plan().regions())
            collectKept(region, kept);
        if (kept.size() > all.size()) {
            most = from.plan;
            budget = from.budget;
            all = kept;
        }
    }
    QVERIFY2(all.size() > 1, "no plan of the frontier keeps results");
    page->document().commitBudget(budget);
    QVERIFY(isDone(*page));
    QVERIFY(page->document().shownPlan()->plan() == most->plan());

    const QString count = QString::number(all.size());
    QVERIFY(tells(viewOf<PlanPage>(*page),
                  QStringLiteral("Runtime checkpoint: regions of modules that keep %1 results "
                                 "inside. Run it with plimsoll.apply(model, plan).")
                      .arg(count)));
    QVERIFY(viewOf<BudgetTimelineView>(*page).subtitle().endsWith(
        QStringLiteral("checkpoint, modules, %1 results kept").arg(count)));
    const PlanModel& table = *viewOf<PlanPage>(*page).model();
    const graph::Program& program = *page->document().program();
    QCOMPARE(table.decisions().size(), most->plan().regions().size());
    int rows = 0;
    for (const plan::Region& region : most->plan().regions()) {
        std::vector<graph::OpId> kept;
        collectKept(region, kept);
        const QModelIndex row = table.indexOf({region.first, region.last}, PlanModel::TensorColumn);
        QVERIFY(row.isValid());
        const QString tensors = row.data().toString();
        const QStringList words = tensors.split(u' '); // "22 of 55 tensors"
        QCOMPARE(words[1] == QStringLiteral("of"), !kept.empty());
        if (kept.empty())
            continue;
        QCOMPARE(words[2].toInt() - words[0].toInt(), static_cast<int>(kept.size()));
        ++rows;
        const QString tip = row.data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("These results are kept:")), qPrintable(tip));
        constexpr std::size_t kListed = 12;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            const QString place = opTitle(program, kept[i]) + QStringLiteral(", ")
                                  + QString::fromStdString(program.modulePath(program.op(kept[i])));
            QVERIFY2(i >= kListed || tip.contains(place.toHtmlEscaped()),
                     qPrintable(tip + u'|' + place));
        }
        const QString more = QStringLiteral("and %1 more").arg(kept.size() - kListed);
        QCOMPARE(tip.contains(more), kept.size() > kListed);
    }
    QVERIFY(rows > 0);
}

void PlanKindsTest::countsRecomputationsOfTheStepRuntime()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    viewOf<FrontierView>(*page).setFocus();
    QTest::keyClick(&viewOf<FrontierView>(*page), Qt::Key_T,
                    Qt::ControlModifier | Qt::ShiftModifier);
    QTableView& points = *page->findChild<QTableView*>(QStringLiteral("points"));
    const auto head = [&points](int role) {
        return points.model()
            ->headerData(PointModel::RegionsColumn, Qt::Horizontal, role)
            .toString();
    };
    QCOMPARE(head(Qt::DisplayRole), QStringLiteral("Regions"));
    chooseStepRuntime(*page);
    QCOMPARE(head(Qt::DisplayRole), QStringLiteral("Recomputed"));
    QCOMPARE(head(Qt::ToolTipRole), QStringLiteral("Ops before which others are recomputed"));
    const auto& frontier = page->document().planned()->frontier->points();
    QCOMPARE(points.model()->rowCount(), static_cast<int>(frontier.size()));
    for (std::size_t i = 0; i < frontier.size(); ++i)
        QCOMPARE(cell(*points.model(), static_cast<int>(i), PointModel::RegionsColumn),
                 countText(frontier[i]->plan().recomputeSteps().size()));

    page->document().commitBudget(page->document().planned()->smallestPeak);
    QVERIFY(isDone(*page));
    const plan::VerifiedPlanPtr shown = page->document().shownPlan();
    std::set<graph::OpId> again;
    std::size_t executions = 0;
    for (const plan::RecomputeStep& row : shown->plan().recomputeSteps()) {
        again.insert(row.ops.begin(), row.ops.end());
        executions += row.ops.size();
    }
    QVERIFY(executions > 10);
    planDock(*page).showPage(&viewOf<PlanPage>(*page));
    QVERIFY(tells(
        viewOf<PlanPage>(*page),
        QStringLiteral("Runtime step: %1 recomputations, before %2 ops. Run it with "
                       "plimsoll.compile_step(model, plan). No regions: %3")
            .arg(countText(executions), countText(shown->plan().recomputeSteps().size()),
                 QString::fromStdString(plan::whyNoRegions(
                     *page->document().program(), shown->plan(), *shown->evaluation().schedule)))));
    QVERIFY(viewOf<BudgetTimelineView>(*page).subtitle().endsWith(QStringLiteral(" · step")));
    const PlanModel& table = *viewOf<PlanPage>(*page).model();
    QCOMPARE(table.decisions().size(), shown->plan().recomputeSteps().size());
    QVERIFY(tells(planDock(*page), QStringLiteral("%1 recompute").arg(table.decisions().size())));
    // Each row runs what the plan says, as long as the evaluation says: together its whole time.
    const std::vector<Nanoseconds> times =
        plan::opTimes(*page->document().program(), shown->problem().device);
    Nanoseconds sum;
    for (const plan::RecomputeStep& row : shown->plan().recomputeSteps()) {
        Nanoseconds cost;
        for (const graph::OpId op : row.ops)
            cost += times[op.index()];
        sum += cost;
        const QModelIndex at =
            table.indexOf({static_cast<graph::OpIndex>(row.ops.front().index()), row.before});
        QVERIFY(at.isValid());
        QCOMPARE(at.siblingAtColumn(PlanModel::CostColumn).data().toString(), timeText(cost));
        const graph::Program& program = *page->document().program();
        const QString module =
            QString::fromStdString(program.modulePath(program.op(row.ops.front())));
        const QString op = opTitle(program, row.ops.front());
        const QString begin = module.isEmpty() ? op : module + QStringLiteral(" · ") + op;
        QVERIFY2(at.data().toString().startsWith(begin), qPrintable(at.data().toString()));
        QVERIFY(at.data(Qt::ToolTipRole).toString().contains(begin));
    }
    QCOMPARE(sum.count(), shown->evaluation().recomputeTime.count());
}

void PlanKindsTest::laysAMeasuredStepPlanOver()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    chooseStepRuntime(*page);
    const auto& points = page->document().planned()->frontier->points();
    const plan::VerifiedPlanPtr planned = points.front();
    QVERIFY(planned->plan().recomputeSteps().size() > 1);
    page->document().commitBudget(page->document().planned()->unplanned->evaluation().peak);
    QVERIFY(isDone(*page));
    constexpr std::int64_t kMore = 3 << 20;
    const QString path = QString::fromStdString(m_folder->file("step.measurement.json"));
    QFile file{path};
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(
        tests::measurementOf({page->document().planned()->unplanned, planned}, kMore)));
    file.close();
    QSignalSpy laid{m_window.get(), &MainWindow::fileAdded};
    currentPage()->addFile(path);
    QVERIFY(laid.wait(kPatience));
    QCOMPARE(page->strip().shown().first,
             QStringLiteral("The measurement has a second run, under a plan for %1.")
                 .arg(bytesText(planned->evaluation().peak)));
    QTest::mouseClick(buttonOf(page->strip(), "Show that plan"), Qt::LeftButton);
    QVERIFY(isDone(*page));
    QVERIFY(page->document().shownPlan()->plan() == planned->plan());
    const Bytes predicted = withoutReserve(*page, planned->evaluation().peak);
    const Bytes measured = predicted + Bytes{kMore};
    QVERIFY2(viewOf<BudgetTimelineView>(*page).accessibleDescription().contains(
                 QStringLiteral("Measured peak %1.").arg(bytesText(measured, Rounding::Up))),
             qPrintable(viewOf<BudgetTimelineView>(*page).accessibleDescription()));

    const MeasuredModel& rows = viewOf<MeasuredModel>(*page);
    int peaks = 0;
    for (int row = 0; row < rows.rowCount(); ++row) {
        const bool isOfPlan =
            cell(rows, row, MeasuredModel::RunColumn) == QStringLiteral("With the plan");
        if (!isOfPlan
            || cell(rows, row, MeasuredModel::WhatColumn) != QStringLiteral("Peak of live bytes"))
            continue;
        ++peaks;
        QCOMPARE(cell(rows, row, MeasuredModel::PredictedColumn), bytesText(predicted));
        QCOMPARE(cell(rows, row, MeasuredModel::MeasuredColumn), bytesText(measured));
        QVERIFY(cell(rows, row, MeasuredModel::DifferenceColumn)
                    .startsWith(bytesDifferenceText(Bytes{kMore})));
    }
    QCOMPARE(peaks, 1);
    // Step by step too, where ops run again as well.
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_T,
                    Qt::ControlModifier | Qt::ShiftModifier);
    const QAbstractItemModel& steps =
        *page->findChild<QTableView*>(QStringLiteral("steps"))->model();
    QTRY_COMPARE(steps.columnCount(), int{StepModel::ColumnCount});
    const plan::Evaluation& evaluation = planned->evaluation();
    int repeated = 0;
    for (std::size_t i = 0; i < evaluation.schedule->steps.size(); ++i) {
        if (evaluation.schedule->steps[i].region < 0)
            continue;
        ++repeated;
        const int row = static_cast<int>(i);
        QVERIFY(cell(steps, row, StepModel::OpColumn).endsWith(QStringLiteral(", recomputed")));
        QCOMPARE(cell(steps, row, StepModel::MeasuredColumn),
                 bytesText(withoutReserve(*page, evaluation.timeline->totalAt(i)) + Bytes{kMore},
                           Rounding::Up));
    }
    QVERIFY(repeated > 1);

    // A plan of regions that happens to run the same ops in the same order was not measured: the
    // step's line goes with its runtime.
    auto* runtime = viewOf<BudgetPanel>(*page).findChild<QComboBox*>(QStringLiteral("runtime"));
    runtime->setFocus();
    QTest::keyClick(runtime, Qt::Key_Up);
    QVERIFY(isDone(*page));
    for (int row = 0; row < rows.rowCount(); ++row)
        QCOMPARE(cell(rows, row, MeasuredModel::RunColumn), QStringLiteral("Without a plan"));
    QVERIFY(rows.rowCount() > 0);
}

} // namespace

PLIMSOLL_TEST(PlanKindsTest, QApplication)
#include "plan_kinds_test.moc"
