// SPDX-License-Identifier: Apache-2.0
#include "ui/budget_timeline/budget_values.h"

#include "ui/base/numbers.h"

#include "tests/support/test_main.h"

#include <QTest>

namespace {

using plimsoll::base::Bytes;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

BudgetLimits limits()
{
    BudgetLimits result;
    result.shown = {{}, Bytes{16384 * kMiB}};
    result.axisTop = result.shown.top;
    result.gridStep = Bytes{2048 * kMiB};
    result.targets = {{Bytes{7721 * kMiB}, QStringLiteral("RTX 4060")}, {Bytes{2468 * kMiB}, {}}};
    return result;
}

class BudgetValuesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void roundsToAtMostOnePixel();
    void snapsWithinSixPixelsAndLeavesAtEight();
    void targetsAreEightPixelsApart();
    void doesNotSnapWithAlt();
    void movesEightTimesSlowerWithCtrl();
    void staysOnTheAxis();
    void takesPercentagesToWhatIsShown();
    void readsWhatIsTyped_data();
    void readsWhatIsTyped();
    void noShareOfAnUnknownPeak();
};

void BudgetValuesTest::roundsToAtMostOnePixel()
{
    QCOMPARE(dragQuantum(Bytes{16384 * kMiB}, 400).count(), 32 * kMiB);
    QCOMPARE(dragQuantum(Bytes{16384 * kMiB}, 512).count(), 32 * kMiB);
    QCOMPARE(dragQuantum(Bytes{100 * kMiB}, 400).count(), kMiB);
}

void BudgetValuesTest::snapsWithinSixPixelsAndLeavesAtEight()
{
    // 512 px for 16 GiB: 32 MiB a pixel; the target is 9.28 px above the start.
    BudgetDrag drag{Bytes{7424 * kMiB}, 100, 512, limits()};
    QCOMPARE(drag.moveTo(97, {}).count(), 7520 * kMiB);
    QCOMPARE(drag.moveTo(96, {}).count(), 7721 * kMiB);
    QVERIFY(drag.snapped().has_value());
    QCOMPARE(drag.snapped()->name, QStringLiteral("RTX 4060"));
    QCOMPARE(drag.moveTo(84, {}).count(), 7721 * kMiB); // 6.7 px past it
    QCOMPARE(drag.moveTo(82, {}).count(), (7424 + 18 * 32) * kMiB);
    QVERIFY(!drag.snapped().has_value());
}

void BudgetValuesTest::targetsAreEightPixelsApart()
{
    BudgetLimits dense = limits(); // 32 MiB a pixel
    dense.targets = {{Bytes{7600 * kMiB}, QStringLiteral("RTX 4060")}};
    for (std::int64_t at = 7328; at < 7900; at += 32)
        dense.targets.push_back({Bytes{at * kMiB}, {}});
    BudgetDrag drag{Bytes{7424 * kMiB}, 100, 512, dense};
    QList<std::int64_t> snapped;
    for (int y = 100; y >= 84; --y) {
        const std::int64_t value = drag.moveTo(y, {}).count() / kMiB;
        if (drag.snapped() && !snapped.contains(value))
            snapped << value;
    }
    // Those with names stay; the others keep away from them and from each other.
    QCOMPARE(snapped, (QList<std::int64_t>{7328, 7600, 7872}));
}

void BudgetValuesTest::doesNotSnapWithAlt()
{
    BudgetDrag drag{Bytes{7424 * kMiB}, 100, 512, limits()};
    QCOMPARE(drag.moveTo(91, {false, true}).count(), 7712 * kMiB);
}

void BudgetValuesTest::movesEightTimesSlowerWithCtrl()
{
    BudgetDrag drag{Bytes{9600 * kMiB}, 100, 512, limits()};
    QCOMPARE(drag.moveTo(84, {true, false}).count(), 9664 * kMiB);
}

void BudgetValuesTest::staysOnTheAxis()
{
    BudgetDrag drag{Bytes{7424 * kMiB}, 100, 512, limits()};
    QCOMPARE(drag.moveTo(-5000, {}).count(), 16384 * kMiB);
    QCOMPARE(drag.moveTo(5000, {}).count(), kMiB);
    QCOMPARE(budgetAfterKey(Bytes{kMiB}, BudgetKey::Down, KeyStep::Normal, limits()).count(), kMiB);
}

/// Every peak within it is shown as no more than the budget is.
void BudgetValuesTest::takesPercentagesToWhatIsShown()
{
    const Bytes unplanned{2987654321};
    for (int percent = 1; percent <= 150; ++percent) {
        const auto budget =
            parseBudget(QStringLiteral("%1 %").arg(percent), {unplanned, unplanned, {}});
        QVERIFY(budget);
        const std::int64_t exact = unplanned.count() * percent / 100;
        QVERIFY(budget->count() <= exact && budget->count() > exact - exact / 100 - kMiB / 10);
        QCOMPARE(plimsoll::ui::bytesText(*budget, plimsoll::ui::Rounding::Up),
                 plimsoll::ui::bytesText(*budget));
    }
}

void BudgetValuesTest::readsWhatIsTyped_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("mebibytes"); // 0: refused
    QTest::newRow("bare number is GiB") << QStringLiteral("7.25") << qint64{7424};
    QTest::newRow("GiB") << QStringLiteral("7.25 GiB") << qint64{7424};
    QTest::newRow("no-break space") << QStringLiteral("7.25\u00a0GiB") << qint64{7424};
    QTest::newRow("MiB") << QStringLiteral("7424 MiB") << qint64{7424};
    QTest::newRow("per cent") << QStringLiteral("51.2 %") << qint64{5120};
    QTest::newRow("more than all") << QStringLiteral("102.4%") << qint64{10240};
    QTest::newRow("no per cent") << QStringLiteral("0 %") << qint64{0};
    QTest::newRow("minus sign") << QStringLiteral("−500 MiB") << qint64{5500};
    QTest::newRow("hyphen") << QStringLiteral("-500 MiB") << qint64{5500};
    QTest::newRow("plus") << QStringLiteral("+1 GiB") << qint64{7024};
    QTest::newRow("device number") << QStringLiteral("4060") << qint64{8192};
    QTest::newRow("device name") << QStringLiteral("rtx 4060") << qint64{8192};
    QTest::newRow("nothing") << QString{} << qint64{0};
    QTest::newRow("words") << QStringLiteral("a lot") << qint64{0};
    QTest::newRow("zero") << QStringLiteral("0") << qint64{0};
    QTest::newRow("below zero") << QStringLiteral("-7 GiB") << qint64{0};
    QTest::newRow("more than anybody has") << QStringLiteral("4294967296 GiB") << qint64{0};
    QTest::newRow("more than that, from here") << QStringLiteral("+4294967295 GiB") << qint64{0};
    QTest::newRow("not a number") << QStringLiteral("nan") << qint64{0};
}

void BudgetValuesTest::readsWhatIsTyped()
{
    QFETCH(QString, text);
    QFETCH(qint64, mebibytes);
    const BudgetContext context{Bytes{6000 * kMiB},
                                Bytes{10000 * kMiB},
                                {{Bytes{8192 * kMiB}, QStringLiteral("RTX 4060"), true}}};
    const auto parsed = parseBudget(text, context);
    QCOMPARE(parsed.has_value(), mebibytes != 0);
    if (parsed)
        QCOMPARE(parsed->count(), mebibytes * kMiB);
}

/// Before the first plan there is nothing to take a share of.
void BudgetValuesTest::noShareOfAnUnknownPeak()
{
    QVERIFY(!parseBudget(QStringLiteral("50 %"), {Bytes{6000 * kMiB}, {}, {}}));
}

} // namespace

PLIMSOLL_TEST(BudgetValuesTest, QCoreApplication)
#include "budget_values_test.moc"
