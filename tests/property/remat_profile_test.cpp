// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_profile.h"

#include "core/solve/remat/search/remat_moves.h"

#include "tests/support/random.h"
#include "tests/support/remat/remat_families.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <utility>
#include <vector>

using namespace plimsoll;
using namespace plimsoll::solve;
using tests::Random;

class RematProfileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theTreeAddsAndFinds();
    void theProfileEqualsTheLinearPassAfterEveryMove_data();
    void theProfileEqualsTheLinearPassAfterEveryMove();
};

namespace {

using Move = std::pair<std::vector<std::uint32_t>, std::uint32_t>; ///< ops, before which op

RematProblem problemOf(const QByteArray& family, Random& random)
{
    if (family == "tiny")
        return tests::randomTiny(random);
    if (family == "chain")
        return tests::randomTrainingChain(random, 30);
    return tests::randomLayered(random, tests::layeredShape(60));
}

void insertAll(RematProfile& profile, const Move& move)
{
    for (const std::uint32_t op : move.first)
        profile.insert(op, move.second);
}

void eraseAll(RematProfile& profile, const Move& move)
{
    for (const std::uint32_t op : move.first)
        profile.erase(op, move.second);
}

/// Ops that recompute a random value somewhere; empty if that is impossible.
Move randomInsertion(const RematProfile& profile, const RematMoves& moves, Random& random)
{
    const auto count = static_cast<std::uint32_t>(profile.problem().ops.size());
    const auto value = static_cast<std::uint32_t>(random.below(profile.problem().values.size()));
    const std::uint32_t maker = moves.writersOf(value).front();
    if (maker + 1 >= count)
        return {};
    const auto at = maker + 1 + static_cast<std::uint32_t>(random.below(count - maker - 1));
    const auto operands = static_cast<DeadOperands>(random.below(3));
    auto ops = moves.anew(profile, value, at, at / 2, operands, 12);
    return {ops.value_or(std::vector<std::uint32_t>{}), at};
}

Move randomErasure(const RematProfile& profile, const RematMoves& moves, Random& random)
{
    const RematPlan plan = profile.plan();
    if (plan.recomputeSteps.empty())
        return {};
    const RematRecomputeStep& row = plan.recomputeSteps[random.below(plan.recomputeSteps.size())];
    return {moves.without(profile, row.ops[random.below(row.ops.size())], row.before), row.before};
}

/// Empty if the profile and the linear pass agree.
QString difference(const RematProfile& profile)
{
    const base::Result<RematFigures> seen = simulate(profile.problem(), profile.plan());
    if (!seen)
        return QString::fromStdString(seen.error().message);
    if (seen->peak != profile.peak())
        return QStringLiteral("peak %1, not %2").arg(profile.peak()).arg(seen->peak);
    if (std::abs(seen->time - profile.time()) > 1e-6 * (1 + seen->time))
        return QStringLiteral("time %1, not %2").arg(profile.time()).arg(seen->time);
    return {};
}

} // namespace

void RematProfileTest::theTreeAddsAndFinds()
{
    Random random{5};
    for (std::size_t count = 1; count < 40; ++count) {
        RangeMaxTree tree{count};
        std::vector<std::int64_t> plain(count, 0);
        for (int round = 0; round < 50; ++round) {
            const std::size_t first = random.below(count);
            const std::size_t end = first + 1 + random.below(count - first);
            const int amount = random.between(-9, 9);
            tree.add(first, end, amount);
            for (std::size_t at = first; at < end; ++at)
                plain[at] += amount;
            const auto begin = plain.begin();
            const std::size_t low = random.below(count);
            const std::size_t high = low + 1 + random.below(count - low);
            QCOMPARE(tree.max(low, high), *std::max_element(begin + static_cast<int>(low),
                                                            begin + static_cast<int>(high)));
            QCOMPARE(tree.max(low, low + 1), plain[low]);
            QCOMPARE(tree.max(), *std::ranges::max_element(plain));
            QCOMPARE(tree.argMax(),
                     static_cast<std::size_t>(std::ranges::max_element(plain) - begin));
        }
    }
}

void RematProfileTest::theProfileEqualsTheLinearPassAfterEveryMove_data()
{
    QTest::addColumn<int>("problems");
    QTest::addColumn<int>("moves");
    QTest::newRow("tiny") << 1500 << 12;
    QTest::newRow("chain") << 60 << 60;
    QTest::newRow("layered") << 60 << 60;
}

void RematProfileTest::theProfileEqualsTheLinearPassAfterEveryMove()
{
    QFETCH(int, problems);
    QFETCH(int, moves);
    int inserted = 0;
    for (int seed = 0; seed < problems; ++seed) {
        Random random{static_cast<std::uint64_t>(seed)};
        const RematProblem problem = problemOf(QTest::currentDataTag(), random);
        RematProfile profile{problem};
        const RematMoves choices{problem};
        for (int move = 0; move < moves; ++move) {
            const bool isErasure = random.percent(30);
            const RematPlan before = profile.plan();
            const Move change = isErasure ? randomErasure(profile, choices, random)
                                          : randomInsertion(profile, choices, random);
            inserted += isErasure ? 0 : static_cast<int>(change.first.size());
            isErasure ? eraseAll(profile, change) : insertAll(profile, change);
            QVERIFY2(difference(profile).isEmpty(),
                     qPrintable(QStringLiteral("seed %1: ").arg(seed) + difference(profile)));
            if (!random.percent(30))
                continue; // else undone
            isErasure ? insertAll(profile, change) : eraseAll(profile, change);
            QCOMPARE(profile.plan(), before);
            QVERIFY2(difference(profile).isEmpty(), qPrintable(difference(profile)));
        }
    }
    QVERIFY(inserted > 2 * problems); // it's the moves that are tested
}

PLIMSOLL_TEST(RematProfileTest, QCoreApplication)
#include "remat_profile_test.moc"
