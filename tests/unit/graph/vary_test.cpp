// SPDX-License-Identifier: Apache-2.0
// A law's value is exact, or there is none: compared with arithmetic modulo 2^64 and with floating
// point, which together tell any value below 2^62.
#include "core/graph/vary.h"

#include "core/base/limits.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <random>

namespace {

using plimsoll::base::kHuge;
using namespace plimsoll::graph;

constexpr std::uint32_t kSeed = 20;

Vary varyOf(std::int64_t denominator, std::vector<std::int64_t> coefficients)
{
    Vary vary;
    vary.axes = {{"batch", 8, {8, 16, 24}, 8}, {"sequence", 512, {512, 1024, 2048}, 32}};
    vary.terms = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}};
    vary.polynomials = {{denominator, std::move(coefficients)}};
    return vary;
}

std::optional<std::int64_t> valueOf(const Vary& vary, std::vector<std::int64_t> sizes)
{
    return LawsAt{vary, sizes}(0);
}

class VaryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    static void evaluatesEachTerm()
    {
        const Vary vary = varyOf(1, {1, 10, 100, 1000, 10000, 100000});
        QCOMPARE(valueOf(vary, {2, 3}).value(), 1 + 20 + 300 + 6000 + 90000 + 1800000);
        QCOMPARE(valueOf(vary, {0, 0}).value(), 1);
    }
    static void hasNoValueBetweenWholeNumbersBelowZeroOrBeyondTheLimit()
    {
        QCOMPARE(valueOf(varyOf(2, {0, 0, 1, 0, 1, 0}), {8, 7}).value(), 28);
        QVERIFY(!valueOf(varyOf(2, {1, 0, 1, 0, 1, 0}), {8, 7}));
        QVERIFY(!valueOf(varyOf(1, {-9, 1, 0, 0, 0, 0}), {8, 7}));
        QCOMPARE(valueOf(varyOf(1, {-8, 1, 0, 0, 0, 0}), {8, 7}).value(), 0);
        QCOMPARE(valueOf(varyOf(1, {kHuge - 1, 0, 0, 0, 0, 0}), {8, 7}).value(), kHuge - 1);
        QVERIFY(!valueOf(varyOf(1, {kHuge - 1, 1, 0, 0, 0, 0}), {1, 7}));
        // On the way it may be far beyond.
        QCOMPARE(valueOf(varyOf(1, {5, kHuge - 1, 1 - kHuge, 0, 0, 0}), {9, 9}).value(), 5);
        // A power beyond the limit counts only where it has a coefficient.
        QVERIFY(!valueOf(varyOf(1, {5, 0, 0, 0, 1, 0}), {8, kHuge - 1}));
        QCOMPARE(valueOf(varyOf(1, {5, 0, 0, 0, 0, 0}), {8, kHuge - 1}).value(), 5);
    }
    static void knowsTheSizesForWhichLawsHold()
    {
        const Axis axis{"sequence", 512, {512, 1024, 2048}, 32};
        QVERIFY(axis.has(512) && axis.has(544) && axis.has(4096));
        QVERIFY(!axis.has(480) && !axis.has(513) && !axis.has(0) && !axis.has(-32));
    }
    static void neverGivesAWrongValue();
};

void VaryTest::neverGivesAWrongValue()
{
    std::mt19937_64 random{kSeed};
    /// Below 2 to that many bits, small ones as often as large ones.
    const auto upTo = [&random](std::uint64_t bits) {
        return static_cast<std::int64_t>(random() >> (63U - random() % bits));
    };
    std::size_t values = 0;
    std::size_t none = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::int64_t> coefficients;
        for (int term = 0; term < 6; ++term)
            coefficients.push_back(
                random() % 3 == 0 ? 0 : (random() % 2 == 0 ? 1 : -1) * (upTo(61) >> 1));
        const std::int64_t denominator = random() % 2 == 0 ? 1 : 1 + upTo(4);
        const std::vector<std::int64_t> sizes{1 + upTo(12), 1 + upTo(24)};
        const Vary vary = varyOf(denominator, coefficients);
        std::uint64_t wrapped = 0;
        long double rough = 0;
        long double largest = 0;
        for (std::size_t term = 0; term < coefficients.size(); ++term) {
            std::uint64_t power = 1;
            for (std::size_t axis = 0; axis < sizes.size(); ++axis)
                for (std::int64_t i = 0; i < vary.terms[term][axis]; ++i)
                    power *= static_cast<std::uint64_t>(sizes[axis]);
            wrapped += static_cast<std::uint64_t>(coefficients[term]) * power;
            const long double part =
                static_cast<long double>(coefficients[term]) * static_cast<long double>(power);
            rough += part;
            largest = std::max(largest, std::abs(part));
        }
        rough /= static_cast<long double>(denominator);
        const std::optional<std::int64_t> value = valueOf(vary, sizes);
        if (value) {
            ++values;
            QCOMPARE(static_cast<std::uint64_t>(*value) * static_cast<std::uint64_t>(denominator),
                     wrapped);
            QVERIFY(*value >= 0 && *value < kHuge);
            QVERIFY(std::abs(rough - static_cast<long double>(*value)) <= 1 + largest * 1e-17L);
        } else {
            ++none;
            QVERIFY(denominator > 1 || rough < 1 + largest * 1e-17L
                    || rough > static_cast<long double>(kHuge) * 0.999L);
        }
    }
    QVERIFY2(values > 2000 && none > 2000, qPrintable(QString::number(values)));
}

} // namespace

PLIMSOLL_TEST(VaryTest, QCoreApplication)
#include "vary_test.moc"
