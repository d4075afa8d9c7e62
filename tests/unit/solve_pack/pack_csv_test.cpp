// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/pack_csv.h"

#include "core/solve/pack/pack_check.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using namespace plimsoll::solve;

namespace {

class PackCsvTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void columnsStandInAnyOrder();
    void offsetsBecomeAColumn();
    void faultsNameTheirLine_data();
    void faultsNameTheirLine();
    void overlapsAreFound_data();
    void overlapsAreFound();
};

void PackCsvTest::columnsStandInAnyOrder()
{
    const auto csv = readPackCsv("\xEF\xBB\xBFsize, lower ,note,upper,id\r\n7,0,\"a,b\",3,x\r\n"
                                 "5,3,,4,\"y\"\r\n\r\n");
    QVERIFY2(csv.has_value(), csv ? "" : csv.error().message.c_str());
    QCOMPARE(csv->buffers, (PackBuffers{{0, 3, 7}, {3, 4, 5}}));
}

void PackCsvTest::offsetsBecomeAColumn()
{
    const auto csv = readPackCsv("id,lower,upper,size,note\na,0,2,4,\"x,y\"\nb,1,3,4,z");
    QVERIFY(csv.has_value());
    const std::string written = withOffsets(*csv, {0, 4});
    QCOMPARE(written, std::string{"id,lower,upper,size,note,offset\na,0,2,4,\"x,y\",0\n"
                                  "b,1,3,4,z,4\n"});
    // Read again, the column is replaced.
    const auto again = readPackCsv(written);
    QVERIFY(again.has_value());
    QCOMPARE(again->buffers, csv->buffers);
    QCOMPARE(withOffsets(*again, {4, 0}), std::string{"id,lower,upper,size,note,offset\n"
                                                      "a,0,2,4,\"x,y\",4\nb,1,3,4,z,0\n"});
}

void PackCsvTest::faultsNameTheirLine_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("sentence");
    const auto row = [](const char* name, const std::string& text, const std::string& sentence) {
        QTest::newRow(name) << text << sentence;
    };
    const std::string head = "id,lower,upper,size\n";
    row("nothing", "", "line 1: there must be the column names");
    row("missing column", "id,lower,size\n", "line 1: the column \"upper\" is missing");
    row("column twice", "id,lower,upper,size,size\n", "line 1: the column \"size\" appears twice");
    row("negative size", head + "a,0,1,-4\n", "line 2: size is \"-4\"");
    row("negative time", head + "a,-1,1,4\n", "line 2: lower is \"-1\"");
    row("huge", head + "a,0,1,4611686018427387904\n", "below 2^62");
    row("more than 64 bits", head + "a,0,1,99999999999999999999999\n", "below 2^62");
    row("fraction", head + "a,0,1,1.5\n", "line 2: size is \"1.5\"");
    row("no number", head + "a,0,1,\n", "line 2: size is \"\"");
    row("sum", head + "a,0,1,4611686018427387903\nb,0,1,1\n", "line 3: the sizes up to here");
    row("empty interval", head + "a,0,1,4\nb,5,5,1\n", "line 3: upper is 5");
    row("id twice", head + "a,0,1,4\nb,0,1,4\na,0,1,4\n",
        "line 4: the id \"a\" is already that "
        "of line 2");
    row("no id", head + ",0,1,4\n", "line 2: the id is empty");
    row("cut off", head + "a,0,1,4\nb,0\n", "line 3: it has 2 fields, but there are 4 columns");
    row("NUL", head + std::string("a,0,1\0,4\n", 9), "line 2: there is a NUL byte");
    row("gap", head + "a,0,1,4\n\nb,0,1,4\n", "line 3: it is empty");
    row("open quotes", head + "\"a,0,1,4\nb,0,1,4\n", "line 2: a quote is left open");
    row("open quote at the end", "id,lower,upper,size,note\na,0,4,12,?z\"\n",
        "line 2: a quote is left open");
}

void PackCsvTest::faultsNameTheirLine()
{
    QFETCH(std::string, text);
    QFETCH(std::string, sentence);
    const auto csv = readPackCsv(text);
    QVERIFY(!csv.has_value());
    QCOMPARE(csv.error().kind, base::ErrorKind::File);
    QVERIFY2(csv.error().message.find(sentence) != std::string::npos, csv.error().message.c_str());
    QVERIFY(csv.error().message.ends_with('.'));
}

void PackCsvTest::overlapsAreFound_data()
{
    QTest::addColumn<PackOffsets>("offsets");
    QTest::addColumn<std::string>("fault");
    // Buffer 0 on [0, 4), 1 on [2, 6), 2 on [4, 8), sizes 4, 4, 2.
    QTest::newRow("fine") << PackOffsets{0, 4, 0} << std::string{};
    QTest::newRow("same place") << PackOffsets{0, 0, 4} << std::string{"buffers 0 and 1 overlap"};
    QTest::newRow("by one") << PackOffsets{0, 3, 0} << std::string{"buffers 0 and 1 overlap"};
    QTest::newRow("from above") << PackOffsets{9, 4, 3} << std::string{"buffers 1 and 2 overlap"};
    QTest::newRow("inside") << PackOffsets{9, 4, 5} << std::string{"buffers 1 and 2 overlap"};
    QTest::newRow("below zero") << PackOffsets{-1, 4, 0} << std::string{"buffer 0 lies at -1"};
    QTest::newRow("no end") << PackOffsets{INT64_MAX - 2, 4, 0} << std::string{"buffer 0 lies at"};
    QTest::newRow("too few") << PackOffsets{0, 4} << std::string{"there are 2 offsets"};
}

void PackCsvTest::overlapsAreFound()
{
    QFETCH(PackOffsets, offsets);
    QFETCH(std::string, fault);
    const PackBuffers buffers{{0, 4, 4}, {2, 6, 4}, {4, 8, 2}};
    const base::Result<std::int64_t> height = checkPacking(buffers, offsets);
    QCOMPARE(height.has_value(), fault.empty());
    if (height)
        QCOMPARE(*height, std::int64_t{8});
    else
        QVERIFY2(height.error().message.find(fault) != std::string::npos,
                 height.error().message.c_str());
}

} // namespace

PLIMSOLL_TEST(PackCsvTest, plimsoll::tests::NoApplication)
#include "pack_csv_test.moc"
