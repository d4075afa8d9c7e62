// SPDX-License-Identifier: Apache-2.0
// Operators and the time that the GPU took for them, of traces of PyTorch's profiler.
#include "core/readers/registry.h"

#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/readers/read_kineto.h"

#include <QTest>

#include <map>

namespace {

using namespace plimsoll;
using memtrace::OpRecording;

std::string traceOf(const std::string& events)
{
    return R"({"baseTimeNanoseconds": 1772323200000000000, "deviceProperties": [)"
           R"({"id": 0, "name": "NVIDIA H100"}, {"id": 1, "name": "NVIDIA L4"}],)"
           R"("traceEvents": [)"
           + events + "]}";
}

std::string span(const char* category, const char* name, int thread, const char* begin,
                 const char* duration, const std::string& arguments)
{
    return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 7, "tid": {}, "ts": {}, )"
                       R"("dur": {}, "args": {{{}}}}},)",
                       category, name, thread, begin, duration, arguments);
}

/// add calls mul, on another thread mm runs at the same time.
std::string someOps()
{
    return span("cpu_op", "aten::mul", 1, "12.5", "4",
                R"("External id": 2, "Input Dims": [[], [8, 64], [64]])")
           + span("cpu_op", "aten::add", 1, "10", "10",
                  R"("External id": 1, "Input Dims": [[], []])")
           + span("cpu_op", "aten::mm", 2, "11", "10",
                  R"("External id": 3, "Input Dims": [[[8], [9]], [3]])")
           + span("user_annotation", "ProfilerStep#3", 1, "0", "100", R"("External id": 9)");
}

/// The device's nanoseconds by name of the operator that launched them.
std::map<std::string, std::int64_t> timesOf(const OpRecording& recording)
{
    std::map<std::string, std::int64_t> times;
    for (const memtrace::OpSpan& each : recording.spans)
        times[recording.nameOf(each)] = each.deviceTime.count();
    return times;
}

using Times = std::map<std::string, std::int64_t>;

class KinetoOpsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void kernelsAreTiedByIdAndByCall()
    {
        const auto read = tests::readOps(traceOf(
            someOps() + span("kernel", "k", 7, "50", "3.125", R"("External id": 2, "device": 0)")
            + span("gpu_memcpy", "Memcpy", 7, "54", "1",
                   R"("External id": 77, "device": 0, "correlation": 5)")
            + span("cuda_runtime", "cudaMemcpyAsync", 1, "17", "1", R"("correlation": 5)")
            + span("gpu_memset", "Memset", 7, "56", "0.5", R"("device": 0, "correlation": 6)")
            + span("cuda_driver", "cuMemsetD8", 2, "12", "1", R"("correlation": 6)")
            + span("kernel", "lost", 7, "58", "0.25", R"("device": 0, "correlation": 8)")));
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const OpRecording& recording = **read;
        QCOMPARE(timesOf(recording), (Times{{"aten::mul", 3125},
                                            {"aten::add", 1000}, // mul had ended
                                            {"aten::mm", 500},
                                            {"ProfilerStep#3", 0}}));
        QCOMPARE(recording.untied, std::size_t{1});
        QCOMPARE(recording.untiedTime.count(), 250);
        QCOMPARE(recording.deviceName, std::string{"NVIDIA H100"});
        QCOMPARE(recording.epochNs, 1772323200000000000);
        QVERIFY(recording.hasShapes);
        for (const memtrace::OpSpan& each : recording.spans) {
            const std::string& name = recording.nameOf(each);
            const std::string parent = each.parent == memtrace::kNone
                                           ? ""
                                           : recording.nameOf(recording.spans[each.parent]);
            QCOMPARE(parent, name == "aten::mul"   ? std::string{"aten::add"}
                             : name == "aten::add" ? std::string{"ProfilerStep#3"}
                                                   : std::string{});
            QCOMPARE(recording.texts[each.shapes], name == "aten::mul"  ? std::string{"8x64,64"}
                                                   : name == "aten::mm" ? std::string{"3"}
                                                                        : std::string{});
            QCOMPARE(each.isRange, name == "ProfilerStep#3");
        }
    }

    void oldTracesSayItOtherwise() // torch 1.8 to 1.11
    {
        const auto read = tests::readOps(
            "[" + span("Operator", "aten::add", 1, "10", "10", R"("External id": 1)")
            + span("Kernel", "k", 7, "50", "3", R"("external id": 1, "device": 1)")
            + span("Memset", "m", 7, "55", "1", R"("external id": 1, "device": 1)") + "{}]");
        QVERIFY(read);
        QCOMPARE(timesOf(**read), (Times{{"aten::add", 4000}}));
        QCOMPARE((*read)->device, 1);
        QCOMPARE((*read)->deviceName, std::string{});
        QCOMPARE((*read)->epochNs, 0);
    }

    void theBusiestDeviceIsTaken()
    {
        const auto read = tests::readOps(traceOf(
            someOps() + span("kernel", "k", 7, "50", "3", R"("External id": 2, "device": 0)")
            + span("kernel", "k", 7, "50", "4", R"("External id": 3, "device": 1)")));
        QVERIFY(read);
        QCOMPARE((*read)->deviceName, std::string{"NVIDIA L4"});
        QCOMPARE((*read)->onOtherDevices, std::size_t{1});
        QCOMPARE(timesOf(**read)["aten::mul"], 0);
        QCOMPARE(timesOf(**read)["aten::mm"], 4000);
    }

    void whatIsMissingIsTold_data()
    {
        QTest::addColumn<QString>("events");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const std::string& events, const char* sentence) {
            QTest::newRow(name) << QString::fromStdString(events) << sentence;
        };
        const std::string kernel = span("kernel", "k", 7, "50", "3", R"("device": 0)");
        row("no kernels", someOps() + "{}", "has no kernels of a GPU.");
        row("no operators", kernel + "{}", "has kernels, but no operators that launched them.");
        row("no ties", someOps() + kernel + "{}",
            "has kernels and operators, but not which operator launched which kernel.");
    }
    void whatIsMissingIsTold()
    {
        QFETCH(QString, events);
        QFETCH(QString, sentence);
        const auto read = tests::readOps(traceOf(events.toStdString()));
        QVERIFY(!read);
        QCOMPARE(read.error().message,
                 "net.json, a trace of PyTorch's profiler, " + sentence.toStdString());
    }

    void anyDamageIsToldOrTolerated()
    {
        const std::string whole = traceOf(
            someOps() + span("kernel", "k", 7, "50", "3.125", R"("External id": 2, "device": 0)"));
        for (std::size_t cut = 0; cut < whole.size(); cut += 7)
            QVERIFY(!tests::readOps(whole.substr(0, cut)));
        for (std::size_t at = 0; at < whole.size(); at += 3) {
            std::string other = whole;
            other[at] = '9';
            const auto read = tests::readOps(other, 11);
            QVERIFY(read || read.error().message.ends_with('.'));
        }
        QVERIFY(tests::readOps(traceOf(
            someOps() + span("kernel", "k", 7, "9e18", "1e300", R"("External id": 2, "device": -4)")
            + span("kernel", "k", 7, "50", "3", R"("External id": 2, "device": 0)"))));
    }

    void otherFormatsSayWhyNot()
    {
        const tests::TempFolder folder;
        const std::string file = folder.fileWith("memory.csv", "bytes,alloc_event\n1,2\n");
        io::Source source{file};
        const readers::Registry formats{readers::profileReaders()};
        const auto read = formats.readOps(source);
        QVERIFY(!read);
        QVERIFY2(read.error().message.find("has no kernels; record a trace of torch.profiler with")
                     != std::string::npos,
                 read.error().message.c_str());
    }
};

} // namespace

PLIMSOLL_TEST(KinetoOpsTest, QCoreApplication)
#include "kineto_ops_test.moc"
