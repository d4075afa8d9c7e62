// SPDX-License-Identifier: Apache-2.0
// The curve that readers tell while they read is the trace's own, less what was live at first.
#include "core/base/curve_so_far.h"
#include "core/memtrace/summary.h"
#include "core/readers/registry.h"
#include "core/readers/torch_snapshot/reader.h"

#include "tests/support/golden.h"
#include "tests/support/snapshots/snapshot_generator.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/capture/capture_file.h"

#include <QTest>

#include <fmt/format.h>

#include <fstream>

using namespace plimsoll;

namespace {

class FirstCurveTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isTheTracesOwn_data();
    void isTheTracesOwn();
    void isThereBeforeTheEnd();
    void aTraceInAnotherOrderIsToldLater();

private:
    /// A generated snapshot.
    [[nodiscard]] std::string snapshot(std::uint64_t events, int ghosts) const
    {
        const std::string path = m_files.file(fmt::format("{}-{}.pickle", events, ghosts));
        std::ofstream file{path, std::ios::binary};
        tests::GeneratedSnapshot made;
        made.events = events;
        made.ghosts = ghosts;
        static_cast<void>(tests::generateSnapshot(made, [&](std::string_view part) {
            file.write(part.data(), static_cast<std::streamsize>(part.size()));
        }));
        return path;
    }
    /// Allocations and frees, as CUPTI records them.
    [[nodiscard]] std::string recording() const
    {
        namespace wire = capture::wire;
        tests::CaptureFile file;
        for (std::uint64_t i = 0; i < 3000; ++i) {
            wire::Memory record;
            record.time = 1'700'000'000'000'000'000 + i;
            record.operation =
                i % 3 == 2 ? wire::MemoryOperation::Release : wire::MemoryOperation::Allocate;
            record.kind = wire::MemoryKind::Device;
            record.address = 0x7f0000000000 + (i % 3 == 2 ? i - 1 : i) * 0x1000000;
            record.bytes = (1 + i % 7) << 20U;
            record.stream = wire::kNone;
            file.add(record);
        }
        return m_files.fileWith("a.plmcap", file.seal().bytes());
    }
    /// Events of PyTorch's profiler, in the order of time or not.
    [[nodiscard]] std::string kineto(bool isInOrder) const
    {
        std::string text = R"({"schemaVersion": 1, "traceEvents": [)";
        for (int i = 0; i < 5000; ++i)
            text += fmt::format(R"({}{{"ph":"i","name":"[memory]","ts":{},"pid":1,"tid":1,"args":)"
                                R"({{"Device Type":1,"Device Id":0,"Addr":{},"Bytes":{}}}}})",
                                i == 0 ? "" : ",", isInOrder ? i : 5000 - i,
                                4096 + (isInOrder ? i / 2 : (4999 - i) / 2) * 65536,
                                ((isInOrder ? i : 4999 - i) % 2 == 0 ? 1 : -1) * 65536);
        return m_files.fileWith(isInOrder ? "a.json" : "b.json", text + "]}");
    }

    tests::TempFolder m_files;
};

void FirstCurveTest::isTheTracesOwn_data()
{
    QTest::addColumn<std::string>("path");
    QTest::newRow("snapshot") << snapshot(20'000, 200);
    QTest::newRow("snapshot without a state before") << snapshot(5'000, 0);
    QTest::newRow("recording") << recording();
    QTest::newRow("profiler, in order") << kineto(true);
    QTest::newRow("profiler, not in order") << kineto(false);
    QTest::newRow("profiler, two GPUs")
        << tests::repositoryPath("tests/data/two-gpus.pt.trace.json");
    QTest::newRow("table") << tests::repositoryPath("tests/data/allocations.csv");
}

void FirstCurveTest::isTheTracesOwn()
{
    QFETCH(std::string, path);
    base::CurveSoFar curve;
    const auto read =
        readers::readProfile(io::Source{path}, base::JobContext{.stop = {}, .curve = &curve});
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    const std::optional<base::CurveSoFar::Curve> found = curve.longest();
    QVERIFY(found.has_value());
    const memtrace::MemoryTrace& trace = *read->trace;
    const auto device =
        std::ranges::find(trace.devices(), found->series, &memtrace::DeviceTrace::ordinal);
    QVERIFY(device != trace.devices().end());
    QCOMPARE(found->values, device->recordedCount());
    const memtrace::DeviceSummary summary = memtrace::summaryOf(*device);
    QCOMPARE(found->range().highest, (summary.peak - summary.initial).count());
}

void FirstCurveTest::isThereBeforeTheEnd()
{
    std::ifstream file{snapshot(40'000, 200), std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    base::CurveSoFar curve;
    readers::torch_snapshot::Reading reading{"a.pickle", &curve};
    std::size_t last = 0;
    for (std::size_t part = 0; part < 4; ++part) {
        QVERIFY(reading.feed(
            std::string_view{bytes}.substr(part * bytes.size() / 4, bytes.size() / 4)));
        const auto found = curve.longest();
        QVERIFY(found.has_value());
        QVERIFY2(found->values > last + 5'000, qPrintable(QString::number(found->values)));
        last = found->values;
    }
}

void FirstCurveTest::aTraceInAnotherOrderIsToldLater()
{
    std::vector<std::optional<base::CurveSoFar::Curve>> found;
    for (const bool isInOrder : {true, false}) {
        base::CurveSoFar curve;
        QVERIFY(readers::readProfile(io::Source{kineto(isInOrder)},
                                     base::JobContext{.stop = {}, .curve = &curve}));
        found.push_back(curve.longest());
    }
    QVERIFY(found[0] && found[1]);
    QCOMPARE(found[0]->values, found[1]->values);
    QVERIFY(found[0]->blocks == found[1]->blocks);
    QCOMPARE(found[0]->range().highest, std::int64_t{65536});
}

} // namespace

PLIMSOLL_TEST(FirstCurveTest, QCoreApplication)
#include "first_curve_test.moc"
