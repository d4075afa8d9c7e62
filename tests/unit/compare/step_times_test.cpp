// SPDX-License-Identifier: Apache-2.0
#include "core/compare/step_times.h"

#include "core/device/op_times.h"
#include "core/memtrace/ops/op_recording_builder.h"

#include "tests/support/programs/programs.h"
#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace plimsoll;
using base::Nanoseconds;

namespace {

using graph::Phase;

constexpr auto kBackward = "autograd::engine::evaluate_function: ReluBackward0";
constexpr auto kOptimizer = "Optimizer.step#SGD.step";

/// A recording by hand: what is called is within what is open, and time goes on by 10 ns.
class Recorded
{
public:
    Recorded& open(const char* name, const char* shape = "", bool isRange = false)
    {
        memtrace::OpSpan span;
        span.begin = m_time += 10;
        span.name = m_builder.text(name);
        span.shapes = m_builder.text(shape);
        span.isRange = isRange;
        m_open.push_back(span);
        return *this;
    }
    Recorded& range(const char* name) { return open(name, "", true); }
    /// A kernel that the innermost open span launches.
    Recorded& kernel(std::int64_t time, int device = 0)
    {
        m_builder.addWorkAt(device, Nanoseconds{time}, 0, m_time += 10);
        return *this;
    }
    Recorded& close()
    {
        memtrace::OpSpan span = m_open.back();
        m_open.pop_back();
        span.end = m_time += 10;
        m_builder.addSpan(span);
        return *this;
    }
    Recorded& op(const char* name, std::int64_t time, const char* shape = "")
    {
        return open(name, shape).kernel(time).close();
    }
    [[nodiscard]] memtrace::OpRecordingPtr build(const char* device = "NVIDIA H100") &&
    {
        m_builder.setDeviceName(0, device);
        m_builder.setBase(1'772'323'200'000'000'000); // 2026-03-01
        return std::move(m_builder).build().value();
    }

private:
    memtrace::OpRecordingBuilder m_builder;
    std::vector<memtrace::OpSpan> m_open;
    std::int64_t m_time = 0;
};

/// exp and relu, backward of relu, an optimizer.
graph::ProgramPtr program()
{
    using graph::StorageClass;
    return tests::aProgram()
        .storage("x", 1000, StorageClass::Input)
        .storage("y", 400, StorageClass::Activation, {.alloc = 0, .python = 2, .free = 2})
        .storage("z", 50, StorageClass::Activation, {.alloc = 1, .python = 2, .free = 2})
        .op("aten.exp.default", {.reads = {"x"}, .outputs = {"y"}})
        .op("aten.relu.default", {.reads = {"y"}, .outputs = {"z"}})
        .op("aten.threshold_backward.default", {.reads = {"y", "z"}, .phase = Phase::Backward})
        .op("aten._foreach_add_.List", {.reads = {"x"}, .writes = {"x"}, .phase = Phase::Optimizer})
        .build();
}

/// One step of that program; `scale`: of the times.
void addStep(Recorded& recorded, std::int64_t scale)
{
    recorded.op("aten::exp", 7 * scale).op("aten::relu", 5 * scale);
    recorded.open(kBackward).op("aten::threshold_backward", 3 * scale).close();
    recorded.range(kOptimizer).op("aten::_foreach_add_", 2 * scale).close();
}

std::vector<std::int64_t> counts(const compare::StepTimes& times)
{
    std::vector<std::int64_t> counts;
    for (const auto& time : times.ops)
        counts.push_back(time ? time->count() : -1);
    return counts;
}

using Counts = std::vector<std::int64_t>;

std::string refusal(const graph::Program& of, const memtrace::OpRecordingPtr& recording)
{
    const auto times = compare::findStepTimes(of, *recording, "run.json");
    return times ? std::string{} : times.error().message;
}

/// Length of a longest common subsequence, by the table.
std::size_t longest(const std::vector<int>& a, const std::vector<int>& b)
{
    std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                               : std::max(table[i - 1][j], table[i][j - 1]);
    return table[a.size()][b.size()];
}

class StepTimesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void opsHaveTheTimesOfTheirKernels()
    {
        Recorded recorded;
        addStep(recorded, 1);
        const auto times =
            compare::findStepTimes(*program(), *std::move(recorded).build(), "a.json");
        QVERIFY(times);
        QCOMPARE(counts(**times), (Counts{7, 5, 3, 2}));
        QCOMPARE((*times)->otherTime.count(), 0);
        QCOMPARE((*times)->step, std::string{"step 1 of 1"});
        QCOMPARE(compare::sourceText(**times),
                 std::string{"4 of 4 ops measured in step 1 of 1 of a.json, NVIDIA H100, "
                             "2026-03-01"});
        QCOMPARE((*times)->notes.size(), std::size_t{1});
        QVERIFY((*times)->notes.front().find("record_shapes=True") != std::string::npos);
    }

    void nestedOperatorsCountOnceAndForTheOutermost()
    {
        Recorded recorded;
        recorded.open("aten::linear"); // composed of ops: the graph has none of that name
        recorded.open("aten::exp").kernel(4).op("aten::relu", 20).op("aten::copy_", 300).close();
        recorded.close().kernel(1000);
        recorded.open("aten::relu").close();
        recorded.op("aten::item", 5000);
        recorded.open(kBackward).op("aten::threshold_backward", 3).close();
        recorded.range(kOptimizer).op("aten::_foreach_add_", 2).close();
        const auto times =
            compare::findStepTimes(*program(), *std::move(recorded).build(), "a.json");
        QVERIFY(times);
        // relu within exp is not the graph's; the one that launched nothing was not measured.
        QCOMPARE(counts(**times), (Counts{324, -1, 3, 2}));
        QVERIFY(std::ranges::count((*times)->notes,
                                   "1 op that computes has no time of the GPU in the profile and "
                                   "is not measured.")
                == 1);
        QCOMPARE((*times)->otherTime.count(), 5000);
        QVERIFY(
            (*times)->notes.back().find("1 kernel of the recording (1.00 µs) was launched by no "
                                        "operator")
            != std::string::npos);
    }

    void opsAreFoundInTheirPhase()
    {
        // A checkpoint recomputes forward in backward, after the loss ran exp once more.
        Recorded recorded;
        recorded.op("aten::exp", 7);
        recorded.open(kBackward).op("aten::exp", 100).op("aten::relu", 200);
        recorded.op("aten::threshold_backward", 3).close();
        recorded.range(kOptimizer).op("aten::exp", 50).op("aten::_foreach_add_", 2).close();
        const auto times =
            compare::findStepTimes(*program(), *std::move(recorded).build(), "a.json");
        QVERIFY(times);
        QCOMPARE(counts(**times), (Counts{7, 200, 3, 2})); // by name where the phase has no such op
        QCOMPARE((*times)->otherTime.count(), 150);
    }

    void theLastWholeStepIsTaken()
    {
        Recorded recorded;
        for (int step = 1; step <= 3; ++step) {
            recorded.range(step == 1   ? "ProfilerStep#8"
                           : step == 2 ? "ProfilerStep#9"
                                       : "ProfilerStep#10");
            if (step < 3)
                addStep(recorded, step);
            else
                recorded.op("aten::exp", 1000);
            recorded.close();
        }
        const auto times =
            compare::findStepTimes(*program(), *std::move(recorded).build(), "a.json");
        QVERIFY(times);
        QCOMPARE((*times)->step, std::string{"ProfilerStep#9"});
        QCOMPARE(counts(**times), (Counts{14, 10, 6, 4}));

        Recorded unmarked; // optimizers tell the steps
        addStep(unmarked, 1);
        addStep(unmarked, 10);
        const auto last =
            compare::findStepTimes(*program(), *std::move(unmarked).build(), "a.json");
        QVERIFY(last);
        QCOMPARE((*last)->step, std::string{"step 2 of 2"});
        QCOMPARE(counts(**last), (Counts{70, 50, 30, 20}));
    }

    void whatIsNotFoundHasNoTime()
    {
        Recorded recorded;
        recorded.op("aten::exp", 7).op("aten::gelu", 5);
        recorded.open(kBackward).op("aten::threshold_backward", 3).close();
        const graph::ProgramPtr before = program();
        const auto times = compare::findStepTimes(*before, *std::move(recorded).build(), "a.json");
        QVERIFY(times);
        QCOMPARE(counts(**times), (Counts{7, -1, 3, -1}));

        plan::Device device;
        device.bandwidth = 1e9; // a byte takes 1 ns
        device.launchLatency = Nanoseconds{10};
        const graph::ProgramPtr after = compare::withTimes(before, **times);
        QVERIFY(!before->ops[0].measured); // another program
        const std::vector<Nanoseconds> modelled = plan::opTimes(*before, device);
        const std::vector<Nanoseconds> mixed = plan::opTimes(*after, device);
        QCOMPARE(mixed[0].count(), 7);
        QCOMPARE(mixed[1], modelled[1]);
        QCOMPARE(mixed[2].count(), 3);
        const compare::TimeShares shares = compare::timeShares(*after, device);
        QCOMPARE(shares.measuredOps, std::size_t{2});
        QCOMPARE(shares.modelledOps, std::size_t{2});
        QCOMPARE(shares.measured.count(), 10);
        QCOMPARE(shares.modelled, modelled[1] + modelled[3]);
        QCOMPARE(after->header.assumed.size(), before->header.assumed.size() + 2);
        QVERIFY(after->header.assumed.front().find("2 of 4 ops measured in") != std::string::npos);
    }

    void anotherStepIsRefused()
    {
        Recorded recorded;
        recorded.op("aten::exp", 7).op("aten::gelu", 7);
        QCOMPARE(
            refusal(*program(), std::move(recorded).build()),
            std::string{"run.json is not a recording of this graph's step: of its 4 ops that "
                        "compute 1 is found in the whole recording; the first that isn't is op "
                        "1, aten.relu, where the recording has aten::gelu."});
        Recorded larger; // the first op is there, at another size
        larger.op("aten::exp", 7, "2000").op("aten::gelu", 7);
        QVERIFY(refusal(*program(), std::move(larger).build())
                    .ends_with("is op 1, aten.relu, where the recording has aten::gelu."));
        Recorded other;
        other.op("aten::exp", 7).range(kOptimizer).op("aten::_foreach_add_", 1).close();
        other.op("aten::mul", 7);
        QCOMPARE(refusal(*program(), std::move(other).build()), std::string{});
    }

    void anotherSizeIsRefused()
    {
        Recorded recorded;
        recorded.op("aten::exp", 7, "2000").op("aten::relu", 5, "800");
        recorded.open(kBackward).op("aten::threshold_backward", 3, "100").close();
        recorded.range(kOptimizer).op("aten::_foreach_add_", 2, "1000").close();
        QCOMPARE(refusal(*program(), std::move(recorded).build()),
                 std::string{"run.json was recorded at another size than the graph's: "
                             "aten.exp has a tensor of 2000 there, and of 1000 in the "
                             "graph; trace the model at that size, or choose it with --at."});
        Recorded one; // of four: that op isn't measured
        one.op("aten::exp", 7, "1000").op("aten::relu", 5, "800");
        one.open(kBackward).op("aten::threshold_backward", 3, "50").close();
        one.range(kOptimizer).op("aten::_foreach_add_", 2).close();
        const auto times = compare::findStepTimes(*program(), *std::move(one).build(), "a.json");
        QVERIFY(times);
        QCOMPARE(counts(**times), (Counts{7, -1, 3, 2}));
        QCOMPARE((*times)->otherTime.count(), 5);
        QCOMPARE((*times)->notes.size(), std::size_t{1});
        QVERIFY((*times)->notes.front().starts_with("1 op has tensors of other sizes"));
    }

    void otherDevicesAndTheStandInAreTold()
    {
        Recorded recorded;
        addStep(recorded, 1);
        recorded.open("aten::exp").kernel(1, 1).close();
        const auto times = compare::findStepTimes(
            *program(), *std::move(recorded).build("stand-in GPU (80 GiB)"), "a.json");
        QVERIFY(times);
        QCOMPARE(counts(**times), (Counts{7, 5, 3, 2}));
        QVERIFY((*times)->notes.front().find("not the times of a GPU") != std::string::npos);
        QCOMPARE((*times)->notes.back(),
                 std::string{"Only GPU 0 is counted; 1 kernel ran on other GPUs."});
    }

    void asManyOpsAreFoundAsPossible()
    {
        const std::vector<const char*> names{"aten::a", "aten::b", "aten::c", "aten::d"};
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            tests::Random random{seed};
            tests::ProgramBuilder builder = tests::aProgram();
            builder.storage("x", 8, graph::StorageClass::Input);
            std::vector<int> ops;
            for (int i = random.between(1, 12); i > 0; --i) {
                ops.push_back(random.between(0, 3));
                builder.op(std::string{"aten."} + "abcd" [ops.back()], { .reads = { "x" } });
            }
            Recorded recorded;
            std::vector<int> ran;
            std::int64_t all = 0;
            for (int i = random.between(1, 12); i > 0; --i) {
                ran.push_back(random.between(0, 3));
                const int time = random.between(1, 99);
                recorded.op(names[static_cast<std::size_t>(ran.back())], time);
                all += time;
            }
            const graph::ProgramPtr of = builder.build();
            const auto times = compare::findStepTimes(*of, *std::move(recorded).build(), "a.json");
            const std::size_t most = longest(ops, ran);
            QCOMPARE(times.has_value(), 2 * most >= ops.size());
            if (!times)
                continue;
            QCOMPARE((*times)->measuredOps(), most);
            std::int64_t sum = (*times)->otherTime.count();
            for (const auto& time : (*times)->ops)
                sum += time.value_or(Nanoseconds{}).count();
            QCOMPARE(sum, all);
        }
    }

    void whatCannotBeTiedIsRefused()
    {
        memtrace::OpRecordingBuilder none;
        QCOMPARE(std::move(none).build().error().message, std::string{"has no kernels of a GPU"});
        memtrace::OpRecordingBuilder kernels;
        kernels.addUntied(0, Nanoseconds{5});
        QCOMPARE(std::move(kernels).build().error().message,
                 std::string{"has kernels, but no operators that launched them"});
        memtrace::OpRecordingBuilder untied;
        memtrace::OpSpan span;
        span.end = 10;
        span.name = untied.text("aten::exp");
        untied.addSpan(span);
        untied.addUntied(0, Nanoseconds{5});
        untied.addWorkAt(0, Nanoseconds{5}, 0, 11); // after it ended
        untied.addWorkAt(0, Nanoseconds{5}, 1, 5);  // of another thread
        QCOMPARE(std::move(untied).build().error().message,
                 std::string{"has kernels and operators, but not which operator launched which "
                             "kernel"});
    }

    void aSessionKeepsThem()
    {
        Recorded recorded;
        recorded.op("aten::exp", 7).op("aten::gelu", 5);
        recorded.open(kBackward).op("aten::threshold_backward", 3).close();
        const auto times =
            compare::findStepTimes(*program(), *std::move(recorded).build(), "a.json").value();
        const std::string text = compare::writeStepTimes(*times);
        QCOMPARE(*compare::readStepTimes(text, 4).value(), *times);
        QVERIFY(!compare::readStepTimes(text, 5));
        for (const char* damaged : {"", "[]", "{}", R"({"format": 2})", R"({"format": "1"})"})
            QVERIFY2(!compare::readStepTimes(damaged, 4), damaged);
    }
};

} // namespace

PLIMSOLL_TEST(StepTimesTest, QCoreApplication)
#include "step_times_test.moc"
