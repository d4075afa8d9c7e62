// SPDX-License-Identifier: Apache-2.0
// Operators and the time that the GPU took for them, of exports of Nsight Systems.
#include "core/readers/nsys/operators.h"

#include "tests/support/test_main.h"
#include "tests/unit/readers/nsys_file.h"

#include <QTest>

#include <fmt/format.h>

#include <map>

namespace {

using namespace plimsoll;
using memtrace::OpRecording;
using readers::nsys::NvtxOperator;

constexpr auto kThread = "77 * 16777216 + 78";
constexpr auto kOther = "77 * 16777216 + 79";

/// A step of process 77, with a mm that a thread of its own calls.
std::string someTables()
{
    return fmt::format(
        R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (7, 'step 1');
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER NOT NULL);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1772323200000000000);
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA L4'), (1, 'NVIDIA H100');
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 77);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER);
INSERT INTO NVTX_EVENTS VALUES (0, 1000, 59, NULL, {0}, 7),
    (100, 200, 59, 'aten::linear, op_id = 1, sizes = [[], [8, 64], [8]]', {0}, NULL),
    (110, 190, 59, 'aten::mm, seq = 3, op_id = 2, sizes = [[8, 64], [64, 8]]', {0}, NULL),
    (120, NULL, 34, 'a mark', {0}, NULL),
    (300, 400, 59, 'aten::mul, seq = 4', {1}, NULL),
    (100, 200, 59, 'aten::of_another_process', 99 * 16777216 + 1, NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (150, 160, {0}, 1, 0), (195, 196, {0}, 2, 0),
    (350, 360, {1}, 3, 0), (150, 160, 99 * 16777216 + 1, 3, 0), (900, 901, {0}, 4, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, correlationId INTEGER, globalPid INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (500, 540, 0, 1, 77 * 16777216), (540, 547, 0, 2, 77 * 16777216),
    (10, 1010, 0, 1, 99 * 16777216);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, correlationId INTEGER, globalPid INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (600, 603, 0, 3, 77 * 16777216);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, correlationId INTEGER, globalPid INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (700, 701, 0, 4, 77 * 16777216), (800, 805, 0, 99, 77 * 16777216);
)",
        kThread, kOther);
}

auto readOps(const std::string& sql)
{
    return readers::nsys::readDatabaseOps(tests::databaseOf(sql), "a.sqlite");
}

std::map<std::string, std::int64_t> timesOf(const OpRecording& recording)
{
    std::map<std::string, std::int64_t> times;
    for (const memtrace::OpSpan& each : recording.spans)
        times[recording.nameOf(each)] = each.deviceTime.count();
    return times;
}

class NsysOpsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void kernelsAreTiedByTheCallThatLaunchedThem()
    {
        const auto read = readOps(someTables());
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const OpRecording& recording = **read;
        const std::map<std::string, std::int64_t> expected{
            {"aten::mm", 40}, {"aten::linear", 7}, {"aten::mul", 3}, {"step 1", 1}};
        QCOMPARE(timesOf(recording), expected);
        QCOMPARE(recording.untied, std::size_t{1}); // no call has its correlation
        QCOMPARE(recording.untiedTime.count(), 5);
        QCOMPARE(recording.device, 1); // of the machine
        QCOMPARE(recording.deviceName, std::string{"NVIDIA H100"});
        QCOMPARE(recording.epochNs, 1772323200000000000);
        for (const memtrace::OpSpan& each : recording.spans) {
            const std::string& name = recording.nameOf(each);
            QCOMPARE(each.isRange, name == "step 1");
            QCOMPARE(recording.texts[each.shapes], std::string{name == "aten::mm" ? "8x64,64x8"
                                                               : name == "aten::linear" ? "8x64,8"
                                                                                        : ""});
        }
    }

    void namesAreThoseOfOperators_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("shape");
        const auto row = [](const char* text, const char* name, const char* shape) {
            QTest::newRow(text) << text << name << shape;
        };
        row("aten::mm", "aten::mm", "");
        row("aten::mm, seq = 3, op_id = 7, sizes = [[8, 64], [64, 8]]", "aten::mm", "8x64,64x8");
        row("aten::add_, op_id = 7, sizes = [[], [], [3]]", "aten::add_", "3");
        row("aten::cat, sizes = [[[8, 64], [9]], [], [3]]", "aten::cat", "3");
        row("aten::cat, sizes = [", "aten::cat", "");
        row("aten::cat, sizes = [[8, 64", "aten::cat", "");
        row("autograd::engine::evaluate_function: MmBackward0, seq = 3",
            "autograd::engine::evaluate_function: MmBackward0", "");
        row("ProfilerStep#3", "ProfilerStep#3", "");
        row("", "", "");
    }
    void namesAreThoseOfOperators()
    {
        QFETCH(QString, text);
        QFETCH(QString, name);
        QFETCH(QString, shape);
        const std::string bytes = text.toStdString();
        const NvtxOperator of = NvtxOperator::of(bytes);
        QCOMPARE(std::string{of.name}, name.toStdString());
        QCOMPARE(of.shapes, shape.toStdString());
    }

    void whatIsMissingIsTold()
    {
        const auto message = [](const std::string& sql) {
            const auto read = readOps(someTables() + sql);
            return read ? std::string{} : read.error().message;
        };
        QCOMPARE(message("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE "
                         "CUPTI_ACTIVITY_KIND_MEMSET; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY;"),
                 std::string{"a.sqlite has no kernels of a GPU."});
        QCOMPARE(message("DROP TABLE NVTX_EVENTS;"),
                 std::string{"a.sqlite has kernels, but no operators that launched them."});
        QCOMPARE(message("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;"),
                 std::string{"a.sqlite has kernels and operators, but not which operator launched "
                             "which kernel."});
        QCOMPARE(message("UPDATE NVTX_EVENTS SET start = 1 << 62;"),
                 std::string{"a.sqlite has kernels, but no operators that launched them."});
        QCOMPARE(message("DROP TABLE StringIds; DROP TABLE TARGET_INFO_GPU;"), std::string{});
    }
};

} // namespace

PLIMSOLL_TEST(NsysOpsTest, QCoreApplication)
#include "nsys_ops_test.moc"
