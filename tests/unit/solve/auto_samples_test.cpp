// SPDX-License-Identifier: Apache-2.0
// The planner auto on every shipped sample: never worse than what it runs, at any budget.
#include "tests/unit/solve/auto_parts.h"
#include "tests/unit/solve/planned_samples.h"

#include <QTest>

using namespace plimsoll;

namespace {

class AutoSamplesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void noPartIsBetterAtAnyBudget_data();
    void noPartIsBetterAtAnyBudget();
};

void AutoSamplesTest::noPartIsBetterAtAnyBudget_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<int>("runtime");
    for (const char* sample : {"bert", "densenet121", "gpt2", "gpt2_prompt", "llama", "llama_7b",
                               "resnet18", "unet", "vit_b_16"})
        for (const int runtime : {0, 1})
            if (runtime == 0 || std::string_view{sample} != "gpt2_prompt") // which has no backward
                QTest::addRow("%s %s", sample, runtime == 0 ? "checkpoint" : "step")
                    << QString::fromUtf8(sample) << runtime;
}

void AutoSamplesTest::noPartIsBetterAtAnyBudget()
{
    QFETCH(QString, sample);
    QFETCH(int, runtime);
    const tests::Parts parts = tests::allParts(true);
    const plan::FrontierPtr best =
        tests::autoOf(parts)
            ->frontier(tests::problemOf(sample, 0), {{"runtime", runtime}}, {})
            .value();
    QCOMPARE(best->leftOut(), std::vector<std::string>{});
    std::size_t compared = 0;
    for (const auto& part : parts) {
        if (!part->found())
            continue; // not of this runtime
        for (const plan::VerifiedPlanPtr& theirs : part->found()->points()) {
            const plan::VerifiedPlanPtr ours = best->at(theirs->evaluation().peak);
            QVERIFY2(ours, part->descriptor().id.c_str());
            QVERIFY2(ours->evaluation().stepTime <= theirs->evaluation().stepTime,
                     part->descriptor().id.c_str());
            ++compared;
        }
    }
    QVERIFY(compared >= 4);
    // And it has nothing that no part has.
    for (const plan::VerifiedPlanPtr& ours : best->points()) {
        const auto maker = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
            return part->descriptor().id == ours->plan().madeBy();
        });
        QVERIFY(maker != parts.end() && (*maker)->found());
        const plan::VerifiedPlanPtr theirs = (*maker)->found()->at(ours->evaluation().peak);
        QVERIFY(theirs && theirs->evaluationPtr() == ours->evaluationPtr());
        QVERIFY(ours->plan().runtime
                == (runtime == 0 ? plan::Runtime::Checkpoint : plan::Runtime::Step));
    }
}

} // namespace

QTEST_APPLESS_MAIN(AutoSamplesTest)
#include "auto_samples_test.moc"
