// SPDX-License-Identifier: Apache-2.0
// The columns of the plan's table that are hidden at first: what they say is the evaluation's.
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/plan_tables/plan_view.h"
#include "ui/tables/column_fitter.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QTest>

#include <cmath>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
namespace workspace = plimsoll::workspace;
namespace graph = plimsoll::graph;
namespace base = plimsoll::base;
namespace plan = plimsoll::plan;

class PlanColumnsTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void tellsMoreInOptionalColumns();
    void heldColumnsHaveRoomForLongFigures_data();
    void heldColumnsHaveRoomForLongFigures();
};

void PlanColumnsTest::tellsMoreInOptionalColumns()
{
    PlannerPage* page = openPlanned("gpt2");
    QVERIFY(page != nullptr);
    auto& tree = viewOf<PlanView>(*page);
    viewOf<PlanPage>(*page).setOptionalColumns({QStringLiteral("rate"), QStringLiteral("ops"),
                                                QStringLiteral("lastUse"), QStringLiteral("pin")});
    workspace::Choices choices = page->document().document().choices;
    choices.pins = {"recompute:transformer.h.3.mlp"};
    page->document().commitChoices(choices);
    QVERIFY(isDone(*page) && page->document().outcome().best);
    const PlanModel& model = *viewOf<PlanPage>(*page).model();
    const plan::VerifiedPlan& best = *page->document().outcome().best;
    const graph::Program& program = *best.problem().step();
    tree.expandAll();
    int pinned = 0;
    int values = 0;
    for (QModelIndex row = model.index(0, 0); row.isValid(); row = tree.indexBelow(row)) {
        const auto cell = [&row](int column) {
            return row.siblingAtColumn(column).data().toString();
        };
        const QString ops = cell(PlanModel::OpColumn);
        const QString pin = cell(PlanModel::PinColumn);
        if (model.hasChildren(row)) {
            const PlanModel::Stretch stretch = model.stretchesAt(row).front();
            if (model.stretchesAt(row).size() == 1)
                QCOMPARE(ops, QStringLiteral("%1–%2").arg(stretch.first).arg(stretch.second));
            continue;
        }
        ++values;
        const graph::OpId op = graph::opAt(ops.toInt());
        const QString path = QString::fromStdString(program.modulePath(program.op(op)));
        const bool isPinned = path.startsWith(QStringLiteral("transformer.h.3.mlp"));
        if (!pin.isEmpty()) {
            ++pinned;
            QVERIFY2(isPinned, qPrintable(path));
            QCOMPARE(pin, QStringLiteral("recompute:transformer.h.3.mlp"));
        }
        const QString last = cell(PlanModel::LastUseColumn);
        if (!last.isEmpty())
            QVERIFY2(last.section(QStringLiteral("op "), -1).toInt()
                         >= static_cast<int>(op.index()),
                     qPrintable(last));
    }
    QVERIFY(pinned > 0 && values > pinned);
    // Cost by saved bytes, and sorted by that.
    tree.sortByColumn(PlanModel::RateColumn, Qt::AscendingOrder);
    double before = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex index = model.index(row, 0);
        base::Bytes saved;
        base::Nanoseconds cost;
        for (const PlanModel::Stretch& stretch : model.stretchesAt(index))
            for (const PlanRow& decision : model.decisions())
                if (decision.stretch == stretch) {
                    saved += decision.figures.saved;
                    cost += decision.figures.cost;
                }
        const double rate = static_cast<double>(cost.count()) / 1e6
                            / (static_cast<double>(saved.count()) / (1 << 30));
        QVERIFY(rate >= before);
        before = rate;
        const double shown =
            index.siblingAtColumn(PlanModel::RateColumn).data().toString().toDouble();
        QVERIFY(std::abs(shown - rate) <= 0.05);
    }
    QVERIFY(before > 0);
}

void PlanColumnsTest::heldColumnsHaveRoomForLongFigures_data()
{
    QTest::addColumn<int>("column");
    QTest::addColumn<QString>("figure");
    QTest::newRow("MiB") << int{PlanModel::SavedColumn} << QStringLiteral("1023.9\u00a0MiB");
    QTest::newRow("GiB") << int{PlanModel::SavedColumn} << QStringLiteral("999.99\u00a0GiB");
    QTest::newRow("time") << int{PlanModel::CostColumn} << QStringLiteral("99.9\u00a0ms");
    QTest::newRow("tensors") << int{PlanModel::TensorColumn} << QStringLiteral("999 tensors");
}

/// Plans passed in a drag may have longer figures than the one at which it began.
void PlanColumnsTest::heldColumnsHaveRoomForLongFigures()
{
    QFETCH(int, column);
    QFETCH(QString, figure);
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto& tree = viewOf<PlanView>(*page);
    const int width = tree.columnWidth(column);
    tree.setHeld(true);
    QCOMPARE(tree.columnWidth(column), width);
    const bool isNumber = column != PlanModel::TensorColumn;
    const int needed = isNumber ? figureWidth(tree.font(), figure) : textWidth(tree.font(), figure);
    QVERIFY2(width >= needed, qPrintable(QStringLiteral("%1 < %2").arg(width).arg(needed)));
    tree.setHeld(false);
}

} // namespace

PLIMSOLL_TEST(PlanColumnsTest, QApplication)
#include "plan_columns_test.moc"
