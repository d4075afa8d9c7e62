// SPDX-License-Identifier: Apache-2.0
// Recordings of random programs, as predicted and changed at random: the rows of the waterfall add
// up to the measured peak, and what is not explained is what has no counterpart.
#include "core/waterfall/waterfall.h"

#include "tests/support/programs/predicted_recording.h"
#include "tests/support/programs/programs.h"
#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>
#include <set>

using namespace plimsoll;
using base::Bytes;
using tests::PredictedRecording;
using waterfall::Reason;
using waterfall::Waterfall;

namespace {

constexpr std::uint64_t kSeeds = 400;

compare::PredictedStep predicted(std::uint64_t seed)
{
    const graph::ProgramPtr program = tests::randomProgram(seed);
    compare::PredictedStep step{
        tests::unlimitedProblem(program),
        seed % 2 == 0 ? plan::keepEverything() : tests::randomLegalPlan(*program, seed), nullptr};
    step.evaluation = plan::evaluate(step.problem, step.plan);
    return step;
}

/// Frees something earlier or later, leaves allocations out, adds others.
void changeAtRandom(PredictedRecording& recording, tests::Random& random)
{
    const auto place = [&] { return random.below(recording.happenings.size() + 1); };
    for (int change = random.between(1, 8); change > 0; --change) {
        const std::size_t block = random.below(recording.blocks.size());
        switch (random.between(0, 4)) {
        case 0: recording.remove(block); break;
        case 1: {
            std::size_t first = place();
            std::size_t last = place();
            if (first > last)
                std::swap(first, last);
            recording.insert(
                first, random.percent(70) ? std::optional{last} : std::nullopt,
                {random.between(1, 3000), PredictedRecording::Stack::Forward, false, std::nullopt});
            break;
        }
        case 2: recording.addOlder(random.between(1, 3000)); break;
        default: { // freed at another place behind its allocation
            const auto alloc = recording.find(true, block);
            const auto freed = recording.find(false, block);
            if (!alloc || !freed)
                break;
            recording.happenings.erase(recording.happenings.begin()
                                       + static_cast<std::ptrdiff_t>(*freed));
            const std::size_t to = *alloc + 1 + random.below(recording.happenings.size() - *alloc);
            recording.happenings.insert(
                recording.happenings.begin() + static_cast<std::ptrdiff_t>(to), {false, block});
        }
        }
    }
}

std::int64_t sumOfRows(const Waterfall& found)
{
    std::int64_t sum = found.predictedPeak.count();
    for (const waterfall::WaterfallRow& row : found.rows)
        if (row.reason <= Reason::NotExplained)
            sum += row.bytes.count();
    return sum;
}

/// Bytes of a row's own lists.
std::int64_t listed(const Waterfall& found, const memtrace::DeviceTrace& device, Reason reason)
{
    const waterfall::WaterfallRow& row = found.row(reason);
    std::int64_t sum = 0;
    for (const std::uint32_t allocation : row.allocations)
        sum += device.allocations().bytes[allocation];
    for (const std::uint32_t instance : row.instances)
        sum -= waterfall::instanceBytes(found.predicted, instance).count();
    return sum;
}

class WaterfallPropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRecordingAsPredictedHasNoDifference();
    void rowsAddUpWhateverWasRecorded();
};

void WaterfallPropertyTest::aRecordingAsPredictedHasNoDifference()
{
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const compare::PredictedStep step = predicted(seed);
        PredictedRecording recording{step};
        if (recording.happenings.empty())
            continue;
        const memtrace::MemoryTracePtr trace = recording.trace();
        const auto found = waterfall::buildWaterfall(step.problem, step.plan, {trace, 0});
        QVERIFY2(found, found ? "" : found.error().message.c_str());
        const Waterfall& equal = **found;
        QCOMPARE(equal.match.inOrder.size(), equal.match.predicted.size());
        QCOMPARE(equal.match.measured.size(), equal.match.predicted.size());
        QCOMPARE(equal.predictedPeak, step.evaluation->peak);
        QCOMPARE(equal.measuredPeak.count(), recording.peak());
        QCOMPARE(equal.measuredPeak, equal.predictedPeak);
        for (const waterfall::WaterfallRow& row : equal.rows)
            if (row.reason != Reason::Rounding)
                QVERIFY2(row.bytes.count() == 0 && row.allocations.empty() && row.instances.empty(),
                         qPrintable(QStringLiteral("seed %1: %2 %3")
                                        .arg(seed)
                                        .arg(waterfall::reasonKey(row.reason))
                                        .arg(row.bytes.count())));
        for (const waterfall::ClassBytes& each : equal.classes)
            QCOMPARE(each.measured, each.predicted);
    }
}

void WaterfallPropertyTest::rowsAddUpWhateverWasRecorded()
{
    std::size_t compared = 0;
    std::set<Reason> seen;
    for (std::uint64_t seed = 0; seed < 4 * kSeeds; ++seed) {
        const compare::PredictedStep step = predicted(seed);
        PredictedRecording recording{step};
        tests::Random random{seed};
        changeAtRandom(recording, random);
        if (recording.happenings.empty())
            continue;
        const memtrace::MemoryTracePtr trace = recording.trace();
        const memtrace::DeviceTrace& device = trace->devices().front();
        const auto found = waterfall::buildWaterfall(step.problem, step.plan, {trace, 0});
        if (!found) {
            QCOMPARE(found.error().kind, base::ErrorKind::File);
            continue;
        }
        ++compared;
        const Waterfall& split = **found;
        QCOMPARE(sumOfRows(split), split.measuredPeak.count());
        if (split.window.from == waterfall::StepFrom::Recording)
            QCOMPARE(split.measuredPeak.count(), recording.peak());
        // Each part is what it lists: nothing is claimed that isn't there.
        for (const waterfall::WaterfallRow& row : split.rows) {
            if (row.bytes.count() != 0)
                seen.insert(row.reason);
            if (row.reason != Reason::OtherPlace && row.reason <= Reason::NotExplained)
                QCOMPARE(listed(split, device, row.reason), row.bytes.count());
        }
        std::set<std::uint32_t> paired;
        for (std::uint32_t instance = 0; instance < split.match.allocationOf.size(); ++instance) {
            const std::uint32_t allocation = split.match.allocationOf[instance];
            if (allocation == memtrace::kNone)
                continue;
            QVERIFY(paired.insert(allocation).second);
            QCOMPARE(split.match.instanceOf[allocation], instance);
            QCOMPARE(device.allocations().bytes[allocation],
                     waterfall::instanceBytes(split.predicted, instance).count());
        }
        Bytes before;
        Bytes after;
        for (const waterfall::ClassBytes& each : split.classes) {
            before += each.predicted;
            after += each.measured;
        }
        QCOMPARE(before, split.predictedPeak);
        QCOMPARE(after, split.measuredPeak);
    }
    QVERIFY(compared > kSeeds);
    for (const Reason reason : {Reason::OtherPlace, Reason::KernelScratch, Reason::FreedEarlier,
                                Reason::HeldLonger, Reason::Residents, Reason::NotExplained})
        QVERIFY2(seen.contains(reason), waterfall::reasonKey(reason));
}

} // namespace

PLIMSOLL_TEST(WaterfallPropertyTest, QCoreApplication)
#include "waterfall_property_test.moc"
