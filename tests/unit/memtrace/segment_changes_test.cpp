// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/segment_changes.h"

#include "core/memtrace/builder.h"

#include "tests/support/messages.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::messageOf;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kBegin = 0x7f0000000000;
constexpr std::int64_t kUnit = 2 << 20;

class SegmentChangesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void areThoseOfTheEvents();
};

void SegmentChangesTest::areThoseOfTheEvents()
{
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    const auto add = [&](Action action, std::uint64_t address, std::int64_t bytes) {
        RecordedEvent event;
        event.action = action;
        event.address = address;
        event.bytes = bytes;
        QVERIFY(device.add(event));
    };
    add(Action::SegmentAlloc, kBegin, kUnit);                 // 0
    add(Action::Alloc, kBegin, 600);                          // 1
    add(Action::SegmentMap, kBegin + 4 * kUnit, 3 * kUnit);   // 2
    add(Action::SegmentUnmap, kBegin + 5 * kUnit, kUnit);     // 3: splits what was mapped
    add(Action::SegmentUnmap, kBegin + 4 * kUnit, kUnit);     // 4
    add(Action::SegmentFree, kBegin + 20 * kUnit, 2 * kUnit); // 5: from before the recording
    const auto trace = std::move(builder).build();
    QVERIFY2(trace, messageOf(trace));
    const SegmentChanges changes{(*trace)->devices().front()};
    const auto has = [&](EventIndex event, std::uint64_t address, std::int64_t bytes) {
        const auto change = changes.at(event);
        QVERIFY(change);
        QCOMPARE(change->address, address);
        QCOMPARE(change->bytes, Bytes{bytes});
    };
    has(0, kBegin, kUnit);
    QVERIFY(!changes.at(1));
    has(2, kBegin + 4 * kUnit, 3 * kUnit);
    has(3, kBegin + 5 * kUnit, kUnit);
    has(4, kBegin + 4 * kUnit, kUnit);
    has(5, kBegin + 20 * kUnit, 2 * kUnit);
    QVERIFY(!changes.at(6));
}

} // namespace

PLIMSOLL_TEST(SegmentChangesTest, QCoreApplication)
#include "segment_changes_test.moc"
