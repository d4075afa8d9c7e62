// SPDX-License-Identifier: Apache-2.0
// Whether the plan of a traced step is enough is a matter of the whole step, whatever was missing
// when an allocation failed.
#include "core/workspace/profile/planned_remedy.h"

#include "core/doctor/diagnose.h"
#include "core/doctor/remedies.h"
#include "core/run/will_run.h"

#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using doctor::Enough;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// An allocation of 20 MiB failed with 10 MiB free and the rest of `usable` reserved.
doctor::Diagnosis failureWith(std::int64_t usable)
{
    doctor::Diagnosis diagnosis;
    diagnosis.isFailure = true;
    diagnosis.asked = {base::Bytes{20 * kMiB}, {}};
    diagnosis.free = {base::Bytes{10 * kMiB}, {}};
    diagnosis.missing = {base::Bytes{10 * kMiB}, {}};
    diagnosis.reserved = {base::Bytes{usable - 10 * kMiB}, {}};
    return diagnosis;
}

workspace::ComparedStep resnet()
{
    workspace::ComparedStep step;
    step.problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    step.graph.program = step.problem.program;
    step.graph.path = "resnet.json";
    return step;
}

doctor::Remedy remedyFor(const doctor::Diagnosis& diagnosis)
{
    return workspace::plannedRemedy(resnet(), diagnosis, {}).value();
}

class PlannedRemedyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void thePlanRunsInWhatThereWas();
    void savingWhatWasMissingIsNotEnough();
    void aStepThatRunsAnywayIsNotTheOne();
    void withoutAFailureItIsTheSmallestPeak();
    void whereNoPlanHelpsItIsTold();
    void theDocumentHasTheBudgetOfTheRemedy();
};

void PlannedRemedyTest::thePlanRunsInWhatThereWas()
{
    const doctor::Diagnosis diagnosis = failureWith(2700 * kMiB);
    QCOMPARE(*doctor::usableMemory(diagnosis), base::Bytes{2700 * kMiB});
    const doctor::Remedy remedy = remedyFor(diagnosis);
    QVERIFY(remedy.saves && remedy.enough == Enough::Step);
    QVERIFY(remedy.known == doctor::HowKnown::Plan);
    QVERIFY2(remedy.text.find("it runs in the 2.63 GiB that PyTorch could have")
                 != std::string::npos,
             remedy.text.c_str());
    QVERIFY(remedy.text.ends_with("\"plimsoll-cli plan resnet.json --budget 2831155200\"."));
}

/// 1,100 MiB are far below what any plan needs, though one saves more than the 10 MiB.
void PlannedRemedyTest::savingWhatWasMissingIsNotEnough()
{
    const doctor::Remedy remedy = remedyFor(failureWith(1100 * kMiB));
    QVERIFY(*remedy.saves > base::Bytes{100 * kMiB});
    QVERIFY(remedy.enough == Enough::NotKnown);
    QVERIFY2(remedy.text.find("too much for the 1.07 GiB that PyTorch could have")
                 != std::string::npos,
             remedy.text.c_str());
}

void PlannedRemedyTest::aStepThatRunsAnywayIsNotTheOne()
{
    const doctor::Remedy remedy = remedyFor(failureWith(60'000 * kMiB));
    QVERIFY(!remedy.saves && remedy.enough == Enough::NotKnown);
    QVERIFY2(remedy.text.ends_with("It isn't the step that failed, or something else holds "
                                   "memory."),
             remedy.text.c_str());
}

void PlannedRemedyTest::withoutAFailureItIsTheSmallestPeak()
{
    QVERIFY(!doctor::usableMemory({}));
    const doctor::Remedy remedy = remedyFor({});
    QVERIFY(remedy.saves && remedy.enough == Enough::NotKnown);
    QVERIFY(remedy.text.find("PyTorch could have") == std::string::npos);
}

/// Nothing that a single op makes can be recomputed.
void PlannedRemedyTest::whereNoPlanHelpsItIsTold()
{
    using graph::StorageClass;
    workspace::ComparedStep step = resnet();
    step.problem.program =
        tests::aProgram()
            .storage("weight", 1024, StorageClass::Parameter)
            .storage("x", 512, StorageClass::Input)
            .storage("out", 1600, StorageClass::Output, {.alloc = 0})
            .op("aten.addmm.default", {.reads = {"x", "weight"}, .outputs = {"out"}})
            .build();
    step.graph.program = step.problem.program;
    const doctor::Remedy remedy = workspace::plannedRemedy(step, {}, {}).value();
    QVERIFY(!remedy.saves && remedy.known == doctor::HowKnown::Plan);
    QVERIFY2(remedy.text.starts_with(
                 "No plan was found with which the step of resnet.json needs less than the "),
             remedy.text.c_str());
    std::vector<doctor::Remedy> remedies(1);
    remedies[0].id = doctor::kCheckpointing; // the advice to trace the step
    doctor::addPlanned(remedies, remedy);
    QCOMPARE(remedies.size(), std::size_t{1});
    QCOMPARE(remedies[0].id, std::string{"plan"});
}

void PlannedRemedyTest::theDocumentHasTheBudgetOfTheRemedy()
{
    const auto made = workspace::plannedDocument(resnet(), failureWith(2700 * kMiB), {});
    QVERIFY(made);
    const auto& document = dynamic_cast<const workspace::PlanDocument&>(**made);
    QCOMPARE(document.budget, base::Bytes{2700 * kMiB});
    QVERIFY(document.first && document.graph.program == resnet().graph.program);
    QVERIFY(document.choices.device == resnet().problem.device);
}

} // namespace

PLIMSOLL_TEST(PlannedRemedyTest, QCoreApplication)
#include "planned_remedy_test.moc"
