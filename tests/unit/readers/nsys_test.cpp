// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/summary.h"
#include "core/readers/registry.h"

#include "tests/support/golden.h"
#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/readers/flipped_bits.h"
#include "tests/support/sanitized.h"
#include "tests/support/snapshots/sample_snapshot.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/readers/nsys_file.h"

#include <QTest>

#include <filesystem>
#include <vector>

namespace {

using namespace plimsoll::tests; // NOLINT(google-build-using-namespace)
using namespace std::string_literals;
using plimsoll::base::ErrorKind;
using plimsoll::io::Source;
using plimsoll::readers::readProfile;

class NsysTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAllThatAnExportTells();
    void readsFilesAndLeavesNoOthers();
    void leavesSessionsToTheirReader();
    void toleratesWhatVersionsAndFaultsDo_data();
    void toleratesWhatVersionsAndFaultsDo();
    void answersWithOneSentence_data();
    void answersWithOneSentence();
    void summarizesEachDevice();
    void refusesEveryCut();
    void survivesFlippedBits();
    void canBeStopped();
};

void NsysTest::readsAllThatAnExportTells()
{
    const auto read = readNsys(sampleNsys());
    QVERIFY2(read, messageOf(read));
    QCOMPARE(read->formatId, "nsys-sqlite"s);
    const std::string difference = differenceFromGolden("nsys.txt", dumpTrace(*read->trace));
    QVERIFY2(difference.empty(), difference.c_str());
}

void NsysTest::readsFilesAndLeavesNoOthers()
{
    const TempFolder folder;
    const std::string expected = dumpTrace(*readNsys(sampleNsys())->trace);
    const std::vector<std::string> paths{folder.fileWith("a.sqlite", sampleNsys()),
                                         folder.fileWith("b.db", sampleNsys()),
                                         folder.fileWith("c.sqlite.gz", gzipped(sampleNsys()))};
    for (const std::string& path : paths) {
        plimsoll::base::Progress progress;
        std::filesystem::permissions(path, std::filesystem::perms::owner_read);
        const auto read = readProfile(Source{path}, {{}, &progress});
        QVERIFY2(read, messageOf(read));
        QCOMPARE(read->formatId, "nsys-sqlite"s);
        QCOMPARE(dumpTrace(*read->trace), expected);
        QCOMPARE(progress.perMille(), 1000);
    }
    const auto files =
        std::filesystem::directory_iterator{std::filesystem::path{paths.front()}.parent_path()};
    QCOMPARE(std::distance(begin(files), end(files)), std::ptrdiff_t{3});
    // A session's copy.
    const auto kept = readProfile(Source{"d.sqlite", sampleNsys()});
    QVERIFY2(kept, messageOf(kept));
    QCOMPARE(dumpTrace(*kept->trace), expected);
}

void NsysTest::leavesSessionsToTheirReader()
{
    const TempFolder folder;
    const std::string session =
        databaseOf("PRAGMA application_id = 0x504c4d53; CREATE TABLE StringIds (id INTEGER);");
    const std::string other = databaseOf("CREATE TABLE songs (id INTEGER);");
    const plimsoll::readers::Registry registry{plimsoll::readers::profileReaders()};
    QVERIFY(registry.find(Source{folder.fileWith("a.plimsoll", session)}).value() == nullptr);
    QVERIFY(!readProfile(Source{folder.fileWith("a.sqlite", session)}));
    const auto read = readProfile(Source{folder.fileWith("b.sqlite", other)});
    const std::string fault =
        faultOfRefusal(read, {"b.sqlite is no export of Nsight Systems", "StringIds"});
    QVERIFY2(fault.empty(), fault.c_str());
}

void NsysTest::toleratesWhatVersionsAndFaultsDo_data()
{
    QTest::addColumn<std::string>("sql");
    QTest::addColumn<std::string>("expected"); // a line of the dump
    const auto row = [](const char* name, const char* sql, const char* expected) {
        QTest::newRow(name) << std::string{sql} << std::string{expected};
    };
    constexpr const char* kDevice1 = "device 1, 10 events recorded";
    row("no enumerations",
        "DROP TABLE ENUM_CUDA_DEV_MEM_EVENT_OPER; DROP TABLE ENUM_CUDA_MEM_KIND;", kDevice1);
    row("operations with other numbers",
        "UPDATE ENUM_CUDA_DEV_MEM_EVENT_OPER SET id = id + 10; "
        "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET memoryOperationType = memoryOperationType + 10;",
        kDevice1);
    row("enumerations without names", "ALTER TABLE ENUM_CUDA_MEM_KIND DROP COLUMN name;",
        "device -1, 2 events recorded");
    row("no kinds, as in old versions",
        "ALTER TABLE CUDA_GPU_MEMORY_USAGE_EVENTS DROP COLUMN memKind;",
        "device 1, 14 events recorded");
    row("no GPUs of the machine", "DROP TABLE TARGET_INFO_CUDA_DEVICE;",
        "device 0, 10 events recorded");
    row("no time of the start", "DROP TABLE TARGET_INFO_SESSION_START_TIME;", "epoch 1000 ns");
    row("no calls", "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;",
        "gap: Call stacks were not recorded (nsys profile --cudabacktrace=memory).");
    row("no call stacks", "DROP TABLE CUDA_CALLCHAINS;",
        "allocation 0 0x1000 100 B, events 1 to 4, stream 0x7 pool 0,0, :0:cudaMalloc[thread "
        "78]\n");
    row("no texts", "DROP TABLE StringIds;", "annotation inner on -1: 500 to 1500 ns");
    row("no ranges", "DROP TABLE NVTX_EVENTS;", kDevice1);
    row("a column of texts",
        "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET bytes = 'many' WHERE bytes = 50;",
        "fault incomplete_events: 1");
    row("an address of 0", "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET address = 0 WHERE bytes = 50;",
        "fault incomplete_events: 1");
    row("an operation of the future",
        "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET memoryOperationType = 9 WHERE bytes = 50;",
        "fault unknown_operations: 1");
    row("a kind of the future",
        "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET memKind = 9 WHERE bytes = 50;",
        "fault memory_of_unknown_kind: 2");
    row("an impossible device",
        "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET deviceId = -5 WHERE bytes = 50;",
        "fault memory_of_unknown_kind: 2");
    row("a time beyond all",
        "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET start = (1 << 62) WHERE bytes = 50;",
        "fault incomplete_events: 1");
    row("a second free",
        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS SELECT 2700, globalPid, deviceId, "
        "contextId, address, pc, bytes, memKind, 1, name, correlationId, streamId, "
        "NULL FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE start = 2000;",
        "fault frees_of_freed_blocks: 2");
    row("two allocations at one address",
        "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET address = 4096 WHERE bytes = 50;",
        "fault allocations_of_live_blocks: 1");
    row("another process on the same GPU",
        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1050, 99 * 16777216, 1, 1, 4096, 0, 1, "
        "2, 0, "
        "NULL, NULL, NULL, NULL);",
        "fault memory_of_other_processes: 1");
    row("a range without an end", "UPDATE NVTX_EVENTS SET end = NULL WHERE text = 'inner';",
        "annotation step 1 on 1: 0 to 1600 ns, depth 0");
}

void NsysTest::toleratesWhatVersionsAndFaultsDo()
{
    QFETCH(std::string, sql);
    QFETCH(std::string, expected);
    const auto read =
        readNsys(databaseOf(kNsysBegin + std::string{kNsysMemory} + kNsysRows + kNsysRest + sql));
    QVERIFY2(read, messageOf(read));
    const std::string dump = dumpTrace(*read->trace);
    QVERIFY2(dump.find(expected) != std::string::npos, dump.c_str());
}

void NsysTest::answersWithOneSentence_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("says");
    const auto row = [](const char* name, const std::string& sql, const char* says) {
        QTest::newRow(name) << databaseOf(kNsysBegin + sql) << std::string{says};
    };
    const std::string table{kNsysMemory};
    const auto changed = [&](const char* sql) { return table + kNsysRows + sql; };
    row("no memory", "", "record it with \"nsys profile --cuda-memory-usage=true\"");
    row("an empty table", table, "in which no memory was allocated");
    row("memory of no kind", changed("UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET memKind = 0;"),
        "in which no memory was allocated");
    row("a size of 2^62", changed("UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET bytes = 1 << 62;"),
        "has a row of CUDA_GPU_MEMORY_USAGE_EVENTS that can't be: a size of 4611686018427387904");
    row("a negative size", changed("UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET bytes = -1;"),
        "a size of -1 bytes is impossible");
    row("an impossible address", changed("UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET address = -1;"),
        "the address 0xffffffffffffffff is impossible");
    // Views can do anything, and take any time.
    row("a view in its place",
        "CREATE VIEW CUDA_GPU_MEMORY_USAGE_EVENTS AS WITH RECURSIVE n(start) AS (SELECT 1 UNION "
        "ALL "
        "SELECT start + 1 FROM n) SELECT start FROM n;",
        "it has no table CUDA_GPU_MEMORY_USAGE_EVENTS");
    QTest::newRow("a head alone") << sampleNsys().substr(0, 100)
                                  << "ends at byte 100 before its last page"s;
    QTest::newRow("no database") << "SQLite format 3" + std::string(5000, '\0')
                                 << "is damaged (file is not a database)"s;
}

void NsysTest::answersWithOneSentence()
{
    QFETCH(std::string, bytes);
    QFETCH(std::string, says);
    const std::string fault = faultOfRefusal(readNsys(bytes), {"net.sqlite", says});
    QVERIFY2(fault.empty(), fault.c_str());
}

void NsysTest::summarizesEachDevice()
{
    const auto read = readNsys(sampleNsys());
    QVERIFY2(read, messageOf(read));
    const auto summary = plimsoll::memtrace::summaryOf(*read->trace);
    QCOMPARE(summary.devices.size(), std::size_t{3});
    const auto& static_ = summary.devices[0];
    const auto& first = summary.devices[1];
    const auto& host = summary.devices[2];
    QCOMPARE(static_.ordinal, 0);
    QCOMPARE(static_.peak.count(), std::int64_t{300});
    QCOMPARE(first.ordinal, 1);
    QCOMPARE(first.initial.count(), std::int64_t{11}); // freed without an allocation
    QCOMPARE(first.peak.count(), std::int64_t{161});
    QCOMPARE(first.end.count(), std::int64_t{50});
    QCOMPARE(first.peakReserved.count(), std::int64_t{161});
    QCOMPARE(host.ordinal, -1);
    QCOMPARE(host.end.count(), std::int64_t{700});
}

void NsysTest::refusesEveryCut()
{
    const std::string whole = sampleNsys();
    for (std::size_t size = 1; size < whole.size(); size += share<std::size_t>()) {
        const auto read = readNsys(std::string_view{whole}.substr(0, size));
        const std::string fault = faultOfRefusal(read, {"net.sqlite ends at byte "});
        QVERIFY2(fault.empty(), qPrintable(QString::number(size) + ' ' + fault.c_str()));
    }
}

void NsysTest::survivesFlippedBits()
{
    const std::string fault = faultOfFlippedBits(
        sampleNsys(), 6'000 / share(), 4, [](const std::string& bytes) { return readNsys(bytes); });
    QVERIFY2(fault.empty(), fault.c_str());
}

void NsysTest::canBeStopped()
{
    std::stop_source stop;
    stop.request_stop();
    const auto read = readNsys(sampleNsys(), {.stop = stop.get_token()});
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Cancelled);
}

} // namespace

PLIMSOLL_TEST(NsysTest, QCoreApplication)
#include "nsys_test.moc"
