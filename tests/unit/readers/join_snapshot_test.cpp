// SPDX-License-Identifier: Apache-2.0
// A recording of the driver and PyTorch's snapshot of the same process become one trace.
#include "core/readers/capture/join_snapshot.h"

#include "core/memtrace/builder.h"
#include "core/memtrace/columns/column_file.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <string>
#include <vector>

namespace {

using namespace plimsoll;
using memtrace::Action;
using memtrace::StepCurve;

constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;
constexpr std::int64_t kMiB = std::int64_t{1} << 20U;

class JoinSnapshotTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void othersAreForeign();
    void anAddressThatIsUsedAgain();
    void mappedPiecesAreOfTheirSegment();
    void rangesAreTakenOver();
    void otherProcessesAreRefused_data();
    void otherProcessesAreRefused();
};

/// A trace, event by event, at milliseconds.
class Recording
{
public:
    explicit Recording(std::int64_t shift = 0) : m_shift{shift} {}

    void reserve(int ms, std::uint64_t address, std::int64_t mib)
    {
        add(ms, Action::SegmentAlloc, address, mib);
        add(ms, Action::Alloc, address, mib);
    }
    void release(int ms, std::uint64_t address, std::int64_t mib)
    {
        add(ms, Action::FreeCompleted, address, mib);
        add(ms, Action::SegmentFree, address, mib);
    }
    /// Of the driver's memory, mapped piece by piece.
    void map(int ms, std::uint64_t address, std::int64_t mib)
    {
        add(ms, Action::SegmentMap, address, mib);
        add(ms, Action::Alloc, address, mib);
    }
    memtrace::Builder& builder() { return m_builder; }
    [[nodiscard]] std::int64_t at(int ms) const { return kEpoch + m_shift + ms * 1'000'000; }
    /// What was reserved and not released is there at the end.
    memtrace::MemoryTracePtr trace()
    {
        auto built = std::move(m_builder).build();
        return built ? *built : nullptr;
    }

private:
    void add(int ms, Action action, std::uint64_t address, std::int64_t mib)
    {
        memtrace::RecordedEvent event;
        event.action = action;
        event.address = address;
        event.bytes = mib * kMiB;
        event.timeNs = at(ms);
        QVERIFY(m_builder.device(0).add(event));
    }

    memtrace::Builder m_builder;
    std::int64_t m_shift;
};

/// The foreign bytes in MiB, after each of a device's events and before the first.
std::vector<std::int64_t> foreignOf(const memtrace::MemoryTrace& trace)
{
    const memtrace::DeviceTrace& device = trace.devices().front();
    std::vector<std::int64_t> mib;
    for (std::size_t step = 0; step < device.stepCount(); ++step)
        mib.push_back(device.foreign().at(step).count() / kMiB);
    return mib;
}

void JoinSnapshotTest::othersAreForeign()
{
    Recording driver;
    driver.reserve(0, 0x9000000, 5); // before PyTorch begins
    driver.reserve(10, 0x1000000, 2);
    driver.reserve(15, 0xa000000, 7);
    driver.release(25, 0xa000000, 7);
    driver.reserve(30, 0x2000000, 4);
    driver.release(40, 0x1000000, 2);
    Recording pytorch;
    pytorch.reserve(10, 0x1000000, 2);
    pytorch.reserve(20, 0x5000, 0); // a block event in between
    pytorch.reserve(30, 0x2000000, 4);
    pytorch.release(40, 0x1000000, 2);
    const auto joined = readers::capture::joinSnapshot(*driver.trace(), *pytorch.trace());
    QVERIFY2(joined, joined ? "" : joined.error().message.c_str());
    const memtrace::DeviceTrace& device = (*joined)->devices().front();
    QCOMPARE(device.foreign().largest().count(), 12 * kMiB);
    QCOMPARE(device.foreign().at(0).count(), 5 * kMiB);
    QCOMPARE(device.foreign().at(device.stepCount() - 1).count(), 5 * kMiB);
    QCOMPARE(device.reserved().largest().count(), 6 * kMiB);
    // Sessions keep it.
    const auto kept = memtrace::readColumns(
        std::make_shared<const std::string>(memtrace::writeColumns(**joined)));
    QVERIFY2(kept, kept ? "" : kept.error().message.c_str());
    QCOMPARE((*kept)->devices().front().foreign().points(), device.foreign().points());
}

void JoinSnapshotTest::anAddressThatIsUsedAgain()
{
    Recording driver;
    driver.reserve(10, 0x1000000, 2); // PyTorch's
    driver.release(20, 0x1000000, 2);
    driver.reserve(21, 0x1000000, 2); // a library's
    driver.release(30, 0x1000000, 2);
    driver.reserve(31, 0x1000000, 2); // PyTorch's again
    driver.reserve(50, 0x8000000, 1); // its own
    Recording pytorch;
    pytorch.reserve(10, 0x1000000, 2);
    pytorch.release(20, 0x1000000, 2);
    pytorch.reserve(25, 0x5000, 0);
    pytorch.reserve(31, 0x1000000, 2);
    pytorch.reserve(50, 0x8000000, 1);
    const auto joined = readers::capture::joinSnapshot(*driver.trace(), *pytorch.trace());
    QVERIFY(joined);
    QCOMPARE(foreignOf(**joined).back(), 0);
    QCOMPARE((*joined)->devices().front().foreign().largest().count(), 2 * kMiB);
}

void JoinSnapshotTest::mappedPiecesAreOfTheirSegment()
{
    Recording driver;
    for (int piece = 0; piece < 4; ++piece)
        driver.map(10, 0x1000000 + static_cast<std::uint64_t>(2 * piece * kMiB), 2);
    driver.map(20, 0x7000000, 2); // of no segment
    Recording pytorch;
    pytorch.map(10, 0x1000000, 8);
    pytorch.reserve(30, 0x5000, 0);
    const auto joined = readers::capture::joinSnapshot(*driver.trace(), *pytorch.trace());
    QVERIFY(joined);
    QCOMPARE(foreignOf(**joined).front(), 0);
    QCOMPARE(foreignOf(**joined).back(), 2);
}

void JoinSnapshotTest::rangesAreTakenOver()
{
    Recording driver;
    driver.builder().addRange("forward", 0, driver.at(8), driver.at(20));
    driver.reserve(5, 0x9000000, 1);
    driver.reserve(10, 0x1000000, 2);
    driver.reserve(40, 0xb000000, 1);
    driver.builder().addRange("both", 0, driver.at(11), driver.at(19));
    Recording pytorch;
    pytorch.builder().addRange("both", 0, pytorch.at(12), pytorch.at(18));
    pytorch.reserve(10, 0x1000000, 2);
    pytorch.reserve(30, 0x2000, 0);
    const auto joined = readers::capture::joinSnapshot(*driver.trace(), *pytorch.trace());
    QVERIFY(joined);
    const std::vector<memtrace::Annotation>& ranges = (*joined)->annotations();
    QCOMPARE(ranges.size(), std::size_t{2});
    QCOMPARE(ranges[0].name, std::string{"forward"});
    QCOMPARE(ranges[0].begin.count(), 0);
    QCOMPARE(ranges[0].end.count(), 10'000'000);
    QCOMPARE(ranges[0].depth, 0);
    // Made by PyTorch, too: once, as the snapshot has it.
    QCOMPARE(ranges[1].name, std::string{"both"});
    QCOMPARE(ranges[1].begin.count(), 2'000'000);
    QCOMPARE(ranges[1].depth, 1);
}

void JoinSnapshotTest::otherProcessesAreRefused_data()
{
    QTest::addColumn<qint64>("shift");
    QTest::addColumn<quint64>("address");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("earlier") << qint64{-3'600'000'000'000} << quint64{0x1000000}
                             << "it is of another time than the recording";
    QTest::newRow("later") << qint64{3'600'000'000'000} << quint64{0x1000000}
                           << "it is of another time than the recording";
    QTest::newRow("elsewhere") << qint64{0} << quint64{0x4000000}
                               << "its segments are at other addresses than the recording's "
                                  "memory";
}

void JoinSnapshotTest::otherProcessesAreRefused()
{
    QFETCH(const qint64, shift);
    QFETCH(const quint64, address);
    Recording driver;
    driver.reserve(10, 0x1000000, 2);
    Recording pytorch{shift};
    pytorch.reserve(10, address, 2);
    const auto joined = readers::capture::joinSnapshot(*driver.trace(), *pytorch.trace());
    QVERIFY(!joined);
    QTEST(QString::fromStdString(joined.error().message), "sentence");
}

} // namespace

PLIMSOLL_TEST(JoinSnapshotTest, QCoreApplication)
#include "join_snapshot_test.moc"
