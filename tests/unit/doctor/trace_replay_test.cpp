// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/trace_replay.h"

#include "core/doctor/settings_replay.h"

#include "tests/support/random.h"
#include "tests/support/test_main.h"
#include "tests/unit/doctor/recorded_allocator.h"

#include <QTest>

#include <array>
#include <cstdlib>

namespace {

using namespace plimsoll;
using base::Bytes;
using doctor::Releases;
using doctor::ReplayOptions;
using doctor::TraceReplay;
using tests::RecordedAllocator;

constexpr std::int64_t kMiB = RecordedAllocator::kMiB;
constexpr std::array kSettings{"",
                               "expandable_segments:True",
                               "max_split_size_mb:32",
                               "roundup_power2_divisions:8",
                               "roundup_power2_divisions:[1:4,8:2,>:1]",
                               "expandable_segments:True,roundup_power2_divisions:4"};

class TraceReplayTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void repeatsWhatWasRecorded_data();
    void repeatsWhatWasRecorded();
    void tellsWhatOtherSettingsReserve();
    void failsWhereTheProgramFailed();
    void endsBeforeAnEvent();
    void noticesOtherReservedBytes();
    void freesWhatWasFreedUnseen();
    void replaysOlderMemoryFirst();
    void tellsWhoReleased();
    void stops();
    void readsRecordedSettings_data();
    void readsRecordedSettings();
    void setsOneOption();
};

/// The same calls for any allocator, by its seed. Returns which calls of empty_cache() released
/// anything; `releases`: those that are made. A `most` below 0: on one stream, without pools.
std::vector<bool> drive(RecordedAllocator& allocator, int seed, int calls, int most,
                        const std::optional<std::vector<bool>>& releases = {})
{
    std::vector<bool> released;
    const bool isOnePlace = most < 0;
    tests::Random random{static_cast<std::uint64_t>(seed)};
    std::vector<std::size_t> live;
    std::vector<std::size_t> pending;
    const auto take = [&](std::vector<std::size_t>& from) {
        const std::size_t at = random.below(from.size());
        const std::size_t block = from[at];
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
        return block;
    };
    for (int call = 0; call < calls; ++call) {
        const int kind = random.between(0, 99);
        if (kind < 50) {
            const auto stream =
                static_cast<std::uint64_t>(random.percent(20) && !isOnePlace ? 0x7000 : 0);
            const auto pool = static_cast<std::uint64_t>(random.percent(10) && !isOnePlace ? 3 : 0);
            const std::int64_t bytes =
                random.percent(40) ? random.between(1, 2 << 20) : random.between(1, std::abs(most));
            if (const auto block = allocator.alloc(bytes, stream, pool))
                live.push_back(*block);
        } else if (kind < 85 && !live.empty()) {
            allocator.free(take(live));
        } else if (kind < 93 && !live.empty()) {
            pending.push_back(take(live));
            allocator.requestFree(pending.back());
        } else if (kind < 97 && !pending.empty()) {
            allocator.completeFree(take(pending));
        } else if (kind == 99) {
            const bool isMade = !releases || (*releases)[released.size()];
            released.push_back(isMade && allocator.emptyCache());
        }
    }
    return released;
}

/// A replay that has followed the recording. Its settings are the defaults.
TraceReplay replayOf(const memtrace::MemoryTrace& trace, std::optional<Bytes> limit = {})
{
    TraceReplay replay{trace.devices().front()};
    static_cast<void>(replay.follow({}, memtrace::kNoEvent, limit, {}));
    return replay;
}

allocator::AllocatorSettings settingsOf(const char* text)
{
    return *allocator::parseAllocatorSettings(text);
}

void TraceReplayTest::repeatsWhatWasRecorded_data()
{
    QTest::addColumn<QByteArray>("settings");
    for (const char* settings : kSettings)
        QTest::newRow(*settings == 0 ? "default" : settings) << QByteArray{settings};
}

/// Property: a replay with the recorded settings reserves the recorded bytes after each event.
void TraceReplayTest::repeatsWhatWasRecorded()
{
    QFETCH(QByteArray, settings);
    for (int seed = 0; seed < 40; ++seed) {
        RecordedAllocator recorded{settings.toStdString()};
        drive(recorded, seed, 400, 60 << 20);
        const allocator::AllocatorCounters peaks = recorded.allocator().peaks();
        const memtrace::MemoryTracePtr trace = recorded.trace();
        QVERIFY(trace);
        const auto found = replayOf(*trace).run({.settings = settingsOf(settings.constData())}, {});
        QVERIFY(found && !found->failedAt);
        QVERIFY2(!found->differsAt, qPrintable(QString::number(seed)));
        QCOMPARE(found->allocator.peaks().reserved, peaks.reserved);
        QCOMPARE(found->allocator.peaks().active, peaks.active);
        QCOMPARE(found->allocator.peaks().reserved, trace->devices().front().reserved().largest());
    }
}

/// Property: so does one with other settings, of what they would have reserved.
void TraceReplayTest::tellsWhatOtherSettingsReserve()
{
    int differing = 0;
    for (int seed = 0; seed < 40; ++seed) {
        RecordedAllocator recorded;
        const std::vector<bool> released = drive(recorded, seed, 400, 60 << 20);
        const Bytes peak = recorded.allocator().peaks().reserved;
        const memtrace::MemoryTracePtr trace = recorded.trace();
        const TraceReplay replay = replayOf(*trace, Bytes{std::int64_t{1} << 45});
        QCOMPARE(replay.unclearReleases(), std::size_t{0});
        for (const char* settings : kSettings) {
            RecordedAllocator other{settings};
            drive(other, seed, 400, 60 << 20, released);
            const auto found =
                replay.run({.settings = settingsOf(settings), .releases = Releases::OfProgram}, {});
            QVERIFY(found && !found->failedAt);
            QCOMPARE(found->allocator.peaks().reserved, other.allocator().peaks().reserved);
            differing += other.allocator().peaks().reserved != peak ? 1 : 0;
        }
    }
    QVERIFY(differing > 100);
}

/// On a full device: what the allocator released itself it releases again.
void TraceReplayTest::failsWhereTheProgramFailed()
{
    int failures = 0;
    int retries = 0;
    for (int seed = 0; seed < 60; ++seed) {
        const Bytes device{(300 + 10 * seed) * kMiB};
        RecordedAllocator recorded{"", device};
        drive(recorded, seed, 300, -(60 << 20));
        retries += recorded.allocator().retries();
        const memtrace::MemoryTracePtr trace = recorded.trace();
        const memtrace::DeviceTrace& of = trace->devices().front();
        const TraceReplay replay = replayOf(*trace, device);
        const auto unlimited = replay.run({}, {});
        QVERIFY(unlimited && !unlimited->failedAt && !unlimited->differsAt);
        const auto limited = replay.run({.device = device, .releases = Releases::OfProgram}, {});
        QVERIFY(limited && !limited->failedAt && !limited->differsAt);
        QCOMPARE(limited->freed, std::size_t{0});
        failures += static_cast<int>(of.outOfMemory().size());
    }
    QVERIFY2(failures > 20 && retries > failures, qPrintable(QString::number(failures)));
}

void TraceReplayTest::endsBeforeAnEvent()
{
    RecordedAllocator recorded;
    recorded.alloc(3 * kMiB); // events 0 and 1
    recorded.alloc(30 * kMiB);
    const memtrace::MemoryTracePtr trace = recorded.trace();
    const auto found = replayOf(*trace).run({.end = 2}, {});
    QVERIFY(found);
    QCOMPARE(found->allocator.counters().requested, Bytes{3 * kMiB});
    QCOMPARE(found->allocator.counters().reserved, Bytes{20 * kMiB});
}

void TraceReplayTest::noticesOtherReservedBytes()
{
    RecordedAllocator recorded{"expandable_segments:True"};
    recorded.alloc(3 * kMiB);
    recorded.alloc(30 * kMiB); // in 20 MiB steps: 40 MiB, of its own 20 + 30
    const memtrace::MemoryTracePtr trace = recorded.trace();
    const auto found = replayOf(*trace).run({}, {});
    QVERIFY(found);
    QCOMPARE(found->differsAt, std::optional<memtrace::EventIndex>{3});
}

/// Recordings can lack frees (skip_actions): a new allocation at an address ends the one before.
void TraceReplayTest::freesWhatWasFreedUnseen()
{
    memtrace::Builder builder;
    memtrace::RecordedEvent event;
    event.action = memtrace::Action::Alloc;
    event.pool = std::array<std::uint64_t, 2>{};
    event.address = 0x1000;
    for (const std::int64_t bytes : {4 * kMiB, 5 * kMiB, 6 * kMiB}) {
        event.bytes = bytes;
        QVERIFY(builder.device(0).add(event));
    }
    event.action = memtrace::Action::FreeRequested;
    QVERIFY(builder.device(0).add(event));
    const auto trace = *std::move(builder).build();
    const auto found = replayOf(*trace).run({}, {});
    QVERIFY(found);
    QCOMPARE(found->allocator.peaks().requested, Bytes{6 * kMiB});
    QCOMPARE(found->allocator.peaks().reserved, Bytes{20 * kMiB});
}

void TraceReplayTest::replaysOlderMemoryFirst()
{
    RecordedAllocator recorded;
    recorded.alloc(3 * kMiB);
    memtrace::RecordedEvent event;
    event.action = memtrace::Action::FreeCompleted;
    event.pool = std::array<std::uint64_t, 2>{};
    event.address = 0x1000;
    event.bytes = 15 * kMiB;
    event.timeNs = 1'800'000'000'000'000'000;
    QVERIFY(recorded.builder().device(0).add(event));
    const memtrace::MemoryTracePtr trace = recorded.trace();
    const TraceReplay replay = replayOf(*trace);
    QCOMPARE(replay.allocatedBefore(), std::size_t{1});
    const auto found = replay.run({}, {});
    QVERIFY(found);
    QCOMPARE(found->allocator.peaks().requested, Bytes{18 * kMiB});
    QCOMPARE(found->allocator.counters().requested, Bytes{3 * kMiB});
}

/// empty_cache() before a large tensor, on a device that would have had memory for both.
void TraceReplayTest::tellsWhoReleased()
{
    RecordedAllocator recorded;
    recorded.free(*recorded.alloc(100 * kMiB));
    recorded.emptyCache();
    recorded.alloc(120 * kMiB);
    const memtrace::MemoryTracePtr trace = recorded.trace();
    QCOMPARE(replayOf(*trace).unclearReleases(), std::size_t{1});
    const TraceReplay known = replayOf(*trace, Bytes{220 * kMiB});
    QCOMPARE(known.unclearReleases(), std::size_t{0});
    QCOMPARE(replayOf(*trace, Bytes{219 * kMiB}).unclearReleases(), std::size_t{1});
    const auto repeated = known.run({.releases = Releases::OfProgram}, {});
    QCOMPARE(repeated->allocator.peaks().reserved, Bytes{120 * kMiB});
    const auto own = replayOf(*trace).run({.releases = Releases::OfProgram}, {});
    QCOMPARE(own->allocator.peaks().reserved, Bytes{220 * kMiB});
}

void TraceReplayTest::stops()
{
    RecordedAllocator recorded;
    recorded.alloc(kMiB);
    const memtrace::MemoryTracePtr trace = recorded.trace();
    std::stop_source source;
    source.request_stop();
    QVERIFY(!replayOf(*trace).run({}, {.stop = source.get_token()}));
}

void TraceReplayTest::readsRecordedSettings_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<bool>("isKnown");
    const auto row = [](const char* name, const char* value, const char* settings, bool isKnown) {
        QTest::addRow("%s %s", name, value)
            << QByteArray{name} << QByteArray{value} << QByteArray{settings} << isKnown;
    };
    row("expandable_segments", "True", "expandable_segments:True", true);
    row("max_split_size", "67108864", "max_split_size_mb:64", true);
    row("max_split_size", "-1", "", true);
    row("roundup_power2_divisions", "1:4,2:4,4:8", "roundup_power2_divisions:[1:4,2:4,4:8]", true);
    row("garbage_collection_threshold", "0.8", "", false);
    row("garbage_collection_threshold", "0", "", true);
    row("max_split_size", "many", "", false);
    row("PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync", "", false);
}

void TraceReplayTest::readsRecordedSettings()
{
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, settings);
    QFETCH(bool, isKnown);
    RecordedAllocator recorded;
    recorded.builder().setSetting(name.toStdString(), value.toStdString());
    recorded.alloc(kMiB);
    const auto found = doctor::recordedSettings(*recorded.trace());
    QCOMPARE(found.doubt.empty(), isKnown);
    QVERIFY(found.settings == settingsOf(settings.constData()));
}

void TraceReplayTest::setsOneOption()
{
    using doctor::withOption;
    QCOMPARE(withOption("", "a", "1"), std::string{"a:1"});
    QCOMPARE(withOption(" b:[1:2,3:4], a:7", "a", "1"), std::string{"b:[1:2,3:4],a:1"});
    QCOMPARE(withOption("ab:2", "a", "1"), std::string{"ab:2,a:1"});
}

} // namespace

PLIMSOLL_TEST(TraceReplayTest, QCoreApplication)
#include "trace_replay_test.moc"
