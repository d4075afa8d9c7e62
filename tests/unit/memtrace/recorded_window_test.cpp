// SPDX-License-Identifier: Apache-2.0
// A device is simulated; a recording sees a window of its events and the state at the end. The
// trace must tell what was live and reserved after each event, also of what began before.
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/builder.h"

#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>
#include <set>

namespace {

using plimsoll::tests::Random;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

constexpr std::int64_t kPage = 0x1000;

/// A device with 40 pages: some are reserved, blocks lie in these.
class Simulation
{
public:
    explicit Simulation(int seed) : m_random{static_cast<std::uint64_t>(seed)} {}

    void run(int events)
    {
        while (static_cast<int>(log.size()) < events)
            step();
    }

    struct Block
    {
        std::int64_t bytes = 0;
        bool isPending = false;
    };

    std::vector<RecordedEvent> log;
    std::vector<std::int64_t> live;     ///< after each event
    std::vector<std::int64_t> reserved; ///< likewise
    std::map<std::uint64_t, Block> blocks;
    std::set<std::uint64_t> pages;

private:
    void step()
    {
        switch (m_random.between(0, 5)) {
        case 0: map(); break;
        case 1: unmap(); break;
        case 2:
        case 3: alloc(); break;
        default: free(); break;
        }
    }
    void add(Action action, std::uint64_t address, std::int64_t bytes)
    {
        RecordedEvent event;
        event.action = action;
        event.address = address;
        event.bytes = bytes;
        event.stream = address % 3;
        event.pool = std::array<std::uint64_t, 2>{};
        m_time += m_random.between(0, 2) * 1000;
        event.timeNs = m_time;
        log.push_back(event);
        std::int64_t sum = 0;
        for (const auto& [at, block] : blocks)
            sum += block.bytes;
        live.push_back(sum);
        reserved.push_back(static_cast<std::int64_t>(pages.size()) * kPage);
    }
    [[nodiscard]] bool isIdle(std::uint64_t page) const
    {
        const auto at = blocks.lower_bound(page);
        return at == blocks.end() || at->first >= page + kPage;
    }
    void map()
    {
        const auto first = static_cast<std::uint64_t>(m_random.between(16, 55)) * kPage;
        const int count = m_random.between(1, 4);
        for (int i = 0; i < count; ++i)
            if (pages.contains(first + static_cast<std::uint64_t>(i * kPage)))
                return;
        for (int i = 0; i < count; ++i)
            pages.insert(first + static_cast<std::uint64_t>(i * kPage));
        add(Action::SegmentMap, first, count * kPage);
    }
    void unmap()
    {
        const auto page = static_cast<std::uint64_t>(m_random.between(16, 55)) * kPage;
        if (pages.contains(page) && isIdle(page)) {
            pages.erase(page);
            add(Action::SegmentUnmap, page, kPage);
        }
    }
    void alloc()
    {
        if (pages.empty())
            return;
        auto page = pages.begin();
        std::advance(page, m_random.below(pages.size()));
        const std::uint64_t address = *page + 512 * m_random.below(8);
        if (!blocks.contains(address)) {
            blocks[address] = {m_random.between(1, 512), false};
            add(Action::Alloc, address, blocks[address].bytes);
        }
    }
    void free()
    {
        if (blocks.empty())
            return;
        auto at = blocks.begin();
        std::advance(at, m_random.below(blocks.size()));
        const std::uint64_t address = at->first;
        const std::int64_t bytes = at->second.bytes;
        if (!at->second.isPending) {
            at->second.isPending = true;
            add(Action::FreeRequested, address, bytes);
            if (m_random.percent(30))
                return;
        }
        blocks.erase(address);
        add(Action::FreeCompleted, address, bytes);
    }

    Random m_random;
    std::int64_t m_time = 1'000'000'000;
};

MemoryTracePtr recorded(const Simulation& truth, std::size_t first)
{
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    for (std::size_t i = first; i < truth.log.size(); ++i)
        if (!device.add(truth.log[i]))
            return nullptr;
    for (const std::uint64_t page : truth.pages)
        if (!device.addSegment({page, kPage, page % 3, {}, false, true, {}}))
            return nullptr;
    for (const auto& [address, block] : truth.blocks) {
        const auto state =
            block.isPending ? RecordedBlock::State::PendingFree : RecordedBlock::State::Active;
        if (!device.addBlock({address, 512, block.bytes, state, {}}))
            return nullptr;
    }
    auto trace = std::move(builder).build();
    return trace ? *trace : nullptr;
}

class RecordedWindowTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsWhatWasThere_data();
    void tellsWhatWasThere();
};

void RecordedWindowTest::tellsWhatWasThere_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 60; ++seed)
        QTest::addRow("seed %d", seed) << seed;
}

void RecordedWindowTest::tellsWhatWasThere()
{
    QFETCH(int, seed);
    Simulation truth{seed};
    truth.run(400);
    for (const std::size_t first :
         {std::size_t{0}, std::size_t{1}, std::size_t{150}, std::size_t{390}}) {
        const MemoryTracePtr trace = recorded(truth, first);
        QVERIFY(trace);
        const DeviceTrace& device = trace->devices().front();
        const auto timeline =
            buildTimeline(*trace, device, {plimsoll::timeline::categoryLayers(), {}}, Axis::Events);
        QCOMPARE(device.recordedCount(), std::uint64_t{truth.log.size() - first});
        QCOMPARE(timeline->stepCount(), device.stepCount());
        for (EventIndex event = 0; event < device.eventCount(); ++event) {
            // The last of the recorded events that this one is.
            const std::uint64_t index =
                device.recordedIndex(event) + (device.action(event) == Action::Free ? 1U : 0U);
            const std::size_t at = first + index;
            QCOMPARE(device.eventAtRecorded(index), event);
            QCOMPARE(timeline->totalAt(event + 1).count(), truth.live[at]);
            QCOMPARE(device.reserved().at(event + 1).count(), truth.reserved[at]);
            QCOMPARE(device.timeOf(event).count(),
                     *truth.log[at].timeNs - *truth.log[first].timeNs);
        }
        if (first > 0) {
            QCOMPARE(timeline->totalAt(0).count(), truth.live[first - 1]);
            QCOMPARE(device.reserved().at(0).count(), truth.reserved[first - 1]);
        }
        std::int64_t atEnd = 0;
        for (const EndBlock& block : device.endBlocks())
            atEnd += device.allocations().bytes[block.allocation];
        QCOMPARE(atEnd, truth.live.back());
        QVERIFY(!trace->statistics().contains("frees_of_freed_blocks"));
        QVERIFY(!trace->statistics().contains("segments_missing_at_end"));
        QVERIFY(!trace->statistics().contains("releases_of_released_segments"));
    }
}

} // namespace

PLIMSOLL_TEST(RecordedWindowTest, QCoreApplication)
#include "recorded_window_test.moc"
