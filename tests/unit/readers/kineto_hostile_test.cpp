// SPDX-License-Identifier: Apache-2.0
// Damaged and malicious traces of PyTorch's profiler: an error of one sentence, or counted
// oddities; never a crash, and no more memory than the file's size explains.
#include "core/readers/registry.h"

#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/readers/flipped_bits.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/readers/read_kineto.h"

#include <QTest>

#include <fmt/format.h>

namespace {

using namespace plimsoll::tests; // NOLINT(google-build-using-namespace)
using namespace std::string_literals;
using plimsoll::readers::kineto::Reading;

const std::string kBegin = R"({"schemaVersion": 1, "deviceProperties": [], "traceEvents": [)";

std::string memoryEvent(std::int64_t time, std::uint64_t address, const std::string& bytes)
{
    return fmt::format(R"({{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":{},"args":{{)"
                       R"("Device Type":1,"Device Id":0,"Addr":{},"Bytes":{}}}}})",
                       time, address, bytes);
}

std::string many(int count, const std::function<std::string(int)>& event)
{
    std::string text = kBegin;
    for (int i = 0; i < count; ++i)
        text += (i == 0 ? "" : ",") + event(i);
    return text + "]}";
}

class KinetoHostileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusesEveryCut();
    void survivesFlippedBits();
    void answersWithOneSentence_data();
    void answersWithOneSentence();
    void boundsTheMemory_data();
    void boundsTheMemory();
    void deepStacksAreCut();
    void refusesBombs();
    void canBeStopped();
};

void KinetoHostileTest::refusesEveryCut()
{
    const std::string whole = sampleTrace();
    const std::size_t last = whole.rfind('}');
    for (std::size_t size = 1; size <= last; ++size) {
        const auto read = readKineto(std::string_view{whole}.substr(0, size));
        const std::string fault =
            faultOfRefusal(read, {fmt::format("net.json at byte {} ends before", size)});
        QVERIFY2(fault.empty(), fault.c_str());
    }
}

void KinetoHostileTest::survivesFlippedBits()
{
    const std::string fault =
        faultOfFlippedBits(sampleTrace(), 8'000 / share(), 1,
                           [](const std::string& bytes) { return readKineto(bytes); });
    QVERIFY2(fault.empty(), fault.c_str());
}

void KinetoHostileTest::answersWithOneSentence_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("says");
    const auto row = [](const char* name, std::string bytes, const char* says) {
        QTest::newRow(name) << std::move(bytes) << std::string{says};
    };
    row("no events", kBegin + "]}", "has no memory events; record it with profile(");
    row("nothing", "", "ends before all its brackets are closed");
    row("an empty object", "{}", "has no memory events");
    row("an empty list", "[]", "has no memory events");
    row("memory of the CPU alone",
        kBegin + R"({"ph":"i","name":"[memory]","ts":1,"args":{"Device Type":0,"Bytes":5}}]})",
        "has memory events of the CPU alone (1)");
    row("a size of 2^62", kBegin + memoryEvent(1, 16, "4611686018427387904") + "]}",
        "net.json, a trace of PyTorch's profiler, has an event of GPU 0 that can't be: a size of "
        "4611686018427387904 bytes");
    row("a size of 2^64", kBegin + memoryEvent(1, 16, "18446744073709551616") + "]}",
        "has no memory events that can be read, copy or record it again: events without what");
    row("an event that is no JSON",
        kBegin + R"({"ph":"i",,"name":"[memory]","ts":1,"args":{"Device Type":1,"Bytes":5}}]})",
        "has no memory events that can be read, copy or record it again: events that are no JSON; "
        "left out (1).");
    row("a word", "hello", "net.json at byte 0 is not JSON, found \"h\"");
    row("a control character", "\x01", "found \"\\x01\"");
    row("text behind the end", kBegin + "]} {", "something follows its last bracket");
    row("a bracket of the other kind", kBegin + "}}", "nothing is open that this '}' closes");
    row("brackets that close nothing", "]", "nothing is open that this ']' closes");
    row("deep nesting", std::string(1000, '['), "nests more than 128 brackets");
    row("deep nesting in an event", kBegin + R"({"args":)" + std::string(200, '['),
        "nests more than 128 brackets");
    row("an endless event", kBegin + "{\"name\":\"" + std::string(17'000'000, 'x'),
        "has an event of more than 16 MiB");
}

void KinetoHostileTest::answersWithOneSentence()
{
    QFETCH(std::string, bytes);
    QFETCH(std::string, says);
    const std::string fault = faultOfRefusal(readKineto(bytes), {"net.json", says});
    QVERIFY2(fault.empty(), fault.c_str());
}

void KinetoHostileTest::boundsTheMemory_data()
{
    QTest::addColumn<std::string>("bytes");
    constexpr int kMany = 400'000 / kShare;
    QTest::newRow("different names") << many(kMany, [](int i) {
        return fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","ts":1,"dur":1}})", i);
    });
    QTest::newRow("different threads") << many(kMany, [](int i) {
        return fmt::format(R"({{"ph":"X","cat":"cpu_op","tid":{},"ts":1,"dur":1}})", i);
    });
    QTest::newRow("ranges") << many(
        kMany, [](int) { return R"({"ph":"X","cat":"user_annotation","ts":1,"dur":1})"s; });
    QTest::newRow("memory") << many(
        kMany, [](int i) { return memoryEvent(i, static_cast<std::uint64_t>(i) * 512, "512"); });
    QTest::newRow("other elements") << many(kMany, [](int) { return "1"s; });
    QTest::newRow("long keys and values")
        << "{\"" + std::string(8'000'000, 'k') + "\": \"" + std::string(8'000'000, 'v') + "\"}";
    QTest::newRow("settings") << [] {
        std::string text = "{";
        for (int i = 0; i < kMany; ++i)
            text += fmt::format(R"("traceName": "{}",)", i);
        return text + R"("x": 1})";
    }();
}

void KinetoHostileTest::boundsTheMemory()
{
    QFETCH(std::string, bytes);
    Reading reading{"net.json"};
    const auto fed = reading.feed(bytes);
    QVERIFY2(fed, messageOf(fed));
    QVERIFY(reading.memoryBytes() <= 2 * bytes.size() + Reading::kFreeBytes);
    const auto read = reading.finish();
    QVERIFY2(read || isOneSentence(read.error().message), messageOf(read));
}

void KinetoHostileTest::deepStacksAreCut()
{
    // 5000 functions that call each other, with an event in the middle of each.
    constexpr int kDepth = 5000;
    const std::string bytes = many(2 * kDepth, [](int i) {
        return i < kDepth
                   ? fmt::format(R"({{"ph":"X","cat":"python_function","name":"a.py({}): f",)"
                                 R"("pid":1,"tid":1,"ts":{},"dur":{}}})",
                                 i, i, 20'000 - 2 * i)
                   : memoryEvent(i - kDepth, static_cast<std::uint64_t>(i) * 512, "512");
    });
    const auto read = readKineto(bytes);
    QVERIFY2(read, messageOf(read));
    const auto& stacks = read->trace->stacks();
    const auto& all = read->trace->devices().front().allocations();
    QCOMPARE(stacks.stack(plimsoll::memtrace::StackId{all.stack[9]}).size(), std::size_t{10});
    QCOMPARE(stacks.stack(plimsoll::memtrace::StackId{all.stack[1000]}).size(), std::size_t{256});
    QVERIFY(read->trace->statistics().at("stacks_of_too_many_frames") > 4000);
}

void KinetoHostileTest::refusesBombs()
{
    const TempFolder folder;
    const auto read = plimsoll::readers::readProfile(plimsoll::io::Source{
        folder.fileWith("a.pt.trace.json.gz", gzipped(kBegin + std::string(80U << 20U, ' ')))});
    const std::string fault = faultOfRefusal(read, {"a.pt.trace.json.gz"});
    QVERIFY2(fault.empty(), fault.c_str());
}

void KinetoHostileTest::canBeStopped()
{
    const TempFolder folder;
    std::stop_source stop;
    stop.request_stop();
    for (const std::string& path :
         {folder.fileWith("a.pt.trace.json", sampleTrace()),
          folder.fileWith("b.pt.trace.json.gz", gzipped(sampleTrace()))}) {
        const auto read =
            plimsoll::readers::readProfile(plimsoll::io::Source{path}, {.stop = stop.get_token()});
        QVERIFY(!read);
        QCOMPARE(read.error().kind, plimsoll::base::ErrorKind::Cancelled);
    }
    const auto kept = plimsoll::readers::readProfile(
        plimsoll::io::Source{"c.pt.trace.json", sampleTrace()}, {.stop = stop.get_token()});
    QVERIFY(!kept);
    QCOMPARE(kept.error().kind, plimsoll::base::ErrorKind::Cancelled);
}

} // namespace

PLIMSOLL_TEST(KinetoHostileTest, QCoreApplication)
#include "kineto_hostile_test.moc"
