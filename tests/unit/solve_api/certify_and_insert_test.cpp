// SPDX-License-Identifier: Apache-2.0
// What happens to a planner's proposals: kept, dropped if over the budget, or reported as our bug.
#include "core/solve/api/certify_and_insert.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <vector>

namespace {

using namespace plimsoll;
using graph::Phase;
using graph::StorageClass;

/// Op 1 writes in place what op 0 read: a region of op 0's module would read the later version.
graph::ProgramPtr overwriting()
{
    return tests::aProgram()
        .storage("x", 100, StorageClass::Activation, {.alloc = 0, .python = 3, .free = 4})
        .storage("y", 100, StorageClass::Activation, {.alloc = 1, .python = 3, .free = 4})
        .storage("l", 10, StorageClass::Output, {.alloc = 3})
        .op("aten.ones.default", {.outputs = {"x"}})
        .op("aten.exp.default", {.reads = {"x"}, .outputs = {"y"}})
        .op("aten.mul_.Scalar", {.reads = {"x"}, .writes = {"x"}, .outputs = {"x"}})
        .op("aten.dot.default", {.reads = {"x", "y"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.mul.Tensor", {.reads = {"y"}, .phase = Phase::Backward})
        .call("", 0, 2, {}, {"x", "y"})
        .call("exp", 1, 1, {"x"}, {"y"})
        .saved("y", 1, {.after = true, .unpack = 4, .dropped = 4, .released = 4})
        .build();
}

class CertifyAndInsertTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatPassesItsCheck();
    void dropsWhatIsOverTheBudget();
    void tellsOfAFrontierThatGotBetter();
    void reportsWhatFailsItsCheck();
    void aReplayThatDisagreesIsABug();
    void tellsHowToReportABug();
};

void CertifyAndInsertTest::keepsWhatPassesItsCheck()
{
    plan::Frontier frontier;
    const plan::Problem problem = tests::unlimitedProblem(overwriting());
    QVERIFY(solve::certifyAndInsert(frontier, problem, plan::keepEverything()));
    QCOMPARE(frontier.points().size(), std::size_t{1});
    QCOMPARE(frontier.points().front()->evaluation().peak.count(), std::int64_t{210});
    QVERIFY(solve::certifyAndInsert(frontier, problem,
                                    plan::keepEverything())); // no better than itself
    QCOMPARE(frontier.points().size(), std::size_t{1});
}

void CertifyAndInsertTest::dropsWhatIsOverTheBudget()
{
    plan::Frontier frontier;
    plan::Problem problem = tests::unlimitedProblem(overwriting());
    problem.budget = base::Bytes{209};
    QVERIFY(solve::certifyAndInsert(frontier, problem, plan::keepEverything()));
    QVERIFY(frontier.points().empty());
    problem.budget = base::Bytes{210};
    QVERIFY(solve::certifyAndInsert(frontier, problem, plan::keepEverything()));
    QCOMPARE(frontier.points().size(), std::size_t{1});
}

/// Called once for each plan that improves the frontier, with the frontier at that point.
void CertifyAndInsertTest::tellsOfAFrontierThatGotBetter()
{
    plan::Frontier frontier;
    plan::Problem problem = tests::unlimitedProblem(overwriting());
    std::vector<plan::FrontierPtr> told;
    const solve::Listener listener = [&](const plan::FrontierPtr& better) {
        told.push_back(better);
    };
    QVERIFY(solve::certifyAndInsert(frontier, problem, plan::keepEverything(), listener));
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told.front()->points().size(), std::size_t{1});
    QCOMPARE(told.front()->points().front()->evaluation().peak.count(), std::int64_t{210});
    QVERIFY(solve::certifyAndInsert(frontier, problem, plan::keepEverything(), listener));
    problem.budget = base::Bytes{209};
    QVERIFY(solve::certifyAndInsert(frontier, problem, plan::keepEverything(), listener));
    QCOMPARE(told.size(), std::size_t{1});
}

void CertifyAndInsertTest::reportsWhatFailsItsCheck()
{
    const plan::Problem problem = tests::unlimitedProblem(overwriting());
    plan::Plan plan;
    plan.planner = "hand";
    plan.asRegions().regions = {tests::regionOf(*problem.step(), {1})};
    const plan::Verification replay = plan::verify(problem, plan);
    QVERIFY(!plan::isLegal(replay));
    plan::Frontier frontier;
    const base::Result<void> offered = solve::certifyAndInsert(frontier, problem, plan);
    QVERIFY(!offered);
    QVERIFY(offered.error().kind == base::ErrorKind::Internal);
    QCOMPARE(offered.error().message, "A plan that the planner hand made fails its check: "
                                          + replay.faults.front().sentence);
    QVERIFY(frontier.points().empty());
}

void CertifyAndInsertTest::aReplayThatDisagreesIsABug()
{
    const plan::Problem problem = tests::unlimitedProblem(overwriting());
    const plan::Plan plan = plan::keepEverything();
    const plan::Verification right = plan::verify(problem, plan);
    const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan);
    QVERIFY(plan::agreement(right, *evaluation));
    const auto saysOf = [&](const plan::Verification& other) {
        const base::Result<void> agreed = plan::agreement(other, *evaluation);
        return agreed || agreed.error().kind != base::ErrorKind::Internal ? std::string{}
                                                                          : agreed.error().message;
    };
    plan::Verification other = right;
    other.liveBytes[2] += base::Bytes{1};
    QCOMPARE(saysOf(other), std::string{"The replay of the plan disagrees with its evaluation at "
                                        "step 2 (201 B against 200 B), so the plan is refused."});
    other = right;
    other.liveBytes.pop_back();
    QVERIFY(saysOf(other).find("about the number of steps (4 against 5)") != std::string::npos);
    other = right;
    other.peak += base::Bytes{5};
    QVERIFY(saysOf(other).find("about the peak (215 B against 210 B)") != std::string::npos);
    // Even a plan over the budget must have consistent numbers.
    plan::Problem tight = problem;
    tight.budget = base::Bytes{1};
    const plan::Verification over = plan::verify(tight, plan);
    QVERIFY(plan::isLegal(over) && !over.faults.empty());
    QVERIFY(plan::agreement(over, *evaluation));
    const auto refused = plan::certify(tight, plan);
    QVERIFY(!refused && refused.error().kind == base::ErrorKind::CheckFailed);
}

void CertifyAndInsertTest::tellsHowToReportABug()
{
    QCOMPARE(base::told({base::ErrorKind::File, "No."}), std::string{"No."});
    QCOMPARE(base::told({base::ErrorKind::Internal, "No."}),
             std::string{"No. This is a bug: please report it with the file and what you did."});
}

} // namespace

PLIMSOLL_TEST(CertifyAndInsertTest, QCoreApplication)
#include "certify_and_insert_test.moc"
