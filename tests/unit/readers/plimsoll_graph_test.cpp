// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/reader.h"

#include "tests/support/graph_dump.h"
#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/test_main.h"
#include "tests/unit/readers/read_text.h"

#include <QElapsedTimer>
#include <QTest>

#include <string>

namespace {

using plimsoll::base::ErrorKind;
using plimsoll::base::JobContext;
using plimsoll::graph::Program;
using plimsoll::tests::faultOfRefusal;
using plimsoll::tests::graphJson;
using plimsoll::tests::graphText;
using plimsoll::tests::isOneSentence;
using plimsoll::tests::layeredProgram;
using plimsoll::tests::messageOf;
using plimsoll::tests::readText;
using plimsoll::tests::tinyProgram;
using Json = nlohmann::ordered_json;

constexpr std::size_t kAllRows = 1'000'000;

class PlimsollGraphTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsBackWhatWasWritten_data();
    void readsBackWhatWasWritten();
    void readsKeysInAnyOrder();
    void readsOptionalValues();
    void readsFilesThatDoNotTellHowCallsWereMade();
    void toleratesAndCountsOddities();
    void opensTenThousandOpsWellWithinASecond();
    void stopsWhenAsked();
    void answersEveryTruncationWithOneSentence();
    void answersEveryChangedByteWithoutCrashing();
    void refusesKeysThatComeTwice_data();
    void refusesKeysThatComeTwice();
    void looksAtEveryTokenOfWhatItSkips_data();
    void looksAtEveryTokenOfWhatItSkips();
    void refusesWhatIsNoGraph_data();
    void refusesWhatIsNoGraph();
    void refusesDeepNesting_data();
    void refusesDeepNesting();
};

std::string dumpOf(const Program& program)
{
    return plimsoll::tests::dumpProgram(program, kAllRows);
}

void PlimsollGraphTest::readsBackWhatWasWritten_data()
{
    QTest::addColumn<std::size_t>("ops");
    QTest::newRow("tiny") << std::size_t{1};
    QTest::newRow("many layers") << std::size_t{300};
}

void PlimsollGraphTest::readsBackWhatWasWritten()
{
    QFETCH(std::size_t, ops);
    const Program program = ops == 1 ? tinyProgram() : layeredProgram(ops);
    const auto read = readText(graphText(program));
    QVERIFY2(read, messageOf(read));
    QCOMPARE(dumpOf(*read->program), dumpOf(program));
    QVERIFY(read->program->checks == plimsoll::graph::recount(*read->program));
    QCOMPARE(read->formatId, std::string{"plimsoll-graph"});
    QCOMPARE(read->formatVersion, 1);
    QVERIFY(read->statistics.empty());
}

void PlimsollGraphTest::readsKeysInAnyOrder()
{
    const nlohmann::json sorted = nlohmann::json::parse(graphText(tinyProgram()));
    const auto read = readText(sorted.dump(2));
    QVERIFY2(read, messageOf(read));
    QCOMPARE(dumpOf(*read->program), dumpOf(tinyProgram()));
}

void PlimsollGraphTest::readsOptionalValues()
{
    Program program = tinyProgram();
    program.header.optimizer.clear();
    program.header.autocast = "bfloat16";
    program.header.values = "real";
    program.ops[1].measured = plimsoll::base::Nanoseconds{1234};
    program.ops[5].recomputeOf = plimsoll::graph::OpId{2};
    program.ops[2].isRandom = true;
    program.modules[1].hasHooks = true;
    program.modules[2].isCalledDirectly = true;
    program.structures.push_back(
        {{{"",
           R"([{"t":0},{"alias":2,"t":1},{"hooks":true,"t":2},{"tuple":["a\"b\\",-0.0,1,true,null]}])"},
          {"causal", R"({"object":["Cache",3]})"}},
         {"no_grad"},
         {{0, false}, {1, true}, {2, true}}});
    program.calls[1].inputs.resize(3, program.calls[1].inputs.front());
    program.calls[1].arguments = plimsoll::graph::StructureId{1};
    program.calls[2].result.reset();
    program.saved[0].released = plimsoll::graph::kNever;
    program.saved[1].unpack.reset();
    program.saved[1].dropped = plimsoll::graph::kNever;
    const auto read = readText(graphText(program));
    QVERIFY2(read, messageOf(read));
    QCOMPARE(dumpOf(*read->program), dumpOf(program));
    QCOMPARE(read->program->saved[1].dropped, plimsoll::graph::kNever);
    QVERIFY(read->program->structures == program.structures);
}

void PlimsollGraphTest::readsFilesThatDoNotTellHowCallsWereMade()
{
    Json file = graphJson(tinyProgram());
    file.erase("structures");
    for (Json& row : file["calls"])
        row.erase(row.begin() + 7, row.end());
    for (Json& row : file["modules"])
        row.erase(row.begin() + 3, row.end());
    const auto read = readText(file.dump());
    QVERIFY2(read, messageOf(read));
    const std::map<std::string, std::size_t> expected{
        {"calls whose arguments are not recorded", 3}};
    QVERIFY(read->statistics == expected);
    QVERIFY(read->program->structures.empty());
    for (const auto& call : read->program->calls)
        QVERIFY(!call.arguments && !call.result);
}

void PlimsollGraphTest::toleratesAndCountsOddities()
{
    Json file = graphJson(tinyProgram());
    file["from_the_future"] = Json::parse(R"({"a": [1, {"b": "]}"}]})");
    file["another"] = 3;
    file["storages"][0].push_back("a column of the future");
    file["ops"][3][8] = 1 << 20;
    file["dtypes"] = {"float31"};
    const auto read = readText(file.dump());
    QVERIFY2(read, messageOf(read));
    const std::map<std::string, std::size_t> expected{
        {"unknown keys", 2},
        {"rows with columns beyond those of version 1", 1},
        {"ops with unknown flags", 1},
        {"tensors of a dtype of unknown size", tinyProgram().tensors.size()}};
    QVERIFY(read->statistics == expected);
}

void PlimsollGraphTest::opensTenThousandOpsWellWithinASecond()
{
    const std::string text = graphText(layeredProgram(10'000));
    QElapsedTimer timer;
    timer.start();
    const auto read = readText(text);
    const qint64 elapsed = timer.elapsed();
    QVERIFY2(read, messageOf(read));
    QVERIFY(read->program->ops.size() >= 10'000);
    // A sanitizer's build on a loaded machine included; the benchmark prints the real figure.
    QVERIFY2(elapsed < 1000, std::to_string(elapsed).c_str());
}

void PlimsollGraphTest::stopsWhenAsked()
{
    std::stop_source source;
    source.request_stop();
    const auto read = readText(graphText(layeredProgram(10'000)), JobContext{source.get_token()});
    QVERIFY(!read);
    QVERIFY(read.error().kind == ErrorKind::Cancelled);
}

void PlimsollGraphTest::answersEveryTruncationWithOneSentence()
{
    const std::string text = graphText(tinyProgram());
    for (std::size_t size = 0; size < text.size(); ++size) {
        const auto read = readText(std::string_view{text}.substr(0, size));
        // Cut behind a complete number or key, the text differs only by where it ends.
        const std::string fault = faultOfRefusal(read, {std::to_string(size), "cut off"});
        QVERIFY2(fault.empty(), (std::to_string(size) + ": " + fault).c_str());
        QVERIFY2(read.error().message.starts_with("net.json: "), messageOf(read));
    }
}

void PlimsollGraphTest::answersEveryChangedByteWithoutCrashing()
{
    const std::string text = graphText(tinyProgram());
    for (const char replacement : {'\0', '"', '[', ']', '{', '}', ',', '9', '-', 'n', '\\', '\xff'})
        for (std::size_t at = 0; at < text.size(); ++at) {
            std::string changed = text;
            changed[at] = replacement;
            const auto read = readText(changed);
            if (!read)
                QVERIFY2(isOneSentence(read.error().message), messageOf(read));
        }
}

void PlimsollGraphTest::refusesWhatIsNoGraph_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("says");
    const std::string good = graphText(tinyProgram());
    QTest::newRow("nothing") << std::string{} << std::string{"cut off"};
    QTest::newRow("blanks") << std::string{" \n "} << std::string{"cut off"};
    QTest::newRow("garbage") << std::string{"\x01\x02gibberish"} << std::string{"at byte 0"};
    QTest::newRow("a number") << std::string{"12"} << std::string{"expected an object"};
    QTest::newRow("an array") << std::string{"[1, 2]"} << std::string{"expected an object"};
    QTest::newRow("an empty object") << std::string{"{}"} << std::string{"`format` is missing"};
    QTest::newRow("no version") << std::string{R"({"format": "plimsoll-graph"})"}
                                << std::string{"`version` is missing"};
    QTest::newRow("another format") << std::string{R"({"format": "onnx", "version": 1})"}
                                    << std::string{"the format is \"onnx\""};
    QTest::newRow("a newer version")
        << std::string{R"({"format": "plimsoll-graph", "version": 2, "ops": 7})"}
        << std::string{"version 2 of the format and this Plimsoll reads up to version 1"};
    QTest::newRow("version 0") << std::string{R"({"format": "plimsoll-graph", "version": 0})"}
                               << std::string{"version 0 of the format does not exist"};
    QTest::newRow("a version in words")
        << std::string{R"({"format": "plimsoll-graph", "version": "one"})"}
        << std::string{"expected a whole number"};
    QTest::newRow("no tables") << std::string{R"({"format": "plimsoll-graph", "version": 1})"}
                               << std::string{"the key `targets` is missing"};
    QTest::newRow("not UTF-8") << std::string{"{\"format\": \"\xc3\x28\"}"}
                               << std::string{"at byte 12: this is not UTF-8"};
    QTest::newRow("something behind the end") << good + "[]" << std::string{"net.json: "};
    QTest::newRow("a second object behind the end") << good + good << std::string{"not JSON"};
    QTest::newRow("a table twice")
        << good.substr(0, good.size() - 1) + ",\"ops\":[]}"
        << std::string{"the key \"ops\" appears here for the second time"};
}

void PlimsollGraphTest::refusesKeysThatComeTwice_data()
{
    QTest::addColumn<std::string>("before"); ///< the text in front of which the key is repeated
    QTest::addColumn<std::string>("key");
    QTest::newRow("a text of the header")
        << std::string{"\"model_class\":"} << std::string{"model"};
    QTest::newRow("escaped otherwise")
        << std::string{"\"model_class\":"} << std::string{"m\\u006fdel"};
    QTest::newRow("the format") << std::string{"\"version\":"} << std::string{"format"};
    QTest::newRow("a table") << std::string{"\"saved\":"} << std::string{"ops"};
    QTest::newRow("the optimizer's class") << std::string{"\"variant\":"} << std::string{"class"};
    QTest::newRow("a check") << std::string{"\"peak_op\":"} << std::string{"peak_bytes"};
    QTest::newRow("a phase") << std::string{"\"backward\":"} << std::string{"forward"};
    QTest::newRow("an unknown key") << std::string{"\"saved\":"} << std::string{"x\": 1, \"x"};
}

void PlimsollGraphTest::refusesKeysThatComeTwice()
{
    QFETCH(std::string, before);
    QFETCH(std::string, key);
    std::string text = graphText(tinyProgram());
    if (const std::size_t plain = text.find("\"optimizer\":null"); plain != std::string::npos)
        text.replace(plain, 16, R"("optimizer":{"class":"SGD","variant":"foreach"})");
    // Behind the original: the second of the two is told.
    std::size_t at = text.find(before);
    QVERIFY(at != std::string::npos);
    const std::string again = "\"" + key + "\": 1, ";
    text.insert(at, again);
    at += again.rfind('"', again.size() - 5);
    at = text.rfind('"', at - 1);
    const auto read = readText(text);
    const std::string fault = faultOfRefusal(
        read, {"appears here for the second time", "at byte " + std::to_string(at) + ":"});
    QVERIFY2(fault.empty(), fault.c_str());
}

void PlimsollGraphTest::looksAtEveryTokenOfWhatItSkips_data()
{
    QTest::addColumn<std::string>("arguments");
    QTest::addColumn<std::string>("bad"); ///< from the broken token on; empty: all is well
    QTest::addColumn<std::string>("says");
    const auto row = [](const char* arguments, const char* bad,
                        const char* says = "this is not JSON") {
        QTest::newRow(arguments) << std::string{arguments} << std::string{bad} << std::string{says};
    };
    row(R"([])", "");
    row(R"([ 1 , -0.5e+3, "a\\\"\u00e9", true,false ,null, {"t": 3}, {}, [[ ]] ])", "");
    row(R"(7)", "");
    row(R"("text")", "");
    row(R"([nan])", "nan]");
    row(R"([NaN])", "NaN]");
    row(R"([1, tru])", "tru]");
    row(R"([1 2])", "2]");
    row(R"([1,])", "]");
    row(R"([01])", "1]");
    row(R"([+1])", "+1]");
    row(R"([1.])", "]");
    row(R"([1e])", "]");
    row(R"([-])", "]");
    row(R"({"a" 1})", "1}");
    row(R"({"a":})", "}");
    row(R"({1:2})", "1:2}");
    row(R"(["\x"])", "x\"]");
    row(R"(["\u12g4"])", "g4\"]");
    row("nul", "nul");
    row("1.5.5", ".5");
    row(R"([{"t": 3}, {"t": 3}, {"t": 3, "t": 4}])", R"("t": 4}])",
        "the key \"t\" appears here for the second time");
}

void PlimsollGraphTest::looksAtEveryTokenOfWhatItSkips()
{
    QFETCH(std::string, arguments);
    QFETCH(std::string, bad);
    QFETCH(std::string, says);
    const std::string good = graphText(tinyProgram());
    const std::string keywords = R"({"alpha":1.5,"dtype":{"dtype":"float32"}})";
    const std::size_t at = good.find(keywords);
    QVERIFY(at != std::string::npos);
    std::string text = good;
    text.replace(at, keywords.size(), arguments);
    const auto read = readText(text);
    QCOMPARE(read.has_value(), bad.empty());
    if (read)
        return;
    const std::size_t broken = at + arguments.size() - bad.size();
    const std::string& message = read.error().message;
    QVERIFY2(isOneSentence(message), message.c_str());
    QVERIFY2(message.find("column `kwargs`") != std::string::npos, message.c_str());
    QVERIFY2(message.find(says) != std::string::npos, message.c_str());
    if (bad.size() > 3 || bad == "]")
        QVERIFY2(message.find("at byte " + std::to_string(broken) + ":") != std::string::npos,
                 (message + " not " + std::to_string(broken)).c_str());
}

void PlimsollGraphTest::refusesWhatIsNoGraph()
{
    QFETCH(std::string, text);
    QFETCH(std::string, says);
    const auto read = readText(text);
    const std::string fault = faultOfRefusal(read, {says});
    QVERIFY2(fault.empty(), fault.c_str());
}

void PlimsollGraphTest::refusesDeepNesting_data()
{
    QTest::addColumn<std::string>("text");
    constexpr std::size_t kDeep = 1'000'000;
    const std::string opened(kDeep, '[');
    const std::string closed(kDeep, ']');
    const std::string good = graphText(tinyProgram());
    const std::string head = good.substr(0, good.size() - 1) + ",\"x\":";
    QTest::newRow("brackets only") << opened;
    QTest::newRow("closed brackets") << opened + closed;
    QTest::newRow("in an unknown key") << head + opened + closed + "}";
    QTest::newRow("in an unknown key, not closed") << head + opened + "}";
    QTest::newRow("in a table") << R"({"format":"plimsoll-graph","version":1,"ops":)" + opened
                                       + closed + "}";
    Json file = graphJson(tinyProgram());
    file["ops"][1][16] = "HERE";
    std::string inArguments = file.dump();
    inArguments.replace(inArguments.find("\"HERE\""), 6, opened + closed);
    QTest::newRow("in the arguments of an op") << inArguments;
}

void PlimsollGraphTest::refusesDeepNesting()
{
    QFETCH(std::string, text);
    const auto read = readText(text);
    const std::string fault = faultOfRefusal(read, {});
    QVERIFY2(fault.empty(), fault.c_str());
}

} // namespace

PLIMSOLL_TEST(PlimsollGraphTest, QCoreApplication)
#include "plimsoll_graph_test.moc"
