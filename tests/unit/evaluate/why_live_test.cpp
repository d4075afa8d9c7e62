// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/why_live.h"

#include "core/evaluate/evaluate.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;

namespace {

// Instances of longChain(2), as storages: the input, results of forward, gradients.
constexpr std::size_t kSaved = 1; ///< by the second op, for the seventh
constexpr std::size_t kPassing = 5;

class WhyLiveTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void backwardKeepsWhatIsSaved();
    void aPlanFreesAndRecomputes();
};

void WhyLiveTest::backwardKeepsWhatIsSaved()
{
    const graph::ProgramPtr program = tests::longChain(2);
    const plan::EvaluationPtr evaluation =
        plan::evaluate(tests::unlimitedProblem(program), plan::keepEverything());
    const auto why = [&](std::size_t instance) {
        return plan::whyLive(*program, *evaluation->schedule, instance);
    };
    QCOMPARE(why(kSaved), std::string{"m0 · aten.mul saves it for backward, which reads it in "
                                      "aten.mul, op 6, and then frees it."});
    QCOMPARE(why(kPassing),
             std::string{"aten.mul (backward), op 5, uses it last, and it is freed then."});
    QCOMPARE(plan::storageText(*program, graph::StorageId{kSaved}), std::string{"m0 · aten.mul"});
}

void WhyLiveTest::aPlanFreesAndRecomputes()
{
    const graph::ProgramPtr program = tests::longChain(2);
    plan::Plan plan;
    plan.asRegions().regions = {tests::regionOf(*program, {0})};
    const plan::EvaluationPtr evaluation = plan::evaluate(tests::unlimitedProblem(program), plan);
    const plan::Schedule& schedule = *evaluation->schedule;
    QCOMPARE(plan::whyLive(*program, schedule, kSaved),
             std::string{"The plan frees it, and backward computes it again. It is freed after m0 "
                         "· aten.mul (forward), op 1."});
    QVERIFY(schedule.instances.back().region >= 0);
    QVERIFY(plan::whyLive(*program, schedule, schedule.instances.size() - 1)
                .starts_with("The plan recomputes it for backward. It is freed after "));
}

} // namespace

PLIMSOLL_TEST(WhyLiveTest, tests::NoApplication)
#include "why_live_test.moc"
