// SPDX-License-Identifier: Apache-2.0
#include "core/base/curve_so_far.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <random>

namespace {

using plimsoll::base::CurveFeed;
using plimsoll::base::CurveSoFar;

class CurveSoFarTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsTheExtremesOfEachBlock_data();
    void keepsTheExtremesOfEachBlock();
    void tellsTheLongest();
    void aCorrectedValueCounts();
    void feedsNobody();
};

void CurveSoFarTest::keepsTheExtremesOfEachBlock_data()
{
    QTest::addColumn<int>("count");
    for (const int count : {1, 1023, 1024, 1025, 300'000, 1'048'576, 1'048'577, 2'500'000})
        QTest::addRow("%d", count) << count;
}

/// Against the values themselves, block by block.
void CurveSoFarTest::keepsTheExtremesOfEachBlock()
{
    QFETCH(int, count);
    std::mt19937_64 random{7};
    std::vector<std::int64_t> values;
    CurveSoFar curve;
    CurveFeed feed{&curve, 3};
    std::int64_t value = 0;
    for (int i = 0; i < count; ++i) {
        value += static_cast<std::int64_t>(random() % 2001) - 1000;
        values.push_back(value);
        feed.add(value);
    }
    feed.flush();
    const std::optional<CurveSoFar::Curve> found = curve.longest();
    QVERIFY(found.has_value());
    QCOMPARE(found->series, 3);
    QCOMPARE(found->values, values.size());
    QVERIFY(found->blocks.size() <= 1024);
    QCOMPARE(found->blocks.size(), (values.size() + found->perBlock - 1) / found->perBlock);
    for (std::size_t i = 0; i < found->blocks.size(); ++i) {
        const std::size_t begin = i * found->perBlock;
        // What held before is part of a block, 0 of the first.
        CurveSoFar::Block expected;
        expected.lowest = expected.highest = begin == 0 ? 0 : values[begin - 1];
        for (std::size_t at = begin; at < std::min(values.size(), begin + found->perBlock); ++at) {
            expected.lowest = std::min(expected.lowest, values[at]);
            expected.highest = std::max(expected.highest, values[at]);
        }
        QVERIFY2(found->blocks[i] == expected, qPrintable(QString::number(i)));
    }
}

void CurveSoFarTest::tellsTheLongest()
{
    CurveSoFar curve;
    QVERIFY(!curve.longest());
    curve.append(0, {1, 2}, 1024);
    curve.append(1, {3, 4}, 1024);
    curve.append(1, {-5, 9}, 500);
    QCOMPARE(curve.longest()->series, 1);
    QCOMPARE(curve.longest()->values, std::size_t{1524});
    QCOMPARE(curve.longest()->range().lowest, std::int64_t{-5});
    QCOMPARE(curve.longest()->range().highest, std::int64_t{9});
    curve.clear();
    QVERIFY(!curve.longest());
}

void CurveSoFarTest::aCorrectedValueCounts()
{
    CurveSoFar curve;
    CurveFeed feed{&curve, 0};
    feed.add(10);
    feed.correct(-4);
    feed.flush();
    QCOMPARE(curve.longest()->values, std::size_t{1});
    QCOMPARE(curve.longest()->range().lowest, std::int64_t{-4});
}

void CurveSoFarTest::feedsNobody()
{
    CurveFeed feed;
    for (int i = 0; i < 5000; ++i)
        feed.add(i);
    feed.flush();
    CurveSoFar curve;
    CurveFeed other{&curve, 0};
    other.flush();
    QVERIFY(!curve.longest());
}

} // namespace

PLIMSOLL_TEST(CurveSoFarTest, QCoreApplication)
#include "curve_so_far_test.moc"
