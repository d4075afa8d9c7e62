// SPDX-License-Identifier: Apache-2.0
// Expected values are counted by hand from PyTorch's rules, in the comments.
#include "core/doctor/diagnose.h"
#include "core/doctor/remedies.h"

#include "tests/support/recorded_training.h"
#include "tests/support/test_main.h"
#include "tests/unit/doctor/recorded_allocator.h"

#include <QTest>

namespace {

using namespace plimsoll;
using base::Bytes;
using doctor::Diagnosis;
using doctor::HowKnown;
using doctor::IdleKnown;
using doctor::Remedy;
using tests::RecordedAllocator;

constexpr std::int64_t kMiB = RecordedAllocator::kMiB;

class DiagnosisTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsWhatFragmentationCost();
    void findsSettingsWithMemoryForIt();
    void savesMoreThanTheReplayIsOff();
    void looksAtTheLastFailure();
    void looksAtThePeakWithoutOne();
    void takesTheStateAtTheEnd();
    void estimatesIdleMemoryFromAddresses();
    void saysWhyItIsAnEstimate();
    void saysWhyThereIsNoReplay();
    void takesNoDriverForTheAllocator();
    void namesIdleMemoryOfOtherPools();
    void suggestsWhatTheClassesTell();
    void savingsDontLookEnoughThatArent();
    void knowsActivationsBeforeBackward();
    void ranksWhatSufficesFirst();
    void noticesALimitOfTheProcess();
    void saysWhatTheRecordingDoesNotTell();
    void stops();
};

Diagnosis diagnosed(const memtrace::MemoryTrace& trace)
{
    return *doctor::diagnose(trace, trace.devices().front());
}

const Remedy* remedy(const Diagnosis& diagnosis, std::string_view id)
{
    for (const Remedy& one : diagnosis.remedies)
        if (one.id == id)
            return &one;
    return nullptr;
}

/// Five segments of 20 MiB fill the device, each with 7 MiB in use and 13 MiB idle behind them;
/// then 30 MiB are asked for.
void fillWithPieces(RecordedAllocator& recorded)
{
    std::vector<std::size_t> blocks;
    for (int i = 0; i < 10; ++i)
        blocks.push_back(*recorded.alloc(7 * kMiB));
    for (std::size_t i = 1; i < 10; i += 2)
        recorded.free(blocks[i]);
    recorded.alloc(30 * kMiB);
}

void DiagnosisTest::countsWhatFragmentationCost()
{
    RecordedAllocator recorded{"", Bytes{100 * kMiB}};
    fillWithPieces(recorded);
    const Diagnosis found = diagnosed(*recorded.trace());
    QVERIFY(found.isFailure);
    QCOMPARE(found.asked->value, Bytes{30 * kMiB});
    QCOMPARE(found.free->value, Bytes{});
    QCOMPARE(found.missing->value, Bytes{30 * kMiB});
    QCOMPARE(found.reserved->value, Bytes{100 * kMiB});
    QCOMPARE(found.live->value, Bytes{35 * kMiB});
    QCOMPARE(found.idle->value, Bytes{65 * kMiB});
    QCOMPARE(found.idleBlocks->known, IdleKnown::Replay); // the test's addresses are none
    QCOMPARE(found.idleBlocks->blocks, std::size_t{5});
    QCOMPARE(found.idleBlocks->largest, Bytes{13 * kMiB});
    QCOMPARE(found.idleBlocks->tooSmall, Bytes{65 * kMiB});
    QCOMPARE(found.idleBlocks->tooSmallBlocks, std::size_t{5});
    QCOMPARE(found.idleBlocks->elsewhere, Bytes{});
}

/// Expandable segments have the ten blocks side by side in 80 MiB. Of the five gaps the last, with
/// the rest behind it, is 17 MiB; it grows by 20 MiB to hold 30 MiB.
void DiagnosisTest::findsSettingsWithMemoryForIt()
{
    RecordedAllocator recorded{"", Bytes{100 * kMiB}};
    fillWithPieces(recorded);
    const Diagnosis found = diagnosed(*recorded.trace());
    QVERIFY(found.replay->isExact());
    QCOMPARE(found.replay->needed, Bytes{130 * kMiB});
    QCOMPARE(*found.replay->limit, Bytes{100 * kMiB});
    QCOMPARE(found.remedies[0].id, std::string{"expandable_segments"});
    QCOMPARE(*found.remedies[0].saves, Bytes{30 * kMiB});
    QCOMPARE(found.remedies[0].known, HowKnown::Replay);
    QVERIFY(found.remedies[0].enough == doctor::Enough::Allocation);
    // A split limit of 64 MiB changes nothing here, and fails as recorded.
    const doctor::SettingsRun& split = found.replay->runs[1];
    QCOMPARE(split.option, std::string{"max_split_size_mb:64"});
    QCOMPARE(split.failedAt, std::optional{found.moment->failure->event});
    QCOMPARE(split.reserved, Bytes{100 * kMiB});
    QVERIFY(!remedy(found, "max_split_size_mb"));
}

void DiagnosisTest::looksAtTheLastFailure()
{
    RecordedAllocator recorded{"", Bytes{100 * kMiB}};
    const auto first = recorded.alloc(60 * kMiB);
    QVERIFY(!recorded.alloc(50 * kMiB));
    recorded.free(*first);
    recorded.alloc(70 * kMiB);
    QVERIFY(!recorded.alloc(32 * kMiB));
    recorded.alloc(5 * kMiB);
    const Diagnosis found = diagnosed(*recorded.trace());
    QCOMPARE(found.asked->value, Bytes{32 * kMiB});
    QCOMPARE(found.free->value, Bytes{30 * kMiB});
    QCOMPARE(found.missing->value, Bytes{2 * kMiB});
    QCOMPARE(found.live->value, Bytes{70 * kMiB});
    QCOMPARE(found.reserved->value, Bytes{70 * kMiB});
}

void DiagnosisTest::looksAtThePeakWithoutOne()
{
    RecordedAllocator recorded;
    const auto first = recorded.alloc(50 * kMiB);
    recorded.alloc(4 * kMiB);
    recorded.free(*first);
    recorded.alloc(120 * kMiB);
    const Diagnosis found = diagnosed(*recorded.trace());
    QVERIFY(!found.isFailure && !found.asked && !found.missing);
    QCOMPARE(found.live->value, Bytes{124 * kMiB});
    QCOMPARE(found.reserved->value, Bytes{190 * kMiB});
    QCOMPARE(found.idle->value, Bytes{66 * kMiB}); // 50, and 16 behind the 4
    QCOMPARE(*remedy(found, "empty_cache")->saves, Bytes{50 * kMiB});
    // Expandable: 60 MiB for 50 + 4; the first 50 are free, 120 go behind the 4, from 54 to 174
    // of what is mapped up to 180.
    QCOMPARE(*remedy(found, "expandable_segments")->saves, Bytes{10 * kMiB});
    QVERIFY(remedy(found, "expandable_segments")->enough == doctor::Enough::NotKnown);
}

/// RecordedTraining ends with 12 blocks of 2 MiB, and one idle one behind them in 56 MiB.
void DiagnosisTest::takesTheStateAtTheEnd()
{
    tests::RecordedTraining training;
    training.steps = 0;
    const memtrace::MemoryTracePtr trace = training.trace();
    QVERIFY(trace);
    const Diagnosis found = diagnosed(*trace);
    QCOMPARE(found.idleBlocks->known, IdleKnown::State);
    QCOMPARE(found.idle->value, Bytes{32 * kMiB});
    QCOMPARE(found.idleBlocks->blocks, std::size_t{1});
}

/// 24 MiB from before the recording, and at the peak three rounds of activations of 1, 2, 3 MiB,
/// and scratch: in 56 MiB, without a gap.
void DiagnosisTest::estimatesIdleMemoryFromAddresses()
{
    tests::RecordedTraining training;
    const Diagnosis found = diagnosed(*training.trace());
    QCOMPARE(found.idleBlocks->known, IdleKnown::Layout);
    QCOMPARE(found.live->value + found.idle->value, Bytes{56 * kMiB});
    QCOMPARE(found.idleBlocks->blocks, std::size_t{1});
}

void DiagnosisTest::saysWhyItIsAnEstimate()
{
    RecordedAllocator recorded{"", Bytes{100 * kMiB}};
    recorded.builder().setSetting("garbage_collection_threshold", "0.5");
    fillWithPieces(recorded);
    const Diagnosis found = diagnosed(*recorded.trace());
    QVERIFY(!found.replay->isExact());
    QVERIFY(found.replay->refusal.empty());
    QCOMPARE(found.remedies[0].known, HowKnown::Estimate);
    QVERIFY(found.remedies[0].text.find("An estimate: it ran with settings") != std::string::npos);
    QVERIFY(!remedy(found, "empty_cache"));
}

void DiagnosisTest::saysWhyThereIsNoReplay()
{
    memtrace::Builder builder;
    memtrace::RecordedEvent event;
    event.action = memtrace::Action::Alloc;
    event.address = 4096;
    event.bytes = 5 * kMiB;
    QVERIFY(builder.device(0).add(event));
    const auto trace = *std::move(builder).build();
    const Diagnosis found = diagnosed(*trace);
    QVERIFY(!found.replay->refusal.empty());
    QVERIFY(!found.reserved && !found.idle && found.remedies.empty());
    QCOMPARE(found.live->value, Bytes{5 * kMiB});
}

/// What the driver gave isn't what PyTorch's allocator reserved, and no replay would be of it.
void DiagnosisTest::takesNoDriverForTheAllocator()
{
    memtrace::Builder builder;
    builder.setOfDriver();
    memtrace::RecordedEvent event;
    event.address = 4096;
    event.bytes = 20 * kMiB;
    event.pool = std::array<std::uint64_t, 2>{};
    event.action = memtrace::Action::SegmentAlloc;
    QVERIFY(builder.device(0).add(event));
    event.action = memtrace::Action::Alloc;
    QVERIFY(builder.device(0).add(event));
    const auto trace = *std::move(builder).build();
    QCOMPARE(trace->devices().front().reserved().largest(), Bytes{20 * kMiB});
    const Diagnosis found = diagnosed(*trace);
    QVERIFY(found.isOfDriver && !found.reserved && !found.idle && !found.idleBlocks);
    QVERIFY(!found.replay->refusal.empty() && found.replay->runs.empty());
    QCOMPARE(found.live->value, Bytes{20 * kMiB});
    QCOMPARE(found.remedies.size(), std::size_t{1});
    QVERIFY(remedy(found, "record_snapshot") != nullptr);
}

/// 20 MiB of another stream would hold the 15 MiB.
void DiagnosisTest::namesIdleMemoryOfOtherPools()
{
    RecordedAllocator recorded{"", Bytes{40 * kMiB}};
    const auto kept = recorded.alloc(2 * kMiB, 0x7000);
    recorded.free(*recorded.alloc(8 * kMiB, 0x7000));
    recorded.alloc(9 * kMiB);
    QVERIFY(kept && !recorded.alloc(15 * kMiB));
    const Diagnosis found = diagnosed(*recorded.trace());
    QCOMPARE(found.idleBlocks->elsewhere, Bytes{18 * kMiB});
    QCOMPARE(*remedy(found, "other_pools")->atMost, Bytes{18 * kMiB});
    QVERIFY(!found.replay->isExact()); // for which stream the 15 MiB were isn't recorded
    QVERIFY(found.replay->doubts.front().find("which stream") != std::string::npos);
}

/// A step of a training, after which the next forward fails: its gradients are there still.
void trainUntilItFails(RecordedAllocator& recorded, std::int64_t asked)
{
    recorded.setFunction("main");
    recorded.alloc(40 * kMiB); // parameters
    recorded.setFunction("forward", "model.py");
    const auto activation = recorded.alloc(12 * kMiB);
    recorded.setFunction("");
    recorded.alloc(40 * kMiB); // gradients
    recorded.free(*activation);
    recorded.setFunction("step", "torch/optim/adamw.py");
    recorded.alloc(80 * kMiB);
    recorded.setFunction("forward", "model.py");
    recorded.alloc(12 * kMiB);
    recorded.alloc(14 * kMiB);
    recorded.alloc(asked);
}

void DiagnosisTest::suggestsWhatTheClassesTell()
{
    RecordedAllocator recorded{"", Bytes{200 * kMiB}};
    trainUntilItFails(recorded, 30 * kMiB);
    const Diagnosis found = diagnosed(*recorded.trace());
    // 40 + 40 + 80 + 12 + 14 = 186 of 200: 16 are missing.
    QCOMPARE(found.missing->value, Bytes{16 * kMiB});
    QCOMPARE(*remedy(found, "optimizer_offload")->saves, Bytes{80 * kMiB});
    QCOMPARE(*remedy(found, "optimizer_8bit")->saves, Bytes{60 * kMiB});
    QCOMPARE(*remedy(found, "gradients_set_to_none")->saves, Bytes{40 * kMiB});
    QCOMPARE(remedy(found, "gradients_set_to_none")->known, HowKnown::Live);
    QCOMPARE(*remedy(found, "smaller_batch")->saves, Bytes{13 * kMiB});
    QVERIFY(remedy(found, "smaller_batch")->enough == doctor::Enough::NotKnown);
    QVERIFY(remedy(found, "gradients_set_to_none")->enough == doctor::Enough::Allocation);
    // Forward would have gone on: a plan of the whole step tells how much it needs.
    QVERIFY(found.failsInForward && found.isStepUnknown());
    Diagnosis planned = found;
    doctor::addPlanned(planned.remedies, Remedy{"plan", "It isn't the step that failed.", {}, {}});
    QVERIFY(remedy(planned, "checkpointing") != nullptr && planned.isStepUnknown());
    doctor::addPlanned(planned.remedies, Remedy{"plan", {}, {}, {}, doctor::HowKnown::Plan});
    QVERIFY(!planned.isStepUnknown());
    QVERIFY(remedy(planned, "checkpointing") == nullptr); // there is a plan
    // The failed event has a time of its own.
    QCOMPARE(found.moment->shownStep(), found.moment->failure->event + std::size_t{1});
    const Remedy* checkpointing = remedy(found, "checkpointing");
    QVERIFY(!checkpointing->saves);
    QCOMPARE(*checkpointing->atMost, Bytes{26 * kMiB});
}

void DiagnosisTest::savingsDontLookEnoughThatArent()
{
    Diagnosis diagnosis;
    Remedy remedy;
    remedy.saves = Bytes{674 * kMiB / 10 + 60'000}; // 67.46 MiB
    QVERIFY(doctor::savingRounding(diagnosis, remedy) == plimsoll::base::Rounding::Nearest);
    diagnosis.missing = doctor::ToldBytes{Bytes{675 * kMiB / 10 - 10'000}, {}}; // 67.49 MiB
    QVERIFY(doctor::savingRounding(diagnosis, remedy) == plimsoll::base::Rounding::Down);
    diagnosis.missing = doctor::ToldBytes{Bytes{70 * kMiB}, {}}; // more than it looks
    QVERIFY(doctor::savingRounding(diagnosis, remedy) == plimsoll::base::Rounding::Nearest);
    diagnosis.missing = doctor::ToldBytes{Bytes{60 * kMiB}, {}}; // it is enough
    QVERIFY(doctor::savingRounding(diagnosis, remedy) == plimsoll::base::Rounding::Nearest);
}

void DiagnosisTest::knowsActivationsBeforeBackward()
{
    RecordedAllocator recorded{"", Bytes{200 * kMiB}};
    trainUntilItFails(recorded, 30 * kMiB);
    const Diagnosis found = diagnosed(*recorded.trace());
    const auto& groups = found.byClass->groups;
    const auto activations = std::find_if(groups.begin(), groups.end(), [](const auto& group) {
        return group.name == "activations";
    });
    QVERIFY(activations != groups.end());
    QCOMPARE(activations->bytes, Bytes{26 * kMiB});
    QCOMPARE(found.byFrame->groups.front().name, std::string{"torch/optim/adamw.py:7:step"});
}

void DiagnosisTest::savesMoreThanTheReplayIsOff()
{
    Diagnosis peak;
    peak.replay.emplace();
    peak.replay->doubts = {"The recording isn't complete."};
    peak.replay->needed = Bytes{100 * kMiB};
    doctor::SettingsRun run;
    run.option = "roundup_power2_divisions:4";
    run.settings = run.option;
    run.reserved = Bytes{98 * kMiB};
    peak.replay->runs.push_back(run);
    peak.replay->peakOff = Bytes{2 * kMiB};
    Diagnosis same = peak;
    doctor::addSettings(same);
    QVERIFY(same.remedies.empty());
    peak.replay->peakOff = Bytes{2 * kMiB - 1};
    doctor::addSettings(peak);
    QCOMPARE(peak.remedies.size(), std::size_t{1});
    QCOMPARE(*peak.remedies.front().saves, Bytes{1}); // what is sure
}

void DiagnosisTest::ranksWhatSufficesFirst()
{
    RecordedAllocator recorded{"", Bytes{200 * kMiB}};
    trainUntilItFails(recorded, 30 * kMiB);
    const Diagnosis found = diagnosed(*recorded.trace());
    QVERIFY(found.remedies.size() >= 5);
    for (std::size_t i = 1; i < found.remedies.size(); ++i) {
        const Remedy& before = found.remedies[i - 1];
        const Remedy& after = found.remedies[i];
        QVERIFY(before.enough == doctor::Enough::Allocation
                || after.enough == doctor::Enough::NotKnown);
        if (before.enough == after.enough)
            QVERIFY(before.saves.value_or(Bytes{}) >= after.saves.value_or(Bytes{}));
        if (before.enough == doctor::Enough::Allocation)
            QVERIFY(*before.saves >= found.missing->value);
    }
    QVERIFY(found.remedies.back().text.ends_with('.'));
}

/// The driver has 40 MiB and 30 are asked for: something else said no.
void DiagnosisTest::noticesALimitOfTheProcess()
{
    RecordedAllocator recorded;
    recorded.alloc(60 * kMiB);
    memtrace::RecordedEvent event;
    event.action = memtrace::Action::OutOfMemory;
    event.bytes = 30 * kMiB;
    event.deviceFreeBytes = 40 * kMiB;
    event.pool = std::array<std::uint64_t, 2>{};
    event.timeNs = 1'800'000'000'000'000'000;
    QVERIFY(recorded.builder().device(0).add(event));
    const Diagnosis found = diagnosed(*recorded.trace());
    QVERIFY(!found.replay->isExact());
    QVERIFY(found.replay->doubts.front().find("set_per_process_memory_fraction")
            != std::string::npos);
    QCOMPARE(found.missing->value, Bytes{1});
}

/// Traces of profilers don't tell what the driver had left.
void DiagnosisTest::saysWhatTheRecordingDoesNotTell()
{
    RecordedAllocator recorded;
    recorded.alloc(60 * kMiB);
    memtrace::RecordedEvent event;
    event.action = memtrace::Action::OutOfMemory;
    event.bytes = 30 * kMiB;
    event.deviceFreeBytes = -1;
    event.pool = std::array<std::uint64_t, 2>{};
    event.timeNs = 1'800'000'000'000'000'000;
    QVERIFY(recorded.builder().device(0).add(event));
    const Diagnosis found = diagnosed(*recorded.trace());
    QVERIFY(found.isFailure);
    QCOMPARE(found.asked->value, Bytes{30 * kMiB});
    QVERIFY(!found.free && !found.missing);
    QVERIFY(!found.replay->isExact());
    QVERIFY(!found.replay->limit);
}

void DiagnosisTest::stops()
{
    RecordedAllocator recorded;
    recorded.alloc(kMiB);
    const memtrace::MemoryTracePtr trace = recorded.trace();
    std::stop_source source;
    source.request_stop();
    const auto found =
        doctor::diagnose(*trace, trace->devices().front(), {.stop = source.get_token()});
    QVERIFY(!found);
    QCOMPARE(found.error().kind, base::ErrorKind::Cancelled);
}

} // namespace

PLIMSOLL_TEST(DiagnosisTest, QCoreApplication)
#include "diagnosis_test.moc"
