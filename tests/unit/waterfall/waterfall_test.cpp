// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/waterfall.h"

#include "core/waterfall/reasons.h"

#include "tests/support/programs/predicted_recording.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

using namespace plimsoll;
using base::Bytes;
using tests::PredictedRecording;
using waterfall::Reason;
using waterfall::Waterfall;
using Stack = PredictedRecording::Stack;

namespace {

// Instances, as storages.
enum : std::uint32_t { kWeight, kState, kInput, kHidden, kResult, kPassing, kGradient, kUpdate };
constexpr std::int64_t kPeak = 13208; ///< at the last op of backward
constexpr std::int64_t kCublas = 8519680;

/// A step with a product in forward and one in backward. `update`: what the optimizer takes.
compare::PredictedStep stepOf(std::int64_t update = 500)
{
    using graph::Phase;
    using graph::StorageClass;
    compare::PredictedStep step;
    step.problem = tests::unlimitedProblem(
        tests::aProgram()
            .storage("weight", 1024, StorageClass::Parameter)
            .storage("state", 2048, StorageClass::OptimizerState)
            .storage("x", 512, StorageClass::Input)
            .storage("y", 4000, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 3})
            .storage("out", 1600, StorageClass::Output, {.alloc = 1})
            .storage("g", 3000, StorageClass::Temporary, {.alloc = 2, .python = 3})
            .storage("dw", 1024, StorageClass::Gradient, {.alloc = 3})
            .storage("t", update, StorageClass::Temporary, {.alloc = 4, .python = 4})
            .op("aten.addmm.default", {.reads = {"x", "weight"}, .outputs = {"y"}})
            .op("aten.relu.default", {.reads = {"y"}, .outputs = {"out"}})
            .op("aten.threshold_backward.default",
                {.reads = {"out"}, .outputs = {"g"}, .phase = Phase::Backward})
            .op("aten.mm.default",
                {.reads = {"g", "y"}, .outputs = {"dw"}, .phase = Phase::Backward})
            .op("aten.mul.Tensor",
                {.reads = {"dw", "state"}, .outputs = {"t"}, .phase = Phase::Optimizer})
            .build());
    step.plan = plan::keepEverything();
    step.evaluation = plan::evaluate(step.problem, step.plan);
    return step;
}

waterfall::WaterfallPtr compared(const compare::PredictedStep& step, PredictedRecording& recording)
{
    auto found = waterfall::buildWaterfall(step.problem, step.plan, {recording.trace(), 0});
    return found ? *found : nullptr;
}

/// The rows that aren't 0, without those behind the measured peak.
std::map<Reason, std::int64_t> rowsOf(const Waterfall& found)
{
    std::map<Reason, std::int64_t> rows;
    for (const waterfall::WaterfallRow& row : found.rows)
        if (row.reason <= Reason::NotExplained && row.bytes.count() != 0)
            rows[row.reason] = row.bytes.count();
    return rows;
}

using Rows = std::map<Reason, std::int64_t>;

class WaterfallTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void workspacesAreRecognised();
    void scratchBelongsToTheKernel();
    void resultsThatTheProgramLetsGoOf();
    void freedEarlierAndHeldLonger();
    void whatIsOlderThanTheStep();
    void gradientsOfTheStepBefore();
    void withoutACounterpartNothingIsExplained();
    void gradientsThatStayAreHeldLonger();
    void blocksThatTheProfilerRounds();
    void levelsOfTheDevice();
    void theLastWholeStepIsCompared();
    void phasesAndClasses();
    void anotherModelIsRefused();
};

void WaterfallTest::workspacesAreRecognised()
{
    const compare::PredictedStep step = stepOf();
    QCOMPARE(step.evaluation->peak.count(), kPeak);
    {
        PredictedRecording recording{step}; // at the product of backward, behind its result
        const std::size_t at = *recording.find(true, recording.blockOf(kGradient)) + 1;
        recording.insert(at, at, {kCublas, Stack::Backward, false, {}});
        const auto found = compared(step, recording);
        QCOMPARE(rowsOf(*found), (Rows{{Reason::Workspaces, kCublas}}));
        QVERIFY(
            found->row(Reason::Workspaces).text.find("by their size and by where they are taken")
            != std::string::npos);
        QCOMPARE(found->measuredPeak.count(), kPeak + kCublas);
    }
    {
        PredictedRecording recording{step}; // any size, but cuBLAS's functions took it
        const std::size_t at = *recording.find(true, recording.blockOf(kGradient)) + 1;
        recording.insert(at, at, {777, Stack::Library, false, {}});
        const auto found = compared(step, recording);
        QCOMPARE(rowsOf(*found), (Rows{{Reason::Workspaces, 777}}));
        QVERIFY(found->row(Reason::Workspaces).text.find("by their stacks") != std::string::npos);
    }
    {
        PredictedRecording recording{step}; // older versions of PyTorch keep theirs
        recording.addOlder(kCublas);
        const auto found = compared(step, recording);
        QCOMPARE(rowsOf(*found), (Rows{{Reason::Workspaces, kCublas}}));
    }
    {
        // That of newer GPUs could be a tensor's: it is one only beside a product.
        constexpr std::int64_t kLarge = 32 * base::kMiB;
        PredictedRecording recording{step};
        const std::size_t at = *recording.find(true, recording.blockOf(kUpdate)) + 1;
        recording.insert(at, at, {kLarge, Stack::Optimizer, false, {}});
        QCOMPARE(rowsOf(*compared(step, recording)),
                 (Rows{{Reason::OtherPlace, 6708 - kPeak}, {Reason::KernelScratch, kLarge}}));
        PredictedRecording other{step};
        const std::size_t there = *other.find(true, other.blockOf(kGradient)) + 1;
        other.insert(there, there, {kLarge, Stack::Backward, false, {}});
        QCOMPARE(rowsOf(*compared(step, other)), (Rows{{Reason::Workspaces, kLarge}}));
    }
}

void WaterfallTest::scratchBelongsToTheKernel()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step};
    const std::size_t at = *recording.find(true, recording.blockOf(kResult)) + 1;
    recording.insert(at, at, {9000, Stack::Forward, false, {}});
    const auto found = compared(step, recording);
    // At the second op are weight, state, x, y and out.
    QCOMPARE(rowsOf(*found),
             (Rows{{Reason::OtherPlace, 9184 - kPeak}, {Reason::KernelScratch, 9000}}));
    QCOMPARE(found->place, std::size_t{1});
    QCOMPARE(found->measuredPeak.count(), std::int64_t{18184});
    QCOMPARE(found->row(Reason::KernelScratch).allocations.size(), std::size_t{1});
}

void WaterfallTest::resultsThatTheProgramLetsGoOf()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step};
    const std::size_t block = recording.blockOf(kResult);
    const std::size_t freed = *recording.find(false, block);
    recording.happenings.erase(recording.happenings.begin() + static_cast<std::ptrdiff_t>(freed));
    const std::size_t to = *recording.find(true, recording.blockOf(kPassing));
    recording.happenings.insert(recording.happenings.begin() + static_cast<std::ptrdiff_t>(to),
                                {false, block});
    const auto found = compared(step, recording);
    QCOMPARE(rowsOf(*found), (Rows{{Reason::Outputs, -1600}}));
    QCOMPARE(found->row(Reason::Outputs).instances, std::vector<std::uint32_t>{kResult});
}

void WaterfallTest::freedEarlierAndHeldLonger()
{
    {
        const compare::PredictedStep step = stepOf();
        PredictedRecording recording{step};
        const std::size_t block = recording.blockOf(kHidden);
        std::erase_if(recording.happenings,
                      [&](const auto& each) { return !each.isAlloc && each.block == block; });
        const std::size_t to = *recording.find(true, recording.blockOf(kPassing));
        recording.happenings.insert(recording.happenings.begin() + static_cast<std::ptrdiff_t>(to),
                                    {false, block});
        const auto found = compared(step, recording);
        QCOMPARE(rowsOf(*found), (Rows{{Reason::FreedEarlier, -4000}}));
    }
    {
        const compare::PredictedStep step = stepOf(20'000); // the peak is the optimizer's
        PredictedRecording recording{step};
        const std::size_t block = recording.blockOf(kHidden);
        std::erase_if(recording.happenings,
                      [&](const auto& each) { return !each.isAlloc && each.block == block; });
        const auto found = compared(step, recording);
        QCOMPARE(rowsOf(*found), (Rows{{Reason::HeldLonger, 4000}}));
        QCOMPARE(found->row(Reason::HeldLonger).allocations.size(), std::size_t{1});
    }
}

void WaterfallTest::whatIsOlderThanTheStep()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step};
    recording.addOlder(777);
    recording.addOlder(100);
    recording.remove(recording.blockOf(kState));
    const auto found = compared(step, recording);
    QCOMPARE(rowsOf(*found), (Rows{{Reason::Residents, 877 - 2048}}));
    QCOMPARE(found->row(Reason::Residents).allocations.size(), std::size_t{2});
    QCOMPARE(found->row(Reason::Residents).instances, std::vector<std::uint32_t>{kState});
}

void WaterfallTest::gradientsOfTheStepBefore()
{
    // zero_grad() between forward and backward: the peak of forward has them.
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step, 2};
    const std::size_t second = *recording.find(true, recording.blockOf(kResult));
    recording.insert(second + 1, second + 1, {9000, Stack::Forward, false, {}});
    std::size_t gradient = 0; // the first step's
    while (recording.blocks[gradient].instance != kGradient)
        ++gradient;
    recording.happenings.erase(recording.happenings.begin()
                               + static_cast<std::ptrdiff_t>(*recording.find(false, gradient)));
    const std::size_t backward = *recording.find(true, recording.blockOf(kPassing));
    recording.happenings.insert(
        recording.happenings.begin() + static_cast<std::ptrdiff_t>(backward), {false, gradient});
    const auto found = compared(step, recording);
    QCOMPARE(rowsOf(*found), (Rows{{Reason::OtherPlace, 9184 - kPeak},
                                   {Reason::KernelScratch, 9000},
                                   {Reason::Residents, 1024}}));
    QCOMPARE(QString::fromStdString(found->row(Reason::Residents).text),
             QStringLiteral("Of what is older than the step, 1 block is not predicted, and 0 are "
                            "predicted but not there: 1 is from an earlier backward, such as "
                            "gradients that weren't cleared yet."));
}

void WaterfallTest::withoutACounterpartNothingIsExplained()
{
    const compare::PredictedStep step = stepOf();
    {
        PredictedRecording recording{step}; // something that stays
        recording.insert(1, std::nullopt, {123, Stack::Forward, false, {}});
        const auto found = compared(step, recording);
        QCOMPARE(rowsOf(*found), (Rows{{Reason::NotExplained, 123}}));
        QCOMPARE(found->row(Reason::NotExplained).allocations.size(), std::size_t{1});
    }
    {
        PredictedRecording recording{step}; // something that isn't there
        recording.remove(recording.blockOf(kPassing));
        const auto found = compared(step, recording);
        QCOMPARE(rowsOf(*found), (Rows{{Reason::NotExplained, -3000}}));
        QCOMPARE(found->row(Reason::NotExplained).instances, std::vector<std::uint32_t>{kPassing});
    }
    {
        // Another size in its place: it may be the kernel's scratch memory, or that value.
        PredictedRecording recording{step};
        recording.blocks[recording.blockOf(kPassing)].bytes = 3500;
        const auto found = compared(step, recording);
        QCOMPARE(rowsOf(*found), (Rows{{Reason::NotExplained, 500}}));
    }
}

void WaterfallTest::gradientsThatStayAreHeldLonger()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step}; // zero_grad(set_to_none=False)
    recording.remove(recording.blockOf(kGradient));
    recording.addOlder(1024);
    const auto found = compared(step, recording);
    // It is there when `g` is allocated, one op before the one that is predicted to allocate it.
    QCOMPARE(rowsOf(*found), (Rows{{Reason::OtherPlace, -1024}, {Reason::HeldLonger, 1024}}));
    QCOMPARE(found->place, std::size_t{2});
    QCOMPARE(found->measuredPeak.count(), kPeak);
}

void WaterfallTest::blocksThatTheProfilerRounds()
{
    compare::PredictedStep step = stepOf();
    step.problem.rounding = graph::Rounding::Cuda512;
    step.evaluation = plan::evaluate(step.problem, step.plan);
    PredictedRecording recording{step};
    step.problem.rounding = graph::Rounding::Exact; // whatever was asked for
    step.problem.reserve = Bytes{1 << 20};
    const auto found = compared(step, recording);
    QCOMPARE(found->predictedPeak.count(), std::int64_t{13824});
    QCOMPARE(found->measuredPeak.count(), std::int64_t{13824});
    QCOMPARE(rowsOf(*found), Rows{});
    QCOMPARE(found->row(Reason::Rounding).bytes.count(), std::int64_t{0});
}

void WaterfallTest::levelsOfTheDevice()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step};
    recording.builder().device(0).setReserved(Bytes{20'480});
    // As a recording with the snapshot beside it has it.
    const memtrace::MemoryTracePtr alone = recording.trace();
    memtrace::DeviceColumns columns = alone->devices().front().columns();
    columns.foreign = {{0, Bytes{29'520}}};
    memtrace::TraceParts parts = alone->parts();
    parts.devices = {memtrace::DeviceTrace{std::move(columns)}};
    const auto both = std::make_shared<const memtrace::MemoryTrace>(std::move(parts));
    const auto found = waterfall::buildWaterfall(step.problem, step.plan, {both, 0});
    QVERIFY(found);
    const Waterfall& levels = **found;
    QCOMPARE(levels.allocatedPeak, Bytes{13'824});
    QCOMPARE(levels.reservedPeak, Bytes{20'480});
    QCOMPARE(levels.driverPeak, Bytes{50'000});
    QCOMPARE(levels.row(Reason::Rounding).bytes.count(), 13'824 - kPeak);
    QCOMPARE(levels.row(Reason::Fragmentation).bytes.count(), std::int64_t{20'480 - 13'824});
    QCOMPARE(levels.row(Reason::Foreign).bytes.count(), std::int64_t{50'000 - 20'480});
    QCOMPARE(levels.notes.size(), std::size_t{1}); // no segments, so nothing to replay
    // What isn't known has no row; "Not explained" always has one.
    PredictedRecording bare{step};
    const auto less = compared(step, bare);
    QVERIFY(!less->has(Reason::Fragmentation) && !less->has(Reason::Foreign));
    QVERIFY(less->has(Reason::NotExplained) && less->notExplained().count() == 0);
}

void WaterfallTest::theLastWholeStepIsCompared()
{
    const compare::PredictedStep step = stepOf();
    {
        PredictedRecording recording{step, 3};
        // Only in the second step, and the third stays what is compared.
        recording.insert(recording.happenings.size() / 2, recording.happenings.size() / 2,
                         {100'000, Stack::Forward, false, {}});
        const auto found = compared(step, recording);
        QCOMPARE(found->window.from, waterfall::StepFrom::Phases);
        QCOMPARE(found->window.number, std::size_t{3});
        QCOMPARE(rowsOf(*found), Rows{});
        QCOMPARE(found->window.text(), std::string{"step 3 of 3"});
    }
    {
        PredictedRecording recording{step, 2};
        const std::int64_t begin = 1'700'000'000'000'003'000; // of the first event
        recording.builder().addRange("Step#1", 0, begin, begin + 14'999);
        recording.builder().addRange("Step#2", 0, begin + 15'000, begin + 28'000);
        const auto found = compared(step, recording);
        QCOMPARE(found->window.from, waterfall::StepFrom::Annotation);
        QCOMPARE(found->window.name, std::string{"Step#2"});
        QCOMPARE(found->window.begin, memtrace::EventIndex{10});
        QCOMPARE(rowsOf(*found), Rows{});
    }
}

void WaterfallTest::phasesAndClasses()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step};
    const std::size_t at = *recording.find(true, recording.blockOf(kGradient)) + 1;
    recording.insert(at, at, {kCublas, Stack::Backward, false, {}});
    recording.addOlder(50);
    const auto found = compared(step, recording);
    const auto phase = [&](graph::Phase of) {
        return found->phases.at(static_cast<std::size_t>(of));
    };
    QCOMPARE(phase(graph::Phase::Forward), (waterfall::PhaseBytes{Bytes{9184}, Bytes{9234}}));
    QCOMPARE(phase(graph::Phase::Loss), waterfall::PhaseBytes{});
    QCOMPARE(phase(graph::Phase::Backward),
             (waterfall::PhaseBytes{Bytes{kPeak}, Bytes{kPeak + kCublas + 50}}));
    QCOMPARE(phase(graph::Phase::Optimizer), (waterfall::PhaseBytes{Bytes{6708}, Bytes{6758}}));
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> classes;
    for (const waterfall::ClassBytes& each : found->classes)
        if (each.predicted.count() != 0 || each.measured.count() != 0)
            classes[each.category ? timeline::categoryName(*each.category) : "others"] = {
                each.predicted.count(), each.measured.count()};
    const std::map<std::string, std::pair<std::int64_t, std::int64_t>> expected{
        {"Parameters", {1024, 1024}},  {"Optimizer state", {2048, 2048}},
        {"Inputs", {512, 512}},        {"Gradients", {1024, 1024}},
        {"Activations", {5600, 5600}}, {"Temporaries", {3000, 3000}},
        {"Workspaces", {0, kCublas}},  {"others", {0, 50}}};
    QCOMPARE(classes, expected);
}

void WaterfallTest::anotherModelIsRefused()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step};
    for (const std::uint32_t instance : {kHidden, kResult, kPassing})
        recording.blocks[recording.blockOf(instance)].bytes /= 2;
    const auto found = waterfall::buildWaterfall(step.problem, step.plan, {recording.trace(), 0});
    QVERIFY(!found);
    QCOMPARE(found.error().kind, base::ErrorKind::File);
    const std::string& message = found.error().message;
    QCOMPARE(QString::fromStdString(message),
             QStringLiteral("The recording is one of another model, batch or plan: 2 of 5 "
                            "predicted allocations are in step 1 of 1, with 0 % of the bytes of "
                            "forward, and the first that isn't there is 4,000 B of aten.addmm "
                            "(forward), where 2,000 B were allocated."));
}

} // namespace

PLIMSOLL_TEST(WaterfallTest, QCoreApplication)
#include "waterfall_test.moc"
