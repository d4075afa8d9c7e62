// SPDX-License-Identifier: Apache-2.0
// The shipped samples under plans of the step runtime, written out: the same step, for every
// planner whose plans that runtime executes.
#include "core/solve/registry.h"

#include "tests/support/rewritten_step.h"
#include "tests/unit/solve/planned_samples.h"

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
        if (sample != QStringLiteral("gpt2_prompt")) // nobody trains it
            QTest::addRow("%s, capuchin", qPrintable(sample))
                << sample << QStringLiteral("capuchin");
    for (const char* const planner : {"rotor", "remat", "torch-budget"})
        for (const char* const sample : {"resnet18", "unet"})
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
    const plan::VerifiedPlanPtr& least = points.front();
    QVERIFY(least->evaluation().recomputeTime.count() > 0);
    for (const plan::VerifiedPlanPtr& plan : {least, points[points.size() / 2]}) {
        const QString fault = tests::rewritingFault(*plan);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
}

void RewriteSamplesTest::plansOfRegionsAreRefused()
{
    const plan::VerifiedPlanPtr plan =
        tests::frontierOf(QStringLiteral("resnet18"))->points().front();
    QCOMPARE(plan->plan().runtime, plan::Runtime::Checkpoint);
    const base::Result<std::string> text = writers::rewrittenGraph(*plan);
    QVERIFY(!text);
    QCOMPARE(text.error().kind, base::ErrorKind::Usage);
    QVERIFY(text.error().message.find("make a plan for runtime step") != std::string::npos);
}

} // namespace

QTEST_GUILESS_MAIN(RewriteSamplesTest)

#include "rewrite_samples_test.moc"
