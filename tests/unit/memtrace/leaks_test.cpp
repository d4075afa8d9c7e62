// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/leaks.h"

#include "core/memtrace/builder.h"

#include "tests/support/messages.h"
#include "tests/support/recorded_training.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::messageOf;
using plimsoll::tests::RecordedTraining;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

/// A recording that a test writes line by line.
class Recording
{
public:
    void alloc(const std::string& name, std::int64_t bytes, const char* file)
    {
        RecordedEvent event;
        event.action = Action::Alloc;
        event.address = m_address;
        event.bytes = bytes;
        event.timeNs = m_time += 10;
        StackTableBuilder& stacks = m_builder.stacks();
        event.stack = stacks.stack(
            std::vector<FrameId>{stacks.frame({stacks.text(file), stacks.text("call"), 1, {}})});
        m_address += 0x10000000;
        m_live[name] = event;
        if (!m_builder.device(0).add(event))
            qFatal("not added");
    }
    void free(const std::string& name)
    {
        RecordedEvent event = m_live.at(name);
        event.timeNs = m_time += 10;
        event.action = Action::FreeCompleted;
        if (!m_builder.device(0).add(event))
            qFatal("not added");
    }
    void begin(const std::string& name) { m_builder.beginRange(name, 0, m_time += 10); }
    void fail()
    {
        RecordedEvent event;
        event.action = Action::OutOfMemory;
        event.bytes = 1 << 20;
        event.timeNs = m_time += 10;
        if (!m_builder.device(0).add(event))
            qFatal("not added");
    }
    void end(const std::string& name) { m_builder.endRange(name, 0, m_time += 10); }
    [[nodiscard]] MemoryTracePtr trace()
    {
        auto built = std::move(m_builder).build();
        return built ? *built : nullptr;
    }

private:
    Builder m_builder;
    std::map<std::string, RecordedEvent> m_live;
    std::uint64_t m_address = 0x7f0000000000;
    std::int64_t m_time = 1'700'000'000'000'000'000;
};

class LeaksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellGrowthFromWhatStays();
    void findNothingWhereStepsEndAsTheyBegan();
    void needThreeSteps();
    void takeStepsFromTheOptimizer();
    void lookOnlyAtWhatAFilterKeeps();
    void sampleManySteps();
    void leaveOutAStepThatFails();
    void lookOnlyAtStepsThatEndInARange();
};

/// Each step: activations that are freed; one more log entry of 3 KiB; every other step a buffer of
/// 100 B that the next step frees; a cache of 7000 B in the first.
MemoryTracePtr leakyTraining(int steps)
{
    Recording recording;
    for (int step = 0; step < steps; ++step) {
        const std::string name = "step " + std::to_string(step);
        recording.begin(name);
        recording.begin("forward");
        recording.alloc("activation", 1'000'000, "model.py");
        if (step == 0)
            recording.alloc("cache", 7000, "cache.py");
        recording.alloc("log" + std::to_string(step), 3072, "log.py");
        if (step % 2 == 0)
            recording.alloc("buffer", 100, "buffer.py");
        else
            recording.free("buffer");
        recording.end("forward");
        recording.free("activation");
        recording.end(name);
    }
    return recording.trace();
}

void LeaksTest::tellGrowthFromWhatStays()
{
    const MemoryTracePtr trace = leakyTraining(7);
    QVERIFY(trace);
    const Leaks leaks = findLeaks(*trace, trace->devices().front());
    QCOMPARE(leaks.steps, std::size_t{7});
    QCOMPARE(leaks.stepsFrom, std::string{"annotations such as \"step 0\""});
    QCOMPARE(leaks.groups.size(), std::size_t{3});
    const LeakGroup& log = leaks.groups[0];
    QCOMPARE(log.name, std::string{"log.py:1:call"});
    QVERIFY(log.grows);
    QCOMPARE(log.perStep, Bytes{3072});
    QCOMPARE(log.bytes, Bytes{7 * 3072});
    QCOMPARE(log.blocks, std::size_t{7});
    QCOMPARE(trace->devices().front().allocations().bytes[log.newest], std::int64_t{3072});
    QCOMPARE(leaks.groups[1].name, std::string{"cache.py:1:call"});
    QVERIFY(!leaks.groups[1].grows);
    QCOMPARE(leaks.groups[1].bytes, Bytes{7000});
    QCOMPARE(leaks.groups[2].name, std::string{"buffer.py:1:call"}); // it falls in between
    QVERIFY(!leaks.groups[2].grows);
    QCOMPARE(leaks.groups[2].perStep, Bytes{0});
}

void LeaksTest::findNothingWhereStepsEndAsTheyBegan()
{
    RecordedTraining training;
    training.steps = 5;
    const MemoryTracePtr trace = training.trace();
    const Leaks leaks = findLeaks(*trace, trace->devices().front());
    QCOMPARE(leaks.steps, std::size_t{5});
    QVERIFY(leaks.groups.empty());
}

void LeaksTest::needThreeSteps()
{
    const MemoryTracePtr trace = leakyTraining(2);
    const Leaks leaks = findLeaks(*trace, trace->devices().front());
    QCOMPARE(leaks.steps, std::size_t{0});
    QVERIFY(leaks.groups.empty());
    const MemoryTracePtr three = leakyTraining(3);
    const Leaks found = findLeaks(*three, three->devices().front());
    QVERIFY(!found.groups.empty() && found.groups.front().grows);
}

void LeaksTest::takeStepsFromTheOptimizer()
{
    Recording recording;
    for (int step = 0; step < 4; ++step) {
        recording.alloc("leak" + std::to_string(step), 500, "train.py");
        recording.alloc("scratch", 64, "site-packages/torch/optim/sgd.py");
        recording.free("scratch");
    }
    const MemoryTracePtr trace = recording.trace();
    QVERIFY(trace);
    const Leaks leaks = findLeaks(*trace, trace->devices().front());
    QCOMPARE(leaks.steps, std::size_t{4});
    QCOMPARE(leaks.stepsFrom, std::string{"runs of the optimizer"});
    QCOMPARE(leaks.groups.size(), std::size_t{1});
    QCOMPARE(leaks.groups[0].perStep, Bytes{500});
    QCOMPARE(leaks.groups[0].bytes, Bytes{2000});
}

void LeaksTest::lookOnlyAtWhatAFilterKeeps()
{
    const MemoryTracePtr trace = leakyTraining(4);
    const DeviceTrace& device = trace->devices().front();
    const auto matches = matchesOf({{FilterField::Frame, "cache.py"}}, *trace, device,
                                   classify(*trace, device), phasesOf(*trace, device));
    QVERIFY2(matches, messageOf(matches));
    const Leaks leaks = findLeaks(*trace, device, *matches);
    QCOMPARE(leaks.groups.size(), std::size_t{1});
    QCOMPARE(leaks.groups[0].name, std::string{"cache.py:1:call"});
}

void LeaksTest::sampleManySteps()
{
    const MemoryTracePtr trace = leakyTraining(1001);
    const Leaks leaks = findLeaks(*trace, trace->devices().front());
    QCOMPARE(leaks.steps, std::size_t{1001});
    QCOMPARE(leaks.groups[0].perStep, Bytes{3072});
    QCOMPARE(leaks.groups[0].bytes, Bytes{1001 * 3072});
}

void LeaksTest::leaveOutAStepThatFails()
{
    Recording recording;
    for (int step = 0; step < 4; ++step) {
        recording.begin("step " + std::to_string(step));
        recording.alloc("activation", 1'000'000, "model.py");
        if (step == 3)
            break;
        recording.alloc("log" + std::to_string(step), 3072, "log.py");
        recording.free("activation");
        recording.end("step " + std::to_string(step));
    }
    recording.fail();
    const MemoryTracePtr trace = recording.trace();
    QVERIFY(trace);
    const Leaks leaks = findLeaks(*trace, trace->devices().front());
    QCOMPARE(leaks.steps, std::size_t{3});
    QCOMPARE(leaks.groups.size(), std::size_t{1}); // the failed step's activations aren't one
    QCOMPARE(leaks.groups.front().bytes, Bytes{3 * 3072});
}

/// Three steps that leak 3 KiB each, three that don't.
void LeaksTest::lookOnlyAtStepsThatEndInARange()
{
    Recording recording;
    for (int step = 0; step < 6; ++step) {
        const std::string name = "step " + std::to_string(step);
        recording.begin(name);
        recording.alloc("activation", 1'000'000, "model.py");
        if (step < 3)
            recording.alloc("log" + std::to_string(step), 3072, "log.py");
        recording.free("activation");
        recording.end(name);
    }
    const MemoryTracePtr trace = recording.trace();
    QVERIFY(trace);
    const DeviceTrace& device = trace->devices().front();
    const std::vector<std::size_t> ends = stepEnds(*trace, device).at;
    QCOMPARE(ends.size(), std::size_t{6});
    const auto leaksIn = [&](std::size_t first, std::size_t last) {
        return findLeaks(*trace, device, {},
                         plimsoll::timeline::StepSpan{ends[first], ends[last] + 1});
    };
    const Leaks first = leaksIn(0, 2);
    QCOMPARE(first.steps, std::size_t{3});
    QCOMPARE(first.groups.size(), std::size_t{1});
    QCOMPARE(first.groups.front().perStep, Bytes{3072});
    QCOMPARE(first.groups.front().bytes, Bytes{3 * 3072});
    const Leaks last = leaksIn(3, 5);
    QCOMPARE(last.steps, std::size_t{3});
    QCOMPARE(last.groups.size(), std::size_t{1}); // it stays, but doesn't grow
    QVERIFY(!last.groups.front().grows);
    QCOMPARE(last.groups.front().bytes, Bytes{3 * 3072});
    const Leaks few = leaksIn(2, 3);
    QCOMPARE(few.steps, std::size_t{2});
    QCOMPARE(few.allSteps, std::size_t{6});
    QVERIFY(few.groups.empty());
}

} // namespace

PLIMSOLL_TEST(LeaksTest, QCoreApplication)
#include "leaks_test.moc"
