// SPDX-License-Identifier: Apache-2.0
// The shipped samples under plans of the step runtime, written out: the same step, for every
// planner whose plans that runtime executes.
#include "core/graph/resize.h"
#include "core/solve/registry.h"

#include "tests/support/planned_samples.h"
#include "tests/support/rewritten.h"
#include "tests/support/rewritten_step.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTest>

using namespace plimsoll;

namespace {

class RewriteSamplesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFrontierIsWrittenOut_data();
    void everyFrontierIsWrittenOut();
    void plansOfRegionsAreRefused();
    void variesAsTheRecordedStepDoes_data();
    void variesAsTheRecordedStepDoes();
    void whoLaysRegionsSaysThatNoneFit_data();
    void whoLaysRegionsSaysThatNoneFit();
};

void RewriteSamplesTest::everyFrontierIsWrittenOut_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("planner");
    QStringList samples;
    for (const QString& file :
         QDir{QStringLiteral(PLIMSOLL_SOURCE_DIR "/resources/samples")}.entryList(
             {QStringLiteral("*.plimsoll.json.gz")}))
        samples << file.section(u'.', 0, 0);
    for (const QString& sample : samples)
        if (sample != QStringLiteral("gpt2_prompt") // nobody trains it
            && tests::isPlannedHere(sample.toStdString()))
            QTest::addRow("%s, capuchin", qPrintable(sample))
                << sample << QStringLiteral("capuchin");
    for (const char* const planner : {"rotor", "remat", "torch-budget"})
        for (const char* const sample : {"resnet18", "unet"})
            if (tests::isPlannedHere(sample))
                QTest::addRow("%s, %s", sample, planner)
                    << QString::fromUtf8(sample) << QString::fromUtf8(planner);
}

void RewriteSamplesTest::everyFrontierIsWrittenOut()
{
    QFETCH(QString, sample);
    QFETCH(QString, planner);
    plan::Problem problem = tests::problemOf(sample, 0);
    problem.budget = plan::kUnlimited;
    const base::Result<const solve::Planner*> found = solve::findPlanner(planner.toStdString());
    QVERIFY(found);
    const auto frontier = (*found)->frontier(problem, {{"runtime", 1}}, {});
    QVERIFY2(frontier, frontier ? "" : frontier.error().message.c_str());
    const auto& points = (*frontier)->points();
    QVERIFY(points.size() > 1);
    const plan::FrontierPoint& least = points.front();
    QVERIFY(least->evaluation().recomputeTime.count() > 0);
    for (const plan::FrontierPoint& plan : {least, points[points.size() / 2]}) {
        const QString fault = tests::rewritingFault(plan);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
}

void RewriteSamplesTest::plansOfRegionsAreRefused()
{
    const plan::VerifiedPlanPtr plan =
        tests::frontierOf(QStringLiteral("resnet18"))->points().front();
    QCOMPARE(plan->plan().runtime(), plan::Runtime::CheckpointedModule);
    const base::Result<std::string> text = writers::rewrittenGraph(plan);
    QVERIFY(!text);
    QCOMPARE(text.error().kind, base::ErrorKind::Usage);
    QVERIFY(text.error().message.find("make a plan for runtime step") != std::string::npos);
}

void RewriteSamplesTest::variesAsTheRecordedStepDoes_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<std::string>("planner");
    QTest::addColumn<std::vector<graph::AxisSize>>("sizes");
    QTest::newRow("batch, capuchin")
        << "gpt2" << std::string{"capuchin"} << std::vector<graph::AxisSize>{{"batch", 12}};
    if (!tests::kSanitized)
        QTest::newRow("batch and sequence, remat")
            << "gpt2" << std::string{"remat"}
            << std::vector<graph::AxisSize>{{"batch", 6}, {"sequence", 1536}};
    QTest::newRow("as it is") << "gpt2" << std::string{"capuchin"}
                              << std::vector<graph::AxisSize>{};
}

/// First written out and then brought to another size, or the other way round: the same step.
void RewriteSamplesTest::variesAsTheRecordedStepDoes()
{
    QFETCH(QString, sample);
    QFETCH(std::string, planner);
    QFETCH(std::vector<graph::AxisSize>, sizes);
    plan::Problem problem = tests::problemOf(sample, 0);
    problem.budget = plan::kUnlimited;
    std::stop_source early;
    early.request_stop(); // what remat has by then will do
    const plan::FrontierPtr frontier =
        solve::findPlanner(planner)
            .value()
            ->frontier(problem, {{"runtime", 1}},
                       {.stop = planner == "remat" ? early.get_token() : std::stop_token{},
                        .progress = {}})
            .value();
    const plan::VerifiedPlanPtr& here = frontier->points().front();
    QVERIFY(here->plan().recomputeSteps().size() > 1);
    problem.program = graph::resized(problem.step(), sizes, {}).value();
    const plan::VerifiedPlanPtr there = plan::certify(problem, here->plan()).value();
    std::string why;
    const graph::ProgramPtr written = tests::readText(writers::rewrittenGraph(here).value(), why);
    QVERIFY2(written && written->vary, why.c_str());
    const graph::ProgramPtr other = graph::resized(written, sizes, {}).value();
    QCOMPARE(there->evaluation().peak == here->evaluation().peak, sizes.empty());
    const QString difference = tests::differenceOf(*there, other);
    QVERIFY2(difference.isEmpty(), qPrintable(difference));
    QVERIFY(tests::dumpProgram(*other, SIZE_MAX)
            == tests::dumpProgram(tests::rewritten(*there).value(), SIZE_MAX));
}

void RewriteSamplesTest::whoLaysRegionsSaysThatNoneFit_data()
{
    QTest::addColumn<int>("planner");
    QTest::addColumn<solve::Options>("options");
    for (std::size_t i = 0; i < solve::planners().size(); ++i) {
        const solve::PlannerDescriptor& planner = solve::planners()[i]->descriptor();
        if (planner.id == "none" || solve::runtimeOf(planner, {}) == plan::Runtime::CompiledStep)
            continue;
        QTest::addRow("%s", planner.id.c_str()) << static_cast<int>(i) << solve::Options{};
        for (const solve::OptionRecord& option : planner.options)
            if (option.name == "granularity")
                QTest::addRow("%s, ops", planner.id.c_str())
                    << static_cast<int>(i) << solve::Options{{"granularity", 1}};
    }
}

/// By themselves and all together: no "not found" without a word about why.
void RewriteSamplesTest::whoLaysRegionsSaysThatNoneFit()
{
    QFETCH(int, planner);
    QFETCH(solve::Options, options);
    plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    problem.budget = plan::kUnlimited;
    static const graph::ProgramPtr kWritten =
        std::make_shared<const graph::Program>(tests::rewritten(*solve::findPlanner("capuchin")
                                                                     .value()
                                                                     ->frontier(problem, {}, {})
                                                                     .value()
                                                                     ->points()
                                                                     .front())
                                                   .value());
    problem.program = kWritten;
    const solve::Planner& asked = *solve::planners()[static_cast<std::size_t>(planner)];
    const auto found = asked.frontier(problem, options, {});
    QVERIFY(!found);
    QCOMPARE(found.error().kind, base::ErrorKind::Usage);
    QCOMPARE(found.error().message,
             std::string{"The graph is a plan written out, which can't have checkpoint regions: "
                         "plan the graph that it was made from, or let remat or capuchin recompute "
                         "more of its ops in runtime step."});
}

} // namespace

PLIMSOLL_TEST(RewriteSamplesTest, QCoreApplication)

#include "rewrite_samples_test.moc"
