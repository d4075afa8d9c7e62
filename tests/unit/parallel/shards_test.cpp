// SPDX-License-Identifier: Apache-2.0
// One process of several under fully_shard (ZeRO-2 and ZeRO-3): units, what they take and cost by
// hand on a tiny step, and that the replay agrees with the evaluation under any plan.
#include "core/evaluate/certify.h"
#include "core/parallel/rank_program.h"

#include "tests/support/data_parallel.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>

namespace {

using namespace plimsoll;
using graph::Phase;
using graph::StorageClass;
using tests::dataParallel;
using tests::linkedDevice;

constexpr graph::OpIndex kOptimizer = 12;

/// An embedding, two blocks of a linear layer and an activation each, and a head; no activation
/// takes bytes. Forward is 0 | 1 2 | 3 4 | 5, backward 6 | 7 8 | 9 10 | 11, the optimizer 12. Every
/// op takes 10 us.
graph::Program twoBlocks()
{
    struct Weight
    {
        const char* name;
        std::int64_t bytes;
        graph::OpIndex gradient;
    };
    constexpr std::array<Weight, 4> kWeights{{{"e.weight", 8, 11},
                                              {"h.0.fc.weight", 10, 10},
                                              {"h.1.fc.weight", 16, 8},
                                              {"o.weight", 20, 6}}};
    tests::ProgramBuilder builder;
    for (const char* value : {"x", "a", "b", "c", "d", "z"})
        builder.storage(value, 0, StorageClass::Input);
    std::vector<std::string> reads;
    std::vector<std::string> temporaries;
    for (const Weight& weight : kWeights) {
        const std::string name = weight.name;
        builder.storage(name, weight.bytes, StorageClass::Parameter)
            .storage(name + ".state", weight.bytes, StorageClass::OptimizerState)
            .storage(name + ".grad", weight.bytes, StorageClass::Gradient,
                     {.alloc = weight.gradient, .python = kOptimizer})
            .storage(name + ".update", weight.bytes, StorageClass::Temporary,
                     {.alloc = kOptimizer, .python = kOptimizer});
        reads.push_back(name + ".grad");
        temporaries.push_back(name + ".update");
    }
    for (const Weight& weight : kWeights)
        reads.push_back(weight.name + std::string{".state"});
    const auto backward = [&](const std::vector<std::string>& outputs) {
        builder.op("aten.back", {.reads = {"z"}, .outputs = outputs, .phase = Phase::Backward});
    };
    builder.op("aten.embedding", {.reads = {"x", "e.weight"}, .outputs = {"a"}})
        .op("aten.mm", {.reads = {"a", "h.0.fc.weight"}, .outputs = {"b"}})
        .op("aten.relu", {.reads = {"b"}, .outputs = {"b"}})
        .op("aten.mm", {.reads = {"b", "h.1.fc.weight"}, .outputs = {"c"}})
        .op("aten.relu", {.reads = {"c"}, .outputs = {"c"}})
        .op("aten.mm", {.reads = {"c", "o.weight"}, .outputs = {"z"}});
    backward({"o.weight.grad"});
    backward({});
    backward({"h.1.fc.weight.grad"});
    backward({});
    backward({"h.0.fc.weight.grad"});
    backward({"e.weight.grad"});
    builder.op("aten._foreach_mul",
               {.reads = reads, .outputs = temporaries, .phase = Phase::Optimizer});
    builder.call("", 0, 5, {"x"}, {"z"})
        .call("e", 0, 0, {"x"}, {"a"})
        .call("h", 1, 0, {}, {})
        .call("h.0", 1, 2, {"a"}, {"b"})
        .call("h.0.fc", 1, 1, {"a"}, {"b"})
        .call("h.1", 3, 4, {"b"}, {"c"})
        .call("h.1.fc", 3, 3, {"b"}, {"c"})
        .call("o", 5, 5, {"c"}, {"z"});
    graph::Program program = *builder.build();
    for (std::size_t i = 0; i < kWeights.size(); ++i) {
        const auto storageOf = [i](std::size_t place) {
            return graph::StorageId{6 + 4 * i + place};
        };
        program.parameters.push_back(
            {kWeights.at(i).name, storageOf(0), storageOf(2), {storageOf(1)}});
    }
    for (graph::OpIndex op = 6; op < kOptimizer; ++op)
        program.ops[static_cast<std::size_t>(op)].forwardOp = graph::opAt(11 - op);
    for (graph::Op& op : program.ops)
        op.measured = base::Nanoseconds{10'000};
    return program;
}

plan::Problem posed(graph::Program program, const std::string& text)
{
    const auto problem = plan::forRank({std::make_shared<const graph::Program>(std::move(program)),
                                        linkedDevice(),
                                        plan::kUnlimited,
                                        {},
                                        graph::Rounding::Exact},
                                       dataParallel(text));
    if (!problem)
        qFatal("%s", problem.error().message.c_str());
    return *problem;
}

plan::EvaluationPtr evaluated(const plan::Problem& problem)
{
    const auto verified = plan::certify(problem, plan::keepEverything());
    if (!verified)
        qFatal("%s", verified.error().message.c_str());
    return (*verified)->evaluationPtr();
}

class ShardsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void unitsAreBlocksAndTheRest();
    void bytesByHand_data();
    void bytesByHand();
    void timesByHand();
    void zeroTwoGathersOnce();
    void oldGradientsAreShardsAllTheWhile();
    void otherRuntimesAndSettingsAreRefused();
    void aUnitIsNoMemberBesideOthers();
    void randomPlansAgreeWithTheirReplay();
};

void ShardsTest::unitsAreBlocksAndTheRest()
{
    const plan::Problem problem = posed(twoBlocks(), "world=4,zero=3");
    const std::vector<plan::ShardUnit>& units = problem.parallel->units;
    QCOMPARE(units.size(), std::size_t{3});
    QVERIFY(units[0].isRoot && !units[1].isRoot);
    QCOMPARE(units[1].path, std::string{"h.0"});
    QCOMPARE(units[2].path, std::string{"h.1"});
    // 8 and 20 rows of a byte: 2 and 5 for each process. 10: 3, and two rows of padding.
    QCOMPARE(units[0].gathered.count(), std::int64_t{28});
    QCOMPARE(units[1].gathered.count(), std::int64_t{12});
    QCOMPARE(units[2].gathered.count(), std::int64_t{16});
    QCOMPARE(units[0].parameters, (std::vector<std::size_t>{0, 3}));
    QCOMPARE(units[1].backward, graph::OpIndex{9});
    QCOMPARE(units[1].reduce, graph::OpIndex{10});
    QCOMPARE(units[0].reduce, graph::OpIndex{11});
    QVERIFY(problem.parallel->buckets.empty());
}

void ShardsTest::bytesByHand_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<qint64>>("bytes");
    // Beside 14 bytes of parameters and 14 of states: the root's 28 to the end of backward; h.0's
    // 12 and h.1's 16 while they run, and once more while they lie in the collective's result; the
    // root's gradients (20, 8) to the end of backward; reduce-scatters' inputs, then shards of
    // gradients.
    QTest::newRow("zero 3") << QStringLiteral("world=4,zero=3")
                            << QList<qint64>{56, 52, 52, 60, 60, 44, // forward
                                             64, 76, 96, 80, 93, 82, // backward
                                             28};                    // shards and updates
    QTest::newRow("zero 2") << QStringLiteral("world=4,zero=2")
                            << QList<qint64>{56, 52, 52, 72, 72, 72, 76, 76, 96, 80, 93, 82, 28};
}

void ShardsTest::bytesByHand()
{
    QFETCH(QString, text);
    QFETCH(QList<qint64>, bytes);
    const plan::EvaluationPtr step = evaluated(posed(twoBlocks(), text.toStdString()));
    const std::vector<std::int64_t>& totals = step->timeline->totals();
    QCOMPARE(totals.size(), static_cast<std::size_t>(bytes.size()));
    for (std::size_t at = 0; at < totals.size(); ++at)
        QCOMPARE(totals[at], 28 + bytes[static_cast<qsizetype>(at)]);
}

/// A ring of four over 1 MB/s with hops of 1 us: 0.75 us for a byte, and 3 us. Copies take 1 us
/// each.
void ShardsTest::timesByHand()
{
    const plan::Problem problem = posed(twoBlocks(), "world=4,zero=3,busbw=1MB/s,latency=1us");
    const plan::EvaluationPtr step = evaluated(problem);
    const plan::Communication& spent = *step->communication;
    struct Row
    {
        std::size_t unit;
        std::int64_t issued, begin, end, wanted; // us
    };
    constexpr std::array<Row, 5> kGathers{{{0, 0, 0, 24, 0},
                                           {1, 25, 25, 37, 35}, // while the embedding runs
                                           {2, 38, 38, 53, 58},
                                           {2, 89, 89, 104, 99}, // fetched ahead by the root
                                           {1, 105, 105, 117, 126}}};
    QCOMPARE(spent.gatherings.size(), kGathers.size());
    for (std::size_t i = 0; i < kGathers.size(); ++i) {
        const plan::Gathering& seen = spent.gatherings[i];
        const Row& row = kGathers.at(i);
        QCOMPARE(seen.unit, row.unit);
        QCOMPARE(seen.issued.count(), row.issued * 1000);
        QCOMPARE(seen.begin.count(), row.begin * 1000);
        QCOMPARE(seen.end.count(), row.end * 1000);
        QCOMPARE(seen.wanted.count(), row.wanted * 1000);
    }
    constexpr std::array<std::array<std::int64_t, 3>, 3> kReductions{
        {{16, 126, 141}, {12, 148, 160}, {28, 161, 185}}}; // bytes, begin, end
    QCOMPARE(spent.reductions.size(), kReductions.size());
    for (std::size_t i = 0; i < kReductions.size(); ++i) {
        QCOMPARE(spent.reductions[i].bytes.count(), kReductions.at(i)[0]);
        QCOMPARE(spent.reductions[i].begin.count(), kReductions.at(i)[1] * 1000);
        QCOMPARE(spent.reductions[i].end.count(), kReductions.at(i)[2] * 1000);
    }
    QCOMPARE(spent.gatherExposed.count(), std::int64_t{31'000}); // 24 + 2 + 5
    QCOMPARE(spent.exposed.count(), std::int64_t{26'000});       // 2 for h.0's input, 24 at the end
    QCOMPARE(spent.copies.count(), std::int64_t{8000});
    QCOMPARE(spent.gather.count(), std::int64_t{24'000 + 2 * 12'000 + 2 * 15'000});
    QCOMPARE(spent.reduce.count(), std::int64_t{15'000 + 12'000 + 24'000});
    QCOMPARE(spent.sync.count(), std::int64_t{0});
    // The optimizer works on 14 of 54 bytes.
    QCOMPARE(step->stepTime.count(), std::int64_t{185'000 + 2593});
    QCOMPARE(step->timeline->duration(), step->stepTime);
}

void ShardsTest::zeroTwoGathersOnce()
{
    const plan::EvaluationPtr step = evaluated(posed(twoBlocks(), "world=4,zero=2"));
    std::vector<std::size_t> units;
    for (const plan::Gathering& row : step->communication->gatherings)
        units.push_back(row.unit);
    QCOMPARE(units, (std::vector<std::size_t>{0, 1, 2}));
    QCOMPARE(step->communication->reductions.size(), std::size_t{3});
}

void ShardsTest::oldGradientsAreShardsAllTheWhile()
{
    graph::Program program = twoBlocks();
    const graph::StorageId old = *program.parameters[2].gradient; // of h.1, 16 bytes
    program.storages[old.index()].alloc = graph::kBeforeStep;
    const plan::EvaluationPtr step = evaluated(posed(program, "world=4,zero=3"));
    const std::vector<std::int64_t>& totals = step->timeline->totals();
    QCOMPARE(totals[0], std::int64_t{28 + 56 + 4});
    QCOMPARE(totals[8], std::int64_t{28 + 96 - 16}); // nothing of its own beside the shard
}

void ShardsTest::otherRuntimesAndSettingsAreRefused()
{
    for (const auto& [part, word] :
         {std::pair{"views", "views"}, {"manual", "manual"}, {"bucket=1MiB", "bucket"}}) {
        const auto setting =
            plan::parseDataParallel(std::string{"world=4,zero=2,"} + part, linkedDevice());
        QVERIFY(!setting
                && setting.error().message.ends_with("leave " + std::string{word} + " out."));
    }
    const plan::Problem problem = posed(twoBlocks(), "world=4,zero=2");
    plan::Plan plan = plan::keepEverything();
    plan.asRegions().granularity = plan::Granularity::Op;
    QVERIFY(!plan::certify(problem, plan));
    plan = plan::keepEverything();
    plan.decisions = plan::RecomputeSchedule{};
    const auto stepped = plan::certify(problem, plan);
    QVERIFY(!stepped && stepped.error().message.find("hooks of modules") != std::string::npos);
    graph::Program scalar = twoBlocks();
    for (graph::Tensor& tensor : scalar.tensors)
        if (tensor.storage == scalar.parameters[0].storage)
            tensor.shape.clear();
    const auto refused = plan::canRunUnder(scalar, dataParallel("world=4,zero=3"));
    QVERIFY(!refused && refused.error().message.find("e.weight") != std::string::npos);
    QVERIFY(plan::canRunUnder(scalar, dataParallel("world=4,zero=1")));
}

void ShardsTest::aUnitIsNoMemberBesideOthers()
{
    const plan::Problem problem = posed(twoBlocks(), "world=4,zero=2");
    const auto sentence = [&](const std::vector<std::size_t>& calls) {
        plan::Plan plan;
        plan.asRegions().regions = {tests::regionOf(*problem.step(), calls)};
        const plan::Verification seen = plan::verify(problem, plan);
        return seen.faults.empty() ? std::string{} : seen.faults.front().sentence;
    };
    QVERIFY(sentence({3, 5}).starts_with("fully_shard gathers and reduces h.0 in hooks"));
    for (const std::size_t alone : {std::size_t{3}, std::size_t{4}, std::size_t{5}})
        QVERIFY(sentence({alone}).find("fully_shard") == std::string::npos);
}

void ShardsTest::randomPlansAgreeWithTheirReplay()
{
    int blocks = 0;
    int planned = 0;
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem alone{
            program, linkedDevice(), plan::kUnlimited, {}, graph::Rounding::Exact};
        const plan::Plan plan = tests::randomLegalPlan(*program, seed);
        for (const char* world : {"world=2", "world=7,busbw=1GB/s"}) {
            std::array<std::vector<std::int64_t>, 2> totals;
            for (const std::int64_t zero : {2, 3}) {
                const auto problem = plan::forRank(
                    alone, dataParallel(std::string{world} + ",zero=" + std::to_string(zero)));
                if (!problem)
                    continue;
                const plan::Verification seen = plan::verify(*problem, plan);
                if (!seen.faults.empty()
                    && seen.faults.front().sentence.find("make it a region of its own")
                           != std::string::npos)
                    continue;
                const auto verified = plan::certify(*problem, plan);
                QVERIFY2(verified, verified ? "" : verified.error().message.c_str());
                const plan::Evaluation& step = (*verified)->evaluation();
                totals.at(static_cast<std::size_t>(zero - 2)) =
                    evaluated(*problem)->timeline->totals();
                QCOMPARE(step.timeline->duration(), step.stepTime);
                blocks += problem->parallel->units.size() > 2 ? 1 : 0;
                planned += plan.regions().empty() ? 0 : 1;
            }
            for (std::size_t step = 0; step < totals[1].size(); ++step, ++compared)
                QVERIFY(totals[1][step] <= totals[0][step]); // unplanned ZeRO-3 holds no more
        }
    }
    QVERIFY2(blocks > 100 && planned > 300 && compared > 10'000,
             qPrintable(QStringLiteral("%1 %2").arg(blocks).arg(planned)));
}

} // namespace

PLIMSOLL_TEST(ShardsTest, plimsoll::tests::NoApplication)
#include "shards_test.moc"
