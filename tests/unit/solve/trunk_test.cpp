// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/trunk.h"

#include "core/plan/json_text.h"
#include "core/solve/chain/trunk_layers.h"
#include "core/solve/chain/trunk_planner.h"

#include "tests/support/programs.h"
#include "tests/unit/solve/chain_examples.h"
#include "tests/unit/solve/planned_samples.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <stop_token>

using namespace plimsoll;
using namespace plimsoll::solve;
using graph::StorageClass;

namespace {

/// The cases that the Python package's plimsoll.trunk is tested with, too.
nlohmann::json sharedCases()
{
    QFile file{QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/data/trunk_splits.json")};
    if (!file.open(QIODevice::ReadOnly))
        qFatal("trunk_splits.json is missing");
    return plan::parseJson(file.readAll().toStdString()).value();
}

/// Elements with those places in front of which nothing may be cut.
std::vector<TrunkElement> elementsOf(std::size_t count, const std::vector<std::size_t>& inPlace)
{
    std::vector<TrunkElement> elements;
    for (std::size_t i = 0; i < count; ++i)
        elements.push_back({"e" + std::to_string(i), true});
    for (const std::size_t at : inPlace)
        elements[at].maySplitBefore = false;
    return elements;
}

} // namespace

class TrunkTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void splitsAsWorkedOut_data();
    void splitsAsWorkedOut();
    void bucketsTileWhatIsBeforeTheLastBoundary();
    void activationsInPlaceAreKnownByWhatTheyWrite();
    void layersOfRealModels_data();
    void layersOfRealModels();
    void plansOfRealModels_data();
    void plansOfRealModels();
    void splitsAsOftenAsAsked();
    void stopsWhenAsked();
};

void TrunkTest::splitsAsWorkedOut_data()
{
    QTest::addColumn<int>("place");
    int place = 0;
    for (const nlohmann::json& one : sharedCases())
        QTest::newRow(one["name"].get<std::string>().c_str()) << place++;
    QVERIFY(place >= 10);
}

void TrunkTest::splitsAsWorkedOut()
{
    QFETCH(int, place);
    const nlohmann::json one = sharedCases()[static_cast<std::size_t>(place)];
    const auto inPlace = one["in_place"].get<std::vector<std::string>>();
    const auto asked = one["boundaries"].get<std::vector<std::string>>();
    std::vector<TrunkElement> elements;
    std::vector<TrunkBoundary> boundaries;
    for (const nlohmann::json& block : one["blocks"]) {
        for (const auto& name : block[1].get<std::vector<std::string>>())
            elements.push_back(
                {name, std::find(inPlace.begin(), inPlace.end(), name) == inPlace.end()});
        if (std::find(asked.begin(), asked.end(), block[0]) != asked.end())
            boundaries.push_back({block[0], elements.size()});
    }
    nlohmann::json buckets = nlohmann::json::array();
    for (const TrunkBucket& bucket :
         splitTrunk(elements, boundaries, one["splits"].get<std::size_t>())) {
        nlohmann::json names = nlohmann::json::array();
        for (std::size_t i = bucket.first; i < bucket.end; ++i)
            names.push_back(elements[i].name);
        buckets.push_back({bucket.name, names});
    }
    QCOMPARE(buckets.dump(), one["buckets"].dump());
}

void TrunkTest::bucketsTileWhatIsBeforeTheLastBoundary()
{
    examples::Random random{7};
    for (int round = 0; round < 500; ++round) {
        const auto count = static_cast<std::size_t>(random.between(1, 20));
        std::vector<std::size_t> inPlace;
        for (std::size_t i = 0; i < count; ++i)
            if (random.below(3) == 0)
                inPlace.push_back(i);
        const std::vector<TrunkElement> elements = elementsOf(count, inPlace);
        std::vector<TrunkBoundary> boundaries;
        for (std::size_t end = 0; end < count && boundaries.size() < 3;) {
            end +=
                static_cast<std::size_t>(random.between(1, static_cast<std::int64_t>(count - end)));
            boundaries.push_back({"b" + std::to_string(end), end});
        }
        const auto splits = static_cast<std::size_t>(random.between(1, 22));
        const std::vector<TrunkBucket> buckets = splitTrunk(elements, boundaries, splits);
        std::size_t next = 0;
        std::size_t cuts = 0; // that are left
        for (const TrunkBucket& bucket : buckets) {
            QCOMPARE(bucket.first, next);
            QVERIFY(bucket.end > bucket.first);
            const bool isAsked =
                std::any_of(boundaries.begin(), boundaries.end(),
                            [&](const TrunkBoundary& one) { return one.end == bucket.first; });
            QVERIFY(bucket.first == 0 || isAsked || elements[bucket.first].maySplitBefore);
            for (std::size_t i = bucket.first + 1; i < bucket.end; ++i)
                cuts += elements[i].maySplitBefore ? 1U : 0U;
            next = bucket.end;
        }
        QCOMPARE(next, boundaries.back().end);
        if (cuts > 0)
            QCOMPARE(buckets.size(), std::max(splits, boundaries.size()));
        else
            QVERIFY(buckets.size() <= std::max(splits, boundaries.size()));
    }
}

void TrunkTest::activationsInPlaceAreKnownByWhatTheyWrite()
{
    // norm updates its statistics, act overwrites what norm made; lin overwrites its own result.
    const graph::ProgramPtr program =
        tests::aProgram()
            .storage("x", 100, StorageClass::Input)
            .storage("stats", 8, StorageClass::Buffer)
            .storage("n", 100, StorageClass::Activation, {.alloc = 0, .python = 2})
            .storage("y", 100, StorageClass::Activation, {.alloc = 2, .python = 4})
            .op("aten.native_batch_norm", {.reads = {"x"}, .writes = {"stats"}, .outputs = {"n"}})
            .op("aten.relu_", {.reads = {"n"}, .writes = {"n"}, .outputs = {"n"}})
            .op("aten.mm", {.reads = {"n"}, .outputs = {"y"}})
            .op("aten.add_", {.reads = {"y"}, .writes = {"y"}, .outputs = {"y"}})
            .op("aten.sum", {.reads = {"y"}, .phase = graph::Phase::Backward})
            .call("norm", 0, 0, {"x"}, {"n"})
            .call("act", 1, 1, {"n"}, {"n"})
            .call("lin", 2, 3, {"n"}, {"y"})
            .build();
    const TrunkLayers layers = trunkLayers(*program);
    QCOMPARE(layers.elements.size(), std::size_t{3});
    QVERIFY(layers.elements[0].maySplitBefore);
    QVERIFY(!layers.elements[1].maySplitBefore);
    QVERIFY(layers.elements[2].maySplitBefore);
}

void TrunkTest::layersOfRealModels_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("names"); // with a star: never split before
    QTest::newRow("resnet18") << "resnet18"
                              << "conv1 bn1 relu* maxpool layer1.0 layer1.1 layer2.0 layer2.1 "
                                 "layer3.0 layer3.1 layer4.0 layer4.1 avgpool fc ";
    QTest::newRow("gpt2") << "gpt2"
                          << "transformer.wte transformer.wpe transformer.drop transformer.h.0 "
                             "transformer.h.1 transformer.h.2 transformer.h.3 transformer.h.4 "
                             "transformer.h.5 transformer.h.6 transformer.h.7 transformer.h.8 "
                             "transformer.h.9 transformer.h.10 transformer.h.11 transformer.ln_f "
                             "lm_head ";
}

void TrunkTest::layersOfRealModels()
{
    QFETCH(QString, sample);
    QString names;
    for (const TrunkElement& element : trunkLayers(*tests::problemOf(sample, 0).program).elements)
        names += QString::fromStdString(element.name)
                 + (element.maySplitBefore ? QStringLiteral(" ") : QStringLiteral("* "));
    QTEST(names, "names");
}

void TrunkTest::plansOfRealModels_data()
{
    QTest::addColumn<QString>("sample");
    for (const char* sample : {"resnet18", "gpt2", "vit_b_16", "densenet121", "unet", "bert"})
        QTest::newRow(sample) << QString::fromLatin1(sample);
}

void TrunkTest::plansOfRealModels()
{
    QFETCH(QString, sample);
    const plan::Problem problem = tests::problemOf(sample, 0);
    const auto trunk = makeTrunkPlanner()->frontier(problem, {}, {});
    QVERIFY2(trunk, trunk ? "" : trunk.error().message.c_str());
    const std::vector<plan::VerifiedPlanPtr>& points = (*trunk)->points();
    qInfo("%zu plans, least peak %lld of %lld MiB", points.size(),
          static_cast<long long>(points.front()->evaluation().peak.count() >> 20),
          static_cast<long long>(points.back()->evaluation().peak.count() >> 20));
    QVERIFY(points.size() >= 2);
    QVERIFY(points.back()->plan().regions.empty());
    for (const plan::VerifiedPlanPtr& point : points)
        QVERIFY(point->plan().freezeStats);
}

void TrunkTest::splitsAsOftenAsAsked()
{
    const plan::Problem problem = tests::problemOf("gpt2", 0);
    const auto planner = makeTrunkPlanner();
    const auto found = planner->frontier(problem, {{"splits", 4}}, {});
    QVERIFY(found);
    QCOMPARE((*found)->points().size(), std::size_t{2}); // without and with
    // Three of four buckets are checkpointed, in pieces where a bucket is no region.
    const TrunkLayers layers = trunkLayers(*problem.program);
    const std::vector<TrunkBucket> buckets = splitTrunk(layers.elements, {{"end", 17}}, 4);
    QCOMPARE((*found)->points().front()->plan().regions.back().last,
             layers.ops[buckets.back().first - 1].last);
    QCOMPARE(planner->frontier(problem, {{"splits", 18}}, {}).error().message,
             std::string{"The model's trunk has 17 layers, too few for 18 buckets: give --splits "
                         "at most 17."});
}

void TrunkTest::stopsWhenAsked()
{
    std::stop_source source;
    source.request_stop();
    const auto stopped = makeTrunkPlanner()->frontier(
        tests::problemOf(QStringLiteral("resnet18"), 0), {}, {.stop = source.get_token()});
    QVERIFY(stopped.has_value());
    QCOMPARE((*stopped)->points().size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TrunkTest)
#include "trunk_test.moc"
