// SPDX-License-Identifier: Apache-2.0
// What a plan is told when gradient hooks may fire more than once under DDP: which parameters, what
// the ways out are, and when nothing is said.
#include "core/parallel/hook_warnings.h"

#include "core/evaluate/evaluate.h"
#include "core/parallel/rank_program.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>

namespace {

using namespace plimsoll;
using graph::Phase;
using graph::StorageClass;

/// Four calls, one op each; the weights that they read, and how they are named.
struct Model
{
    std::array<const char*, 4> paths{"0", "1", "2", "3"};
    std::array<const char*, 4> weights{"a", "b", "c", "d"};
    bool isRunTwice = false; ///< calls 0 and 1 are one run of the model, 2 and 3 another
};

graph::ProgramPtr made(const Model& model)
{
    tests::ProgramBuilder builder;
    for (const char* weight : {"a", "b", "c", "d"})
        builder.storage(weight, 4, StorageClass::Parameter)
            .storage(std::string{weight} + ".grad", 4, StorageClass::Gradient, {.alloc = 4});
    builder.storage("x0", 8, StorageClass::Input);
    for (graph::OpIndex op = 0; op < 4; ++op)
        builder.storage("x" + std::to_string(op + 1), 8, StorageClass::Activation,
                        {.alloc = op, .python = std::min(op + 1, 3)});
    for (std::size_t op = 0; op < 4; ++op)
        builder.op("aten.mul", {.reads = {"x" + std::to_string(op), model.weights.at(op)},
                                .outputs = {"x" + std::to_string(op + 1)}});
    builder.op("aten.back", {.reads = {"x4"},
                             .outputs = {"a.grad", "b.grad", "c.grad", "d.grad"},
                             .phase = Phase::Backward});
    const auto runs = [&](graph::OpIndex first, graph::OpIndex last) {
        builder.call("", first, last, {"x" + std::to_string(first)},
                     {"x" + std::to_string(last + 1)});
        for (graph::OpIndex op = first; op <= last; ++op)
            builder.call(model.paths.at(static_cast<std::size_t>(op)), op, op,
                         {"x" + std::to_string(op)}, {"x" + std::to_string(op + 1)});
    };
    if (model.isRunTwice) {
        runs(0, 1);
        runs(2, 3);
    } else {
        runs(0, 3);
    }
    graph::Program program = *builder.build();
    const auto storageAt = [](std::size_t index) { return graph::StorageId{index}; };
    for (std::size_t i = 0; i < 4; ++i)
        program.parameters.push_back(
            {std::string{"layer."} + "abcd" [i], storageAt(2 * i), storageAt(2 * i + 1), {}});
    return std::make_shared<const graph::Program>(std::move(program));
}

/// With a region around each of these calls.
plan::Plan planned(const graph::Program& program, const std::vector<std::size_t>& calls)
{
    plan::Plan plan;
    for (const std::size_t call : calls)
        plan.asRegions().regions.push_back(tests::regionOf(program, {call}));
    return plan;
}

std::vector<std::string> warnings(const Model& model, const std::vector<std::size_t>& calls,
                                  const char* words = "")
{
    const graph::ProgramPtr program = made(model);
    plan::DataParallel setting;
    setting.busBandwidth = 1e9;
    setting.manual = std::string{words} == "manual";
    setting.zero = std::string{words} == "fully_shard" ? 2 : 0;
    plan::Problem alone = tests::unlimitedProblem(program);
    alone.device.bandwidth = 1e12;
    if (setting.zero > 0) {
        auto parallel = std::make_shared<plan::Parallel>();
        parallel->setting = setting;
        alone.parallel = parallel;
        return plan::hookWarnings(alone, planned(*program, calls));
    }
    const auto problem = plan::forRank(alone, setting);
    if (!problem)
        qFatal("%s", problem.error().message.c_str());
    const plan::Plan plan = planned(*program, calls);
    const std::vector<std::string> found = plan::hookWarnings(*problem, plan);
    if (plan::evaluate(*problem, plan)->warnings != found)
        qFatal("The evaluation says something else.");
    return found;
}

class HookWarningsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhichParametersAndTheWaysOut_data();
    void saysWhichParametersAndTheWaysOut();
    void aloneThereIsNothingToSay();
};

void HookWarningsTest::saysWhichParametersAndTheWaysOut_data()
{
    QTest::addColumn<Model>("model");
    QTest::addColumn<QList<int>>("calls"); // regions; the model's own calls count
    QTest::addColumn<QString>("words");
    QTest::addColumn<QStringList>("says"); // each sentence begins so
    const Model apart;
    const Model shared{.weights = {"a", "b", "a", "b"}};
    const Model once{.weights = {"a", "b", "c", "a"}};
    const Model twice{
        .paths = {"0", "1", "0", "1"}, .weights = {"a", "b", "a", "b"}, .isRunTwice = true};
    const QString several = QStringLiteral("Used in several regions: ");
    const QString runs = QStringLiteral("Used in several runs of the model: ");
    QTest::newRow("each its own") << apart << QList<int>{1, 2, 3, 4} << QString{} << QStringList{};
    QTest::newRow("two regions") << once << QList<int>{1, 4} << QString{}
                                 << QStringList{several + QStringLiteral("layer.a. ")};
    QTest::newRow("two parameters")
        << shared << QList<int>{1, 2, 3, 4} << QString{}
        << QStringList{several + QStringLiteral("layer.a and 1 more. ")};
    QTest::newRow("one region, one use outside")
        << once << QList<int>{1} << QString{} << QStringList{};
    QTest::newRow("no regions") << shared << QList<int>{} << QString{} << QStringList{};
    QTest::newRow("by hand") << shared << QList<int>{1, 2, 3, 4} << QStringLiteral("manual")
                             << QStringList{};
    QTest::newRow("fully_shard") << shared << QList<int>{1, 2, 3, 4}
                                 << QStringLiteral("fully_shard") << QStringList{};
    QTest::newRow("two runs") << twice << QList<int>{1} << QString{}
                              << QStringList{runs + QStringLiteral("layer.a and 1 more. ")};
    QTest::newRow("two runs, regions in both")
        << twice << QList<int>{1, 4} << QString{}
        << QStringList{several + QStringLiteral("layer.a. "),
                       runs + QStringLiteral("layer.a and 1 more. ")};
    QTest::newRow("two runs, no regions") << twice << QList<int>{} << QString{} << QStringList{};
}

void HookWarningsTest::saysWhichParametersAndTheWaysOut()
{
    QFETCH(Model, model);
    QFETCH(QList<int>, calls);
    QFETCH(QString, words);
    QFETCH(QStringList, says);
    const std::vector<std::string> found = warnings(
        model, std::vector<std::size_t>(calls.begin(), calls.end()), words.toUtf8().constData());
    QCOMPARE(static_cast<qsizetype>(found.size()), says.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const QString sentence = QString::fromStdString(found[i]);
        QVERIFY2(sentence.startsWith(says[static_cast<qsizetype>(i)]), qPrintable(sentence));
        for (const char* wayOut : {"non-reentrant", "static_graph=True", "manual reduction."})
            QVERIFY2(sentence.contains(QString::fromUtf8(wayOut)), wayOut);
    }
}

void HookWarningsTest::aloneThereIsNothingToSay()
{
    const graph::ProgramPtr program = made({.weights = {"a", "a", "a", "a"}});
    plan::Problem alone = tests::unlimitedProblem(program);
    QVERIFY(plan::evaluate(alone, planned(*program, {1, 2, 3, 4}))->warnings.empty());
}

} // namespace

PLIMSOLL_TEST(HookWarningsTest, plimsoll::tests::NoApplication)
#include "hook_warnings_test.moc"
