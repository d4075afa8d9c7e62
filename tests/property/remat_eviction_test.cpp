// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_eviction.h"

#include "core/solve/remat/search/remat_search.h"
#include "core/solve/remat/search/solve_remat.h"

#include "tests/support/random.h"
#include "tests/support/remat/remat_families.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

using namespace plimsoll;
using namespace plimsoll::solve;
using tests::Random;

namespace {

/// Whether the plan still runs and fits without one of its recomputations.
bool hasNeedless(const RematProblem& problem, const RematPlan& plan, std::int64_t budget)
{
    for (std::size_t row = 0; row < plan.recomputeSteps.size(); ++row)
        for (std::size_t place = 0; place < plan.recomputeSteps[row].ops.size(); ++place) {
            RematPlan fewer = plan;
            std::vector<std::uint32_t>& ops = fewer.recomputeSteps[row].ops;
            ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(place));
            if (const auto seen = simulate(problem, fewer); seen && seen->peak <= budget)
                return true;
        }
    return false;
}

} // namespace

class RematEvictionTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tinyPlansFitAndRun();
    void plansFitAndRun_data();
    void plansFitAndRun();
    void morePlaysAreNeverWorse();
    void whereLocalMovesStallThereIsAPlan();
    void aStoppedSearchFindsNothing();
};

/// Includes ops that may not be recomputed, several values per op, kept values and floors.
void RematEvictionTest::tinyPlansFitAndRun()
{
    int solvable = 0;
    int found = 0;
    int best = 0;
    for (std::uint64_t seed = 0; seed < 3000 / tests::kShare; ++seed) {
        Random random{seed};
        const RematProblem problem = tests::randomTiny(random);
        const std::int64_t budget =
            tests::plainPeak(problem) - 1 - static_cast<std::int64_t>(random.below(4));
        const std::optional<RematPlan> plan = evictingPlan(problem, budget, 8, {});
        if (std::ranges::any_of(problem.ops,
                                [](const RematOp& op) { return !op.overwrites.empty(); })) {
            QVERIFY(!plan);
            continue;
        }
        const double least = tests::leastAgain(problem, budget);
        solvable += std::isfinite(least) ? 1 : 0;
        if (!plan)
            continue;
        const base::Result<RematFigures> seen = simulate(problem, *plan);
        QVERIFY2(seen, seen ? "" : seen.error().message.c_str());
        QVERIFY(seen->peak <= budget);
        QVERIFY(seen->time >= tests::plainTime(problem) + least - 1e-9);
        ++found;
        best += seen->time <= tests::plainTime(problem) + least + 1e-9 ? 1 : 0;
    }
    qInfo("%d problems can be solved: %d are, %d of them best", solvable, found, best);
    QVERIFY(solvable > 50 / tests::kShare);
    QVERIFY(found * 10 >= solvable * 9);
    QVERIFY(best * 10 >= found * 7);
}

void RematEvictionTest::plansFitAndRun_data()
{
    QTest::addColumn<bool>("isChain");
    QTest::newRow("chains") << true;
    QTest::newRow("layered") << false;
}

void RematEvictionTest::plansFitAndRun()
{
    QFETCH(bool, isChain);
    int found = 0;
    for (std::uint64_t seed = 0; seed < 100 / tests::kShare; ++seed) {
        Random random{seed};
        const RematProblem problem =
            isChain ? tests::randomTrainingChain(random, 20 + random.below(60))
                    : tests::randomLayered(random, tests::layeredShape(20 + random.below(100)));
        for (const double share : {0.9, 0.7, 0.5}) {
            const std::int64_t budget = tests::budgetOf(problem, share);
            const std::optional<RematPlan> plan = evictingPlan(problem, budget, 3, {});
            if (!plan)
                continue;
            const base::Result<RematFigures> seen = simulate(problem, *plan);
            QVERIFY2(seen, seen ? "" : seen.error().message.c_str());
            QVERIFY(seen->peak <= budget && !plan->recomputeSteps.empty());
            QCOMPARE(*evictingPlan(problem, budget, 3, {}), *plan);
            QVERIFY(!hasNeedless(problem, *plan, budget));
            ++found;
        }
    }
    qInfo("%d plans for %d budgets", found, 300 / tests::kShare);
    QVERIFY(found > 100 / tests::kShare);
}

void RematEvictionTest::morePlaysAreNeverWorse()
{
    Random random{0};
    const RematProblem problem = tests::randomLayered(random, tests::layeredShape(100));
    const std::int64_t budget = tests::budgetOf(problem, 0.5);
    double before = std::numeric_limits<double>::infinity();
    double first = 0;
    for (const std::size_t plays : {1U, 4U, 20U, 60U}) {
        const std::optional<RematPlan> plan = evictingPlan(problem, budget, plays, {});
        QVERIFY(plan);
        const double time = simulate(problem, *plan)->time;
        QVERIFY(time <= before);
        first = plays == 1 ? time : first;
        before = time;
    }
    QVERIFY(before < first);
}

/// A budget for which neither insertion nor destroy and repair find a plan.
void RematEvictionTest::whereLocalMovesStallThereIsAPlan()
{
    Random random{0};
    const RematProblem problem = tests::randomLayered(random, tests::layeredShape(100));
    const std::int64_t budget = tests::budgetOf(problem, 0.4);
    QVERIFY(!RematSearch{problem}.reach(budget, {}));
    std::vector<double> told;
    const auto listener = [&told](const RematAnswer& known) {
        if (known.best && (told.empty() || known.best->figures.time < told.back()))
            told.push_back(known.best->figures.time);
    };
    const base::Result<RematAnswer> answer = solveRemat(problem, budget, {}, listener);
    QVERIFY(answer && answer->best && answer->status == Status::Feasible);
    QVERIFY(told.size() > 1); // one early, a faster one in the end
    const base::Result<RematFigures> seen = simulate(problem, answer->best->plan);
    QVERIFY(seen && seen->peak <= budget);
    QCOMPARE(seen->time, answer->best->figures.time);
    QVERIFY(answer->timeBound < seen->time);
}

void RematEvictionTest::aStoppedSearchFindsNothing()
{
    Random random{0};
    const RematProblem problem = tests::randomLayered(random, tests::layeredShape(100));
    std::stop_source source;
    source.request_stop();
    QVERIFY(!evictingPlan(problem, tests::budgetOf(problem, 0.5), 4, {.stop = source.get_token()}));
}

PLIMSOLL_TEST(RematEvictionTest, QCoreApplication)
#include "remat_eviction_test.moc"
