// SPDX-License-Identifier: Apache-2.0
// Budgets of the command lines: sizes, and ratios of a peak that is known only later.
#include "core/base/budget.h"

#include "tests/support/test_main.h"

#include <QTest>

namespace {

using plimsoll::base::Bytes;
using plimsoll::base::parseBudget;
using plimsoll::base::parsePercent;

class BudgetTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsSizesAndRatios_data();
    void readsSizesAndRatios();
    void refuses_data();
    void refuses();
    void readsPercentages();
};

void BudgetTest::readsSizesAndRatios_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("bytes"); // at a peak of 1001 B
    QTest::newRow("bytes") << QByteArray{"512"} << qint64{512};
    QTest::newRow("unit") << QByteArray{"2KiB"} << qint64{2048};
    QTest::newRow("ratio") << QByteArray{"80%"} << qint64{800}; // 800.8, rounded down
    QTest::newRow("fraction") << QByteArray{"12.5%"} << qint64{125};
    QTest::newRow("all") << QByteArray{"100%"} << qint64{1001};
}

void BudgetTest::readsSizesAndRatios()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, bytes);
    const auto budget = parseBudget(text.toStdString());
    QVERIFY(budget);
    QCOMPARE(budget->of(Bytes{1001}).count(), bytes);
    QVERIFY(!budget->isZero());
}

void BudgetTest::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", "%", "-5%", "inf%", "nan%", "8O%", "80%%", "lots"})
        QTest::newRow(text) << QByteArray{text};
}

void BudgetTest::refuses()
{
    QFETCH(QByteArray, text);
    const auto budget = parseBudget(text.toStdString());
    QVERIFY(!budget);
    QVERIFY(budget.error().kind == plimsoll::base::ErrorKind::Usage);
}

void BudgetTest::readsPercentages()
{
    QCOMPARE(*parsePercent("20%"), 20.0);
    QCOMPARE(*parsePercent("20"), 20.0);
    QVERIFY(parseBudget("0%")->isZero());
    QVERIFY(parseBudget("0")->isZero());
}

} // namespace

PLIMSOLL_TEST(BudgetTest, plimsoll::tests::NoApplication)
#include "budget_test.moc"
