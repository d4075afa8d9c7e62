// SPDX-License-Identifier: Apache-2.0
// The planners that imitate today's flags: which blocks, which segments, and the results.
#include "core/solve/baseline/baselines.h"
#include "core/solve/baseline/blocks.h"

#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace plimsoll;
using solve::Siblings;

std::vector<std::string> pathsOf(const graph::Program& program, const Siblings& calls)
{
    std::vector<std::string> paths;
    for (const graph::CallId call : calls)
        paths.push_back(program.module(program.call(call).module).path);
    return paths;
}

plan::FrontierPtr planned(const std::unique_ptr<const solve::Planner>& planner,
                          const QString& sample, const solve::Options& options = {})
{
    const auto found = planner->frontier(tests::problemOf(sample, 0), options, {});
    if (!found)
        qFatal("%s", found.error().message.c_str());
    return *found;
}

class BaselineTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyBlockIsARegion_data();
    void everyBlockIsARegion();
    void familiesLieAtTheLevelOfTheLargest();
    void withoutBlocksNothingIsCheckpointed();
    void segmentsAreSizedAsTorchDoes_data();
    void segmentsAreSizedAsTorchDoes();
    void aChainIsBlocksOrAnySiblings();
    void tooManySegmentsAreRefused();
    void stoppedAtOnceItKeepsEverything();
    void randomPrograms();
};

void BaselineTest::everyBlockIsARegion_data()
{
    QTest::addColumn<QString>("first");
    QTest::addColumn<int>("regions");
    QTest::newRow("gpt2") << "transformer.h.0" << 12;
    QTest::newRow("bert") << "bert.encoder.layer.0" << 12;
    QTest::newRow("llama") << "model.layers.0" << 8;
    QTest::newRow("llama_7b") << "model.layers.0" << 32;
    QTest::newRow("vit_b_16") << "encoder.layers.encoder_layer_0" << 12;
    QTest::newRow("resnet18") << "layer1.0" << 8;
}

void BaselineTest::everyBlockIsARegion()
{
    QFETCH(const QString, first);
    QFETCH(const int, regions);
    const QString sample = QString::fromLatin1(QTest::currentDataTag());
    const graph::Program& program = *tests::problemOf(sample, 0).program;
    const plan::FrontierPtr found = planned(solve::makeEveryBlockPlanner(), sample);
    QCOMPARE(found->points().size(), std::size_t{2}); // with the flag and without
    QVERIFY(found->points().back()->plan().recomputesNothing());
    const plan::Plan& plan = found->points().front()->plan();
    QCOMPARE(static_cast<int>(plan.regions().size()), regions);
    for (const plan::Region& region : plan.regions()) {
        QCOMPARE(region.members.size(), std::size_t{1});
        QVERIFY(region.nested.empty() && region.save.empty());
    }
    QCOMPARE(pathsOf(program, plan.regions().front().members).front(), first.toStdString());
}

void BaselineTest::familiesLieAtTheLevelOfTheLargest()
{
    const graph::Program& dense = *tests::problemOf("densenet121", 0).program;
    const std::vector<Siblings> found = graph::repeatedBlocks(dense);
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(pathsOf(dense, found.front()),
             (std::vector<std::string>{"features.denseblock1", "features.denseblock2",
                                       "features.denseblock3", "features.denseblock4"}));
    QCOMPARE(pathsOf(dense, found.back()),
             (std::vector<std::string>{"features.transition1", "features.transition2",
                                       "features.transition3"}));
}

void BaselineTest::withoutBlocksNothingIsCheckpointed()
{
    const graph::ProgramPtr chain = tests::longChain(5); // modules of one op, no blocks
    QVERIFY(graph::repeatedBlocks(*chain).empty());
    const auto found =
        solve::makeEveryBlockPlanner()->frontier(tests::unlimitedProblem(chain), {}, {});
    QVERIFY(found);
    QCOMPARE((*found)->points().size(), std::size_t{1});
    QVERIFY((*found)->points().front()->plan().recomputesNothing());
}

void BaselineTest::segmentsAreSizedAsTorchDoes_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<int>("segments");
    QTest::addColumn<int>("length"); // of the 12 blocks, or of 32
    QTest::newRow("2 of 12") << "gpt2" << 2 << 6;
    QTest::newRow("5 of 12") << "gpt2" << 5 << 2;
    QTest::newRow("7 of 12") << "gpt2" << 7 << 1;
    QTest::newRow("12 of 12") << "gpt2" << 12 << 1;
    QTest::newRow("6 of 32") << "llama_7b" << 6 << 5;
}

void BaselineTest::segmentsAreSizedAsTorchDoes()
{
    QFETCH(const QString, sample);
    QFETCH(const int, segments);
    QFETCH(const int, length);
    const plan::FrontierPtr found =
        planned(solve::makeSequentialPlanner(), sample, {{"segments", segments}});
    const plan::Plan& plan = found->points().front()->plan();
    QCOMPARE(static_cast<int>(plan.regions().size()), segments - 1); // the last one isn't
    for (const plan::Region& region : plan.regions())
        QCOMPARE(static_cast<int>(region.members.size()), length);
    QCOMPARE(plan.options, (std::vector<std::pair<std::string, std::string>>{
                               {"segments", std::to_string(segments)}}));
}

void BaselineTest::aChainIsBlocksOrAnySiblings()
{
    const graph::Program& gpt2 = *tests::problemOf("gpt2", 0).program;
    const Siblings blocks = solve::longestChain(gpt2);
    QCOMPARE(blocks.size(), std::size_t{12});
    QCOMPARE(pathsOf(gpt2, blocks).back(), std::string{"transformer.h.11"});
    const graph::Program& resnet = *tests::problemOf("resnet18", 0).program;
    QCOMPARE(pathsOf(resnet, solve::longestChain(resnet)),
             (std::vector<std::string>{"conv1", "bn1", "relu", "maxpool", "layer1", "layer2",
                                       "layer3", "layer4", "avgpool"}));
}

void BaselineTest::tooManySegmentsAreRefused()
{
    const auto planner = solve::makeSequentialPlanner();
    const auto found = planner->frontier(tests::problemOf("gpt2", 0), {{"segments", 13}}, {});
    QVERIFY(!found && found.error().kind == base::ErrorKind::Usage);
    QCOMPARE(found.error().message,
             std::string{"The model's longest chain has 12 modules, too few for 13 segments: give "
                         "--segments at most 12."});
}

void BaselineTest::stoppedAtOnceItKeepsEverything()
{
    std::stop_source stop;
    stop.request_stop();
    for (const auto& planner : {solve::makeEveryBlockPlanner(), solve::makeSequentialPlanner()}) {
        const auto found = planner->frontier(tests::problemOf("gpt2", 0), {},
                                             {.stop = stop.get_token(), .progress = {}});
        QVERIFY(found);
        QCOMPARE((*found)->points().size(), std::size_t{1});
        QVERIFY((*found)->points().front()->plan().recomputesNothing());
    }
}

/// Every proposal passes its check: an error would be a bug in the planner.
void BaselineTest::randomPrograms()
{
    std::size_t planned = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
        for (const graph::ProgramPtr& program :
             {tests::randomProgram(seed), tests::randomGatedProgram(seed)})
            for (const auto& planner :
                 {solve::makeEveryBlockPlanner(), solve::makeSequentialPlanner()}) {
                const auto found = planner->frontier(tests::unlimitedProblem(program), {}, {});
                QVERIFY2(found, found ? "" : found.error().message.c_str());
                // No op takes time here: what is smaller takes the place of the unplanned step.
                planned += (*found)->points().front()->plan().recomputesNothing() ? 0U : 1U;
            }
    QVERIFY(planned > 10);
}

} // namespace

PLIMSOLL_TEST(BaselineTest, QCoreApplication)
#include "baseline_test.moc"
