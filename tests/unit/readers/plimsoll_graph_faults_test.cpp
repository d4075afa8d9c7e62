// SPDX-License-Identifier: Apache-2.0
// One row per invariant of FORMAT.md: a small valid file with exactly that one broken.
#include "core/readers/plimsoll_graph/reader.h"

#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/test_main.h"
#include "tests/unit/readers/read_text.h"

#include <QTest>

#include <functional>
#include <string>

namespace {

using plimsoll::tests::faultOfRefusal;
using plimsoll::tests::graphJson;
using plimsoll::tests::messageOf;
using plimsoll::tests::readText;
using plimsoll::tests::tinyProgram;
using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;
using Change = std::function<void(Json&)>;

constexpr std::int64_t kHuge = std::int64_t{1} << 61U;

class PlimsollGraphFaultsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesIndicesOutOfRange_data();
    void namesIndicesOutOfRange() { check(); }
    void namesWrongTypesAndShapes_data();
    void namesWrongTypesAndShapes() { check(); }
    void namesBrokenTreesAndOrders_data();
    void namesBrokenTreesAndOrders() { check(); }
    void namesBrokenLifetimes_data();
    void namesBrokenLifetimes() { check(); }
    void namesChecksThatDiffer_data();
    void namesChecksThatDiffer() { check(); }
    void namesNumbersThatAreTooLarge_data();
    void namesNumbersThatAreTooLarge() { check(); }
    void givesTheByteOfTheRow();

private:
    static void columns()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<std::string>("says");
    }
    static void row(const char* name, const char* says, const Change& change)
    {
        QTest::newRow(name) << change << std::string{says};
    }
    /// Sets one cell of a table.
    static void cell(const char* name, const char* table, std::size_t at, std::size_t column,
                     const Json& value, const char* says)
    {
        row(name, says, [=](Json& file) { file[table][at][column] = value; });
    }
    static void set(const char* name, const char* pointer, const Json& value, const char* says)
    {
        row(name, says, [=](Json& file) { file[Pointer{pointer}] = value; });
    }
    static void erase(const char* name, const char* pointer, const char* says)
    {
        row(name, says, [=](Json& file) {
            const Pointer at{pointer};
            Json& parent = file[at.parent_pointer()];
            if (parent.is_array())
                parent.erase(std::stoul(at.back()));
            else
                parent.erase(at.back());
        });
    }
    void check();
};

void PlimsollGraphFaultsTest::check()
{
    QFETCH(Change, change);
    QFETCH(std::string, says);
    Json file = graphJson(tinyProgram());
    change(file);
    const auto read = readText(file.dump());
    const std::string fault = faultOfRefusal(read, {says});
    QVERIFY2(fault.empty(), fault.c_str());
    QVERIFY2(read.error().message.starts_with("net.json: "), messageOf(read));
}

void PlimsollGraphFaultsTest::namesIndicesOutOfRange_data()
{
    columns();
    cell("module's parent", "modules", 1, 0, 99, "module 1 at byte");
    cell("call's module", "calls", 1, 0, 99, "has module 99, but the file has 3");
    cell("call's parent", "calls", 1, 1, 99, "has parent: call 99");
    cell("call's first", "calls", 2, 2, 99, "has first: op 99");
    cell("call's last", "calls", 2, 3, 99, "has last: op 99");
    cell("call's inputs", "calls", 1, 4, {99}, "has inputs: tensor 99");
    cell("call's outputs", "calls", 1, 5, {99}, "has outputs: tensor 99");
    cell("call's source", "calls", 1, 6, 99, "has source 99");
    cell("storage's class", "storages", 0, 1, 10, "column `class`");
    cell("storage's alloc", "storages", 3, 2, 99, "storage 3 at byte");
    cell("storage's free", "storages", 3, 3, 99, "has free: op 99");
    cell("storage's last use", "storages", 3, 4, 99, "has last_use: op 99");
    cell("storage's python free", "storages", 3, 5, 99, "has python_free: op 99");
    cell("tensor's storage", "tensors", 0, 0, 99, "tensor 0 at byte");
    cell("tensor's dtype", "tensors", 0, 4, 99, "has dtype 99");
    cell("op's target", "ops", 1, 0, 99, "op 1 at byte");
    cell("op's phase", "ops", 1, 1, 4, "column `phase`");
    cell("op's module", "ops", 1, 2, 99, "has module 99");
    cell("op's call", "ops", 1, 3, 99, "has call 99");
    cell("op's source", "ops", 1, 4, 99, "has source 99");
    cell("op's reads", "ops", 1, 5, {99}, "has reads: tensor 99");
    cell("op's writes", "ops", 1, 6, {99}, "has writes: tensor 99");
    cell("op's outputs", "ops", 1, 7, {99}, "has outputs: tensor 99");
    cell("op's node", "ops", 5, 10, 99, "has node 99");
    cell("op's forward op", "ops", 5, 11, 99, "has forward_op 99");
    cell("op's recomputed op", "ops", 5, 15, 99, "has recompute_of 99");
    cell("saved tensor", "saved", 0, 0, 99, "saved row 0 at byte");
    cell("saving op", "saved", 0, 1, 99, "has op 99");
    cell("unpacking op", "saved", 0, 4, 99, "has unpack: op 99");
    cell("dropped", "saved", 0, 5, 99, "has dropped: op 99");
    cell("released", "saved", 0, 6, 99, "has released: op 99");
    cell("parameter's storage", "params", 0, 1, 99, "parameter 0 at byte");
    cell("parameter's gradient", "params", 0, 2, 99, "has gradient storage 99");
    cell("parameter's states", "params", 0, 3, {99}, "has states: storage 99");
    cell("below -1", "ops", 1, 2, -2, "expected a whole number from -1");
}

void PlimsollGraphFaultsTest::namesWrongTypesAndShapes_data()
{
    columns();
    cell("text for a number", "storages", 0, 0, "64", "`storages` row 0, column `bytes`, at byte");
    cell("fraction for a number", "storages", 0, 0, 64.5, "expected a whole number");
    cell("negative size", "storages", 0, 0, -1, "found -1");
    cell("null for a number", "storages", 0, 2, nullptr, "column `alloc`");
    cell("number for a text", "modules", 1, 1, 7, "expected a text, found \"7\"");
    cell("number for a list", "ops", 1, 5, 7, "column `reads`, at byte");
    cell("text in a list", "ops", 1, 5, {"a"}, "expected a whole number");
    cell("true for 0 or 1", "saved", 0, 2, true, "column `after`");
    cell("number for arguments", "structures", 0, 0, 7, "`structures` row 0, column `args`");
    cell("text for modes", "structures", 0, 2, "no_grad", "column `modes`");
    cell("keyword without a value", "structures", 0, 1, {{"causal"}}, "a name and a value");
    cell("keyword with two values", "structures", 0, 1, {{"causal", 1, 2}}, "a name and a value");
    cell("number for a keyword", "structures", 0, 1, {{1, 2}}, "expected a text");
    cell("text for a slot", "structures", 0, 0, {{{"t", "x"}}}, "expected a whole number");
    cell("slots that fall", "structures", 0, 0, {{{"t", 1}}, {{"t", 0}}},
         "tensor 0 comes after tensor 1");
    cell("slot that the call lacks", "structures", 0, 0, {{{"t", 1}}},
         "has 1 tensor in its inputs, but its arguments name tensor 1");
    erase("arguments without a result", "/calls/1/8", "ends after 8 of its 9 columns");
    set("number for a row", "/ops/2", 7, "`ops` row 2 at byte");
    set("object for a row", "/ops/2", Json::object(), "expected a row");
    set("empty row", "/ops/2", Json::array(), "ends after 0 of its 18 columns");
    erase("short row", "/ops/2/17", "ends after 17 of its 18 columns");
    set("object for a table", "/ops", Json::object(), "expected an array");
    set("number for texts", "/targets/0", 1, "`targets` at byte");
    set("array for checks", "/checks", Json::array(), "expected an object");
    erase("missing check", "/checks/peak_op", "\"peak_op\" is missing");
    erase("missing phase", "/checks/ops_by_phase/loss", "\"loss\" is missing");
    set("unknown class", "/checks/bytes_by_class/weights", 1, "class of storages");
    erase("missing table", "/saved", "the key `saved` is missing");
    set("number for the model's name", "/model", 1, "expected a text");
    set("text for the optimizer", "/optimizer", "SGD", "expected an object");
    set("compiled", "/execution", "compiled", "`execution` is \"compiled\"");
    set("written out, but saving", "/execution", "step", "but the table `saved` has rows");
    set("unknown mode", "/mode", "dream", "`mode` is \"dream\"");
    set("no op", "/ops", Json::array(), "`ops` is empty");
    set("no module", "/modules", Json::array(), "`modules` is empty");
}

void PlimsollGraphFaultsTest::namesBrokenTreesAndOrders_data()
{
    columns();
    cell("root with a parent", "modules", 0, 0, 1, "must be the model itself");
    cell("root with a path", "modules", 0, 1, "net", "must be the model itself");
    cell("second root", "modules", 2, 0, -1, "module 2 at byte");
    cell("module's parent comes later", "modules", 1, 0, 2, "must have a parent in a row before");
    cell("module is its own parent", "modules", 1, 0, 1, "must have a parent in a row before");
    cell("call's parent comes later", "calls", 1, 1, 2, "call 1 at byte");
    cell("unknown arguments", "calls", 1, 7, 1, "arguments: structure 1, but the file has 1");
    cell("unknown result", "calls", 1, 8, 1, "result: structure 1, but the file has 1");
    cell("call ends before it begins", "calls", 2, 3, 0, "ends at op 0 before it begins at op 2");
    cell("call beyond its parent", "calls", 2, 3, 3, "beyond its parent's 0 to 2");
    row("calls out of order", "begins before the call in the row above",
        [](Json& f) { std::swap(f["calls"][1], f["calls"][2]); });
    cell("loss before forward", "ops", 0, 1, 1,
         "is of phase forward but follows one of phase loss");
    cell("backward in between", "ops", 1, 1, 2,
         "is of phase forward after backward, so it begins micro-step 2, but the header says 1");
    set("fewer micro-steps than said", "/micro_steps", 2,
        "ends a step of 1 micro-steps, but the header says 2");
    set("no micro-step", "/micro_steps", 0, "expected a whole number from 1");
    cell("forward op comes later", "ops", 5, 11, 6, "names a forward_op that is not before it");
    cell("recomputes itself", "ops", 5, 15, 5, "names a recompute_of that is not before it");
    cell("repetition in a recorded step", "ops", 5, 8, 32, "is a recomputation of a plan");
    cell("dropped before it is unpacked", "saved", 0, 5, 2, "is unpacked before op");
    cell("released before it is dropped", "saved", 0, 6, 2, "later than its release after op 2");
    cell("dropped but never unpacked", "saved", 0, 4, nullptr, "was never unpacked");
}

void PlimsollGraphFaultsTest::namesBrokenLifetimes_data()
{
    columns();
    // Storage 3 is the hidden matrix: op 1 makes it, op 2 reads it last. Storage 4 is saved.
    cell("allocated later", "storages", 3, 2, 2, "returns storage 3 before its alloc at op 2");
    row("read after its free", "reads storage 3 after its free at op 1", [](Json& f) {
        f["storages"][3][3] = 1;
        f["storages"][3][5] = 1;
    });
    set("used after its free", "/storages/4/3", 3, "reads storage 4 after its free at op 3");
    row("freed before it is allocated", "is freed at op 0 but allocated later, at op 1",
        [](Json& f) {
            f["storages"][3][3] = 0;
            f["storages"][3][5] = 0;
        });
    cell("python frees later", "storages", 3, 5, 3, "has a python_free (op 3) later than its free");
    cell("python never frees", "storages", 3, 5, nullptr, "has a python_free (after the step)");
    cell("python frees too early", "storages", 3, 5, 0, "earlier than its alloc");
    cell("scratch of two ops", "storages", 3, 1, 9,
         "is scratch, so its `alloc` and `free` must be the op that takes it");
    cell("scratch before the step", "storages", 0, 1, 9, "is scratch, so its `alloc`");
    row("a tensor of scratch", "is a tensor of scratch, which has none", [](Json& f) {
        f["storages"][3][1] = 9;
        f["storages"][3][3] = 1;
        f["storages"][3][5] = 1;
    });
    row("a gradient of scratch", "names scratch, which is no value of the step", [](Json& f) {
        f["params"][0][2] = f["storages"].size();
        f["storages"].push_back({64, 9, 1, 1, -1, 1, Json::array()});
    });
    cell("wrong last use", "storages", 3, 4, 1, "has last_use 1, but the ops use it last at 2");
    cell("tensor behind its storage", "tensors", 0, 3, 1, "reaches beyond the 64 B of its storage");
    cell("tensor larger than its storage", "tensors", 0, 1, {5, 4}, "reaches beyond");
    cell("strides beyond the storage", "tensors", 0, 2, {5, 1}, "reaches beyond");
    cell("sizes without strides", "tensors", 0, 2, {1}, "has 2 sizes but 1 stride");
}

void PlimsollGraphFaultsTest::namesChecksThatDiffer_data()
{
    columns();
    for (const char* key : {"ops", "storages", "tensors", "saved_bytes", "peak_bytes", "peak_op"})
        row(key, key, [key](Json& f) { f["checks"][key] = f["checks"][key].get<int>() + 1; });
    set("ops_by_phase", "/checks/ops_by_phase/loss", 7,
        "ops_by_phase.loss is 7, but the tables give 1");
    set("bytes_by_class", "/checks/bytes_by_class/parameter", 7,
        "bytes_by_class.parameter is 7, but the tables give 64");
}

void PlimsollGraphFaultsTest::namesNumbersThatAreTooLarge_data()
{
    columns();
    cell("a size", "storages", 0, 0, std::uint64_t{1} << 62U, "below 2^62");
    cell("a size beyond 64 bits", "storages", 0, 0, 1e30, "expected a whole number");
    cell("an index", "ops", 0, 5, {std::uint64_t{1} << 32U}, "below 2^31");
    cell("a moment", "storages", 3, 3, (std::int64_t{1} << 31U) - 1, "below 2^31");
    cell("a version's worth of flags", "ops", 0, 8, std::int64_t{1} << 40U, "column `flags`");
    const auto sum = [](const char* name, const char* table, std::size_t column, const char* says) {
        row(name, says, [=](Json& f) {
            f[table][0][column] = kHuge;
            f[table][1][column] = kHuge;
        });
    };
    sum("sum of bytes", "storages", 0, "storage 1 at byte");
    sum("sum of flops", "ops", 12, "flops of all ops to 2^62");
    sum("sum of bytes moved", "ops", 13, "bytes_moved of all ops to 2^62");
    sum("sum of times", "ops", 14, "time_ns of all ops to 2^62");
    cell("strides that overflow", "tensors", 0, 2, {kHuge, kHuge}, "reaches beyond");
    cell("sizes that overflow", "tensors", 0, 1, {kHuge, kHuge}, "reaches beyond");
    cell("an offset that overflows", "tensors", 0, 3, kHuge * 2 - 1, "reaches beyond");
}

void PlimsollGraphFaultsTest::givesTheByteOfTheRow()
{
    Json file = graphJson(tinyProgram());
    file["ops"][5][11] = 6;
    const std::string text = file.dump();
    const std::size_t byte = text.find(file["ops"][5].dump());
    const auto read = readText(text);
    const std::string fault = faultOfRefusal(read, {"op 5 at byte " + std::to_string(byte) + " "});
    QVERIFY2(fault.empty(), fault.c_str());
}

} // namespace

PLIMSOLL_TEST(PlimsollGraphFaultsTest, QCoreApplication)
#include "plimsoll_graph_faults_test.moc"
