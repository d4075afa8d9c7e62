// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/trunk.h"

#include "core/io/json_text.h"

#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <map>
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
    return io::parseJson(file.readAll().toStdString()).value();
}

/// A model of the case's blocks, each layer an op: those in place overwrite what the one before
/// made. `nameOf`: the case's names of layers by path.
graph::ProgramPtr programOf(const nlohmann::json& one, std::map<std::string, std::string>& nameOf)
{
    struct Layer
    {
        std::string path;
        graph::OpIndex op = 0;
    };
    const auto inPlace = one["in_place"].get<std::vector<std::string>>();
    tests::ProgramBuilder builder = tests::aProgram().storage("x", 100, StorageClass::Input);
    std::vector<Layer> layers;
    std::vector<std::pair<Layer, graph::OpIndex>> stages; // with their last ops
    for (const nlohmann::json& block : one["blocks"]) {
        const auto names = block[1].get<std::vector<std::string>>();
        const auto first = static_cast<graph::OpIndex>(layers.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string inner = names.size() > 1 ? "." + std::to_string(i) : "";
            layers.push_back(
                {block[0].get<std::string>() + inner, static_cast<graph::OpIndex>(layers.size())});
            nameOf[layers.back().path] = names[i];
        }
        if (names.size() > 1)
            stages.push_back({{block[0], first}, static_cast<graph::OpIndex>(layers.size()) - 1});
    }
    const auto count = static_cast<graph::OpIndex>(layers.size());
    std::string value = "x";
    std::vector<std::pair<std::string, std::string>> ends; // read and made
    for (const Layer& layer : layers) {
        const std::string& name = nameOf[layer.path];
        const bool overwrites = std::ranges::find(inPlace, name) != inPlace.end();
        const std::string made = overwrites ? value : "made by " + name;
        if (!overwrites)
            builder.storage(made, 100, StorageClass::Activation,
                            {.alloc = layer.op, .python = count});
        builder.op("aten.op",
                   {.reads = {value},
                    .writes = overwrites ? std::vector{value} : std::vector<std::string>{},
                    .outputs = {made}});
        ends.emplace_back(value, made);
        value = made;
    }
    builder.op("aten.sum", {.reads = {value}, .phase = graph::Phase::Backward});
    const auto endsOf = [&](graph::OpIndex op) { return ends[static_cast<std::size_t>(op)]; };
    for (const Layer& layer : layers) {
        for (const auto& [stage, last] : stages)
            if (stage.op == layer.op)
                builder.call(stage.path, stage.op, last, {endsOf(stage.op).first},
                             {endsOf(last).second});
        builder.call(layer.path, layer.op, layer.op, {endsOf(layer.op).first},
                     {endsOf(layer.op).second});
    }
    return builder.build();
}

std::vector<std::string> pathsOf(const graph::Program& program)
{
    std::vector<std::string> paths;
    for (const graph::Module& module : program.modules)
        paths.push_back(module.path);
    return paths;
}

/// Elements with those places in front of which nothing may be cut.
std::vector<TrunkElement> elementsOf(std::size_t count, const std::vector<std::size_t>& inPlace)
{
    std::vector<TrunkElement> elements;
    for (std::size_t i = 0; i < count; ++i)
        elements.push_back({"e" + std::to_string(i)});
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
    void saysWhatIsWrongWithABoundary_data();
    void saysWhatIsWrongWithABoundary();
    void boundariesNeedLayers();
    void plansEndAtTheLastBoundary();
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
    std::map<std::string, std::string> nameOf;
    const graph::ProgramPtr program = programOf(one, nameOf);
    const std::vector<TrunkElement> layers = trunkLayers(*program);
    QCOMPARE(layers.size(), nameOf.size());
    std::string text;
    for (const auto& name : one["boundaries"])
        text += name.get<std::string>() + " , ";
    const auto boundaries = trunkBuckets(text, layers, pathsOf(*program));
    if (one.contains("refused")) {
        QVERIFY(!boundaries);
        QVERIFY2(boundaries.error().message.find(one["refused"]) != std::string::npos,
                 boundaries.error().message.c_str());
        return;
    }
    QVERIFY2(boundaries, boundaries ? "" : boundaries.error().message.c_str());
    nlohmann::json buckets = nlohmann::json::array();
    for (const TrunkBucket& bucket :
         splitTrunk(layers, *boundaries, one["splits"].get<std::size_t>())) {
        nlohmann::json names = nlohmann::json::array();
        for (std::size_t i = bucket.first; i < bucket.end; ++i)
            names.push_back(nameOf.at(layers[i].name));
        buckets.push_back({bucket.name, names});
    }
    QCOMPARE(buckets.dump(), one["buckets"].dump());
}

void TrunkTest::saysWhatIsWrongWithABoundary_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("mistyped")
        << "layr2"
        << "The boundary layr2 is not a module of the model; nearest are layer2, layer1, layer3.";
    QTest::newRow("inside") << "layer3,layer4.0.conv1"
                            << "The boundary layer4.0.conv1 is inside the layer layer4.0, which "
                               "stays whole: name layer4.0.";
    QTest::newRow("in place") << "bn1,layer3"
                              << "The boundary bn1 is in front of relu, which overwrites what bn1 "
                                 "returns: name relu instead.";
    QTest::newRow("too many splits") << "layer1"
                                     << "The model's trunk has 6 layers up to layer1, too few for "
                                        "7 buckets: give --splits at most 6.";
}

void TrunkTest::saysWhatIsWrongWithABoundary()
{
    QFETCH(QString, text);
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    const auto found = makeTrunkPlanner()->frontier(
        problem, {{"boundaries", text.toStdString()}, {"splits", 7}}, {});
    QVERIFY(!found);
    QCOMPARE(found.error().kind, base::ErrorKind::Usage);
    QTEST(QString::fromStdString(found.error().message), "sentence");
}

/// A module that the model has, but that runs nothing in forward; no module at all.
void TrunkTest::boundariesNeedLayers()
{
    const std::vector<TrunkElement> elements = elementsOf(3, {});
    QCOMPARE(trunkBuckets("drop", elements, {"", "e0", "drop"}).error().message,
             std::string{"The boundary drop runs no op between layers of the trunk, so no bucket "
                         "ends there; near it are e0, e1, e2."});
    QCOMPARE(trunkBuckets("e0", {}, {}).error().message,
             std::string{"The boundary e0 has nothing to end: forward calls no module."});
    QVERIFY(trunkBuckets(" ,", {}, {})->empty());
    QCOMPARE(trunkBuckets("", elements, {})->front().end, std::size_t{3});
}

/// Nothing behind the last boundary is repeated; the boundaries stand in the plan.
void TrunkTest::plansEndAtTheLastBoundary()
{
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    const auto found =
        makeTrunkPlanner()->frontier(problem, {{"boundaries", "layer2,layer3"}, {"splits", 3}}, {});
    QVERIFY2(found, found ? "" : found.error().message.c_str());
    QCOMPARE((*found)->points().size(), std::size_t{2}); // without and with
    const plan::Plan& plan = (*found)->points().front()->plan();
    const std::vector<TrunkElement> layers = trunkLayers(*problem.step());
    // conv1 bn1 relu maxpool | layer1.0 ... layer2.1 | layer3.0 layer3.1, the last of them kept
    QCOMPARE(plan.regions().back().last, layers[7].ops.last);
    QVERIFY(std::ranges::find(plan.options,
                              std::pair<std::string, std::string>{"boundaries", "layer2,layer3"})
            != plan.options.end());
}

void TrunkTest::bucketsTileWhatIsBeforeTheLastBoundary()
{
    tests::Random random{7};
    for (int round = 0; round < 500; ++round) {
        const auto count = static_cast<std::size_t>(random.between(1, 20));
        std::vector<std::size_t> inPlace;
        for (std::size_t i = 0; i < count; ++i)
            if (random.below(3) == 0)
                inPlace.push_back(i);
        const std::vector<TrunkElement> elements = elementsOf(count, inPlace);
        std::vector<TrunkBucket> boundaries;
        for (std::size_t end = 0; end < count && boundaries.size() < 3;) {
            const std::size_t first = std::exchange(end, end + 1 + random.below(count - end));
            boundaries.push_back({"b" + std::to_string(end), first, end});
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
                            [&](const TrunkBucket& one) { return one.end == bucket.first; });
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
    const std::vector<TrunkElement> layers = trunkLayers(*program);
    QCOMPARE(layers.size(), std::size_t{3});
    QVERIFY(layers[0].maySplitBefore);
    QVERIFY(!layers[1].maySplitBefore);
    QVERIFY(layers[2].maySplitBefore);
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
    for (const TrunkElement& element : trunkLayers(*tests::problemOf(sample, 0).program))
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
    const std::vector<plan::FrontierPoint>& points = (*trunk)->points();
    qInfo("%zu plans, least peak %lld of %lld MiB", points.size(),
          static_cast<long long>(points.front()->evaluation().peak.count() >> 20),
          static_cast<long long>(points.back()->evaluation().peak.count() >> 20));
    QVERIFY(points.size() >= 2);
    QVERIFY(points.back()->plan().regions().empty());
    for (const plan::VerifiedPlanPtr& point : points)
        QVERIFY(point->plan().freezeStats());
}

void TrunkTest::splitsAsOftenAsAsked()
{
    const plan::Problem problem = tests::problemOf("gpt2", 0);
    const auto planner = makeTrunkPlanner();
    const auto found = planner->frontier(problem, {{"splits", 4}}, {});
    QVERIFY(found);
    QCOMPARE((*found)->points().size(), std::size_t{2}); // without and with
    // Three of four buckets are checkpointed, in pieces where a bucket is no region.
    const std::vector<TrunkElement> layers = trunkLayers(*problem.step());
    const std::vector<TrunkBucket> buckets = splitTrunk(layers, {{"end", 0, 17}}, 4);
    QCOMPARE((*found)->points().front()->plan().regions().back().last,
             layers[buckets.back().first - 1].ops.last);
    QCOMPARE(planner->frontier(problem, {{"splits", 18}}, {}).error().message,
             std::string{"The model's trunk has 17 layers up to lm_head, too few for 18 buckets: "
                         "give --splits at most 17."});
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

PLIMSOLL_TEST(TrunkTest, QCoreApplication)
#include "trunk_test.moc"
