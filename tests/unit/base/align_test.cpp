// SPDX-License-Identifier: Apache-2.0
#include "core/base/align.h"

#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace plimsoll;
using base::Aligned;
using Values = std::vector<std::uint64_t>;

namespace {

/// Length of a longest common subsequence, by the table.
std::size_t longest(const Values& a, const Values& b)
{
    std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                               : std::max(table[i - 1][j], table[i][j - 1]);
    return table[a.size()][b.size()];
}

bool isAlignment(const Aligned& pairs, const Values& a, const Values& b)
{
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto& [atA, atB] = pairs[i];
        if (atA >= a.size() || atB >= b.size() || a[atA] != b[atB])
            return false;
        if (i > 0 && (atA <= pairs[i - 1].first || atB <= pairs[i - 1].second))
            return false;
    }
    return true;
}

class AlignTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void examples();
    void shortSequencesHaveALongestCommonPart();
    void longOnesKeepWhatTheyHaveInCommon();
};

void AlignTest::examples()
{
    QCOMPARE(base::alignSequences({}, {}), Aligned{});
    QCOMPARE(base::alignSequences(Values{1, 2}, {}), Aligned{});
    QCOMPARE(base::alignSequences(Values{1, 2, 3}, Values{1, 2, 3}),
             (Aligned{{0, 0}, {1, 1}, {2, 2}}));
    QCOMPARE(base::alignSequences(Values{1, 2, 3}, Values{9, 1, 9, 3}), (Aligned{{0, 1}, {2, 3}}));
    QCOMPARE(base::alignSequences(Values{1, 2}, Values{3, 4, 5}), Aligned{});
}

void AlignTest::shortSequencesHaveALongestCommonPart()
{
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        tests::Random random{seed};
        Values a(random.below(20));
        Values b(random.below(20));
        for (Values* values : {&a, &b})
            for (std::uint64_t& value : *values)
                value = random.below(4);
        const Aligned pairs = base::alignSequences(a, b);
        QVERIFY(isAlignment(pairs, a, b));
        QCOMPARE(pairs.size(), longest(a, b));
    }
}

void AlignTest::longOnesKeepWhatTheyHaveInCommon()
{
    // Different values, of which some are left out on each side, here and there many in a row.
    tests::Random random{7};
    constexpr std::size_t kCount = 20'000;
    Values a;
    Values b;
    std::size_t common = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
        const bool inA = !random.percent(5);
        const bool inB = !random.percent(5) && !(i > 5000 && i < 5200);
        if (inA)
            a.push_back(i);
        if (inB)
            b.push_back(i);
        common += inA && inB ? 1 : 0;
    }
    const Aligned pairs = base::alignSequences(a, b);
    QVERIFY(isAlignment(pairs, a, b));
    QCOMPARE(pairs.size(), common);
    // Nothing in common: linear, too.
    for (std::uint64_t& value : b)
        value += kCount;
    QCOMPARE(base::alignSequences(a, b), Aligned{});
}

} // namespace

PLIMSOLL_TEST(AlignTest, QCoreApplication)
#include "align_test.moc"
