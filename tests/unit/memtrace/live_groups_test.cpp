// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/live_groups.h"

#include "core/memtrace/build_timeline.h"

#include "tests/support/recorded_training.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::RecordedTraining;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

constexpr std::int64_t kMiB = RecordedTraining::kMiB;

class LiveGroupsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addUpToTheCurve_data();
    void addUpToTheCurve();
    void nameGroupsByFrames();
    void ofClassesAreThoseOfTheRules();
};

/// The place of a class in classLayers().
constexpr std::uint8_t layerOf(MemoryClass memoryClass)
{
    return static_cast<std::uint8_t>(memoryClass);
}

LiveGroups groupsAt(const MemoryTrace& trace, std::size_t step, LiveBy by)
{
    const DeviceTrace& device = trace.devices().front();
    const Classes classes = classify(trace, device);
    return liveGroups(trace, device, classes, step, by, {}, classes.classOf);
}

void LiveGroupsTest::addUpToTheCurve_data()
{
    QTest::addColumn<QByteArray>("by");
    for (const char* by : {"frame", "stack", "class", "module", "stream", "pool"})
        QTest::newRow(by) << QByteArray{by};
}

void LiveGroupsTest::addUpToTheCurve()
{
    QFETCH(QByteArray, by);
    const std::optional<LiveBy> grouping = findLiveBy(by.toStdString());
    QVERIFY(grouping.has_value());
    RecordedTraining training;
    const MemoryTracePtr trace = training.trace();
    QVERIFY(trace);
    const DeviceTrace& device = trace->devices().front();
    const auto timeline = buildTimeline(*trace, device, {classLayers(), {}}, Axis::Time);
    for (std::size_t step = 0; step < device.stepCount(); ++step) {
        const LiveGroups live = groupsAt(*trace, step, *grouping);
        QCOMPARE(live.bytes, timeline->totalAt(step));
        QCOMPARE(live.blocks, timeline->aliveAt(step).size());
        Bytes bytes;
        std::size_t blocks = 0;
        for (std::size_t i = 0; i < live.groups.size(); ++i) {
            bytes += live.groups[i].bytes;
            blocks += live.groups[i].blocks;
            QVERIFY(i == 0 || live.groups[i].bytes <= live.groups[i - 1].bytes);
        }
        QCOMPARE(bytes, live.bytes);
        QCOMPARE(blocks, live.blocks);
    }
}

void LiveGroupsTest::nameGroupsByFrames()
{
    RecordedTraining training;
    const MemoryTracePtr trace = training.trace();
    QVERIFY(trace);
    const LiveGroups live = groupsAt(*trace, 3, LiveBy::Frame); // three activations
    const auto layer = [](int line) {
        return "train/model.py:" + std::to_string(line) + ":forward";
    };
    QCOMPARE(live.groups.size(), std::size_t{4});
    QCOMPARE(
        live.groups[0],
        (LiveGroup{
            "(before the recording)", Bytes{24 * kMiB}, 12, {}, layerOf(MemoryClass::Before)}));
    QCOMPARE(
        live.groups[1],
        (LiveGroup{layer(12), Bytes{3 * kMiB}, 1, {layer(12)}, layerOf(MemoryClass::Activations)}));
    QCOMPARE(
        live.groups[3],
        (LiveGroup{layer(10), Bytes{kMiB}, 1, {layer(10)}, layerOf(MemoryClass::Activations)}));
    const LiveGroups stacks = groupsAt(*trace, 3, LiveBy::Stack);
    QCOMPARE(stacks.groups[1].frames,
             (std::vector<std::string>{layer(12), "train/train.py:40:main"}));
    const LiveGroups modules = groupsAt(*trace, 3, LiveBy::Module);
    QCOMPARE(
        modules.groups[1],
        (LiveGroup{
            "train/model.py:forward", Bytes{6 * kMiB}, 3, {}, layerOf(MemoryClass::Activations)}));
    QVERIFY(!findLiveBy("size").has_value());
}

void LiveGroupsTest::ofClassesAreThoseOfTheRules()
{
    RecordedTraining training;
    const MemoryTracePtr trace = training.trace();
    QVERIFY(trace);
    const LiveGroups live = groupsAt(*trace, 13, LiveBy::Class); // the first scratch of backward
    QCOMPARE(live.groups.size(), std::size_t{3});
    QCOMPARE(live.groups[0].name, std::string{"activations"});
    QCOMPARE(live.groups[1].name, std::string{"before"});
    QCOMPARE(live.groups[2],
             (LiveGroup{"temporaries", Bytes{kMiB / 2}, 1, {}, layerOf(MemoryClass::Temporaries)}));
}

} // namespace

PLIMSOLL_TEST(LiveGroupsTest, QCoreApplication)
#include "live_groups_test.moc"
