// SPDX-License-Identifier: Apache-2.0
// Capuchin on random steps: the picks are the same every time, their ops are the only cost, and the
// peaks only fall and equal those of the certified plans.
#include "core/device/op_times.h"
#include "core/solve/api/certify_and_insert.h"
#include "core/solve/remat/capuchin/capuchin_planner.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;

namespace {

plan::Problem problemFor(std::uint64_t seed)
{
    plan::Problem problem = tests::unlimitedProblem(seed % 3 == 2 ? tests::randomGatedProgram(seed)
                                                                  : tests::randomProgram(seed));
    problem.device.bandwidth = 1e9;
    return problem;
}

plan::Plan planOf(std::vector<plan::RecomputeStep> rows)
{
    plan::Plan plan;
    plan.planner = "capuchin";
    plan.decisions = plan::RecomputeSchedule{std::move(rows)};
    return plan;
}

class CapuchinPropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyPrefixIsAPlan();
    void frontiersFallAndAreExplained();
};

void CapuchinPropertyTest::everyPrefixIsAPlan()
{
    int picks = 0;
    int shared = 0; // prefixes with fewer rows than picks
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const plan::Problem problem = problemFor(seed);
        const std::vector<base::Nanoseconds> times = plan::opTimes(*problem.step(), problem.device);
        solve::CapuchinRun run{problem};
        solve::CapuchinRun again{problem};
        base::Bytes last = plan::evaluate(problem, planOf({}))->peak;
        while (run.next()) {
            ++picks;
            QVERIFY(again.next());
            QVERIFY2(run.rows() == again.rows(), qPrintable(QString::number(seed)));
            const solve::Pick& change = run.picks().back();
            QVERIFY(change.peak <= last);
            last = change.peak;
            const auto certified = plan::certify(problem, planOf(run.rows()));
            QVERIFY2(certified, certified ? ""
                                          : qPrintable(QStringLiteral("seed %1: ").arg(seed)
                                                       + certified.error().message.c_str()));
            const plan::Evaluation& evaluation = (*certified)->evaluation();
            QCOMPARE(evaluation.peak.count(), change.peak.count());
            base::Nanoseconds inserted;
            for (const plan::RecomputeStep& row : run.rows())
                for (const graph::OpId op : row.ops)
                    inserted += times[op.index()];
            QCOMPARE(evaluation.recomputeTime.count(), inserted.count());
            shared += run.rows().size() < run.picks().size() ? 1 : 0;
        }
        QVERIFY(!again.next());
    }
    qInfo("%d picks, %d times rows were shared", picks, shared);
    QVERIFY(picks > 1000);
    QVERIFY(shared > 100);
}

void CapuchinPropertyTest::frontiersFallAndAreExplained()
{
    const std::unique_ptr<const solve::Planner> planner = solve::makeCapuchinPlanner();
    std::size_t points = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const plan::Problem problem = problemFor(seed);
        const auto frontier = planner->frontier(problem, {}, {});
        QVERIFY(frontier);
        const std::vector<plan::FrontierPoint>& plans = (*frontier)->points();
        points += plans.size();
        for (std::size_t at = 0; at < plans.size(); ++at) {
            const plan::Evaluation& evaluation = plans[at]->evaluation();
            QVERIFY(at == 0 || plans[at - 1]->evaluation().peak < evaluation.peak);
            QVERIFY(at == 0 || plans[at - 1]->evaluation().stepTime > evaluation.stepTime);
            const auto picks = planner->explain(*plans[at]);
            QVERIFY(picks);
            QCOMPARE(picks->empty(), plans[at]->plan().recomputeSteps().empty());
            if (!picks->empty())
                QCOMPARE(picks->back().peak.count(), evaluation.peak.count());
            plan::Problem tight = problem;
            tight.budget = evaluation.peak;
            const solve::Outcome outcome = solve::outcomeAt(tight, *frontier);
            QVERIFY(outcome.best && outcome.best->evaluation().peak <= tight.budget);
        }
    }
    QVERIFY(points > 300);
}

} // namespace

PLIMSOLL_TEST(CapuchinPropertyTest, QCoreApplication)
#include "capuchin_property_test.moc"
