// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"

#include "tests/support/messages.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstdint>
#include <limits>
#include <string>

namespace {

using namespace plimsoll::base;

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;
constexpr std::int64_t kGiB = std::int64_t{1} << 30U;
constexpr std::int64_t kTiB = std::int64_t{1} << 40U;

class FormatTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void roundsTheWayThatIsAskedFor_data();
    void roundsTheWayThatIsAskedFor();
    void aPeakWithinItsBudgetReadsSo();
    void leavesDecimalsOutOnRequest();
    void writesFiguresInTheUnitOfAnother();
    void countsInWords();
    void readsSizesExactly_data();
    void readsSizesExactly();
    void refusesWhatIsNoSize_data();
    void refusesWhatIsNoSize();
};

void FormatTest::roundsTheWayThatIsAskedFor_data()
{
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QString>("nearest");
    QTest::addColumn<QString>("up");
    QTest::addColumn<QString>("down");
    const auto row = [](const char* name, std::int64_t bytes, const char* nearest, const char* up,
                        const char* down) {
        QTest::newRow(name) << qint64{bytes} << QString::fromUtf8(nearest) << QString::fromUtf8(up)
                            << QString::fromUtf8(down);
    };
    row("zero", 0, "0 B", "0 B", "0 B");
    row("bytes", 900, "900 B", "900 B", "900 B");
    row("exact", 288 * kMiB, "288.0 MiB", "288.0 MiB", "288.0 MiB");
    row("a byte more", 288 * kMiB + 1, "288.0 MiB", "288.1 MiB", "288.0 MiB");
    row("a byte less", 288 * kMiB - 1, "288.0 MiB", "288.0 MiB", "287.9 MiB");
    row("a byte more than GiB", 2 * kGiB + 1, "2.00 GiB", "2.01 GiB", "2.00 GiB");
    // A double's product with 100 would lose this byte.
    row("a byte more than TiB", kTiB + 1, "1.00 TiB", "1.01 TiB", "1.00 TiB");
    row("next unit", kGiB - 1, "1.00 GiB", "1.00 GiB", "1023.9 MiB");
    row("negative", -288 * kMiB - 1, "-288.0 MiB", "-288.0 MiB", "-288.1 MiB");
    row("smallest", std::numeric_limits<std::int64_t>::min(), "-8388608.00 TiB", "-8388608.00 TiB",
        "-8388608.00 TiB");
}

void FormatTest::roundsTheWayThatIsAskedFor()
{
    QFETCH(qint64, bytes);
    QFETCH(QString, nearest);
    QFETCH(QString, up);
    QFETCH(QString, down);
    QCOMPARE(QString::fromStdString(bytesText(Bytes{bytes})), nearest);
    QCOMPARE(QString::fromStdString(bytesText(Bytes{bytes}, Rounding::Up)), up);
    QCOMPARE(QString::fromStdString(bytesText(Bytes{bytes}, Rounding::Down)), down);
}

/// However close: a peak within its budget never reads as over it, one over it never as within.
void FormatTest::aPeakWithinItsBudgetReadsSo()
{
    const auto pair = [](std::int64_t peak, std::int64_t budget) {
        return "peak " + bytesText(Bytes{peak}, Rounding::Up) + " of "
               + budgetText(Bytes{budget}, Bytes{peak});
    };
    const std::int64_t grid = 843 * kGiB / 100; // 8.43 GiB, less a part of a byte
    QCOMPARE(pair(grid + 5, grid + 9), std::string{"peak 8.44 GiB of 8.44 GiB"});
    QCOMPARE(pair(grid + 5, grid + 5), std::string{"peak 8.44 GiB of 8.44 GiB"});
    QCOMPARE(pair(grid, grid + 9), std::string{"peak 8.43 GiB of 8.43 GiB"});
    QCOMPARE(pair(grid + 9, grid + 5), std::string{"peak 8.44 GiB of 8.43 GiB"}); // over it
    // Most of the way to 8.44: to the nearest, unless a peak over it would read the same.
    const std::int64_t most = grid + kGiB / 100 * 9 / 10;
    QCOMPARE(pair(grid, most), std::string{"peak 8.43 GiB of 8.44 GiB"});
    QCOMPARE(pair(most + 1, most), std::string{"peak 8.44 GiB of 8.43 GiB"});
    QCOMPARE(pair(2'000'000'000, 2100 * kMiB), std::string{"peak 1.87 GiB of 2.05 GiB"});
    QCOMPARE(pair(1024 * kMiB - 2, 1024 * kMiB - 1), std::string{"peak 1.00 GiB of 1.00 GiB"});
    QCOMPARE(pair(12, 13), std::string{"peak 12 B of 13 B"});
    QCOMPARE(pair(1000, 1001), std::string{"peak 1.0 KiB of 1.0 KiB"});
}

void FormatTest::leavesDecimalsOutOnRequest()
{
    const FigureText text = bytesFigure(Bytes{288 * kMiB + 1}, Rounding::Up, Digits::Few);
    QCOMPARE(text.figure, std::string{"289"});
    QCOMPARE(text.unit, std::string{"MiB"});
    QCOMPARE(bytesFigure(Bytes{7424 * kMiB}, Rounding::Nearest, Digits::Few).figure,
             std::string{"7.25"});
}

void FormatTest::writesFiguresInTheUnitOfAnother()
{
    const Bytes gibibytes{14 * 1024 * kMiB};
    const auto figure = [](Bytes bytes, Bytes like) {
        const FigureText text = bytesFigureLike(bytes, like, Rounding::Up);
        return text.figure + " " + text.unit;
    };
    QCOMPARE(figure(gibibytes, gibibytes), std::string{"14.00 GiB"});
    QCOMPARE(figure(Bytes{288 * kMiB}, gibibytes), std::string{"0.29 GiB"}); // 0.28125, up
    QCOMPARE(figure(Bytes{1}, gibibytes), std::string{"0.01 GiB"});
    QCOMPARE(figure(Bytes{}, gibibytes), std::string{"0.00 GiB"});
    QCOMPARE(figure(Bytes{3 * 1024 * kMiB}, Bytes{288 * kMiB}), std::string{"3072.0 MiB"});
    QCOMPARE(figure(Bytes{2048}, Bytes{12}), std::string{"2048 B"});
}

void FormatTest::countsInWords()
{
    QCOMPARE(counted(0, "op"), std::string{"0 ops"});
    QCOMPARE(counted(1, "op"), std::string{"1 op"});
    QCOMPARE(counted(2, "entry", "entries"), std::string{"2 entries"});
    QCOMPARE(counted(1, "entry", "entries"), std::string{"1 entry"});
}

void FormatTest::readsSizesExactly_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("bytes");
    QTest::newRow("plain") << QStringLiteral("1234") << qint64{1234};
    QTest::newRow("more than 53 bits")
        << QStringLiteral("9007199254740993") << qint64{9007199254740993};
    QTest::newRow("zeros in front") << QStringLiteral("010") << qint64{10};
    QTest::newRow("unit") << QStringLiteral("1.5 GiB") << qint64{kGiB * 3 / 2};
    QTest::newRow("decimal unit") << QStringLiteral("6GB") << qint64{6'000'000'000};
}

void FormatTest::readsSizesExactly()
{
    QFETCH(QString, text);
    QFETCH(qint64, bytes);
    const Result<Bytes> size = parseBytes(text.toStdString());
    QVERIFY2(size, plimsoll::tests::messageOf(size));
    QCOMPARE(qint64{size->count()}, bytes);
}

void FormatTest::refusesWhatIsNoSize_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text : {"", "nan", "inf", "-1", "1e30GiB", "0x10", ".", "1.2.3", "5%",
                             "4611686018427387904", "99999999999999999999999", "9e999"})
        QTest::newRow(text) << QString::fromUtf8(text);
    QTest::newRow("400 digits") << QString(400, u'9');
}

void FormatTest::refusesWhatIsNoSize()
{
    QFETCH(QString, text);
    const Result<Bytes> size = parseBytes(text.toStdString());
    QVERIFY(!size.has_value());
    QCOMPARE(size.error().kind, ErrorKind::Usage);
}

} // namespace

PLIMSOLL_TEST(FormatTest, QCoreApplication)
#include "format_test.moc"
