// SPDX-License-Identifier: Apache-2.0
// A graph brought to another size by its laws is the graph that a trace at that size gives.
#include "core/graph/resize.h"
#include "core/graph/sizes.h"
#include "core/readers/registry.h"

#include "tests/support/golden.h"
#include "tests/support/graph_dump.h"
#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <stop_token>
#include <string>

namespace {

using namespace plimsoll;
using plimsoll::tests::isOneSentence;
using plimsoll::tests::messageOf;

constexpr std::int64_t kHuge = std::int64_t{1} << 62U;

graph::ProgramPtr read(const char* name)
{
    const auto read = readers::readProgram(
        tests::repositoryPath(std::string{"tests/data/"} + name + ".plimsoll.json"));
    return read ? read->program : nullptr;
}

std::string dump(const graph::Program& program)
{
    return tests::dumpProgram(program, program.ops.size());
}

class ResizedTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_program = read("varied");
        QVERIFY(m_program);
        QVERIFY(m_program->vary);
    }
    void equalsATraceAtThatSize()
    {
        const graph::ProgramPtr other = read("varied-7x13");
        QVERIFY(other);
        const auto resized = graph::resized(m_program, {{"batch", 7}, {"sequence", 13}}, {});
        QVERIFY2(resized, messageOf(resized));
        std::string text = dump(**resized);
        const std::string assumed = "\n2 assumptions\n";
        const std::string more = "\n4 assumptions\n"; // that both are extrapolated
        QVERIFY(text.find(more) != std::string::npos);
        text.replace(text.find(more), more.size(), assumed);
        QCOMPARE(text, dump(*other));
        QVERIFY((*resized)->checks == graph::recount(**resized));
        QCOMPARE((*resized)->header.batch, std::string{"7x13 int64"});
    }
    void comesBackAndStaysWhereNothingIsAsked()
    {
        QCOMPARE(graph::resized(m_program, {}, {})->get(), m_program.get());
        QCOMPARE(graph::resized(m_program, {{"batch", 4}}, {})->get(), m_program.get());
        const auto there = graph::resized(m_program, {{"sequence", 10}}, {});
        QVERIFY2(there, messageOf(there));
        QCOMPARE((*there)->vary->axes[1].size, std::int64_t{10});
        QVERIFY(dump(**there) != dump(*m_program));
        const auto back = graph::resized(*there, {{"sequence", 6}}, {});
        QVERIFY2(back, messageOf(back));
        QCOMPARE(dump(**back), dump(*m_program));
    }
    void tellsWhatIsExtrapolatedOrNotMeasured()
    {
        auto timed = std::make_shared<graph::Program>(*m_program);
        timed->ops[3].measured = base::Nanoseconds{1000};
        const auto there = graph::resized(timed, {{"batch", 6}}, {});
        QVERIFY2(there, messageOf(there));
        QVERIFY(!(*there)->ops[3].measured);
        const std::vector<std::string>& assumed = (*there)->header.assumed;
        QCOMPARE(assumed.at(assumed.size() - 2),
                 std::string{"times were measured at batch 4, sequence 6: at this size they follow "
                             "from flops and bytes"});
        QCOMPARE(assumed.back(),
                 std::string{"batch 6 is extrapolated: the step was recorded up to batch 5"});
        const auto inside = graph::resized(m_program, {{"batch", 3}}, {});
        QVERIFY2(inside, messageOf(inside));
        QVERIFY((*inside)->header.assumed == m_program->header.assumed);
    }
    void leavesOutScratchThatWasMeasured()
    {
        auto measured = std::make_shared<graph::Program>(*m_program);
        const graph::StorageId scratch{measured->storages.size()};
        measured->storages.push_back({.bytes = base::Bytes{1000},
                                      .storageClass = graph::StorageClass::Scratch,
                                      .alloc = 3,
                                      .free = 3,
                                      .lastUse = graph::kBeforeStep,
                                      .pythonFree = 3,
                                      .names = {}});
        measured->vary->storages.push_back(graph::kNoLaw);
        measured->checks = graph::recount(*measured);
        const auto there = graph::resized(measured, {{"batch", 3}}, {});
        QVERIFY2(there, messageOf(there));
        const auto plain = graph::resized(m_program, {{"batch", 3}}, {});
        QCOMPARE((*there)->storage(scratch).bytes.count(), std::int64_t{0});
        QCOMPARE((*there)->checks.peakBytes.count(), (*plain)->checks.peakBytes.count());
        QCOMPARE((*there)->header.assumed.back(),
                 std::string{"scratch memory of kernels is known at batch 4, sequence 6: at "
                             "this size it is left out"});
    }
    void refusesSizesThatAreNotToBeHad_data();
    void refusesSizesThatAreNotToBeHad();
    void refusesLawsThatLeaveAStorage();
    void letsALargeStepGo();

private:
    graph::ProgramPtr m_program;
};

void ResizedTest::refusesSizesThatAreNotToBeHad_data()
{
    QTest::addColumn<std::string>("axis");
    QTest::addColumn<qint64>("size");
    QTest::addColumn<std::string>("says");
    const auto row = [](const char* name, const char* axis, qint64 size, const char* says) {
        QTest::newRow(name) << std::string{axis} << size << std::string{says};
    };
    row("another axis", "height", 8, "has no axis \"height\" that varies, only batch and sequence");
    row("below the recorded", "batch", 1, "batch 1 is below 2, the smallest that was recorded");
    row("negative", "batch", -4, "batch -4 is below 2");
    row("beside the steps", "sequence", 15,
        "The model can't be resized to sequence 15: the model's sizes are known for 6 plus "
        "multiples of 4 only, "
        "because it rounds others; the next is 18.");
    row("too large for a sum", "batch", std::int64_t{1} << 51U,
        "brings the bytes of all storages to 2^62 or more");
    row("too large for a product", "batch", kHuge - 1, "is beyond 2^62");
    row("too large for a square", "sequence", (std::int64_t{1} << 61U) + 2, "is beyond 2^62");
}

void ResizedTest::refusesSizesThatAreNotToBeHad()
{
    QFETCH(std::string, axis);
    QFETCH(qint64, size);
    QFETCH(std::string, says);
    auto program = std::make_shared<graph::Program>(*m_program);
    program->vary->axes[1].step = 4;
    const auto resized = graph::resized(program, {{axis, size}}, {});
    QVERIFY(!resized);
    QCOMPARE(resized.error().kind, base::ErrorKind::Usage);
    QVERIFY2(resized.error().message.find(says) != std::string::npos, messageOf(resized));
    QVERIFY2(isOneSentence(resized.error().message), messageOf(resized));
    const auto other = std::make_shared<graph::Program>(*m_program);
    other->vary.reset();
    const auto none = graph::resized(other, {{axis, size}}, {});
    QVERIFY(!none && isOneSentence(none.error().message));
}

void ResizedTest::refusesLawsThatLeaveAStorage()
{
    auto program = std::make_shared<graph::Program>(*m_program);
    for (graph::Law& law : program->vary->storages)
        law = graph::kNoLaw;
    const auto resized = graph::resized(program, {{"batch", 5}}, {});
    QVERIFY(!resized);
    QVERIFY2(resized.error().message.find("reaches beyond the 192 B of its storage")
                 != std::string::npos,
             messageOf(resized));
    QVERIFY2(isOneSentence(resized.error().message), messageOf(resized));
}

void ResizedTest::letsALargeStepGo()
{
    auto program = std::make_shared<graph::Program>(tests::layeredProgram(100'000));
    graph::Vary vary;
    vary.axes = {{.name = "batch", .size = 4, .recorded = {4, 8, 16}, .step = 4}};
    vary.storages.assign(program->storages.size(), graph::kNoLaw);
    vary.tensors.assign(program->tensors.size(), -1);
    vary.flops.assign(program->ops.size(), graph::kNoLaw);
    vary.bytesMoved.assign(program->ops.size(), graph::kNoLaw);
    program->vary = std::move(vary);
    std::stop_source source;
    const base::JobContext job{.stop = source.get_token()};
    const auto there = graph::resized(program, {{"batch", 8}}, job);
    QVERIFY2(there, messageOf(there));
    QCOMPARE((*there)->ops.size(), program->ops.size());
    source.request_stop();
    const auto stopped = graph::resized(program, {{"batch", 8}}, job);
    QVERIFY(!stopped);
    QCOMPARE(stopped.error().kind, base::ErrorKind::Cancelled);
    // What is wrong with the size is told all the same, and the step as it is costs nothing.
    QCOMPARE(graph::resized(program, {{"batch", 5}}, job).error().kind, base::ErrorKind::Usage);
    QCOMPARE(graph::resized(program, {{"batch", 4}}, job)->get(), program.get());
}

} // namespace

PLIMSOLL_TEST(ResizedTest, QCoreApplication)
#include "resized_test.moc"
