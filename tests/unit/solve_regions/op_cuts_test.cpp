// SPDX-License-Identifier: Apache-2.0
// Cuts between ops: the rows LIN of checkpointing.md 14 as far as storages (4.2) see them, and
// which cuts stay where not all have room.
#include "core/solve/regions/cuts.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using graph::StorageClass;

namespace {

/// One op of a forward. `inPlace`: it writes its first input; `isView`: its result shares that.
struct Node
{
    std::string name;
    std::vector<std::string> inputs;
    bool inPlace = false;
    bool isView = false;
};
using Nodes = std::vector<Node>;

graph::ProgramPtr modelOf(const Nodes& nodes)
{
    tests::ProgramBuilder builder = tests::aProgram();
    builder.storage("x", 512, StorageClass::Input);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        tests::OpSpec spec{.reads = node.inputs, .outputs = {node.name}, .isView = node.isView};
        if (node.inPlace) {
            spec.writes = {node.inputs.front()};
            spec.outputs = {node.inputs.front()};
        } else if (node.isView) {
            builder.view(node.name, node.inputs.front());
        } else {
            builder.storage(node.name, 512, StorageClass::Activation,
                            {.alloc = static_cast<graph::OpIndex>(i)});
        }
        builder.op("aten." + node.name, spec);
    }
    builder.call("", 0, static_cast<graph::OpIndex>(nodes.size()) - 1, {"x"},
                 {nodes.back().inPlace ? nodes.back().inputs.front() : nodes.back().name});
    return builder.build();
}

/// Runs of nodes between cuts that one storage crosses, as "a b|c".
std::string cleanRuns(const Nodes& nodes)
{
    const graph::ProgramPtr program = modelOf(nodes);
    const solve::Cuts cuts{*program, solve::CutRule::Ops, 200};
    std::string text;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto at = static_cast<graph::OpIndex>(i);
        const std::vector<graph::OpIndex>& places = cuts.positions();
        const bool isCut = std::binary_search(places.begin(), places.end(), at);
        if (i > 0)
            text += isCut && cuts.crossing(at).size() == 1 ? "|" : " ";
        text += nodes[i].name;
    }
    return text;
}

class OpCutsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanCutsAreThoseThatOneStorageCrosses_data();
    void cleanCutsAreThoseThatOneStorageCrosses();
    void whatCrossesACutIsNamed();
    void cutsThatTellMoreApartStay();
    void fixedCutsStayWhateverTheyCost();
    void spreadCutsLieEvenlyWhereFewBytesCross();
};

void OpCutsTest::cleanCutsAreThoseThatOneStorageCrosses_data()
{
    QTest::addColumn<Nodes>("nodes");
    QTest::addColumn<QString>("runs");
    const auto row = [](const char* name, Nodes nodes, const char* runs) {
        QTest::newRow(name) << std::move(nodes) << QString::fromLatin1(runs);
    };
    row("stem", {{"conv1", {"x"}}, {"bn1", {"conv1"}}, {"relu1", {"bn1"}, true}, {"pool", {"bn1"}}},
        "conv1|bn1 relu1|pool");
    // Branch from relu0; a view stands with what follows it.
    row("residual block",
        {{"relu0", {"x"}},
         {"conv1", {"relu0"}},
         {"bn1", {"conv1"}},
         {"relu1", {"bn1"}, true},
         {"conv2", {"bn1"}},
         {"bn2", {"conv2"}},
         {"add", {"bn2", "relu0"}},
         {"relu2", {"add"}, true},
         {"avgpool", {"add"}},
         {"flatten", {"avgpool"}, false, true},
         {"fc", {"flatten"}}},
        "relu0|conv1 bn1 relu1 conv2 bn2 add relu2|avgpool|flatten fc");
    row("skip from the input",
        {{"l1", {"x"}}, {"l2", {"l1"}}, {"add", {"l2", "x"}}, {"l3", {"add"}}}, "l1|l2|add|l3");
    row("in place", {{"l1", {"x"}}, {"relu", {"l1"}, true}, {"l3", {"l1"}}}, "l1 relu|l3");
    row("dead branch", {{"l0", {"x"}}, {"dead", {"l0"}}, {"l1", {"l0"}}, {"l2", {"l1"}}},
        "l0|dead|l1|l2");
    // `a` and what relu returns are one storage.
    row("in place, used by another name",
        {{"a", {"x"}}, {"relu", {"a"}, true}, {"b", {"a"}}, {"add", {"a", "b"}}}, "a relu|b add");
    // A part that is still needed keeps the split tensor alive: no cut behind the split is clean.
    row("split",
        {{"y", {"x"}},
         {"left", {"y"}, false, true},
         {"right", {"y"}, false, true},
         {"l1", {"left"}},
         {"l2", {"l1"}},
         {"cat", {"l2", "right"}},
         {"l3", {"cat"}}},
        "y|left right l1 l2 cat|l3");
}

void OpCutsTest::cleanCutsAreThoseThatOneStorageCrosses()
{
    QFETCH(Nodes, nodes);
    QFETCH(QString, runs);
    QCOMPARE(QString::fromStdString(cleanRuns(nodes)), runs);
}

void OpCutsTest::whatCrossesACutIsNamed()
{
    const graph::ProgramPtr program =
        modelOf({{"a", {"x"}}, {"b", {"a"}}, {"c", {"a", "b"}}, {"d", {"c"}}});
    const solve::Cuts cuts{*program, solve::CutRule::Ops, 200};
    QCOMPARE(cuts.positions(), (std::vector<graph::OpIndex>{0, 1, 2, 3}));
    QCOMPARE(cuts.crossing(2).size(), std::size_t{2});
    QCOMPARE(cuts.crossing(3).size(), std::size_t{1});
}

void OpCutsTest::cutsThatTellMoreApartStay()
{
    const std::vector<solve::CutCandidate> candidates{
        {10, 100}, {10, 100}, {50, 100}, {10, 100}, {10, 5}};
    QCOMPARE(solve::thinned(candidates, 9), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
    QCOMPARE(solve::thinned(candidates, 4), (std::vector<std::size_t>{0, 1, 2, 3})); // 5 bytes
    QCOMPARE(solve::thinned(candidates, 3), (std::vector<std::size_t>{0, 1, 3})); // 40 bytes more
    QCOMPARE(solve::thinned(candidates, 1), (std::vector<std::size_t>{0}));
}

void OpCutsTest::fixedCutsStayWhateverTheyCost()
{
    const std::vector<solve::CutCandidate> candidates{{0, 9}, {900, 0, true}, {0, 9}, {0, 9}};
    QCOMPARE(solve::thinned(candidates, 2), (std::vector<std::size_t>{0, 1}));
    QCOMPARE(solve::thinned(candidates, 1), (std::vector<std::size_t>{0, 1}));
}

void OpCutsTest::spreadCutsLieEvenlyWhereFewBytesCross()
{
    // The first is where the program begins; after every second one fewer bytes cross.
    std::vector<solve::CutCandidate> candidates{{0, 10, true}};
    for (int i = 1; i < 12; ++i)
        candidates.push_back({i % 2 == 0 ? 5 : 9, 10});
    QCOMPARE(solve::spread(candidates, 4), (std::vector<std::size_t>{0, 2, 6, 10}));
    QCOMPARE(solve::spread(candidates, 2), (std::vector<std::size_t>{0, 2}));
    QCOMPARE(solve::spread(candidates, 1), (std::vector<std::size_t>{0}));
    QCOMPARE(solve::spread(candidates, 100).size(), candidates.size());
    // What nobody saves tells nothing apart; a fixed one takes no other's place.
    QCOMPARE(solve::spread({{0, 0, true}, {4, 0}, {3, 0}, {7, 0, true}}, 3),
             (std::vector<std::size_t>{0, 2, 3}));
    QCOMPARE(solve::spread({}, 3), (std::vector<std::size_t>{}));
}

} // namespace

PLIMSOLL_TEST(OpCutsTest, QCoreApplication)
#include "op_cuts_test.moc"
