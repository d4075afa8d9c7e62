// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/named_allocations.h"

#include "core/io/byte_source.h"
#include "core/memtrace/analysis/live_groups.h"
#include "core/memtrace/analysis/phases.h"
#include "core/memtrace/frames.h"
#include "core/readers/registry.h"
#include "core/waterfall/waterfall.h"

#include "tests/support/programs/predicted_recording.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace plimsoll;
using tests::PredictedRecording;
using waterfall::NamedAllocations;
using waterfall::ToldAllocation;
using Stack = PredictedRecording::Stack;

namespace {

// Instances, as storages.
enum : std::uint32_t { kWeight, kState, kInput, kHidden, kResult, kPassing, kGradient, kUpdate };

/// A step with a product in forward and one in backward.
compare::PredictedStep stepOf(std::int64_t hidden = 4000)
{
    using graph::Phase;
    using graph::StorageClass;
    graph::Program program =
        *tests::aProgram()
             .storage("weight", 1024, StorageClass::Parameter)
             .storage("state", 2048, StorageClass::OptimizerState)
             .storage("x", 512, StorageClass::Input)
             .storage("y", hidden, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 3})
             .storage("out", 1600, StorageClass::Output, {.alloc = 1})
             .storage("g", 3000, StorageClass::Temporary, {.alloc = 2, .python = 3})
             .storage("dw", 1024, StorageClass::Gradient, {.alloc = 3})
             .storage("t", 500, StorageClass::Temporary, {.alloc = 4, .python = 4})
             .op("aten.addmm.default", {.reads = {"x", "weight"}, .outputs = {"y"}})
             .saved("y", 0, {.after = true, .unpack = 3, .dropped = 3, .released = 3})
             .op("aten.relu.default", {.reads = {"y"}, .outputs = {"out"}})
             .op("aten.threshold_backward.default",
                 {.reads = {"out"}, .outputs = {"g"}, .phase = Phase::Backward})
             .op("aten.mm.default",
                 {.reads = {"g", "y"}, .outputs = {"dw"}, .phase = Phase::Backward})
             .op("aten.mul.Tensor",
                 {.reads = {"dw", "state"}, .outputs = {"t"}, .phase = Phase::Optimizer})
             .build();
    program.sources = {"model.py:12"};
    program.ops[0].source = 0;
    program.ops[3].forwardOp = graph::OpId{0};
    compare::PredictedStep step;
    step.problem =
        tests::unlimitedProblem(std::make_shared<const graph::Program>(std::move(program)));
    step.plan = plan::keepEverything();
    step.evaluation = plan::evaluate(step.problem, step.plan);
    return step;
}

base::Result<waterfall::NamedAllocationsPtr> named(const compare::PredictedStep& step,
                                                   const memtrace::MemoryTracePtr& trace)
{
    return waterfall::nameAllocations(step.problem, step.plan, *trace, 0);
}

/// A chain of modules, each of which saves one result for backward, with a plan that recomputes
/// those of the first `recomputed` ones.
compare::PredictedStep chainOf(std::size_t recomputed)
{
    graph::Program program = *tests::longChain(6);
    for (std::size_t i = 0; i < program.storages.size(); ++i)
        program.storages[i].bytes =
            base::Bytes{program.storages[i].storageClass == graph::StorageClass::Temporary
                            ? 100
                            : static_cast<std::int64_t>(1000 + 16 * i)};
    compare::PredictedStep step;
    step.problem =
        tests::unlimitedProblem(std::make_shared<const graph::Program>(std::move(program)));
    step.plan = plan::keepEverything();
    for (std::size_t call = 0; call < recomputed; ++call)
        step.plan.asRegions().regions.push_back(tests::regionOf(*step.problem.program, {call}));
    step.evaluation = plan::evaluate(step.problem, step.plan);
    return step;
}

/// The recorded allocations of an instance, from the recording's own knowledge: by size.
std::vector<std::uint32_t> ofSize(const memtrace::MemoryTrace& trace, std::int64_t bytes)
{
    const memtrace::Allocations& all = trace.devices()[0].allocations();
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < all.size(); ++i)
        if (all.bytes[i] == bytes && all.allocEvent[i] != memtrace::kNoEvent)
            found.push_back(i);
    return found;
}

class NamedAllocationsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void allStepsThatAgreeAreNamed();
    void whyMemoryIsAlive();
    void whatDoesNotAgreeStaysUnknown();
    void anotherModelIsRefused();
    void aMuchSmallerModelIsRefused();
    void anotherPlanIsRefused();
    void whatIsFreedAtAnotherMomentStaysUnknown();
    void whatIsOlderThanTheFirstStepIsNotCounted();
    void aStepThatFailsIsNamedUpToItsEnd();
    void namesChangeNoClasses();
    void backwardGetsSourcesWherePythonHasNone();
};

void NamedAllocationsTest::allStepsThatAgreeAreNamed()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step, 3};
    const auto trace = recording.trace();
    const auto names = named(step, trace);
    QVERIFY2(names.has_value(), names ? "" : names.error().message.c_str());
    QCOMPARE((*names)->steps, std::size_t{3});
    QCOMPARE((*names)->agreeing, std::size_t{3});
    QCOMPARE((*names)->allocations, std::size_t{15}); // five of each step
    QCOMPARE((*names)->known, std::size_t{15});
    QCOMPARE((*names)->countsText(),
             std::string{"15 of 15 allocations in 3 of 3 steps are known from the graph"});
    for (const auto& [bytes, instance] : std::map<std::int64_t, std::uint32_t>{
             {4000, kHidden}, {1600, kResult}, {3000, kPassing}, {500, kUpdate}}) {
        const std::vector<std::uint32_t> all = ofSize(*trace, bytes);
        QCOMPARE(all.size(), std::size_t{3});
        for (const std::uint32_t allocation : all)
            QCOMPARE((*names)->instanceOf[allocation], instance);
    }
    const memtrace::Allocations& all = trace->devices()[0].allocations();
    for (std::size_t i = 0; i < all.size(); ++i) // matched by size alone
        if (all.allocEvent[i] == memtrace::kNoEvent)
            QVERIFY(!(*names)->isKnown(i));
}

void NamedAllocationsTest::whyMemoryIsAlive()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step, 1};
    const auto trace = recording.trace();
    const auto names = named(step, trace);
    QVERIFY(names.has_value());
    const auto told = [&](std::int64_t bytes) { return (*names)->told(ofSize(*trace, bytes)[0]); };
    const ToldAllocation passing = told(3000);
    QCOMPARE(passing.op, std::string{"aten.threshold_backward"});
    QCOMPARE(passing.phase, std::string{"backward"});
    QCOMPARE(passing.source, std::string{});
    QCOMPARE(passing.why,
             std::string{"aten.mm (backward), op 3, uses it last, and it is freed then."});
    const ToldAllocation hidden = told(4000);
    QCOMPARE(hidden.op, std::string{"aten.addmm"});
    QCOMPARE(hidden.source, std::string{"model.py:12"});
    QCOMPARE(hidden.why, std::string{"aten.addmm saves it for backward, which reads it in aten.mm, "
                                     "op 3, and then frees it."});
    const ToldAllocation gradient = told(1024);
    QCOMPARE(gradient.source, std::string{"model.py:12"}); // of its forward op
    QCOMPARE(told(1600).why, std::string{"The step returns it."});
}

void NamedAllocationsTest::whatDoesNotAgreeStaysUnknown()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step, 2};
    // Something else in the first step, which then isn't like the last one, but agrees.
    recording.insert(1, 2, {777, Stack::Forward, false, {}});
    const auto trace = recording.trace();
    const auto names = named(step, trace);
    QVERIFY(names.has_value());
    QCOMPARE((*names)->agreeing, std::size_t{2});
    QCOMPARE((*names)->allocations, std::size_t{11});
    QCOMPARE((*names)->known, std::size_t{10});
    QVERIFY(!(*names)->isKnown(ofSize(*trace, 777)[0]));
}

void NamedAllocationsTest::anotherModelIsRefused()
{
    PredictedRecording recording{stepOf(), 2};
    const auto trace = recording.trace();
    const auto names = named(stepOf(4096), trace);
    QVERIFY(!names.has_value());
    QCOMPARE(names.error().kind, base::ErrorKind::File);
    QVERIFY(names.error().message.starts_with(
        "The recording is one of another model, batch or plan: 4 of 5 predicted allocations are in "
        "step 2 of 2"));
}

/// A step that makes much more than is predicted is one of another model, though it has all that
/// this one makes.
void NamedAllocationsTest::aMuchSmallerModelIsRefused()
{
    for (const int others : {15, 30}) {
        const compare::PredictedStep step = stepOf();
        PredictedRecording recording{step, 2};
        for (std::size_t at : {recording.happenings.size() / 2 + 1, std::size_t{1}})
            for (int i = 0; i < others; ++i)
                recording.insert(at, at + 1, {10'000 + i, Stack::Forward, false, {}});
        const auto trace = recording.trace();
        const auto names = named(step, trace);
        QCOMPARE(names.has_value(), others == 15);
        if (!names)
            QCOMPARE(names.error().message,
                     std::string{"The recording is one of another model, batch or plan: 5 of 5 "
                                 "predicted allocations are in step 2 of 2, which makes 35 "
                                 "allocations."});
    }
}

void NamedAllocationsTest::anotherPlanIsRefused()
{
    const compare::PredictedStep plain = chainOf(0);
    const compare::PredictedStep planned = chainOf(3);
    const auto plainTrace = PredictedRecording{plain, 2}.trace();
    const auto plannedTrace = PredictedRecording{planned, 2}.trace();
    for (const auto& names : {named(plain, plainTrace), named(planned, plannedTrace)}) {
        QVERIFY2(names.has_value(), names ? "" : names.error().message.c_str());
        QCOMPARE((*names)->known, (*names)->allocations);
    }
    const auto refused = [](const base::Result<waterfall::NamedAllocationsPtr>& names) {
        return QString::fromStdString(names ? std::string{} : names.error().message);
    };
    // The plan frees three results that it recomputes, and keeps the inputs of two modules.
    QCOMPARE(refused(named(planned, plainTrace)),
             QStringLiteral("The recording frees 5 of the 12 blocks of forward at other moments "
                            "than this plan does, so it ran another plan, or none. Compare it with "
                            "the plan that it ran, or leave the plan out."));
    QCOMPARE(refused(named(plain, plannedTrace)),
             QStringLiteral("The recording frees 5 of the 12 blocks of forward at other moments "
                            "than the step without a plan does: it recomputes some, so it ran with "
                            "a plan or with torch.utils.checkpoint. Compare it with the plan that "
                            "it ran."));
    // The comparison shows the blocks, and says it.
    const auto compared = waterfall::buildWaterfall(planned.problem, planned.plan, {plainTrace, 0});
    QVERIFY(compared.has_value());
    QCOMPARE(QString::fromStdString((*compared)->notes.at(1)), refused(named(planned, plainTrace)));
}

void NamedAllocationsTest::whatIsFreedAtAnotherMomentStaysUnknown()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step, 1};
    // What the product saves is gone before backward, though nothing recomputes it.
    const std::size_t freed = *recording.find(false, recording.blockOf(kHidden));
    const std::size_t backward = *recording.find(true, recording.blockOf(kPassing));
    std::rotate(recording.happenings.begin() + static_cast<std::ptrdiff_t>(backward),
                recording.happenings.begin() + static_cast<std::ptrdiff_t>(freed),
                recording.happenings.begin() + static_cast<std::ptrdiff_t>(freed) + 1);
    const auto trace = recording.trace();
    const auto names = named(step, trace);
    QVERIFY2(names.has_value(), names ? "" : names.error().message.c_str());
    QCOMPARE((*names)->known, std::size_t{4});
    QVERIFY(!(*names)->isKnown(ofSize(*trace, 4000)[0]));
    QVERIFY((*names)->isKnown(ofSize(*trace, 1600)[0]));
}

void NamedAllocationsTest::whatIsOlderThanTheFirstStepIsNotCounted()
{
    for (const int steps : {1, 3}) {
        const compare::PredictedStep step = stepOf();
        PredictedRecording recording{step, steps};
        for (const std::int64_t bytes : {7000, 8000}) // such as parameters
            recording.insert(0, std::nullopt, {bytes, Stack::SetUp, false, {}});
        const auto trace = recording.trace();
        const auto names = named(step, trace);
        QVERIFY2(names.has_value(), names ? "" : names.error().message.c_str());
        QCOMPARE((*names)->allocations, static_cast<std::size_t>(5 * steps));
        QCOMPARE((*names)->known, static_cast<std::size_t>(5 * steps));
    }
}

void NamedAllocationsTest::aStepThatFailsIsNamedUpToItsEnd()
{
    const compare::PredictedStep step = stepOf();
    for (const int whole : {0, 1}) {
        PredictedRecording recording{step, whole + 1};
        recording.insert(0, std::nullopt, {7000, Stack::SetUp, false, {}});
        // The allocation after forward's two fails.
        const std::size_t end = *recording.find(true, recording.blockOf(kPassing));
        recording.happenings.resize(end);
        recording.fails = true;
        const auto trace = recording.trace();
        const auto names = named(step, trace);
        QVERIFY2(names.has_value(), names ? "" : names.error().message.c_str());
        QCOMPARE((*names)->countsText(), whole == 0
                                             ? std::string{"2 of 2 allocations in 1 of 1 step are "
                                                           "known from the graph"}
                                             : std::string{"7 of 7 allocations in 2 of 2 steps are "
                                                           "known from the graph"});
        QCOMPARE((*names)->instanceOf[ofSize(*trace, 4000).back()], std::uint32_t{kHidden});
        QCOMPARE((*names)->instanceOf[ofSize(*trace, 1600).back()], std::uint32_t{kResult});
        const auto other = named(stepOf(4096), trace);
        QVERIFY(!other.has_value());
        QVERIFY2(other.error().message.starts_with(
                     "The recording is one of another model, batch or plan: "),
                 other.error().message.c_str());
        // Only a whole step is compared.
        const auto compared = waterfall::buildWaterfall(step.problem, step.plan, {trace, 0});
        QCOMPARE(compared.has_value(), whole == 1);
        if (compared)
            QCOMPARE((*compared)->window.text(), std::string{"step 1 of 2"});
        else
            QCOMPARE(compared.error().message,
                     std::string{"The recording has no whole step to compare: an allocation fails "
                                 "before its first step ends. The graph can still name what that "
                                 "step allocated."});
    }
}

void NamedAllocationsTest::namesChangeNoClasses()
{
    const compare::PredictedStep step = stepOf();
    PredictedRecording recording{step, 2};
    const auto trace = recording.trace();
    const auto names = named(step, trace);
    QVERIFY(names.has_value());
    const auto with = waterfall::withNames(*trace, 0, **names);
    const memtrace::DeviceTrace& before = trace->devices()[0];
    const memtrace::DeviceTrace& after = with->devices()[0];
    const memtrace::Classes classes = memtrace::classify(*trace, before);
    const memtrace::Classes same = memtrace::classify(*with, after);
    QVERIFY(std::ranges::equal(classes.classOf, same.classOf));
    QVERIFY(std::ranges::equal(classes.ruleOf, same.ruleOf));
    QCOMPARE(memtrace::phasesOf(*trace, before).phaseOf.size(),
             memtrace::phasesOf(*with, after).phaseOf.size());
    QVERIFY(std::ranges::equal(memtrace::phasesOf(*trace, before).phaseOf,
                               memtrace::phasesOf(*with, after).phaseOf));
    const std::uint32_t passing = ofSize(*trace, 3000)[1];
    const auto textOf = [&](const memtrace::MemoryTrace& of) {
        return memtrace::topFrameText(
            of.stacks(), memtrace::StackId{of.devices()[0].allocations().stack[passing]});
    };
    QCOMPARE(textOf(*trace), std::string{"(no Python frame)"});
    QCOMPARE(textOf(*with), std::string{"(aten.threshold_backward, from the graph)"});
    const std::uint32_t gradient = ofSize(*trace, 1024)[1];
    QCOMPARE(memtrace::topFrameText(with->stacks(),
                                    memtrace::StackId{after.allocations().stack[gradient]}),
             std::string{"model.py:12:aten.mm (from the graph)"});
    // What has frames of Python keeps its name.
    const std::uint32_t hidden = ofSize(*trace, 4000)[1];
    QCOMPARE(memtrace::topFrameText(with->stacks(),
                                    memtrace::StackId{after.allocations().stack[hidden]}),
             memtrace::topFrameText(trace->stacks(),
                                    memtrace::StackId{before.allocations().stack[hidden]}));
}

void NamedAllocationsTest::backwardGetsSourcesWherePythonHasNone()
{
    const auto profile = readers::readProfile(
        io::Source{PLIMSOLL_SOURCE_DIR "/resources/samples/encoder_training.stand-in.pickle.gz"});
    QVERIFY(profile.has_value());
    const auto program =
        readers::readProgram(PLIMSOLL_SOURCE_DIR "/tests/data/encoder.plimsoll.json.gz");
    QVERIFY(program.has_value());
    const memtrace::MemoryTracePtr trace = profile->trace; // recorded with stacks="python"
    const plan::Problem problem = tests::unlimitedProblem(program->program);
    const auto names = waterfall::nameAllocations(problem, plan::keepEverything(), *trace, 0);
    QVERIFY2(names.has_value(), names ? "" : names.error().message.c_str());
    const auto with = waterfall::withNames(*trace, 0, **names);
    const memtrace::DeviceTrace& device = trace->devices()[0];
    const memtrace::Phases phases = memtrace::phasesOf(*trace, device);
    std::size_t backward = 0;
    std::size_t nameless = 0;
    std::size_t stillNameless = 0;
    for (std::size_t i = 0; i < device.allocations().size(); ++i) {
        if (!(*names)->isKnown(i) || (*names)->told(i).phase != "backward")
            continue;
        ++backward;
        const auto isNameless = [i](const memtrace::MemoryTrace& of) {
            return memtrace::topFrameText(of.stacks(),
                                          memtrace::StackId{of.devices()[0].allocations().stack[i]})
                   == "(no Python frame)";
        };
        nameless += isNameless(*trace) ? 1U : 0U;
        stillNameless += isNameless(*with) ? 1U : 0U;
    }
    QCOMPARE((*names)->countsText(),
             std::string{"1530 of 2226 allocations in 3 of 3 steps are known from the graph"});
    QCOMPARE(backward, std::size_t{669});
    QCOMPARE(nameless, std::size_t{666});
    QCOMPARE(stillNameless, std::size_t{0});
}

} // namespace

PLIMSOLL_TEST(NamedAllocationsTest, QCoreApplication)
#include "named_allocations_test.moc"
