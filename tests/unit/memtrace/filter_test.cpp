// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/filter/filter.h"

#include "core/memtrace/analysis/layering.h"
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/filter/text_pattern.h"

#include "tests/support/messages.h"
#include "tests/support/recorded_training.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::messageOf;
using plimsoll::tests::RecordedTraining;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

class FilterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void keepsWhatATermSays_data();
    void keepsWhatATermSays();
    void refusesOtherValues_data();
    void refusesOtherValues();
    void combinesTerms();
    void namesFieldsBackAndForth();
    void leavesTheSumAsItIs_data();
    void leavesTheSumAsItIs();
    void phasesAreTheInnermostAnnotations();
    void phasesFollowFromStacksWithoutAnnotations_data();
    void phasesFollowFromStacksWithoutAnnotations();
    void looksForExpressionsAndWords();

private:
    [[nodiscard]] const DeviceTrace& device() const { return m_trace->devices().front(); }
    [[nodiscard]] AllocationFacts facts(const Filter& filter = {}) const
    {
        AllocationFacts facts{classify(*m_trace, device()), phasesOf(*m_trace, device()), {}};
        const auto matches = matchesOf(filter, *m_trace, device(), facts.classes, facts.phases);
        if (!matches)
            qFatal("%s", matches.error().message.c_str());
        facts.matches = *matches;
        return facts;
    }

    MemoryTracePtr m_trace;
};

void FilterTest::initTestCase()
{
    RecordedTraining training;
    m_trace = training.trace(); // 2 steps of 12 activations of 1 to 3 MiB and 12 temporaries
    QVERIFY(m_trace);
    QCOMPARE(device().allocations().size(), std::size_t{60}); // with 12 weights
}

void FilterTest::keepsWhatATermSays_data()
{
    QTest::addColumn<QByteArray>("field");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<std::size_t>("count");
    const auto row = [](const char* field, const char* value, std::size_t count) {
        QTest::addRow("%s %s", field, value) << QByteArray{field} << QByteArray{value} << count;
    };
    row("class", "activations", 24);
    row("class", "Activations, before the recording", 36);
    row("class", "before,temporaries", 36);
    row("size", ">= 1 MiB", 36);
    row("size", "> 1 MiB", 28);
    row("size", "< 1MiB", 24);
    row("size", "<= 1 MiB", 32);
    row("size", "1 MiB", 8);
    row("size", "= 2 MiB", 20);
    row("size", "1 MiB to 2 MiB", 28);
    row("size", "2 MiB to 1 MiB", 28);
    row("stream", "default", 60);
    row("stream", "1, 2", 0);
    row("pool", "default", 60);
    row("pool", "private", 0);
    row("pool", "0.1", 0);
    row("phase", "forward", 24);
    row("phase", "Backward, before the recording", 36);
    row("phase", "/ward$/", 48);
    row("phase", "step 0", 0); // forward and backward are inside it
    row("frame", "model.py", 24);
    row("frame", "/model\\.py:1[0-3]:/", 8);
    row("frame", "train.py:40:main", 24);
    row("frame", ".*", 0); // words, not an expression
    row("module", "model.py:forward", 24);
    row("module", "/^\\(no module\\)$/", 36);
    row("lifetime", "to the end", 12);
    row("lifetime", "from before", 12);
    row("lifetime", ">= 0 ns", 60);
    row("lifetime", "< 60us", 24);     // temporaries live for 50 µs
    row("lifetime", "= 2 events", 24); // and their free comes next, two events
    row("lifetime", "> 2 events", 36);
}

void FilterTest::keepsWhatATermSays()
{
    QFETCH(QByteArray, field);
    QFETCH(QByteArray, value);
    QFETCH(std::size_t, count);
    const auto found = findField(field.toStdString());
    QVERIFY(found);
    const FilterTerm term{*found, value.toStdString()};
    QVERIFY2(checkTerm(term), messageOf(checkTerm(term)));
    const Matches matches = facts({term}).matches;
    QCOMPARE(matches.count, count);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < device().allocations().size(); ++i)
        kept += matches.at(i) ? 1U : 0U;
    QCOMPARE(kept, count);
}

void FilterTest::refusesOtherValues_data()
{
    QTest::addColumn<QByteArray>("field");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* field, const char* value, const char* message) {
        QTest::addRow("%s %s", field, value)
            << QByteArray{field} << QByteArray{value} << QByteArray{message};
    };
    row("class", "weights", "\"weights\" isn't understood: classes are before the recording");
    row("class", " , ", "Write a value: classes are");
    row("size", "", "Write a value: a size such as");
    row("size", "=> 1 MiB", "\"=>\" isn't understood: compare with >=");
    row("size", ">= many", "\"many\" is not a size");
    row("size", "-1", "\"-1\" is not a size");
    row("stream", "1, x", "\"x\" isn't understood: streams are");
    row("stream", "99999999999999999999999", "isn't understood: streams are");
    row("pool", "0", "\"0\" isn't understood: pools are");
    row("pool", "0.", "\"0.\" isn't understood: pools are");
    row("phase", "", "Write a value: names of phases");
    row("phase", "/(/", "\"(\" is not a regular expression");
    row("frame", "/[/", "\"[\" is not a regular expression");
    row("module", "//", "Write a value: words");
    row("lifetime", "long", "\"long\" is not a time");
    row("lifetime", "< -3 events", "\"-3\" isn't understood: a number of events");
}

void FilterTest::refusesOtherValues()
{
    QFETCH(QByteArray, field);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, message);
    const FilterTerm term{*findField(field.toStdString()), value.toStdString()};
    const auto checked = checkTerm(term);
    QVERIFY(!checked);
    QVERIFY2(checked.error().message.find(message.toStdString()) != std::string::npos,
             checked.error().message.c_str());
    const AllocationFacts all = facts();
    const auto matches = matchesOf({term}, *m_trace, device(), all.classes, all.phases);
    QVERIFY(!matches);
    QCOMPARE(matches.error().message, checked.error().message);
}

void FilterTest::combinesTerms()
{
    const Matches matches = facts({{FilterField::Phase, "forward"},
                                   {FilterField::Size, ">= 2 MiB"},
                                   {FilterField::Frame, "/:1[0-5]:/"}})
                                .matches;
    // Lines 10 to 15 are the first six layers, two thirds of them of 2 MiB or more, in two steps.
    QCOMPARE(matches.count, std::size_t{8});
    const Matches none =
        facts({{FilterField::Pool, "private"}, {FilterField::Size, ">= 0"}}).matches;
    QCOMPARE(none.count, std::size_t{0});
    QVERIFY(!none.at(0));
    const Matches all = facts().matches;
    QVERIFY(all.keeps.empty() && all.at(0));
    QCOMPARE(all.count, std::size_t{60});
}

void FilterTest::namesFieldsBackAndForth()
{
    for (std::size_t i = 0; i < kFilterFieldCount; ++i) {
        const auto field = static_cast<FilterField>(i);
        QVERIFY(findField(fieldName(field)) == field);
    }
    QVERIFY(!findField("colour"));
}

void FilterTest::leavesTheSumAsItIs_data()
{
    QTest::addColumn<int>("grouping");
    for (int i = 0; i < static_cast<int>(kGroupingCount); ++i)
        QTest::newRow(groupingName(static_cast<Grouping>(i))) << i;
}

void FilterTest::leavesTheSumAsItIs()
{
    QFETCH(int, grouping);
    const AllocationFacts filtered = facts({{FilterField::Size, ">= 2 MiB"}});
    const auto all = buildTimeline(
        *m_trace, device(),
        layeringOf(*m_trace, device(), facts(), static_cast<Grouping>(grouping)), Axis::Time);
    const auto shown = buildTimeline(
        *m_trace, device(),
        layeringOf(*m_trace, device(), filtered, static_cast<Grouping>(grouping)), Axis::Time);
    QCOMPARE(shown->peak(), all->peak());
    const std::size_t leftOut = shown->layers().size() - 1;
    QVERIFY(shown->layers().size() <= plimsoll::timeline::kMostLayers);
    QCOMPARE(shown->layers()[leftOut].ink, plimsoll::timeline::kPaleInk);
    for (std::size_t step = 0; step < shown->stepCount(); ++step) {
        QCOMPARE(shown->totalAt(step), all->totalAt(step));
        Bytes kept;
        for (std::size_t i = 0; i < device().allocations().size(); ++i)
            if (device().firstStep(i) <= step && step <= device().lastStep(i)
                && device().allocations().bytes[i] >= 2 * RecordedTraining::kMiB)
                kept += Bytes{device().allocations().bytes[i]};
        QCOMPARE(shown->totalAt(step) - shown->stackAt(step)[leftOut], kept);
    }
}

void FilterTest::phasesAreTheInnermostAnnotations()
{
    const Phases phases = phasesOf(*m_trace, device());
    QVERIFY(phases.areAnnotated);
    QCOMPARE(phases.names,
             (std::vector<std::string>{"before the recording", "forward", "backward"}));
}

void FilterTest::phasesFollowFromStacksWithoutAnnotations_data()
{
    QTest::addColumn<bool>("isAnnotated");
    QTest::addColumn<std::string>("optimizer");
    QTest::addColumn<std::string>("forward");
    QTest::newRow("no annotations") << false << std::string{"optimizer"} << std::string{"forward"};
    QTest::newRow("of PyTorch's optimizer alone")
        << true << std::string{"Optimizer.step#A.step"} << std::string{"forward"};
    QTest::newRow("of the program")
        << true << std::string{"step 1"} << std::string{"outside annotations"};
}

void FilterTest::phasesFollowFromStacksWithoutAnnotations()
{
    QFETCH(bool, isAnnotated);
    QFETCH(std::string, optimizer);
    QFETCH(std::string, forward);
    Builder builder;
    std::int64_t time = 1000;
    DeviceBuilder& device = builder.device(0);
    StackTableBuilder& stacks = builder.stacks();
    const auto add = [&](std::uint64_t address, const char* file) {
        RecordedEvent event;
        event.action = Action::Alloc;
        event.address = address;
        event.bytes = 512;
        event.timeNs = time += 10;
        if (file != nullptr)
            event.stack = stacks.stack(std::vector<FrameId>{
                stacks.frame({stacks.text(file), stacks.text("call"), 1, {}})});
        QVERIFY(device.add(event));
    };
    add(0x1000, "model.py");
    add(0x2000, nullptr);
    if (isAnnotated)
        builder.beginRange(optimizer, 0, time + 5);
    add(0x3000, "site-packages/torch/optim/adamw.py");
    if (isAnnotated)
        builder.endRange(optimizer, 0, time + 5);
    const auto trace = std::move(builder).build();
    QVERIFY2(trace, messageOf(trace));
    const Phases phases = phasesOf(**trace, (*trace)->devices().front());
    QCOMPARE(phases.areAnnotated, isAnnotated);
    QCOMPARE(phases.nameOf(0), forward);
    QCOMPARE(phases.nameOf(1), std::string{"backward"});
    QCOMPARE(phases.nameOf(2), optimizer);
}

void FilterTest::looksForExpressionsAndWords()
{
    QVERIFY(TextPattern::fromQuery("H\\.\\d").matches("model.h.7.attn"));
    QVERIFY(!TextPattern::fromQuery("^h\\.").matches("model.h.7.attn"));
    QVERIFY(TextPattern::fromQuery("call(x").matches("a CALL(x) of it")); // not an expression
    QVERIFY(TextPattern::isExpression("^h\\."));
    QVERIFY(!TextPattern::isExpression("call(x"));
    // What takes engines that go back an exponential time.
    const std::string text(50'000, 'a');
    QVERIFY(!TextPattern::fromQuery("(a+)+$b").matches(text));
}

} // namespace

PLIMSOLL_TEST(FilterTest, QCoreApplication)
#include "filter_test.moc"
