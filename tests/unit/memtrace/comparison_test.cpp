// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/comparison/comparison.h"

#include "core/memtrace/summary.h"

#include "tests/support/recorded_training.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <stop_token>
#include <utility>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::RecordedTraining;
using namespace plimsoll;           // NOLINT(google-build-using-namespace)
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

using Sides = QList<QPair<int, int>>; ///< steps and layers of each

MemoryTracePtr training(int steps, int layers, int devices = 1)
{
    RecordedTraining recorded;
    recorded.steps = steps;
    recorded.layers = layers;
    recorded.devices = devices;
    return recorded.trace();
}

/// Live bytes at a step of a device, counted allocation by allocation.
Bytes liveAt(const DeviceTrace& device, std::size_t step)
{
    std::int64_t live = 0;
    for (std::size_t i = 0; i < device.allocations().size(); ++i)
        if (device.firstStep(i) <= step && step <= device.lastStep(i))
            live += device.allocations().bytes[i];
    return Bytes{live};
}

/// A recording without annotations: each letter is an allocation of one byte, by forward, backward
/// or the optimizer, a second apart. `annotated`: the first and the last of those in a range.
MemoryTracePtr byStacks(const std::string& letters, std::pair<int, int> annotated = {-1, -1},
                        const char* range = "Optimizer.step#AdamW.step")
{
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    StackTableBuilder& stacks = builder.stacks();
    const auto frame = [&](const char* file, const char* name) {
        return stacks.frame({stacks.text(file), stacks.text(name), 1, {}});
    };
    RecordedEvent event;
    event.action = Action::Alloc;
    event.address = 4096;
    event.bytes = 1;
    event.timeNs = 0;
    for (const char letter : letters) {
        const FrameId own = letter == 'b'   ? frame("engine.cpp", "torch::autograd::Engine::run")
                            : letter == 'o' ? frame("torch/optim/adam.py", "step")
                                            : frame("model.py", "forward");
        event.stack = stacks.stack(std::vector<FrameId>{own});
        event.address += 512;
        *event.timeNs += 1'000'000'000;
        if (!device.add(event))
            std::abort();
    }
    const auto [first, last] = annotated;
    if (first >= 0) {
        constexpr std::int64_t kSecond = 1'000'000'000;
        builder.addRange(range, 0, (first + 1) * kSecond, (last + 1) * kSecond + 1);
    }
    return *std::move(builder).build();
}

class ComparisonTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hasEachStepOfEachSide_data();
    void hasEachStepOfEachSide();
    void showsTheBytesOfEachSide_data() { hasEachStepOfEachSide_data(); }
    void showsTheBytesOfEachSide();
    void endsWhereTheRecordingEnds();
    void keepsPeaks_data() { hasEachStepOfEachSide_data(); }
    void keepsPeaks();
    void namesThePhaseOfAPeak();
    void comparesWhatPeaksHold();
    void findsPhasesByStacks();
    void findsPhasesBesideAnnotations();
    void takesAnnotatedPhasesAsTheyAre();
    void refusesTooMany();
    void stops();
};

void ComparisonTest::hasEachStepOfEachSide_data()
{
    QTest::addColumn<Sides>("sides");
    QTest::addColumn<bool>("countsEvents");
    for (const bool counts : {false, true}) {
        const auto row = [counts](const char* name) -> QTestData& {
            return QTest::addRow("%s, by %s", name, counts ? "events" : "time");
        };
        row("one alone") << Sides{{2, 5}} << counts;
        row("the same twice") << Sides{{2, 5}, {2, 5}} << counts;
        row("another size") << Sides{{2, 4}, {2, 9}} << counts;
        row("more steps") << Sides{{1, 5}, {4, 5}} << counts;
        row("four ranks") << Sides{{2, 5}, {3, 4}, {2, 6}, {1, 7}} << counts;
    }
}

ComparisonPtr comparisonOf(const Sides& sides, bool countsEvents)
{
    std::vector<ComparedDevice> devices;
    for (const auto& [steps, layers] : sides)
        devices.push_back({training(steps, layers), 0});
    return compareDevices(std::move(devices), countsEvents ? Axis::Events : Axis::Time).value();
}

void ComparisonTest::hasEachStepOfEachSide()
{
    QFETCH(const Sides, sides);
    QFETCH(bool, countsEvents);
    const ComparisonPtr compared = comparisonOf(sides, countsEvents);
    QVERIFY(compared->phases().isAligned());
    std::vector<int> seen(compared->ground()->stepCount());
    for (const Comparison::Side& side : compared->sides()) {
        QCOMPARE(side.axisStep.size(), side.of.device().stepCount());
        QVERIFY(std::is_sorted(side.axisStep.begin(), side.axisStep.end()));
        for (std::size_t step = 0; step < side.axisStep.size(); ++step) {
            ++seen[side.axisStep[step]];
            QCOMPARE(compared->ground()->timeAt(side.axisStep[step]), side.curve->timeAt(step));
        }
    }
    QVERIFY(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
}

void ComparisonTest::showsTheBytesOfEachSide()
{
    QFETCH(const Sides, sides);
    QFETCH(bool, countsEvents);
    const ComparisonPtr compared = comparisonOf(sides, countsEvents);
    std::vector<std::size_t> now(compared->sides().size());
    for (std::size_t at = 0; at < compared->ground()->stepCount(); ++at) {
        for (std::size_t side = 0; side < now.size(); ++side) {
            const Comparison::Side& of = compared->sides()[side];
            if (now[side] + 1 < of.axisStep.size() && of.axisStep[now[side] + 1] == at)
                ++now[side];
            QCOMPARE(compared->stepOf(side, at), now[side]);
            QCOMPARE(compared->bytesAt(side, at), liveAt(of.of.device(), now[side]));
        }
        QCOMPARE(compared->ground()->totalAt(at),
                 compared->isOver(0, at) ? Bytes{} : compared->bytesAt(0, at));
    }
}

void ComparisonTest::endsWhereTheRecordingEnds()
{
    // B has another step, behind the one of A.
    const std::string oneStep = "ffffffffbbbbbbbb";
    const ComparisonPtr compared =
        compareDevices({{byStacks(oneStep), 0}, {byStacks(oneStep + oneStep), 0}}, Axis::Time)
            .value();
    const std::size_t last = compared->ground()->stepCount() - 1;
    QVERIFY(compared->isOver(0, last));
    QVERIFY(!compared->isOver(1, last));
    for (std::size_t side = 0; side < 2; ++side)
        for (const std::uint32_t step : compared->sides()[side].axisStep)
            QVERIFY(!compared->isOver(side, step));
}

void ComparisonTest::keepsPeaks()
{
    QFETCH(const Sides, sides);
    QFETCH(bool, countsEvents);
    const ComparisonPtr compared = comparisonOf(sides, countsEvents);
    Bytes highest;
    for (std::size_t side = 0; side < compared->sides().size(); ++side) {
        const DeviceSummary summary = summaryOf(compared->sides()[side].of.device());
        QCOMPARE(compared->peakOf(side), summary.peak);
        QCOMPARE(compared->bytesAt(side, compared->peakStepOf(side)), summary.peak);
        highest = std::max(highest, summary.peak);
    }
    QCOMPARE(compared->highestPeak(), highest);
}

void ComparisonTest::namesThePhaseOfAPeak()
{
    // Backward allocates before it frees.
    const ComparisonPtr compared = comparisonOf({{2, 5}, {1, 3}}, false);
    QCOMPARE(compared->sides()[0].peakPhase, std::string{"backward"});
    QCOMPARE(compared->sides()[1].peakPhase, std::string{"backward"});
    const std::size_t peak = compared->peakStepOf(1);
    const auto& bands = compared->ground()->bands();
    QVERIFY(std::any_of(bands.begin(), bands.end(), [&](const timeline::Band& band) {
        return band.label == "backward" && band.begin <= peak && peak <= band.end;
    }));
}

void ComparisonTest::comparesWhatPeaksHold()
{
    const ComparisonPtr compared = comparisonOf({{2, 5}, {2, 9}}, false);
    const TraceDiff diff = compared->diffOfPeaks(0, 1, LiveBy::Class);
    QCOMPARE(diff.a.bytes, compared->peakOf(0));
    QCOMPARE(diff.b.bytes, compared->peakOf(1));
    const TraceDiff back = compared->diffOfPeaks(1, 0, LiveBy::Class);
    QCOMPARE(back.onlyA, diff.onlyB);
    QCOMPARE(back.common, diff.common);
}

void ComparisonTest::findsPhasesByStacks()
{
    // One allocation of autograd within forward isn't a phase.
    const std::string text = "ffffffffbfffffffffbbbbbbbbboooooooo";
    const MemoryTracePtr trace = byStacks(text);
    const std::vector<PhaseSpan> spans = phaseSpans(*trace, trace->devices().front(), Axis::Events);
    QCOMPARE(spans.size(), 3U);
    QCOMPARE(spans[0], (PhaseSpan{"forward", 0, 19}));
    QCOMPARE(spans[1], (PhaseSpan{"backward", 19, 28}));
    QCOMPARE(spans[2].name, std::string{"optimizer"});
    const auto compared =
        compareDevices({{trace, 0}, {byStacks("ffffffffbbbbbbbbbbbbbbbb"), 0}}, Axis::Time);
    QVERIFY(compared.has_value());
    QVERIFY((*compared)->phases().isAligned());
    QCOMPARE((*compared)->phases().phases().size(), 3U);
}

void ComparisonTest::findsPhasesBesideAnnotations()
{
    const MemoryTracePtr trace = byStacks("ffffffffffbbbbbbbbbboooooooooff", {20, 28});
    const std::vector<PhaseSpan> spans = phaseSpans(*trace, trace->devices().front(), Axis::Time);
    QStringList names;
    std::int64_t end = 0;
    for (const PhaseSpan& span : spans) {
        names << QString::fromStdString(span.name);
        QCOMPARE(span.begin, end);
        end = span.end;
    }
    QCOMPARE(names, (QStringList{"forward", "backward", "Optimizer.step#AdamW.step", "forward"}));
    const timeline::Times times = axisPositions(trace->devices().front(), Axis::Time);
    QCOMPARE(end, times[times.size() - 1]);
    QCOMPARE(spans[1].begin, std::int64_t{10'000'000'000}); // the first event is at 0
    QCOMPARE(spans[2].begin, std::int64_t{20'000'000'000});
}

void ComparisonTest::takesAnnotatedPhasesAsTheyAre()
{
    // The model is initialized by what looks like forward.
    const MemoryTracePtr trace = byStacks("ffffffffffffffffffffbbbbbbbbbb", {10, 19}, "forward");
    const std::vector<PhaseSpan> spans = phaseSpans(*trace, trace->devices().front(), Axis::Events);
    QStringList names;
    for (const PhaseSpan& span : spans)
        names << QString::fromStdString(span.name);
    QCOMPARE(names, (QStringList{QString{}, "forward", "backward"}));
}

void ComparisonTest::refusesTooMany()
{
    const MemoryTracePtr trace = training(1, 2);
    const auto tooMany =
        compareDevices(std::vector<ComparedDevice>(kMostCompared + 1, {trace, 0}), Axis::Time);
    QVERIFY(!tooMany.has_value());
    QCOMPARE(QString::fromStdString(tooMany.error().message),
             QStringLiteral("Up to 16 profiles can be compared at once; remove some."));
    QVERIFY(!compareDevices({}, Axis::Time).has_value());
}

void ComparisonTest::stops()
{
    std::stop_source source;
    source.request_stop();
    base::JobContext job;
    job.stop = source.get_token();
    const auto stopped = compareDevices({{training(1, 2), 0}}, Axis::Time, job);
    QVERIFY(!stopped.has_value());
    QCOMPARE(stopped.error().kind, base::ErrorKind::Cancelled);
}

} // namespace

PLIMSOLL_TEST(ComparisonTest, QCoreApplication)
#include "comparison_test.moc"
