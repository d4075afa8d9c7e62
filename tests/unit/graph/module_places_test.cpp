// SPDX-License-Identifier: Apache-2.0
// Short names of modules and the blocks that they stand in, by paths written by hand.
#include "core/graph/module_places.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace plimsoll;

/// Path and class; a module's parent stands before it.
using Modules = std::vector<std::pair<std::string, std::string>>;

class ModulePlacesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsBlocksAndTheirPrefix_data();
    void findsBlocksAndTheirPrefix();
    void modulesAtOnePlaceAreOfOneKind();
    void keepsThePrefixThatTellsModulesApart();
    void countsNumberedLayersWithoutBlocks();
    void writesRanges_data();
    void writesRanges();
};

/// Each module is called once, in the order of the list, and runs an op if nothing is inside.
graph::Program programOf(const Modules& modules)
{
    graph::Program program;
    for (const auto& [path, className] : modules) {
        graph::Module module;
        module.path = path;
        module.className = className;
        std::string around = path;
        while (!around.empty() && !module.parent) {
            const std::size_t dot = around.rfind('.');
            around = dot == std::string::npos ? std::string{} : around.substr(0, dot);
            const auto parent = std::ranges::find(program.modules, around, &graph::Module::path);
            if (parent != program.modules.end())
                module.parent =
                    graph::ModuleId{static_cast<std::size_t>(parent - program.modules.begin())};
        }
        const graph::ModuleId id{program.modules.size()};
        program.modules.push_back(module);
        const auto op = static_cast<graph::OpIndex>(program.ops.size());
        program.ops.emplace_back().module = id;
        for (std::optional<graph::ModuleId> up = module.parent; up; up = program.module(*up).parent)
            program.calls[up->index()].last = op;
        graph::Call call;
        call.module = id;
        if (module.parent)
            call.parent = graph::CallId{module.parent->index()};
        call.first = op;
        call.last = op;
        program.calls.push_back(call);
    }
    return program;
}

graph::ModulePlace placeOf(const graph::Program& program, const std::string& path)
{
    const auto module = std::ranges::find(program.modules, path, &graph::Module::path);
    return graph::modulePlaces(program)[static_cast<std::size_t>(module - program.modules.begin())];
}

const Modules kGpt{{"", "Gpt"},
                   {"transformer", "Model"},
                   {"transformer.wte", "Embedding"},
                   {"transformer.h", "ModuleList"},
                   {"transformer.h.0", "Block"},
                   {"transformer.h.0.mlp", "Mlp"},
                   {"transformer.h.0.mlp.c_proj", "Linear"},
                   {"transformer.h.1", "Block"},
                   {"transformer.h.1.mlp", "Mlp"},
                   {"transformer.h.1.mlp.c_proj", "Linear"},
                   {"lm_head", "Linear"}};

const Modules kVit{{"", "Vit"},
                   {"encoder", "Encoder"},
                   {"encoder.layers", "Sequential"},
                   {"encoder.layers.layer_0", "Block"},
                   {"encoder.layers.layer_0.mlp", "Mlp"},
                   {"encoder.layers.layer_0.mlp.0", "Linear"},
                   {"encoder.layers.layer_0.mlp.3", "Linear"},
                   {"encoder.layers.layer_1", "Block"},
                   {"encoder.layers.layer_1.mlp", "Mlp"}};

const Modules kResNet{{"", "ResNet"},
                      {"conv1", "Conv2d"},
                      {"layer1", "Sequential"},
                      {"layer1.0", "BasicBlock"},
                      {"layer1.0.conv1", "Conv2d"},
                      {"layer1.1", "BasicBlock"},
                      {"layer1.1.conv1", "Conv2d"},
                      {"layer2", "Sequential"},
                      {"layer2.0", "BasicBlock"},
                      {"layer2.0.conv1", "Conv2d"},
                      {"layer2.1", "BasicBlock"},
                      {"layer2.1.conv1", "Conv2d"}};

void ModulePlacesTest::findsBlocksAndTheirPrefix_data()
{
    QTest::addColumn<Modules>("modules");
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("block");
    QTest::addColumn<std::string>("inside");

    const auto row = [](const char* title, const Modules& modules, std::string path,
                        std::string name, std::string block, std::string inside) {
        QTest::newRow(title) << modules << std::move(path) << std::move(name) << std::move(block)
                             << std::move(inside);
    };
    row("inside a block", kGpt, "transformer.h.1.mlp.c_proj", "h.1.mlp.c_proj", "h.1",
        "mlp.c_proj");
    row("the block", kGpt, "transformer.h.0", "h.0", "h.0", "");
    row("below the prefix", kGpt, "transformer.wte", "wte", "", "wte");
    row("beside the prefix", kGpt, "lm_head", "lm_head", "", "lm_head");
    row("the prefix", kGpt, "transformer", "transformer", "", "transformer");
    row("the model", kGpt, "", "", "", "");
    row("a name with its number", kVit, "encoder.layers.layer_1.mlp", "layer_1.mlp", "layer_1",
        "mlp");
    row("a numbered layer is no block", kVit, "encoder.layers.layer_0.mlp.3", "layer_0.mlp.3",
        "layer_0", "mlp.3");
    row("several lists", kResNet, "layer2.1.conv1", "layer2.1.conv1", "layer2.1", "conv1");
    row("outside of lists", kResNet, "conv1", "conv1", "", "conv1");
}

void ModulePlacesTest::findsBlocksAndTheirPrefix()
{
    QFETCH(Modules, modules);
    QFETCH(std::string, path);
    QFETCH(std::string, name);
    QFETCH(std::string, block);
    QFETCH(std::string, inside);
    const graph::ModulePlace place = placeOf(programOf(modules), path);
    QCOMPARE(place.name, name);
    QCOMPARE(std::string{place.block()}, block);
    QCOMPARE(std::string{place.inBlock()}, inside);
    QCOMPARE(place.isInBlock(), !block.empty());
}

void ModulePlacesTest::modulesAtOnePlaceAreOfOneKind()
{
    const graph::Program gpt = programOf(kGpt);
    const auto at = [&gpt](const char* path) { return placeOf(gpt, path); };
    QCOMPARE(at("transformer.h.0.mlp").kind, at("transformer.h.1.mlp").kind);
    QVERIFY(at("transformer.h.0.mlp").kind != at("transformer.h.0.mlp.c_proj").kind);
    QVERIFY(at("transformer.h.0").kind != at("transformer.h.0.mlp").kind);
    QCOMPARE(at("transformer.h.1.mlp").number, std::int64_t{1});
    // Blocks of other lists have other sizes.
    const graph::Program net = programOf(kResNet);
    QVERIFY(placeOf(net, "layer1.0").family == placeOf(net, "layer1.1").family);
    QVERIFY(placeOf(net, "layer1.0").family != placeOf(net, "layer2.0").family);
    QVERIFY(placeOf(net, "layer1.0.conv1").kind != placeOf(net, "layer2.0.conv1").kind);
}

void ModulePlacesTest::keepsThePrefixThatTellsModulesApart()
{
    Modules modules = kGpt;
    modules.emplace_back("wte", "Embedding");
    const graph::Program program = programOf(modules);
    QCOMPARE(placeOf(program, "wte").name, std::string{"wte"});
    QCOMPARE(placeOf(program, "transformer.wte").name, std::string{"transformer.wte"});
    QCOMPARE(placeOf(program, "transformer.h.1.mlp").name, std::string{"transformer.h.1.mlp"});
}

void ModulePlacesTest::countsNumberedLayersWithoutBlocks()
{
    const graph::Program program = programOf({{"", "Net"},
                                              {"net", "Sequential"},
                                              {"net.0", "Linear"},
                                              {"net.1", "ReLU"},
                                              {"net.2", "Linear"}});
    QVERIFY(placeOf(program, "net.0").isInBlock());
    QCOMPARE(placeOf(program, "net.0").kind, placeOf(program, "net.2").kind);
    QVERIFY(!placeOf(program, "net.1").isInBlock()); // the only one of its class
    QCOMPARE(placeOf(program, "net.2").name, std::string{"net.2"});
}

void ModulePlacesTest::writesRanges_data()
{
    QTest::addColumn<std::string>("block");
    QTest::addColumn<std::set<std::int64_t>>("numbers");
    QTest::addColumn<std::string>("text");

    using Numbers = std::set<std::int64_t>;
    QTest::newRow("all") << std::string{"h.3"} << Numbers{0, 1, 2, 3} << std::string{"h.0–h.3"};
    QTest::newRow("one") << std::string{"h.3"} << Numbers{3} << std::string{"h.3"};
    QTest::newRow("a gap") << std::string{"h.0"} << Numbers{0, 1, 2, 3, 4, 7}
                           << std::string{"h.0–h.4, h.7"};
    QTest::newRow("many gaps") << std::string{"h.0"} << Numbers{0, 2, 4, 5, 6, 10}
                               << std::string{"h.0, 2, 4–6, 10"};
    QTest::newRow("a longer path") << std::string{"encoder.layers.10"} << Numbers{9, 10, 12}
                                   << std::string{"encoder.layers.9–layers.10, layers.12"};
    QTest::newRow("a name") << std::string{"block2.layer_3"} << Numbers{3, 4}
                            << std::string{"block2.layer_3–layer_4"};
}

void ModulePlacesTest::writesRanges()
{
    QFETCH(std::string, block);
    QFETCH(std::set<std::int64_t>, numbers);
    QFETCH(std::string, text);
    QCOMPARE(graph::blockRanges(block, numbers), text);
}

} // namespace

PLIMSOLL_TEST(ModulePlacesTest, plimsoll::tests::NoApplication)
#include "module_places_test.moc"
