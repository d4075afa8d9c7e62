// SPDX-License-Identifier: Apache-2.0
// The planner auto on every shipped sample: never worse than what it runs, at any budget.
#include "tests/support/planned_samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_auto/auto_parts.h"

#include <QTest>

using namespace plimsoll;

namespace {

class AutoSamplesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void noPartIsBetterAtAnyBudget_data();
    void noPartIsBetterAtAnyBudget();
    void moreFreedomIsNeverWorse_data();
    void moreFreedomIsNeverWorse();
};

/// The larger ones take minutes: they are planned with --exhaustive.
bool isPlannedNow(std::string_view sample)
{
    const bool isLarge = sample == "densenet121" || sample == "llama" || sample == "llama_7b"
                         || sample == "vit_b_16";
    return tests::isPlannedHere(sample) && (!isLarge || tests::isExhaustive());
}

void AutoSamplesTest::noPartIsBetterAtAnyBudget_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<int>("runtime");
    for (const char* sample : {"bert", "densenet121", "gpt2", "gpt2_prompt", "llama", "llama_7b",
                               "resnet18", "unet", "vit_b_16"})
        for (const int runtime : {0, 1})
            // The prompt has no backward.
            if (isPlannedNow(sample) && (runtime == 0 || std::string_view{sample} != "gpt2_prompt"))
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
    for (const plan::FrontierPoint& ours : best->points()) {
        QVERIFY(ours.provenance->maker);
        QVERIFY(std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
            const plan::FrontierPoint theirs =
                part->found() ? part->found()->at(ours->evaluation().peak) : plan::FrontierPoint{};
            return theirs && theirs->evaluationPtr() == ours->evaluationPtr()
                   && theirs.provenance->asked == *ours.provenance->maker;
        }));
        QVERIFY(
            ours->plan().runtime()
            == (runtime == 0 ? plan::Runtime::CheckpointedModule : plan::Runtime::CompiledStep));
    }
}

void AutoSamplesTest::moreFreedomIsNeverWorse_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<solve::Options>("less");
    QTest::addColumn<solve::Options>("more");
    QTest::addColumn<bool>("isBetter"); ///< somewhere
    const solve::Options strict{{"ways", 0}};
    const solve::Options betweenOps{{"granularity", 1}};
    for (const std::string_view sample : {"densenet121", "unet"})
        if (tests::isPlannedHere(sample) && (sample == "unet" || tests::isExhaustive()))
            QTest::addRow("%s between ops", sample.data())
                << QString::fromUtf8(sample.data()) << solve::Options{} << betweenOps << true;
    if (tests::isPlannedHere("bert"))
        QTest::addRow("bert ways") << "bert" << strict << solve::Options{} << true;
    QTest::addRow("resnet18 ways") << "resnet18" << strict << solve::Options{} << false;
}

/// At no budget: who may do more may do all of what others may.
void AutoSamplesTest::moreFreedomIsNeverWorse()
{
    QFETCH(QString, sample);
    QFETCH(solve::Options, less);
    QFETCH(solve::Options, more);
    QFETCH(bool, isBetter);
    const tests::Parts parts = tests::allParts(true);
    const auto frontierOf = [&](const solve::Options& options) {
        return tests::autoOf(parts)->frontier(tests::problemOf(sample, 0), options, {}).value();
    };
    const plan::FrontierPtr strict = frontierOf(less);
    const plan::FrontierPtr free = frontierOf(more);
    for (const plan::VerifiedPlanPtr& theirs : strict->points()) {
        const plan::VerifiedPlanPtr ours = free->at(theirs->evaluation().peak);
        QVERIFY(ours && ours->evaluation().stepTime <= theirs->evaluation().stepTime);
    }
    const std::vector<plan::FrontierPoint>& points = free->points();
    QCOMPARE(std::any_of(points.begin(), points.end(),
                         [&](const plan::VerifiedPlanPtr& point) {
                             return strict->improvedBy(point->evaluation());
                         }),
             isBetter);
}

} // namespace

PLIMSOLL_TEST(AutoSamplesTest, plimsoll::tests::NoApplication)
#include "auto_samples_test.moc"
