// SPDX-License-Identifier: Apache-2.0
// The planners side by side: what the cells say, and that only those that change are told of.
#include "ui/models/planner_model.h"

#include "tests/support/test_main.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

namespace {

using namespace plimsoll;
using ui::PlannerModel;
using ui::PlannerRow;

class PlannerModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhatEachHas();
    void tellsOnlyOfWhatChanged();
    void peaksHaveTheUnitOfTheHead();
};

std::vector<PlannerRow> twoRows()
{
    PlannerRow first;
    first.planner = QStringLiteral("auto");
    first.state = QStringLiteral("feasible, 24 ms");
    first.peak = base::Bytes{(std::int64_t{7} << 30) + 1};
    first.slower = 0.102;
    first.isChosen = true;
    PlannerRow second;
    second.planner = QStringLiteral("remat");
    second.state = QStringLiteral("47 %");
    second.perMille = 470;
    second.isUsed = true;
    second.tip = QStringLiteral("a <b> c");
    return {first, second};
}

void PlannerModelTest::saysWhatEachHas()
{
    PlannerModel model;
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    QCOMPARE(model.rowCount(), 0);
    model.setRows(twoRows());
    QCOMPARE(model.rowCount(), 2);
    const auto text = [&model](int row, int column, int role = Qt::DisplayRole) {
        return model.index(row, column).data(role).toString();
    };
    QCOMPARE(text(0, PlannerModel::NameColumn), QStringLiteral("auto"));
    QCOMPARE(text(0, PlannerModel::StateColumn), QStringLiteral("feasible, 24 ms"));
    // Rounded up: what is shown must not seem to fit where it doesn't.
    QCOMPARE(text(0, PlannerModel::PeakColumn), QStringLiteral("7.01"));
    QCOMPARE(text(0, PlannerModel::SlowerColumn), QStringLiteral("+10.2\u00a0%"));
    QCOMPARE(text(1, PlannerModel::PeakColumn), QStringLiteral("\u2013"));
    QCOMPARE(text(1, PlannerModel::SlowerColumn), QStringLiteral("\u2013"));
    QCOMPARE(text(0, 0, PlannerModel::PlannerRole), QStringLiteral("auto"));
    QVERIFY(!model.index(0, 1).data(PlannerModel::PerMilleRole).isValid());
    QCOMPARE(model.index(1, 1).data(PlannerModel::PerMilleRole).toInt(), 470);
    QVERIFY(model.index(0, 3).data(PlannerModel::ChosenRole).toBool());
    QVERIFY(!model.index(1, 3).data(PlannerModel::ChosenRole).toBool());
    QVERIFY(model.index(1, 0).data(PlannerModel::UsedRole).toBool());
    QVERIFY(text(1, 2, Qt::ToolTipRole).contains(QStringLiteral("a &lt;b&gt; c")));
    QCOMPARE(text(0, 0, Qt::AccessibleTextRole), QStringLiteral("auto, chosen"));
    QCOMPARE(text(1, 0, Qt::AccessibleTextRole), QStringLiteral("remat, its plan is shown"));
    QCOMPARE(text(1, 1, Qt::AccessibleTextRole), QStringLiteral("47 %"));
    // Figures end below each other.
    for (const int column : {PlannerModel::PeakColumn, PlannerModel::SlowerColumn})
        QVERIFY(model.index(0, column)
                    .data(Qt::TextAlignmentRole)
                    .value<Qt::Alignment>()
                    .testFlag(Qt::AlignRight));
}

void PlannerModelTest::tellsOnlyOfWhatChanged()
{
    PlannerModel model;
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    model.setRows(twoRows());
    QSignalSpy changed{&model, &QAbstractItemModel::dataChanged};
    QSignalSpy reset{&model, &QAbstractItemModel::modelReset};
    const auto cells = [&changed] {
        std::vector<std::pair<int, int>> told; // row, column
        for (const QList<QVariant>& call : changed) {
            const auto first = call[0].toModelIndex();
            const auto last = call[1].toModelIndex();
            for (int column = first.column(); column <= last.column(); ++column)
                told.emplace_back(first.row(), column);
        }
        changed.clear();
        return told;
    };
    using Cells = std::vector<std::pair<int, int>>;
    model.setRows(twoRows());
    QVERIFY(cells().empty());
    auto rows = twoRows();
    rows[0].peak = base::Bytes{5};
    model.setRows(rows);
    QVERIFY((cells() == Cells{{0, PlannerModel::PeakColumn}}));
    rows[1].perMille = 480;
    rows[1].slower = 0.5;
    model.setRows(rows);
    QVERIFY((cells() == Cells{{1, PlannerModel::StateColumn}, {1, PlannerModel::SlowerColumn}}));
    rows[0].isUsed = true;
    rows[1].isUsed = false;
    model.setRows(rows);
    QVERIFY((cells() == Cells{{0, PlannerModel::NameColumn}, {1, PlannerModel::NameColumn}}));
    rows[1].isChosen = true; // the ground of the row
    model.setRows(rows);
    QVERIFY((cells() == Cells{{1, 0}, {1, 1}, {1, 2}, {1, 3}}));
    QVERIFY(reset.isEmpty());
}

/// One unit for all, in the head: that of the largest.
void PlannerModelTest::peaksHaveTheUnitOfTheHead()
{
    PlannerModel model;
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    auto rows = twoRows();
    rows[1].peak = base::Bytes{300 << 20};
    model.setRows(rows);
    const auto head = [&model] {
        return model.headerData(PlannerModel::PeakColumn, Qt::Horizontal).toString();
    };
    const auto peak = [&model](int row) {
        return model.index(row, PlannerModel::PeakColumn).data().toString();
    };
    QSignalSpy heads{&model, &QAbstractItemModel::headerDataChanged};
    QCOMPARE(head(), QStringLiteral("Peak, GiB"));
    QCOMPARE(peak(1), QStringLiteral("0.30"));
    model.setUnitOf(base::Bytes{std::int64_t{9} << 30});
    QVERIFY(heads.isEmpty());
    model.setUnitOf(base::Bytes{300 << 20});
    QCOMPARE(heads.size(), 1);
    QCOMPARE(head(), QStringLiteral("Peak, MiB"));
    QCOMPARE(peak(1), QStringLiteral("300.0"));
    QCOMPARE(model.headerData(PlannerModel::NameColumn, Qt::Horizontal).toString(),
             QStringLiteral("Planner"));
}

} // namespace

PLIMSOLL_TEST(PlannerModelTest, QApplication)
#include "planner_model_test.moc"
