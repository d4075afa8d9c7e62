// SPDX-License-Identifier: Apache-2.0
// What is alive at a step: rows that add up to the timeline, each leading back to what made it.
#include "core/evaluate/live.h"

#include "tests/support/messages.h"
#include "tests/support/planned_sample.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kPrograms = 60;
constexpr base::Bytes kReserve{1000};

plan::Problem problemOf(const graph::ProgramPtr& program, graph::Rounding rounding)
{
    plan::Problem problem = tests::unlimitedProblem(program);
    problem.reserve = kReserve;
    problem.rounding = rounding;
    return problem;
}

/// Compares the rows of every step with the timeline's sums; the first step that differs, -1: none.
int firstDifference(const plan::Evaluation& evaluation)
{
    for (std::size_t step = 0; step < evaluation.timeline->stepCount(); ++step) {
        timeline::Stack sums{};
        base::Bytes total;
        base::Bytes last{INT64_MAX};
        for (const plan::Live& live : plan::liveAt(evaluation, step)) {
            sums[static_cast<std::size_t>(live.category)] += live.bytes;
            total += live.bytes;
            if (live.bytes > last || live.since > step)
                return static_cast<int>(step);
            last = live.bytes;
        }
        if (sums != evaluation.timeline->stackAt(step)
            || total != evaluation.timeline->totalAt(step))
            return static_cast<int>(step);
    }
    return -1;
}

class LiveTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void leadsBackToWhatMadeIt();
    void addsUpAtEveryStepOfRandomPlans();
    void addsUpAtEveryStepOfASample();
};

void LiveTest::leadsBackToWhatMadeIt()
{
    const graph::ProgramPtr program =
        tests::aProgram()
            .storage("w", 700, graph::StorageClass::Parameter)
            .storage("x", 100, graph::StorageClass::Input)
            .storage("y", 2000, graph::StorageClass::Activation,
                     {.alloc = 0, .python = 0, .free = 1})
            .op("aten.mm", {.reads = {"x", "w"}, .outputs = {"y"}})
            .op("aten.sum", {.reads = {"y"}, .phase = graph::Phase::Loss})
            .build();
    const plan::Problem problem = problemOf(program, graph::Rounding::Cuda512);
    const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan::keepEverything());
    const std::vector<plan::Live> live = plan::liveAt(*evaluation, 1);
    QCOMPARE(live.size(), std::size_t{4});
    QCOMPARE(live[0].bytes.count(), std::int64_t{2048}); // as the allocator hands it out
    QVERIFY(live[0].maker == graph::OpId{0});
    QVERIFY(live[0].storage == graph::StorageId{2});
    QVERIFY(live[0].category == timeline::Category::Activations);
    QCOMPARE(live[0].since, std::size_t{0});
    QCOMPARE(live[1].bytes.count(), std::int64_t{1024});
    QVERIFY(!live[1].maker); // a parameter was there before
    QVERIFY(!live[2].storage);
    QVERIFY(live[2].bytes == kReserve);
    QVERIFY(live[2].category == timeline::Category::Workspaces);
    QCOMPARE(live[3].bytes.count(), std::int64_t{512});
}

void LiveTest::addsUpAtEveryStepOfRandomPlans()
{
    std::size_t recomputed = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        for (const graph::Rounding rounding : {graph::Rounding::Exact, graph::Rounding::Cuda512}) {
            const plan::Problem problem = problemOf(program, rounding);
            const plan::EvaluationPtr kept = plan::evaluate(problem, plan::keepEverything());
            QCOMPARE(firstDifference(*kept), -1);
            const plan::EvaluationPtr planned =
                plan::evaluate(problem, tests::randomLegalPlan(*program, seed));
            QCOMPARE(firstDifference(*planned), -1);
            for (std::size_t step = 0; step < planned->timeline->stepCount(); ++step)
                for (const plan::Live& live : plan::liveAt(*planned, step))
                    recomputed += live.recomputed ? 1 : 0;
        }
    }
    QVERIFY(recomputed > 0);
}

void LiveTest::addsUpAtEveryStepOfASample()
{
    const auto sample = tests::planSample("resnet18", base::Bytes{std::int64_t{300} << 20});
    QVERIFY2(sample, tests::messageOf(sample));
    QCOMPARE(firstDifference(sample->planned->unplanned->evaluation()), -1);
    const plan::VerifiedPlanPtr smallest = sample->planned->frontier->points().front();
    QVERIFY(!smallest->plan().regions().empty());
    QCOMPARE(firstDifference(smallest->evaluation()), -1);
}

} // namespace

PLIMSOLL_TEST(LiveTest, plimsoll::tests::NoApplication)
#include "live_test.moc"
