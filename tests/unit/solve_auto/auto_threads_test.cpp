// SPDX-License-Identifier: Apache-2.0
// The planner auto with any number of threads: the same plans, told on the way, and what is left
// when it is stopped.
#include "core/plan_file/plan_json.h"
#include "core/solve/auto/auto_planner.h"

#include "tests/support/planned_samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_auto/auto_parts.h"

#include <QTest>

#include <mutex>

using namespace plimsoll;

namespace {

using tests::allParts;
using tests::autoOf;
using tests::Part;
using tests::Parts;
using tests::planner;

/// Peak, time, maker of every point.
std::vector<std::string> pointsOf(const plan::Frontier& frontier)
{
    std::vector<std::string> texts;
    for (const plan::FrontierPoint& point : frontier.points())
        texts.push_back(std::to_string(point->evaluation().peak.count()) + " "
                        + std::to_string(point->evaluation().stepTime.count()) + " "
                        + point.provenance->madeBy().planner);
    return texts;
}

class AutoThreadsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void threadsChangeNothing_data();
    void threadsChangeNothing();
    void partsAreToldOfWhileTheyRun();
    void betterFrontiersAreToldOnTheWay();
    void stoppedItHasAPlan();
    void stoppedMidwayNoFurtherPartBegins();
};

void AutoThreadsTest::threadsChangeNothing_data()
{
    QTest::addColumn<int>("runtime");
    QTest::newRow("checkpoint") << 0;
    QTest::newRow("step") << 1;
}

void AutoThreadsTest::threadsChangeNothing()
{
    QFETCH(int, runtime);
    const auto parts = allParts();
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    const auto filesWith = [&](std::size_t threads) {
        std::vector<std::string> files;
        const plan::FrontierPtr found =
            autoOf(parts, threads)->frontier(problem, {{"runtime", runtime}}, {}).value();
        for (const auto* plans : {&found->points(), &found->dominated()})
            for (const plan::FrontierPoint& plan : *plans)
                files.push_back(plan::writePlan(plan));
        return files;
    };
    const std::vector<std::string> alone = filesWith(1);
    QVERIFY(alone.size() >= 4);
    QCOMPARE(filesWith(2), alone);
    if (!tests::kSanitized)
        QCOMPARE(filesWith(9), alone);
}

void AutoThreadsTest::partsAreToldOfWhileTheyRun()
{
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    Parts parts;
    parts.push_back(std::make_unique<const Part>(planner("every-block")));
    parts.push_back(std::make_unique<const Part>(planner("rotor")));
    std::vector<std::vector<plan::PlannerProgress>> seen;
    const auto listener = [&](const plan::FrontierPtr& frontier) {
        seen.push_back(frontier->parts()->read());
    };
    const plan::FrontierPtr last = autoOf(parts, 1)->frontier(problem, {}, {}, listener).value();
    // One thread: they run one after the other.
    QVERIFY(seen.size() >= 2);
    QVERIFY(seen.front()[0].state == plan::PlannerState::Running);
    QVERIFY(seen.front()[1].state == plan::PlannerState::Waiting);
    QVERIFY(seen.back()[0].state == plan::PlannerState::Over);
    QVERIFY(seen.back()[1].state == plan::PlannerState::Running);
    for (const plan::PlannerProgress& report : last->parts()->read())
        QVERIFY(report.state == plan::PlannerState::Over);
    std::stop_source over;
    over.request_stop();
    const plan::FrontierPtr stopped =
        autoOf(parts)->frontier(problem, {}, {.stop = over.get_token(), .progress = {}}).value();
    for (const plan::PlannerProgress& report : stopped->parts()->read())
        QVERIFY(report.state == plan::PlannerState::Stopped);
}

void AutoThreadsTest::betterFrontiersAreToldOnTheWay()
{
    const auto parts = allParts();
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    std::mutex mutex;
    std::vector<plan::FrontierPtr> told;
    base::Progress progress;
    const plan::FrontierPtr last =
        autoOf(parts)
            ->frontier(problem, {{"runtime", 1}}, {.stop = {}, .progress = &progress},
                       [&](const plan::FrontierPtr& frontier) {
                           const std::scoped_lock lock{mutex};
                           told.push_back(frontier);
                       })
            .value();
    QVERIFY(told.size() >= 2);
    QCOMPARE(progress.perMille(), 1000);
    for (std::size_t i = 1; i < told.size(); ++i) {
        bool isBetter = false;
        for (const plan::VerifiedPlanPtr& before : told[i - 1]->points()) {
            const plan::VerifiedPlanPtr now = told[i]->at(before->evaluation().peak);
            QVERIFY(now && now->evaluation().stepTime <= before->evaluation().stepTime);
        }
        for (const plan::VerifiedPlanPtr& now : told[i]->points())
            isBetter = isBetter || told[i - 1]->improvedBy(now->evaluation());
        QVERIFY(isBetter);
    }
    // Who found a point first may differ, what is known doesn't.
    QCOMPARE(told.back()->points().size(), last->points().size());
    for (std::size_t i = 0; i < last->points().size(); ++i) {
        const plan::Evaluation& ours = last->points()[i]->evaluation();
        const plan::Evaluation& then = told.back()->points()[i]->evaluation();
        QVERIFY(ours.peak == then.peak && ours.stepTime == then.stepTime);
    }
}

void AutoThreadsTest::stoppedItHasAPlan()
{
    std::stop_source over;
    over.request_stop();
    const plan::Problem problem = tests::problemOf(QStringLiteral("vit_b_16"), 0);
    const auto parts = allParts();
    const auto stopped = [&](std::size_t threads) {
        return pointsOf(*autoOf(parts, threads)
                             ->frontier(problem, {}, {.stop = over.get_token(), .progress = {}})
                             .value());
    };
    const std::vector<std::string> points = stopped(1);
    QVERIFY(points.size() >= 2);
    QCOMPARE(stopped(4), points);
}

/// A partial result counts; planners that haven't begun are reported as such.
void AutoThreadsTest::stoppedMidwayNoFurtherPartBegins()
{
    const plan::Problem problem = tests::problemOf(QStringLiteral("unet"), 0);
    Parts parts;
    parts.push_back(std::make_unique<const Part>(planner("chen")));
    parts.push_back(std::make_unique<const Part>(planner("every-block")));
    std::stop_source over;
    const plan::FrontierPtr found =
        autoOf(parts, 1)
            ->frontier(problem, {}, {.stop = over.get_token(), .progress = {}},
                       [&over](const plan::FrontierPtr&) { over.request_stop(); })
            .value();
    QVERIFY(parts[0]->found() && !parts[1]->found());
    QCOMPARE(found->points().size(), parts[0]->found()->points().size());
    const std::vector<plan::PlannerProgress> reports = found->parts()->read();
    QVERIFY(reports[1].state == plan::PlannerState::Stopped && reports[1].found.empty());
    QCOMPARE(found->leftOut(), std::vector<std::string>{});
}

} // namespace

PLIMSOLL_TEST(AutoThreadsTest, plimsoll::tests::NoApplication)
#include "auto_threads_test.moc"
