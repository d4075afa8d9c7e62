// SPDX-License-Identifier: Apache-2.0
#include "ui/treemap/squarify.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

namespace {

using plimsoll::ui::squarified;

class SquarifyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void dividesAsThePaperDoes();
    void coversTheAreaWithoutOverlap_data();
    void coversTheAreaWithoutOverlap();
    void leavesNothingForZeros();
};

void SquarifyTest::dividesAsThePaperDoes()
{
    // Figure 5 of the paper: 6, 6, 4, 3, 2, 2, 1 in 6 x 4.
    const std::vector<double> values{6, 6, 4, 3, 2, 2, 1};
    const std::vector<QRectF> rects = squarified(values, QRectF{0, 0, 6, 4});
    QCOMPARE(rects[0], (QRectF{0, 0, 3, 2}));
    QCOMPARE(rects[1], (QRectF{0, 2, 3, 2}));
    QVERIFY(qFuzzyCompare(rects[2].height(), 7.0 / 3) && qFuzzyCompare(rects[2].width(), 12.0 / 7));
    QVERIFY(qFuzzyCompare(rects[3].height(), 7.0 / 3) && qFuzzyCompare(rects[3].width(), 9.0 / 7));
}

void SquarifyTest::coversTheAreaWithoutOverlap_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 30; ++seed)
        QTest::addRow("%d", seed) << seed;
}

void SquarifyTest::coversTheAreaWithoutOverlap()
{
    QFETCH(int, seed);
    std::mt19937 random{static_cast<unsigned>(seed)};
    std::vector<double> values(1 + random() % 120);
    for (double& value : values)
        value = static_cast<double>(1 + random() % (seed % 2 == 0 ? 1'000'000 : 10));
    std::ranges::sort(values, std::greater<>{});
    const auto side = [&] { return static_cast<double>(30 + random() % 800); };
    const QRectF area{10, 20, side(), side()};
    const std::vector<QRectF> rects = squarified(values, area);
    QCOMPARE(rects.size(), values.size());
    const double scale =
        area.width() * area.height() / std::accumulate(values.begin(), values.end(), 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < rects.size(); ++i) {
        const double size = rects[i].width() * rects[i].height();
        QVERIFY(std::abs(size - values[i] * scale) < 1e-6 * area.width() * area.height());
        QVERIFY(area.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(rects[i]));
        sum += size;
        for (std::size_t j = 0; j < i; ++j) {
            const QRectF both = rects[i].intersected(rects[j]);
            QVERIFY(both.width() * both.height() < 1e-6 * area.width() * area.height());
        }
    }
    QVERIFY(std::abs(sum - area.width() * area.height()) < 1e-6 * sum);
}

void SquarifyTest::leavesNothingForZeros()
{
    const QRectF area{0, 0, 100, 50};
    const std::vector<double> values{3, 0, 0};
    const std::vector<QRectF> rects = squarified(values, area);
    QCOMPARE(rects[0], area);
    QVERIFY(rects[1].isEmpty() && rects[2].isEmpty());
    const std::vector<double> zeros{0, 0};
    QVERIFY(squarified(zeros, area)[0].isEmpty());
    QVERIFY(squarified({}, area).empty());
    QVERIFY(squarified(values, {})[0].isEmpty());
}

} // namespace

PLIMSOLL_TEST(SquarifyTest, QApplication)
#include "squarify_test.moc"
