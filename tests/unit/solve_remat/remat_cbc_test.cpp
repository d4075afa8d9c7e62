// SPDX-License-Identifier: Apache-2.0
// Small training chains, against the optimum that CBC proves.
#include "core/solve/bounds/remat_bounds.h"
#include "core/solve/remat/search/solve_remat.h"

#include "tests/support/remat/cbc_oracle.h"
#include "tests/support/remat/remat_families.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace plimsoll;
using Status = tests::CbcAnswer::Status;

namespace {

constexpr int kSeconds = 20; ///< of CBC, per problem

class RematCbcTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cbcFindsTheExhaustiveOptimum();
    void theSearchFindsTheProvenOptimum();
};

/// Of chains so short that both can be had.
void RematCbcTest::cbcFindsTheExhaustiveOptimum()
{
    std::size_t repeating = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        tests::Random random{seed};
        const solve::RematProblem problem = tests::randomTrainingChain(random, 8);
        for (const double share : {0.9, 0.7, 0.5}) {
            const std::int64_t budget = tests::budgetOf(problem, share);
            const double optimum = tests::leastAgain(problem, budget);
            const tests::CbcAnswer answer = tests::solveWithCbc(problem, budget, kSeconds);
            if (std::isinf(optimum)) {
                QCOMPARE(answer.status, Status::Infeasible);
                continue;
            }
            QCOMPARE(answer.status, Status::Optimal);
            QCOMPARE(answer.recomputeTime, optimum);
            repeating += optimum > 0 ? 1U : 0U;
        }
    }
    QVERIFY(repeating > 5);
}

/// Or something faster: it may repeat in other orders than CBC's program. The bound is below both.
void RematCbcTest::theSearchFindsTheProvenOptimum()
{
    std::size_t proven = 0;
    double distance = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        tests::Random random{seed};
        const solve::RematProblem problem = tests::randomTrainingChain(random, 12 + 2 * seed);
        const double plain = tests::plainTime(problem);
        const solve::RematBounds bounds{problem};
        for (const double share : {0.9, 0.8, 0.7}) {
            const std::int64_t budget = tests::budgetOf(problem, share);
            const tests::CbcAnswer answer = tests::solveWithCbc(problem, budget, kSeconds);
            const double bound = bounds.lagrangian(budget).recomputeTime;
            qInfo("seed %d, %zu ops at %.1f: %s +%.2f %% in %.2f s, bound +%.2f %% (%zu binaries)",
                  static_cast<int>(seed), problem.ops.size(), share,
                  answer.status == Status::Optimal ? "CBC" : "none",
                  100 * answer.recomputeTime / plain, answer.seconds, 100 * bound / plain,
                  answer.binaries);
            if (std::isinf(bound))
                QCOMPARE(answer.status, Status::Infeasible);
            const auto found = solve::solveRemat(problem, budget, {});
            QVERIFY(found);
            if (answer.status != Status::Optimal) {
                QVERIFY(!found->best || answer.status == Status::Stopped);
                continue;
            }
            QVERIFY(found->best);
            QVERIFY(found->best->figures.peak <= budget);
            QVERIFY(100 * (found->best->figures.time - plain - answer.recomputeTime) / plain
                    <= 0.001);
            QVERIFY(plain + bound <= found->best->figures.time);
            const auto figures = solve::simulate(problem, answer.plan);
            QVERIFY(figures);
            QVERIFY(figures->peak <= budget);
            QCOMPARE(figures->time, plain + answer.recomputeTime);
            QVERIFY(bound <= answer.recomputeTime);
            ++proven;
            distance += 100 * (answer.recomputeTime - bound) / plain;
        }
    }
    qInfo("%zu proven; the bound is %.2f points of the step below on average", proven,
          distance / static_cast<double>(proven));
    QVERIFY(proven > 5);
}

} // namespace

PLIMSOLL_TEST(RematCbcTest, plimsoll::tests::NoApplication)
#include "remat_cbc_test.moc"
