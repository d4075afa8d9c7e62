// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/classify.h"

#include "core/memtrace/builder.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <utility>
#include <vector>

namespace {

using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

/// A recording of one device, an event per nanosecond.
class Recording
{
public:
    StackId python(const char* file, const char* function)
    {
        StackTableBuilder& stacks = m_builder.stacks();
        return stacks.stack(std::vector<FrameId>{
            stacks.frame({stacks.text(file), stacks.text(function), 7, {}}),
            stacks.frame({stacks.text("train.py"), stacks.text("main"), 1, {}})});
    }
    /// Innermost first: files and functions.
    StackId frames(const std::vector<std::pair<const char*, const char*>>& frames)
    {
        StackTableBuilder& stacks = m_builder.stacks();
        std::vector<FrameId> ids;
        for (const auto& [file, function] : frames)
            ids.push_back(stacks.frame({stacks.text(file), stacks.text(function), 7, {}}));
        return stacks.stack(ids);
    }
    StackId native(const char* function)
    {
        StackTableBuilder& stacks = m_builder.stacks();
        return stacks.stack(
            std::vector<FrameId>{stacks.frame({stacks.text("??"), stacks.text(function), 0, {}})});
    }
    /// Returns its number.
    std::size_t alloc(StackId stack)
    {
        add(Action::Alloc, ++m_last, stack);
        return m_last - 1;
    }
    void free(std::size_t allocation)
    {
        add(Action::FreeRequested, allocation + 1, {});
        add(Action::FreeCompleted, allocation + 1, {});
    }
    void fail(StackId stack) { add(Action::OutOfMemory, 0, stack); }
    void begin(const char* range) { m_builder.beginRange(range, 0, m_time + 1); }
    void end(const char* range) { m_builder.endRange(range, 0, m_time); }
    [[nodiscard]] MemoryTracePtr build()
    {
        auto trace = std::move(m_builder).build();
        return trace ? *trace : nullptr;
    }

private:
    void add(Action action, std::uint64_t block, StackId stack)
    {
        RecordedEvent event;
        event.action = action;
        event.address = block * 512;
        event.bytes = 100;
        event.timeNs = ++m_time;
        event.stack = stack;
        if (!m_builder.device(0).add(event))
            qFatal("The event was refused.");
    }

    Builder m_builder;
    std::size_t m_last = 0;
    std::int64_t m_time = 1000;
};

class ClassifyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsTheParts_data();
    void tellsTheParts();
    void whatOutlivesAStepIsLasting();
    void recomputedForwardIsBackward_data();
    void recomputedForwardIsBackward();
    void needsPythonFrames();
    void believesAnnotations();
    void knowsActivationsOfAFailedForward();
    void askTheBackwardBeforeOneThatFails();
};

struct Expected
{
    std::size_t allocation = 0;
    MemoryClass memoryClass = MemoryClass::NotKnown;
    ClassRule rule = ClassRule::NoPhase;
};

void compare(const MemoryTracePtr& trace, const std::vector<Expected>& expected)
{
    QVERIFY(trace);
    const Classes classes = classify(*trace, trace->devices().front());
    for (const auto& [allocation, memoryClass, rule] : expected) {
        QCOMPARE(classes.classAt(allocation), memoryClass);
        QCOMPARE(classes.ruleAt(allocation), rule);
    }
}

void ClassifyTest::tellsTheParts_data()
{
    QTest::addColumn<QByteArray>("backward");
    QTest::newRow("Python's frames only") << QByteArray{};
    QTest::newRow("C++ frames, too") << QByteArray{"torch::autograd::Engine::thread_main"};
}

void ClassifyTest::tellsTheParts()
{
    QFETCH(QByteArray, backward);
    Recording recording;
    const StackId forward = recording.python("model.py", "forward");
    const StackId optimizer = recording.python("/lib/torch/optim/adamw.py", "step");
    const StackId engine = backward.isEmpty() ? StackId{} : recording.native(backward.constData());
    const std::size_t saved = recording.alloc(forward);
    const std::size_t scratch = recording.alloc(forward);
    recording.free(scratch);
    const std::size_t gradient = recording.alloc(engine);
    const std::size_t partial = recording.alloc(engine);
    recording.free(partial);
    recording.free(saved);
    const std::size_t moment = recording.alloc(optimizer);
    const std::size_t product = recording.alloc(optimizer);
    recording.free(product);
    recording.free(gradient);
    const std::size_t next = recording.alloc(forward);
    recording.free(next);
    const std::size_t last = recording.alloc(forward); // no backward follows
    compare(recording.build(), {{saved, MemoryClass::Activations, ClassRule::SurvivesIntoBackward},
                                {scratch, MemoryClass::Temporaries, ClassRule::FreedInForward},
                                {gradient, MemoryClass::Gradients, ClassRule::OutlivesBackward},
                                {partial, MemoryClass::Temporaries, ClassRule::FreedInBackward},
                                {moment, MemoryClass::OptimizerState, ClassRule::OutlivesOptimizer},
                                {product, MemoryClass::Temporaries, ClassRule::FreedByOptimizer},
                                {next, MemoryClass::Temporaries, ClassRule::FreedInForward},
                                {last, MemoryClass::NotKnown, ClassRule::NoPhase}});
}

void ClassifyTest::whatOutlivesAStepIsLasting()
{
    Recording recording;
    const StackId forward = recording.python("model.py", "forward");
    const std::size_t weight = recording.alloc(recording.python("train.py", "load"));
    std::size_t loss = 0;
    std::size_t lossBefore = 0;
    for (int step = 0; step < 3; ++step) {
        const std::size_t saved = recording.alloc(forward);
        lossBefore = loss;
        loss = recording.alloc(forward);
        if (step > 0)
            recording.free(lossBefore); // kept until the next step has made its own
        const std::size_t gradient = recording.alloc({});
        recording.free(saved);
        recording.alloc(recording.python("/lib/torch/optim/adamw.py", "step"));
        recording.free(gradient);
    }
    compare(recording.build(),
            {{weight, MemoryClass::Lasting, ClassRule::LivesThroughSteps},
             {lossBefore, MemoryClass::Activations, ClassRule::SurvivesIntoBackward}});
}

void ClassifyTest::recomputedForwardIsBackward_data()
{
    // Python that autograd's thread calls: what its stacks begin with.
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("function");
    QTest::newRow("torch.utils.checkpoint")
        << QByteArray{"/lib/torch/utils/checkpoint.py"} << QByteArray{"unpack_hook"};
    QTest::newRow("a Function's backward")
        << QByteArray{"/lib/torch/autograd/function.py"} << QByteArray{"apply"};
    QTest::newRow("a hook of the user") << QByteArray{"hooks.py"} << QByteArray{"unpack"};
}

void ClassifyTest::recomputedForwardIsBackward()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, function);
    Recording recording;
    const StackId forward = recording.frames({{"model.py", "forward"}, {"train.py", "<module>"}});
    const StackId again =
        recording.frames({{"model.py", "forward"}, {file.constData(), function.constData()}});
    const StackId optimizer =
        recording.frames({{"/lib/torch/optim/adamw.py", "step"}, {"train.py", "<module>"}});
    std::vector<Expected> expected;
    for (int step = 0; step < 2; ++step) {
        const std::size_t input = recording.alloc(forward);
        const std::size_t other = recording.alloc(forward);
        for (const std::size_t saved : {input, other}) { // a region each
            const std::size_t recomputed = recording.alloc(again);
            const std::size_t gradient = recording.alloc({});
            recording.free(recomputed);
            recording.free(saved);
            expected.push_back({saved, MemoryClass::Activations, ClassRule::SurvivesIntoBackward});
            expected.push_back({recomputed, MemoryClass::Temporaries, ClassRule::FreedInBackward});
            expected.push_back({gradient, MemoryClass::Gradients, ClassRule::OutlivesBackward});
        }
        recording.alloc(optimizer);
    }
    compare(recording.build(), expected);
}

void ClassifyTest::needsPythonFrames()
{
    Recording recording;
    const std::size_t first = recording.alloc({});
    recording.free(first);
    const std::size_t second = recording.alloc({});
    compare(recording.build(), {{first, MemoryClass::NotKnown, ClassRule::NoPhase},
                                {second, MemoryClass::NotKnown, ClassRule::NoPhase}});
}

void ClassifyTest::believesAnnotations()
{
    Recording recording;
    const StackId mine = recording.python("train.py", "update"); // no optimizer's name
    const std::size_t before = recording.alloc(mine);
    recording.begin("Optimizer.step#AdamW.step");
    const std::size_t moment = recording.alloc(mine);
    recording.end("Optimizer.step#AdamW.step");
    const std::size_t after = recording.alloc(mine);
    recording.free(after);
    recording.free(before);
    compare(recording.build(), {{before, MemoryClass::Temporaries, ClassRule::FreedInForward},
                                {moment, MemoryClass::OptimizerState, ClassRule::OutlivesOptimizer},
                                {after, MemoryClass::Temporaries, ClassRule::FreedInForward}});
}

void ClassifyTest::knowsActivationsOfAFailedForward()
{
    Recording recording;
    const StackId forward = recording.python("model.py", "forward");
    const StackId setUp = recording.python("train.py", "load");
    const std::size_t weight = recording.alloc(setUp);
    const std::size_t saved = recording.alloc(forward);
    const std::size_t scratch = recording.alloc(forward);
    recording.free(scratch);
    recording.fail(forward);
    const std::size_t after = recording.alloc(forward);
    compare(recording.build(), {{weight, MemoryClass::NotKnown, ClassRule::NoPhase},
                                {saved, MemoryClass::Activations, ClassRule::FailsBeforeBackward},
                                {scratch, MemoryClass::Temporaries, ClassRule::FreedInForward},
                                {after, MemoryClass::NotKnown, ClassRule::NoPhase}});
}

/// Two backwards; an allocation fails in the second, before anything of it is freed.
void ClassifyTest::askTheBackwardBeforeOneThatFails()
{
    Recording recording;
    const StackId forward = recording.python("model.py", "forward");
    const StackId optimizer = recording.python("/lib/torch/optim/adamw.py", "step");
    const StackId engine = recording.native("torch::autograd::Engine::thread_main");
    const StackId other = recording.native("torch::autograd::Engine::evaluate_function");
    const std::size_t saved = recording.alloc(forward);
    const std::size_t scratch = recording.alloc(engine);
    const std::size_t gradient = recording.alloc(engine);
    recording.free(scratch);
    const std::size_t third = recording.alloc(engine);
    recording.free(third);
    recording.free(saved);
    const std::size_t moment = recording.alloc(optimizer);
    recording.free(gradient);
    const std::size_t kept = recording.alloc(forward);
    const std::size_t cutScratch = recording.alloc(engine);
    const std::size_t cutGradient = recording.alloc(engine);
    const std::size_t elsewhere = recording.alloc(other); // not what the third one was
    recording.fail(engine);
    compare(recording.build(),
            {{scratch, MemoryClass::Temporaries, ClassRule::FreedInBackward},
             {gradient, MemoryClass::Gradients, ClassRule::OutlivesBackward},
             {moment, MemoryClass::OptimizerState, ClassRule::OutlivesOptimizer},
             {kept, MemoryClass::Activations, ClassRule::SurvivesIntoBackward},
             {cutScratch, MemoryClass::Temporaries, ClassRule::AsInBackwardBefore},
             {cutGradient, MemoryClass::Gradients, ClassRule::AsInBackwardBefore},
             {elsewhere, MemoryClass::NotKnown, ClassRule::FailsInBackward}});
}

} // namespace

PLIMSOLL_TEST(ClassifyTest, QCoreApplication)
#include "classify_test.moc"
