// SPDX-License-Identifier: Apache-2.0
// What finds which op, and how fast.
#include "core/graph/find_index.h"

#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

namespace {

using namespace plimsoll::graph;

/// conv(x, fc.weight) in layer1.Conv1, relu in layer1, loss outside of any module.
Program smallProgram()
{
    Program program;
    program.targets = {"aten.convolution.default", "aten.relu_.default", "aten.nll_loss.default"};
    program.sources = {"nets/model.py:12", "nets/model.py:120"};
    program.modules = {{std::nullopt, "", "Net"},
                       {ModuleId{0}, "layer1", "Sequential"},
                       {ModuleId{1}, "layer1.Conv1", "Conv2d"}};
    program.storages.resize(4);
    program.storages[0].names = {"fc.weight"}; // there before the step, read by op 1
    program.storages[1].names = {"hidden"};
    program.storages[1].alloc = 0;
    program.storages[2].names = {"never used"};
    program.tensors.resize(2);
    program.tensors[0].storage = StorageId{0};
    program.tensors[1].storage = StorageId{1};
    program.ops.resize(3);
    program.ops[0].module = ModuleId{2};
    program.ops[0].source = 0;
    program.ops[1].target = 1;
    program.ops[1].module = ModuleId{1};
    program.ops[1].source = 1;
    program.ops[1].reads = {TensorId{1}, TensorId{0}};
    program.ops[2].target = 2;
    return program;
}

class FindIndexTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void finds_data();
    void finds();
    void isInstantForTenThousandOps();
};

void FindIndexTest::finds_data()
{
    QTest::addColumn<QByteArray>("query");
    QTest::addColumn<QList<int>>("ops");
    const auto row = [](const char* name, const char* query, const QList<int>& ops) {
        QTest::newRow(name) << QByteArray{query} << ops;
    };
    row("op", "convolution", {0});
    row("part of an op", "relu", {1});
    row("all of a kind", "aten.", {0, 1, 2});
    row("module", "layer1", {0, 1});
    row("module, any case", "LAYER1.conv1", {0});
    row("class", "sequential", {1});
    row("source", "model.py:12", {0, 1});
    row("line", "model.py:120", {1});
    row("tensor made by an op", "hidden", {0});
    row("tensor from before the step", "fc.weight", {1});
    row("tensor nobody touches", "never", {});
    row("words", "  layer1   RELU ", {1});
    row("words of different parts", "sequential :120 weight", {1});
    row("not across parts", "defaultlayer1", {});
    row("nothing", "softmax", {});
    row("empty", "", {});
    row("spaces", "  \t", {});
}

void FindIndexTest::finds()
{
    QFETCH(QByteArray, query);
    QFETCH(QList<int>, ops);
    const FindIndex index{smallProgram()};
    QList<int> found;
    for (const OpId op : index.find(query.toStdString()))
        found << static_cast<int>(op.index());
    QCOMPARE(found, ops);
}

void FindIndexTest::isInstantForTenThousandOps()
{
    Program program = smallProgram();
    const std::vector<Op> three = program.ops;
    program.ops.clear();
    for (int i = 0; i < 10'000; ++i)
        program.ops.push_back(three[static_cast<std::size_t>(i % 3)]);
    const FindIndex index{program};
    QElapsedTimer clock;
    clock.start();
    QCOMPARE(index.find("aten conv").size(), std::size_t{3334});
    QVERIFY2(clock.elapsed() < 50, qPrintable(QString::number(clock.elapsed())));
}

} // namespace

PLIMSOLL_TEST(FindIndexTest, plimsoll::tests::NoApplication)
#include "find_index_test.moc"
