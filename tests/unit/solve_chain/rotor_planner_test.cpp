// SPDX-License-Identifier: Apache-2.0
// The planner on traces of real models: the walk of checkpointing.md 9, row 1, and what its
// frontier promises.
#include "core/solve/chain/rotor_planner.h"

#include "core/device/op_times.h"
#include "core/solve/regions/linearize.h"
#include "core/solve/regions/region_space.h"
#include "core/solve/registry.h"

#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <atomic>
#include <chrono>
#include <ctime>
#include <numeric>
#include <thread>

using namespace plimsoll;
using tests::frontierOf;
using tests::problemOf;

namespace {

constexpr std::int64_t kMiB = 1048576;

class RotorPlannerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void meetsTheBudgetsOfRealModels_data();
    void meetsTheBudgetsOfRealModels();
    void frontierPointsFallInTimeAsTheyRiseInPeak_data();
    void frontierPointsFallInTimeAsTheyRiseInPeak();
    void stagesTileForwardAndLoss_data();
    void stagesTileForwardAndLoss();
    void saysInfeasibleOnlyBelowTheBound();
    void refusesUnknownPlannersAndOptions();
    void knowsItsSwitches();
    void aStepOfAFewBytesHasThePlanThatKeepsThem();
    void stopsWhenAsked();
    void aLargeProgramGetsPlansAtOnce();
    void aLongRunOfOpsGetsPlansAllOverIt();
    void aLargeProgramIsLetGoAtOnce_data();
    void aLargeProgramIsLetGoAtOnce();
    void progressNeverFalls();
    void piecesOfAJobShareItsProgress();
};

void RotorPlannerTest::meetsTheBudgetsOfRealModels_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<std::int64_t>("budget");
    QTest::addColumn<bool>("recomputes");
    QTest::newRow("ResNet-18 in 2100 MiB") << "resnet18" << 2100 * kMiB << true;
    QTest::newRow("ResNet-18 in 3000 MiB") << "resnet18" << 3000 * kMiB << false;
    if (tests::kSanitized)
        return;
    QTest::newRow("GPT-2 in 7 GiB") << "gpt2" << 7168 * kMiB << true;
    QTest::newRow("DenseNet-121 in 8100 MiB") << "densenet121" << 8100 * kMiB << true;
    QTest::newRow("DenseNet-121 in 17000 MiB") << "densenet121" << 17000 * kMiB << false;
}

void RotorPlannerTest::meetsTheBudgetsOfRealModels()
{
    QFETCH(QString, sample);
    QFETCH(std::int64_t, budget);
    QFETCH(bool, recomputes);
    const solve::Outcome outcome = solve::outcomeAt(problemOf(sample, budget), frontierOf(sample));
    QVERIFY(outcome.best);
    const plan::Evaluation& evaluation = outcome.best->evaluation();
    QVERIFY(evaluation.peak.count() <= budget);
    QVERIFY(evaluation.peak >= outcome.peakBound.bytes);
    QVERIFY(evaluation.stepTime >= outcome.timeBound);
    QCOMPARE(outcome.best->plan().regions().empty(), !recomputes);
    QCOMPARE(evaluation.recomputeTime.count() > 0, recomputes);
    QCOMPARE(outcome.status == solve::Status::Optimal, !recomputes);
    QVERIFY(plan::verify(problemOf(sample, budget), outcome.best->plan()).faults.empty());
}

void RotorPlannerTest::frontierPointsFallInTimeAsTheyRiseInPeak_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<int>("points"); // at least: so many choices a user has along the line
    QTest::newRow("ResNet-18") << "resnet18" << 10;
    if (tests::kSanitized)
        return;
    QTest::newRow("GPT-2") << "gpt2" << 60;
    QTest::newRow("DenseNet-121") << "densenet121" << 60;
}

void RotorPlannerTest::frontierPointsFallInTimeAsTheyRiseInPeak()
{
    QFETCH(QString, sample);
    QFETCH(int, points);
    const std::vector<plan::FrontierPoint>& found = frontierOf(sample)->points();
    QVERIFY(static_cast<int>(found.size()) >= points);
    for (std::size_t i = 1; i < found.size(); ++i) {
        QVERIFY(found[i]->evaluation().peak > found[i - 1]->evaluation().peak);
        QVERIFY(found[i]->evaluation().stepTime < found[i - 1]->evaluation().stepTime);
    }
    QVERIFY(found.back()->plan().regions().empty());
    // The lookup of a drag: the largest point within the budget, none below the first.
    QCOMPARE(frontierOf(sample)->at(found[1]->evaluation().peak), found[1]);
    QCOMPARE(frontierOf(sample)->at(found[1]->evaluation().peak - base::Bytes{1}), found[0]);
    QCOMPARE(frontierOf(sample)->at(found[0]->evaluation().peak - base::Bytes{1}), nullptr);
}

void RotorPlannerTest::stagesTileForwardAndLoss_data()
{
    QTest::addColumn<QString>("sample");
    QTest::newRow("ResNet-18") << "resnet18";
    QTest::newRow("DenseNet-121") << "densenet121";
    QTest::newRow("GPT-2") << "gpt2";
}

void RotorPlannerTest::stagesTileForwardAndLoss()
{
    QFETCH(QString, sample);
    const plan::Problem problem = problemOf(sample, 0);
    const auto space = solve::makeRegionSpace(*problem.step(), plan::Granularity::Module);
    const std::vector<base::Nanoseconds> times = plan::opTimes(*problem.step(), problem.device);
    for (const solve::Residuals residuals :
         {solve::Residuals::EachCut, solve::Residuals::FirstCut}) {
        const solve::LinearizedStep step = solve::linearize(problem, *space, residuals).value();
        QVERIFY(solve::validate(step.chain));
        graph::OpIndex next = 0;
        for (const solve::Stage& stage : step.stages) {
            QCOMPARE(stage.first, next);
            QVERIFY(stage.last >= stage.first);
            next = stage.last + 1;
        }
        QCOMPARE(static_cast<std::size_t>(next), problem.step()->forwardCount());
        double forward = 0;
        for (graph::OpIndex op = 0; op < next; ++op)
            forward += static_cast<double>(times[static_cast<std::size_t>(op)].count());
        QCOMPARE(std::accumulate(step.chain.ftime.begin(), step.chain.ftime.end(), 0.0), forward);
        QVERIFY(step.stages.size() > 20 && step.stages.size() <= 200);
    }
}

void RotorPlannerTest::saysInfeasibleOnlyBelowTheBound()
{
    const base::Bytes bound = plan::peakLowerBound(problemOf("resnet18", 0)).bytes;
    const base::Bytes least = frontierOf("resnet18")->points().front()->evaluation().peak;
    const auto statusAt = [&](base::Bytes budget) {
        return solve::outcomeAt(problemOf("resnet18", budget.count()), frontierOf("resnet18"))
            .status;
    };
    QCOMPARE(statusAt(bound - base::Bytes{1}), solve::Status::Infeasible);
    QCOMPARE(statusAt(bound), solve::Status::NotFound);
    QCOMPARE(statusAt(least - base::Bytes{1}), solve::Status::NotFound);
    QCOMPARE(statusAt(least), solve::Status::Feasible);
}

void RotorPlannerTest::refusesUnknownPlannersAndOptions()
{
    std::string known;
    for (const auto& planner : solve::planners())
        known += (known.empty() ? "" : ", ") + planner->descriptor().id;
    QVERIFY(known.starts_with("auto, rotor, "));
    QCOMPARE(solve::findPlanner("fastest").error().message,
             "There is no planner \"fastest\": choose one of " + known + ".");
    const auto frontier = [](const solve::Options& options) {
        return solve::makeRotorPlanner()->frontier(problemOf("resnet18", 0), options, {});
    };
    QCOMPARE(
        frontier({{"speed", 1}}).error().message,
        std::string{"The planner rotor has no option \"speed\": it has slots, granularity, ways, "
                    "nonpersistent, saved-sets, freeze-stats, runtime."});
    QCOMPARE(frontier({{"slots", 3}}).error().message,
             std::string{"The option slots of the planner rotor takes 16 to 4000, not 3."});
    QVERIFY(frontier({{"slots", 40}}));
}

void RotorPlannerTest::knowsItsSwitches()
{
    const auto planner = solve::makeRotorPlanner();
    std::vector<std::string> switches;
    for (const solve::OptionRecord& record : planner->descriptor().options)
        if (solve::isSwitch(record)) {
            switches.push_back(record.name);
            QCOMPARE(*solve::choiceValue(record, "off"), std::int64_t{0});
            QCOMPARE(*solve::choiceValue(record, "on"), std::int64_t{1});
        }
    QCOMPARE(switches,
             (std::vector<std::string>{"ways", "nonpersistent", "saved-sets", "freeze-stats"}));
    solve::OptionRecord other = solve::switchRecord("a", "A", "An option.");
    other.choices = {"on", "off"}; // the box would show the opposite
    QVERIFY(!solve::isSwitch(other));
    other.choices.clear();
    QVERIFY(!solve::isSwitch(other));
}

void RotorPlannerTest::aStepOfAFewBytesHasThePlanThatKeepsThem()
{
    for (const std::int64_t bytes : {0, 1}) {
        graph::Program program = *tests::longChain(4);
        for (graph::Storage& storage : program.storages)
            storage.bytes = base::Bytes{bytes};
        tests::complete(program);
        plan::Problem problem = problemOf("resnet18", 0);
        problem.program = std::make_shared<const graph::Program>(std::move(program));
        problem.rounding = graph::Rounding::Exact;
        const auto frontier = solve::makeRotorPlanner()->frontier(problem, {}, {});
        QVERIFY2(frontier, frontier ? "" : frontier.error().message.c_str());
        QVERIFY((*frontier)->points().back()->plan().regions().empty());
    }
}

void RotorPlannerTest::stopsWhenAsked()
{
    std::stop_source stop;
    stop.request_stop();
    base::JobContext job;
    job.stop = stop.get_token();
    std::vector<const char*> samples{"gpt2"};
    if (tests::isPlannedHere("densenet121"))
        samples.push_back("densenet121");
    for (const char* sample : samples) {
        QElapsedTimer clock;
        clock.start();
        const plan::Problem problem = problemOf(sample, 0);
        const plan::FrontierPtr frontier =
            solve::makeRotorPlanner()->frontier(problem, {}, job).value();
        qInfo("%s: %lld ms", sample, clock.elapsed());
        // What is known after the coarse look: some plans, and the one that keeps everything.
        QVERIFY(frontier->points().size() >= 4);
        QVERIFY(frontier->points().back()->plan().regions().empty());
        const base::Bytes least = frontier->points().front()->evaluation().peak;
        QVERIFY(least.count() < frontier->points().back()->evaluation().peak.count() * 3 / 4);
        // The same ones each time, and none better than what the whole search finds.
        const plan::FrontierPtr again =
            solve::makeRotorPlanner()->frontier(problem, {}, job).value();
        QCOMPARE(again->points().size(), frontier->points().size());
        for (std::size_t i = 0; i < frontier->points().size(); ++i) {
            const plan::VerifiedPlanPtr& plan = frontier->points()[i];
            QVERIFY(again->points()[i]->plan() == plan->plan());
            const plan::VerifiedPlanPtr whole = frontierOf(sample)->at(plan->evaluation().peak);
            QVERIFY(whole && whole->evaluation().stepTime <= plan->evaluation().stepTime);
        }
    }
}

/// Ten thousand ops: the coarse look still takes an instant.
void RotorPlannerTest::aLargeProgramGetsPlansAtOnce()
{
    plan::Problem problem = problemOf("resnet18", 0);
    problem.program = tests::longChain(2500);
    QCOMPARE(problem.step()->ops.size(), std::size_t{10'000});
    std::stop_source stop;
    stop.request_stop();
    base::JobContext job;
    job.stop = stop.get_token();
    QElapsedTimer clock;
    clock.start();
    const plan::FrontierPtr frontier =
        solve::makeRotorPlanner()->frontier(problem, {}, job).value();
    qInfo("%zu points in %lld ms", frontier->points().size(), clock.elapsed());
    QVERIFY(frontier->points().size() >= 4);
    QVERIFY(frontier->points().front()->evaluation().peak.count()
            < frontier->points().back()->evaluation().peak.count() * 3 / 4);
}

/// As of a recurrent layer over hundreds of time steps: no module tells where to cut, and one place
/// is as good as the other. In regions of n of 1500 values, backward holds 1500 / n + n of them.
void RotorPlannerTest::aLongRunOfOpsGetsPlansAllOverIt()
{
    plan::Problem problem = problemOf("resnet18", 0);
    problem.program = tests::oneModule(*tests::longChain(1500));
    problem.rounding = graph::Rounding::Exact;
    const plan::FrontierPtr frontier =
        solve::makeRotorPlanner()
            ->frontier(problem, {{"slots", 64}, {"granularity", 1}}, {})
            .value();
    const std::int64_t kept = frontier->points().back()->evaluation().peak.count();
    QVERIFY(kept >= 150'000);
    const plan::Evaluation& least = frontier->points().front()->evaluation();
    qInfo("%lld of %lld bytes", static_cast<long long>(least.peak.count()),
          static_cast<long long>(kept));
    const plan::VerifiedPlanPtr flat = frontier->at(base::Bytes{kept / 8});
    QVERIFY(flat);
    QVERIFY(flat->evaluation().recomputeTime * 4
            <= frontier->points().back()->evaluation().stepTime * 2);
}

void RotorPlannerTest::aLargeProgramIsLetGoAtOnce_data()
{
    QTest::addColumn<int>("perMille"); ///< at which the search is asked to stop
    for (const int perMille : {1, 250, 600, 750})
        if (!tests::kSanitized || perMille == 250 || tests::isExhaustive())
            QTest::addRow("at %d per mille", perMille) << perMille;
}

/// Wherever it is: between two checks of the stop token lie the checks of whole plans, the slowest
/// of which are nested forty deep, and the search for legal regions. In any build, these take
/// little longer than the first, coarse look, which is never stopped.
void RotorPlannerTest::aLargeProgramIsLetGoAtOnce()
{
    QFETCH(int, perMille);
    constexpr double kLooks = 5;
    plan::Problem problem = problemOf("resnet18", 0);
    problem.program = tests::longChain(3000);
    const auto secondsSince = [](std::clock_t begin) {
        return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    };
    std::stop_source stopped;
    stopped.request_stop();
    const std::clock_t begin = std::clock();
    QVERIFY(solve::makeRotorPlanner()->frontier(problem, {}, {.stop = stopped.get_token()}));
    const double look = secondsSince(begin);

    base::Progress progress;
    std::stop_source stop;
    base::JobContext job{.stop = stop.get_token(), .progress = &progress};
    std::atomic<bool> isOver = false;
    std::clock_t asked = 0;
    std::thread watcher{[&] {
        while (!isOver && progress.perMille() < perMille)
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        asked = std::clock();
        stop.request_stop();
    }};
    const auto frontier = solve::makeRotorPlanner()->frontier(problem, {{"slots", 100}}, job);
    isOver = true;
    watcher.join();
    const double seconds = secondsSince(asked);
    QVERIFY(frontier);
    qInfo("%.2f s, the coarse look %.2f s", seconds, look);
    QVERIFY(seconds < kLooks * look);
}

void RotorPlannerTest::progressNeverFalls()
{
    base::Progress progress;
    base::JobContext job;
    job.progress = &progress;
    std::atomic<bool> isOver = false;
    bool isRising = true;
    int seen = 0;
    std::thread watcher{[&] {
        while (!isOver) {
            const int now = progress.perMille();
            isRising = isRising && now >= seen;
            seen = now;
            std::this_thread::yield();
        }
    }};
    const auto frontier = solve::makeRotorPlanner()->frontier(problemOf("resnet18", 0), {}, job);
    isOver = true;
    watcher.join();
    QVERIFY(frontier);
    QVERIFY(isRising);
    QCOMPARE(progress.perMille(), 1000);
}

void RotorPlannerTest::piecesOfAJobShareItsProgress()
{
    base::Progress progress;
    base::JobContext job;
    job.progress = &progress;
    job.piece(0, 2).report(1, 2);
    QCOMPARE(progress.perMille(), 250);
    job.piece(1, 2).piece(1, 4).report(0, 7);
    QCOMPARE(progress.perMille(), 625);
    job.piece(1, 2).report(7, 7);
    QCOMPARE(progress.perMille(), 1000);
}

} // namespace

PLIMSOLL_TEST(RotorPlannerTest, QCoreApplication)
#include "rotor_planner_test.moc"
