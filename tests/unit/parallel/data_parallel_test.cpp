// SPDX-License-Identifier: Apache-2.0
// One process of several: what a line means, DDP's buckets, what they cost in memory and time, and
// that the replay agrees with the evaluation.
#include "core/plan/data_parallel.h"

#include "core/device/known_devices.h"
#include "core/evaluate/bound.h"
#include "core/evaluate/certify.h"
#include "core/lower/lower.h"
#include "core/parallel/rank_program.h"
#include "core/plan_file/plan_json.h"
#include "core/solve/bounds/time_bound.h"

#include "tests/support/data_parallel.h"
#include "tests/support/programs/programs.h"
#include "tests/support/rewritten.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>

namespace {

using namespace plimsoll;
using graph::Phase;
using graph::StorageClass;
using tests::dataParallel;
using tests::linkedDevice;

std::string refusal(const std::string& text)
{
    const auto setting = plan::parseDataParallel(text, linkedDevice());
    return setting || setting.error().kind != base::ErrorKind::Usage ? "" : setting.error().message;
}

/// x goes through one op for each parameter; backward makes their gradients, the last one first,
/// and an optimizer with one state each updates all of them at once.
graph::ProgramPtr trained(const std::vector<std::int64_t>& sizes)
{
    const auto count = static_cast<graph::OpIndex>(sizes.size());
    tests::ProgramBuilder builder;
    builder.storage("x0", 512, StorageClass::Input);
    const auto named = [](const char* what, graph::OpIndex index) {
        return what + std::to_string(index);
    };
    std::vector<std::string> all;
    std::vector<std::string> states;
    std::vector<std::string> temporaries;
    for (graph::OpIndex i = 0; i < count; ++i) {
        const std::int64_t bytes = sizes[static_cast<std::size_t>(i)];
        builder.storage(named("p", i), bytes, StorageClass::Parameter);
        builder.storage(named("s", i), bytes, StorageClass::OptimizerState);
        builder.storage(named("g", i), bytes, StorageClass::Gradient, {.alloc = 2 * count - 1 - i});
        builder.storage(named("t", i), bytes, StorageClass::Temporary,
                        {.alloc = 2 * count, .python = 2 * count + 1});
        builder.storage(named("x", i + 1), 512, StorageClass::Activation,
                        {.alloc = i, .python = std::min(i + 1, count - 1)});
        states.push_back(named("s", i));
        temporaries.push_back(named("t", i));
        all.push_back(named("g", i));
    }
    for (graph::OpIndex i = 0; i < count; ++i)
        builder.op("aten.mul",
                   {.reads = {named("x", i), named("p", i)}, .outputs = {named("x", i + 1)}});
    for (graph::OpIndex i = count; i-- > 0;)
        builder.op(
            "aten.mul",
            {.reads = {named("p", i)}, .outputs = {named("g", i)}, .phase = Phase::Backward});
    std::vector<std::string> reads = all;
    reads.insert(reads.end(), states.begin(), states.end());
    builder.op("aten._foreach_mul",
               {.reads = reads, .outputs = temporaries, .phase = Phase::Optimizer});
    builder.op("aten._foreach_add_",
               {.reads = temporaries, .writes = states, .phase = Phase::Optimizer});
    builder.call("", 0, count - 1, {"x0"}, {named("x", count)});
    graph::Program program = *builder.build();
    for (graph::OpIndex i = 0; i < count; ++i) {
        const auto storageOf = [i](std::size_t place) { // as they are made above
            return graph::StorageId{1 + 5 * static_cast<std::size_t>(i) + place};
        };
        program.parameters.push_back({named("p", i), storageOf(0), storageOf(2), {storageOf(1)}});
    }
    return std::make_shared<const graph::Program>(std::move(program));
}

plan::Problem posed(const graph::ProgramPtr& program, const std::string& text)
{
    plan::Problem alone{program, linkedDevice(), plan::kUnlimited, {}, graph::Rounding::Exact};
    if (text.empty())
        return alone;
    const auto problem = plan::forRank(alone, dataParallel(text));
    if (!problem)
        qFatal("%s", problem.error().message.c_str());
    return *problem;
}

plan::EvaluationPtr evaluated(const graph::ProgramPtr& program, const std::string& text)
{
    const auto verified = plan::certify(posed(program, text), plan::keepEverything());
    if (!verified)
        qFatal("%s", verified.error().message.c_str());
    return (*verified)->evaluationPtr();
}

class DataParallelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aLineSaysItAll();
    void otherLinesGetASentence();
    void workedExampleOfManualReduction();
    void workedExampleOfBuckets();
    void bucketsFillInTheOrderOfReadiness();
    void bucketsTakeACopyOfAllGradients();
    void viewsLetEachGradientGoAtItsHook();
    void lateGradientsDelayTheirBucket();
    void zeroSharesOutTheOptimizersState();
    void stepsThatCantRunSoAreRefused();
    void theStepRuntimeTakesManualReductionOnly();
    void randomPlansAgreeWithTheirReplay();
    void boundsStayBelowEveryPlan_data();
    void boundsStayBelowEveryPlan();
    void planFilesCarryIt();
};

void DataParallelTest::aLineSaysItAll()
{
    const plan::DataParallel usual = dataParallel("world=8");
    QCOMPARE(usual.world, std::int64_t{8});
    QVERIFY(!usual.bucket && !usual.views && !usual.manual);
    QCOMPARE(usual.zero, std::int64_t{0});
    QCOMPARE(usual.busBandwidth, 100e9); // the device's link
    QCOMPARE(usual.latency.count(), std::int64_t{5000});
    const plan::DataParallel given =
        dataParallel(" world=16, bucket=10MiB,busbw=12.5 GB/s,latency=1.5us,views,zero=1");
    QCOMPARE(given.bucket->count(), std::int64_t{10} << 20);
    QCOMPARE(given.busBandwidth, 12.5e9);
    QCOMPARE(given.latency.count(), std::int64_t{1500});
    QVERIFY(given.views && !given.manual);
    QCOMPARE(plan::dataParallelText(given),
             std::string{"world=16,bucket=10485760,busbw=12500000000,latency=1500ns,views,zero=1"});
    for (const plan::DataParallel& setting : {usual, given})
        QCOMPARE(dataParallel(plan::dataParallelText(setting)), setting);
    QCOMPARE(dataParallel("world=2,manual,busbw=25G").busBandwidth, 25e9);
}

void DataParallelTest::otherLinesGetASentence()
{
    for (const char* text :
         {"", "views", "world=1", "world=65537", "world=8x", "world", "world=8,world=8",
          "world=8,busbw=0", "world=8,busbw=fast", "world=8,busbw=1QB/s", "world=8,latency=5",
          "world=8,latency=2s", "world=8,latency=-1us", "world=8,bucket=0", "world=8,bucket=many",
          "world=8,zero=4", "world=8,views=1", "world=8,,views", "world=8,rank=3"}) {
        const std::string sentence = refusal(text);
        QVERIFY2(sentence.ends_with('.'), text);
    }
    QVERIFY(refusal("world=8,rank=3").find("\"rank=3\"") != std::string::npos);
}

/// 102.4 MB in 161 tensors, which 8 processes reduce by hand over 100 GB/s with hops of 5 us.
std::vector<std::int64_t> exampleSizes()
{
    std::vector<std::int64_t> sizes(161, 636'024);
    sizes.back() = 102'400'000 - 160 * 636'024;
    return sizes;
}

void DataParallelTest::workedExampleOfManualReduction()
{
    const plan::EvaluationPtr step =
        evaluated(trained(exampleSizes()), "world=8,busbw=100GB/s,latency=5us,manual");
    const plan::Communication& spent = *step->communication;
    QCOMPARE(spent.reductions.size(), std::size_t{161});
    QVERIFY(std::abs(spent.exposed.count() - 13'062'000) < 200); // 1.79 ms + 11.27 ms
    QCOMPARE(spent.exposed, spent.reduce);
    QCOMPARE(spent.reductions.back().end - spent.reductions.front().begin, spent.exposed);
    // Parameters are broadcast before forward: 102.4 MB, and 7 hops for each of 161.
    QVERIFY(std::abs(spent.sync.count() - (1'024'000 + 161 * 35'000)) < 200);
}

void DataParallelTest::workedExampleOfBuckets()
{
    const plan::EvaluationPtr step =
        evaluated(trained(exampleSizes()), "world=8,bucket=25000000,busbw=100GB/s,latency=5us");
    const plan::Communication& spent = *step->communication;
    QCOMPARE(spent.reductions.size(), std::size_t{5});
    QVERIFY(std::abs(spent.reduce.count() - (1'792'000 + 350'000)) < 10);
    QVERIFY(spent.exposed < spent.reduce);
}

void DataParallelTest::bucketsFillInTheOrderOfReadiness()
{
    constexpr std::int64_t kMiB = std::int64_t{1} << 20U;
    const auto bucketsOf = [](const std::vector<std::int64_t>& sizes, const std::string& text) {
        const plan::Problem problem = posed(trained(sizes), text);
        std::vector<std::vector<std::size_t>> buckets;
        for (const std::vector<std::size_t>& bucket : problem.parallel->buckets) {
            buckets.emplace_back();
            for (const std::size_t member : bucket)
                buckets.back().push_back(problem.parallel->gradients[member].parameter);
        }
        return buckets;
    };
    using Buckets = std::vector<std::vector<std::size_t>>;
    // The first one is closed at 1 MiB, the others at 25 MiB, once they have reached it.
    const std::vector<std::int64_t> sizes{kMiB, 20 * kMiB, 6 * kMiB, 3 * kMiB, kMiB / 2};
    QCOMPARE(bucketsOf(sizes, "world=2"), (Buckets{{4, 3}, {2, 1}, {0}}));
    QCOMPARE(bucketsOf(sizes, "world=2,bucket=8MiB"), (Buckets{{4, 3, 2}, {1}, {0}}));
    QCOMPARE(bucketsOf(sizes, "world=2,bucket=1GiB"), (Buckets{{4, 3, 2, 1, 0}}));
    // Nothing is rebuilt where DDP reduces nothing.
    QCOMPARE(bucketsOf(sizes, "world=2,bucket=8MiB,manual"), (Buckets{{4, 3, 2, 1, 0}}));
}

void DataParallelTest::bucketsTakeACopyOfAllGradients()
{
    const graph::ProgramPtr program = trained({1000, 2000, 4000});
    const plan::EvaluationPtr alone = evaluated(program, "");
    for (const char* text :
         {"world=4", "world=4,bucket=1500", "world=4,manual", "world=4,manual,views"}) {
        const plan::EvaluationPtr step = evaluated(program, text);
        for (std::size_t at = 0; at < alone->timeline->totals().size(); ++at)
            QCOMPARE(step->timeline->totals()[at], alone->timeline->totals()[at] + 7000);
    }
}

void DataParallelTest::viewsLetEachGradientGoAtItsHook()
{
    const graph::ProgramPtr program = trained({1000, 2000, 4000});
    const std::vector<std::int64_t> alone = evaluated(program, "")->timeline->totals();
    const plan::EvaluationPtr step = evaluated(program, "world=4,views");
    const std::vector<std::int64_t>& totals = step->timeline->totals();
    // Behind forward's three ops: each gradient is there while its op runs, then in the bucket.
    const std::array<std::int64_t, 8> less{0, 0, 0, 0, 4000, 6000, 7000, 7000};
    for (std::size_t at = 0; at < less.size(); ++at)
        QCOMPARE(totals[at], alone[at] + 7000 - less.at(at));
}

void DataParallelTest::lateGradientsDelayTheirBucket()
{
    const graph::ProgramPtr program = trained({100'000'000, 100'000'000, 100'000'000});
    const plan::EvaluationPtr step = evaluated(program, "world=2,bucket=1MiB,views,latency=0us");
    const std::vector<plan::Reduction>& rows = step->communication->reductions;
    QCOMPARE(rows.size(), std::size_t{3});
    // 1 ms each over the link, 0.2 ms and less between gradients: the link is what takes long.
    QCOMPARE(rows[0].begin, rows[0].ready);
    QCOMPARE((rows[0].end - rows[0].begin).count(), std::int64_t{1'000'000});
    QCOMPARE(rows[1].begin, rows[0].end);
    QVERIFY(rows[1].ready < rows[1].begin && rows[2].ready < rows[2].begin);
    // What isn't hidden behind the rest of backward is waited for.
    QCOMPARE(step->communication->exposed, rows[2].end - rows[2].ready);
    base::Nanoseconds between;
    for (const base::Nanoseconds time : step->communication->steps)
        between += time;
    QCOMPARE(between, step->communication->sync + step->communication->copies
                          + step->communication->exposed + step->communication->gatherExposed);
    QCOMPARE(step->timeline->duration(), step->stepTime);
}

void DataParallelTest::zeroSharesOutTheOptimizersState()
{
    // The largest first to who has least: 4000 | 2000 + 1000.
    const graph::ProgramPtr program = trained({1000, 2000, 4000});
    const std::vector<std::int64_t> alone = evaluated(program, "world=2")->timeline->totals();
    const plan::EvaluationPtr step = evaluated(program, "world=2,zero=1");
    const std::vector<std::int64_t>& totals = step->timeline->totals();
    QCOMPARE(totals[0], alone[0] - 3000); // states of the other's parameters
    QCOMPARE(totals[6], alone[6] - 6000); // and temporaries of their update
    QVERIFY(step->communication->gather.count() > 0);
    // Of three processes the fullest has the largest parameter.
    QCOMPARE(evaluated(program, "world=3,zero=1")->timeline->totals()[0], alone[0] - 3000);
}

void DataParallelTest::stepsThatCantRunSoAreRefused()
{
    const auto refused = [](graph::Program program, const std::string& text) {
        const plan::Problem alone{std::make_shared<const graph::Program>(std::move(program)),
                                  linkedDevice(),
                                  plan::kUnlimited,
                                  {},
                                  graph::Rounding::Exact};
        const auto problem = plan::forRank(alone, dataParallel(text));
        return !problem && problem.error().kind == base::ErrorKind::Usage
               && problem.error().message.ends_with('.');
    };
    graph::Program program = *trained({1000});
    QVERIFY(!refused(program, "world=2,zero=1"));
    graph::Program several = program;
    several.header.microSteps = 2;
    QVERIFY(refused(several, "world=2"));
    graph::Program written = program;
    written.header.execution = graph::kStepExecution;
    QVERIFY(refused(written, "world=2"));
    QVERIFY(!refused(written, "world=2,manual"));
    graph::Program inference = program;
    inference.parameters.front().gradient.reset();
    QVERIFY(refused(inference, "world=2"));
    graph::Program untrained = program;
    untrained.ops.resize(untrained.countBeforeOptimizer());
    QVERIFY(refused(untrained, "world=2,zero=1"));
    QVERIFY(!refused(untrained, "world=2"));
}

void DataParallelTest::theStepRuntimeTakesManualReductionOnly()
{
    plan::Plan plan = plan::keepEverything();
    plan.decisions = plan::RecomputeSchedule{};
    const graph::ProgramPtr program = trained({1000, 2000});
    const auto verified = plan::certify(posed(program, "world=2"), plan);
    QVERIFY(!verified);
    QVERIFY(verified.error().message.find("manual reduction") != std::string::npos);
    const auto byHand = plan::certify(posed(program, "world=2,manual"), plan);
    QVERIFY(byHand);
    const auto written = tests::rewritten(**byHand); // a graph says nothing of other processes
    QVERIFY(!written && written.error().message.find("data parallel") != std::string::npos);
}

void DataParallelTest::randomPlansAgreeWithTheirReplay()
{
    constexpr std::array kSettings{"world=2", "world=5,bucket=2KiB,views", "world=3,manual",
                                   "world=7,views,zero=1", "world=2,bucket=1KiB,zero=1"};
    int planned = 0;
    int agreed = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem alone{
            program, linkedDevice(), plan::kUnlimited, {}, graph::Rounding::Exact};
        for (const char* text : kSettings) {
            const auto problem = plan::forRank(alone, dataParallel(text));
            if (!problem)
                continue;
            const plan::Plan plan = tests::randomLegalPlan(*program, seed);
            const auto verified = plan::certify(*problem, plan);
            QVERIFY2(verified, verified ? "" : verified.error().message.c_str());
            ++agreed;
            planned += plan.regions().empty() ? 0 : 1;
            if (!problem->parallel->setting.manual)
                continue;
            const auto stepped = plan::certify(*problem, tests::randomStepPlan(*program, seed));
            QVERIFY2(stepped, stepped ? "" : stepped.error().message.c_str());
        }
    }
    QVERIFY2(agreed > 500 && planned > 300,
             qPrintable(QStringLiteral("%1 %2").arg(agreed).arg(planned)));
}

void DataParallelTest::boundsStayBelowEveryPlan_data()
{
    QTest::addColumn<QString>("setting");
    for (const char* text : {"world=4,bucket=1KiB,busbw=1GB/s", "world=4,views", "world=4,manual",
                             "world=4,zero=2,busbw=1MB/s", "world=4,zero=3,busbw=1MB/s",
                             "world=3,zero=3,busbw=100MB/s,latency=0us"})
        QTest::newRow(text) << text;
}

void DataParallelTest::boundsStayBelowEveryPlan()
{
    QFETCH(QString, setting);
    int seen = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        auto problem =
            plan::forRank({program, linkedDevice(), plan::kUnlimited, {}, graph::Rounding::Exact},
                          dataParallel(setting.toStdString()));
        if (!problem)
            continue;
        const plan::EvaluationPtr kept = plan::evaluate(*problem, plan::keepEverything());
        const plan::EvaluationPtr step =
            plan::evaluate(*problem, tests::randomLegalPlan(*program, seed));
        QVERIFY(plan::peakLowerBound(*problem).bytes <= step->peak);
        problem->budget = step->peak;
        QVERIFY(solve::stepTimeLowerBound(*problem) <= step->stepTime);
        QVERIFY(kept->stepTime <= step->stepTime);
        problem->budget = plan::kUnlimited;
        QCOMPARE(solve::stepTimeLowerBound(*problem), kept->stepTime); // nobody has to recompute
        ++seen;
    }
    QVERIFY(seen > 100);
}

void DataParallelTest::planFilesCarryIt()
{
    plan::Problem problem = posed(trained({1000, 2000}), "world=4,views,zero=1");
    problem.device = plan::findDevice(plan::kDefaultDevice).value();
    const auto verified = plan::certify(problem, plan::keepEverything());
    QVERIFY(verified);
    const std::string text = plan::writePlan(*verified);
    const auto file = plan::readPlan(text, *problem.program);
    QVERIFY(file);
    QCOMPARE(file->info.dataParallel, plan::dataParallelText(problem.parallel->setting));
    const auto read = plan::problemOf(*file, problem.program);
    QVERIFY(read);
    QCOMPARE(read->parallel->setting, problem.parallel->setting);
    QCOMPARE(plan::evaluate(*read, file->plan)->peak, (*verified)->evaluation().peak);
    QCOMPARE(plan::singleProcess(*read).program, problem.program);
    std::string damaged = text;
    damaged.replace(damaged.find("world=4"), 7, "world=0");
    const auto bad = plan::readPlan(damaged, *problem.program);
    QVERIFY(bad);
    const auto refused = plan::problemOf(*bad, problem.program);
    QVERIFY(!refused && refused.error().message.find("world") != std::string::npos);
    damaged = text;
    damaged.replace(damaged.find(R"("world=)"), 7, R"(3, "x": ")");
    QVERIFY(!plan::readPlan(damaged, *problem.program));
}

} // namespace

PLIMSOLL_TEST(DataParallelTest, plimsoll::tests::NoApplication)
#include "data_parallel_test.moc"
