// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/annotation.h"
#include "core/solve/chain/rotor/chain_table.h"

#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_chain/chain_examples.h"
#include "tests/unit/solve_chain/rotor_examples.h"

#include <QTest>

#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <string>
#include <thread>

using namespace plimsoll;
using namespace plimsoll::solve;
using plimsoll::tests::ChainRandom;
using plimsoll::tests::Example;
using plimsoll::tests::kWorkedExamples;
using plimsoll::tests::WorkedExample;

namespace {

RotorOptions leafFirst(Recurrence recurrence)
{
    RotorOptions options;
    options.recurrence = recurrence;
    options.ties = TieRule::LeafSmallest;
    return options;
}

std::string labelsText(const Labels& labels)
{
    std::string text;
    for (const StageLabel& stage : labels) {
        text += text.empty() ? "" : " ";
        std::string levels;
        for (const std::optional<int>& level : stage)
            levels += (levels.empty() ? "" : ".") + (level ? std::to_string(*level) : "*");
        text += stage.empty() ? "-" : levels;
    }
    return text;
}

ChainTablePtr built(const Chain& chain, std::int64_t budget, const RotorOptions& options = {})
{
    base::Result<ChainTablePtr> table = buildRotorTable(chain, budget, options, {});
    if (!table)
        qFatal("%s", table.error().message.c_str());
    return std::move(*table);
}

} // namespace

class RotorTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theWorkedExamplesComeOut_data();
    void theWorkedExamplesComeOut();
    void theCorrectedRecurrenceFitsWhereThePeerOverspends_data();
    void theCorrectedRecurrenceFitsWhereThePeerOverspends();
    void thePeerTableOfTwoStagesIsReproduced();
    void thePersistentOptimumOfExampleSixIsFound();
    void equalTimeTakesTheLowerPeak();
    void savingWinsOverAFreeRecomputation();
    void oneTableAnswersEveryBudget();
    void slotsRoundUp();
    void whoSaysNoSlotsGetsNoFewer_data();
    void whoSaysNoSlotsGetsNoFewer();
    void roundedSizesLoseNextToNothing_data();
    void roundedSizesLoseNextToNothing();
    void budgetsAndSlotsThatMakeNoSenseAreRefused();
    void anyNumberOfThreadsGivesTheSameTable();
    void threeHundredLargeStagesStayFast();
    void aStoppedBuildEndsSoon();
    void aForbiddenRegionIsNotUsed();
};

void RotorTest::theWorkedExamplesComeOut_data()
{
    QTest::addColumn<int>("row");
    QTest::addColumn<bool>("peer");
    for (std::size_t row = 0; row < kWorkedExamples.size(); ++row)
        for (const bool peer : {false, true})
            QTest::addRow("%s %d %s", kWorkedExamples[row].chain == Example::E1 ? "E1" : "E7",
                          kWorkedExamples[row].slots, peer ? "peer" : "corrected")
                << static_cast<int>(row) << peer;
}

void RotorTest::theWorkedExamplesComeOut()
{
    QFETCH(int, row);
    QFETCH(bool, peer);
    const WorkedExample& example = kWorkedExamples[static_cast<std::size_t>(row)];
    const Chain chain = example.chain == Example::E1 ? tests::e1() : tests::e7();
    RotorOptions options = leafFirst(peer ? Recurrence::Peer : Recurrence::Corrected);
    options.slots = example.slots;
    const ChainTablePtr table = built(chain, example.slots, options);
    const base::Result<Sequence> sequence = table->sequence(example.slots);
    QCOMPARE(sequence.has_value(), example.makespan >= 0);
    if (!sequence) {
        QCOMPARE(sequence.error().kind, base::ErrorKind::NotFound);
        return;
    }
    const auto run = simulate(chain, *sequence);
    QVERIFY(run.has_value());
    QCOMPARE(sequenceText(*sequence), std::string{example.operations});
    QCOMPARE(run->makespan, static_cast<double>(example.makespan));
    QCOMPARE(run->peak, static_cast<std::int64_t>(example.peak));
    QCOMPARE(labelsText(annotate(*sequence, chain.stages())), std::string{example.labels});

    const ChainTablePtr ours = built(chain, example.slots);
    const auto better = simulate(chain, *ours->sequence(example.slots));
    QCOMPARE(better->makespan, static_cast<double>(example.makespan));
    QVERIFY(better->peak <= example.peak);
}

void RotorTest::theCorrectedRecurrenceFitsWhereThePeerOverspends_data()
{
    QTest::addColumn<int>("budget");
    QTest::addColumn<QString>("peer");
    QTest::addColumn<int>("peerPeak");
    QTest::addColumn<QString>("right");
    QTest::addColumn<int>("rightTime");
    const auto row = [](int budget, const char* peer, int peak, const char* right, int time) {
        QTest::addRow("%d", budget)
            << budget << QString::fromLatin1(peer) << peak << QString::fromLatin1(right) << time;
    };
    row(14, "", 0, "", 0);
    row(15, "CF_0 Fn_1 Fe_2 L B_2 Fe_0 Fe_1 B_1 B_0", 16,
        "CF_0 Fn_1 Fe_2 L B_2 CF_0 Fe_1 B_1 Fe_0 B_0", 95);
    row(16, "CF_0 CF_1 Fe_2 L B_2 Fe_1 B_1 Fe_0 B_0", 16, "CF_0 CF_1 Fe_2 L B_2 Fe_1 B_1 Fe_0 B_0",
        87);
    row(17, "Fe_0 CF_1 Fe_2 L B_2 Fe_1 B_1 B_0", 17, "Fe_0 CF_1 Fe_2 L B_2 Fe_1 B_1 B_0", 79);
    row(20, "Fe_0 Fe_1 Fe_2 L B_2 B_1 B_0", 20, "Fe_0 Fe_1 Fe_2 L B_2 B_1 B_0", 72);
}

void RotorTest::theCorrectedRecurrenceFitsWhereThePeerOverspends()
{
    QFETCH(int, budget);
    QFETCH(QString, peer);
    QFETCH(int, peerPeak);
    QFETCH(QString, right);
    QFETCH(int, rightTime);
    const Chain chain = tests::e2();
    const auto theirs = built(chain, budget, leafFirst(Recurrence::Peer))->sequence(budget);
    const auto ours = built(chain, budget, leafFirst(Recurrence::Corrected))->sequence(budget);
    const auto plain = built(chain, budget)->sequence(budget);
    QCOMPARE(theirs.has_value(), !peer.isEmpty());
    QCOMPARE(ours.has_value(), !right.isEmpty());
    QCOMPARE(plain.has_value(), !right.isEmpty());
    if (right.isEmpty())
        return;
    QCOMPARE(sequenceText(*theirs), peer.toStdString());
    QCOMPARE(simulate(chain, *theirs)->peak, static_cast<std::int64_t>(peerPeak));
    QCOMPARE(sequenceText(*ours), right.toStdString());
    for (const auto& sequence : {*ours, *plain}) {
        const auto run = simulate(chain, sequence);
        QCOMPARE(run->makespan, static_cast<double>(rightTime));
        QVERIFY(run->peak <= budget);
    }
}

void RotorTest::thePeerTableOfTwoStagesIsReproduced()
{
    RotorOptions options = leafFirst(Recurrence::Peer);
    options.slots = 9;
    const ChainTablePtr table = built(tests::e4(), 9, options);
    std::vector<std::pair<std::int64_t, double>> points;
    for (const ChainFrontierPoint& point : table->frontier())
        points.emplace_back(point.budget, point.makespan);
    QCOMPARE(points, (std::vector<std::pair<std::int64_t, double>>{{8, 16}, {9, 14}}));
    QCOMPARE(sequenceText(*table->sequence(9)), std::string{"Fe_0 Fe_1 L B_1 B_0"});
    QCOMPARE(sequenceText(*table->sequence(8)), std::string{"CF_0 Fe_1 L B_1 Fe_0 B_0"});
}

void RotorTest::thePersistentOptimumOfExampleSixIsFound()
{
    const auto sequence = built(tests::e6(), 23, leafFirst(Recurrence::Corrected))->sequence(23);
    QVERIFY(sequence.has_value());
    QCOMPARE(simulate(tests::e6(), *sequence)->makespan, 65.0);
    QCOMPARE(sequenceText(*sequence), std::string{"CF_0 CF_1 Fe_2 L B_2 Fe_1 B_1 Fe_0 B_0"});
    const auto ours = built(tests::e6(), 23)->sequence(23);
    QCOMPARE(simulate(tests::e6(), *ours)->makespan, 65.0);
}

void RotorTest::equalTimeTakesTheLowerPeak()
{
    const auto sequence = built(tests::e1(), 15)->sequence(15);
    const auto run = simulate(tests::e1(), *sequence);
    QCOMPARE(run->makespan, 21.0);
    QCOMPARE(run->peak, std::int64_t{13});
}

void RotorTest::savingWinsOverAFreeRecomputation()
{
    Chain chain = tests::e1();
    chain.ftime.assign(6, 0.0);
    QCOMPARE(*built(chain, 21)->sequence(21), keepEverything(chain));
    RotorOptions options;
    options.slots = 21;
    QCOMPARE(*built(chain, 21, options)->sequence(21), keepEverything(chain));
}

void RotorTest::oneTableAnswersEveryBudget()
{
    const ChainTablePtr table = built(tests::e1(), 1000);
    QVERIFY(table->exact());
    std::vector<std::pair<std::int64_t, double>> points;
    for (const ChainFrontierPoint& point : table->frontier())
        points.emplace_back(point.budget, point.makespan);
    const std::vector<std::pair<std::int64_t, double>> wanted{
        {7, 33}, {8, 26}, {9, 24}, {10, 23}, {11, 22}, {13, 21}, {16, 20}, {19, 19}, {21, 18}};
    QCOMPARE(points, wanted);
    QVERIFY(!table->sequence(6).has_value());
    QCOMPARE(simulate(tests::e1(), *table->sequence(1'000'000))->makespan, 18.0);
}

void RotorTest::slotsRoundUp()
{
    Chain chain = tests::e1();
    for (auto* sizes : {&chain.x, &chain.xbar, &chain.ftmp, &chain.btmp})
        for (std::int64_t& size : *sizes)
            size *= 1000;
    RotorOptions options = leafFirst(Recurrence::Corrected);
    options.slots = 16;
    const ChainTablePtr even = built(chain, 16'000, options);
    QCOMPARE(even->unit(), std::int64_t{1000});
    QVERIFY(even->exact());
    QCOMPARE(simulate(chain, *even->sequence(16'000))->makespan, 20.0);
    // 15,999 / 16 = 999: every size takes one slot more.
    const ChainTablePtr odd = built(chain, 15'999, options);
    QCOMPARE(odd->unit(), std::int64_t{999});
    QVERIFY(!odd->exact());
    const auto sequence = odd->sequence(15'999);
    QVERIFY(sequence.has_value());
    const auto run = simulate(chain, *sequence);
    QVERIFY(run->peak <= 15'999);
    QVERIFY(run->makespan >= 21.0);
    // 21 / 16 = 1: no size is rounded, but what lies above 16 is out of reach.
    const ChainTablePtr lower = built(tests::e1(), 21, options);
    QCOMPARE(lower->unit(), std::int64_t{1});
    QVERIFY(!lower->exact());
    QCOMPARE(simulate(tests::e1(), *lower->sequence(21))->makespan, 20.0);
    // Without slots the common divisor makes it exact again.
    const ChainTablePtr exact = built(chain, 15'999);
    QCOMPARE(exact->unit(), std::int64_t{1000});
    QCOMPARE(simulate(chain, *exact->sequence(15'999))->makespan, 21.0);
}

void RotorTest::whoSaysNoSlotsGetsNoFewer_data()
{
    QTest::addColumn<int>("stages");
    for (const int stages : {100, 300, 500, 600, 700})
        QTest::addRow("%d stages", stages) << stages;
}

/// A table of 500 slots is what people ask for: long chains without a number are no coarser.
void RotorTest::whoSaysNoSlotsGetsNoFewer()
{
    QFETCH(int, stages);
    tests::ChainRandom random{7};
    const Chain chain = tests::largeChain(random, static_cast<std::size_t>(stages));
    const std::int64_t budget = tests::shareOfSaved(chain, 60);
    RotorOptions asked;
    asked.slots = 500;
    const RotorScale given = solve::rotorScale(chain, budget, asked).value();
    const RotorScale chosen = solve::rotorScale(chain, budget, {}).value();
    QVERIFY(!chosen.exact && given.unit > 1);
    // What is left for values: 500 slots are of the whole budget.
    const std::int64_t values = budget - chain.x[0];
    QVERIFY2(values / chosen.unit >= values / given.unit - 1,
             qPrintable(QString::asprintf("%lld and %lld slots",
                                          static_cast<long long>(values / chosen.unit),
                                          static_cast<long long>(values / given.unit))));
}

void RotorTest::roundedSizesLoseNextToNothing_data()
{
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("percent");
    QTest::newRow("30 stages in 30 %") << 30 << 30;
    QTest::newRow("60 stages in 25 %") << 60 << 25;
    QTest::newRow("60 stages in 50 %") << 60 << 50;
}

/// Within 0.1 % of 4,000 slots at less than twice the steps of 500.
void RotorTest::roundedSizesLoseNextToNothing()
{
    QFETCH(int, stages);
    QFETCH(int, percent);
    tests::ChainRandom random{static_cast<std::uint64_t>(stages + percent)};
    for (int round = 0; round < 4; ++round) {
        const Chain chain = tests::largeChain(random, static_cast<std::size_t>(stages));
        const std::int64_t budget = tests::shareOfSaved(chain, percent);
        const auto timeOf = [&](const ChainTablePtr& table) {
            return simulate(chain, table->sequence(budget).value())->makespan;
        };
        RotorOptions many;
        many.slots = 4000;
        const ChainTablePtr table = built(chain, budget);
        QVERIFY(!table->exact());
        QVERIFY(solve::rotorScale(chain, budget, {})->slots <= 1000);
        QVERIFY(timeOf(table) <= 1.001 * timeOf(built(chain, budget, many)));
        QVERIFY(simulate(chain, table->sequence(budget).value())->peak <= budget);
    }
}

void RotorTest::budgetsAndSlotsThatMakeNoSenseAreRefused()
{
    const Chain chain = tests::e1();
    const auto kind = [&chain](std::int64_t budget, std::optional<int> slots) {
        RotorOptions options;
        options.slots = slots;
        const auto table = buildRotorTable(chain, budget, options, {});
        return table ? std::nullopt : std::optional{table.error().kind};
    };
    QCOMPARE(kind(-1, {}), base::ErrorKind::Usage);
    QCOMPARE(kind(20, 0), base::ErrorKind::Usage);
    QCOMPARE(kind(20, 21), base::ErrorKind::Usage);
    QCOMPARE(kind(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<int>::max()),
             base::ErrorKind::Usage);
    QVERIFY(!kind(0, {}));
    QVERIFY(!built(chain, 0)->sequence(0).has_value());
    QVERIFY(!built(chain, 0)->sequence(-5).has_value());
    const auto huge = std::numeric_limits<std::int64_t>::max();
    QCOMPARE(*built(chain, huge)->sequence(huge), keepEverything(chain));
    RotorOptions coarse;
    coarse.slots = 500;
    QVERIFY(simulate(chain, *built(chain, huge, coarse)->sequence(huge)).has_value());
}

void RotorTest::anyNumberOfThreadsGivesTheSameTable()
{
    ChainRandom random{7};
    const Chain chain = tests::randomChain(random, 60, 1'000'000, 300'000);
    RotorOptions options;
    options.slots = 400;
    const std::int64_t budget = 20'000'000;
    const ChainTablePtr one = built(chain, budget, options);
    for (const int threads : {2, 3, 0}) {
        options.threads = threads;
        const ChainTablePtr many = built(chain, budget, options);
        QVERIFY(one->frontier() == many->frontier());
        for (const ChainFrontierPoint& point : one->frontier())
            QCOMPARE(*one->sequenceAtSlots(one->slotsFor(point.budget)),
                     *many->sequenceAtSlots(many->slotsFor(point.budget)));
    }
}

void RotorTest::threeHundredLargeStagesStayFast()
{
    ChainRandom random{11};
    const Chain chain = tests::randomChain(random, 300, 1'000'000'000, 200'000'000);
    const std::int64_t whole = simulate(chain, keepEverything(chain))->peak;
    const std::clock_t start = std::clock(); // processor time: others may use the machine
    RotorOptions options;
    options.threads = 0;
    const ChainTablePtr table = built(chain, whole / 4, options);
    const auto sequence = table->sequence(whole / 4);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    QVERIFY(sequence.has_value());
    QVERIFY(simulate(chain, *sequence)->peak <= whole / 4);
    QVERIFY(table->bytes() <= std::size_t{256} << 20);
    if (!tests::kSanitized)
        QVERIFY2(seconds < 20, "300 stages took more than 20 s of processor time");
}

void RotorTest::aStoppedBuildEndsSoon()
{
    ChainRandom random{13};
    const Chain chain = tests::randomChain(random, 400, 1'000'000'000, 200'000'000);
    std::stop_source source;
    const std::jthread stopper{[&source] {
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
        source.request_stop();
    }};
    const auto start = std::chrono::steady_clock::now();
    const auto table = buildRotorTable(chain, 40'000'000'000, {}, {source.get_token(), nullptr});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    QVERIFY(!table.has_value());
    QCOMPARE(table.error().kind, base::ErrorKind::Cancelled);
    QVERIFY2(seconds.count() < 5, "stopping took more than 5 s");
}

void RotorTest::aForbiddenRegionIsNotUsed()
{
    Chain chain = tests::e1();
    chain.regions = RegionMask{6, true};
    for (std::size_t last = 0; last < 6; ++last)
        chain.regions.set(0, last, false);
    const ChainTablePtr table = built(chain, 100);
    for (std::int64_t budget = 7; budget <= 21; ++budget) {
        const auto sequence = table->sequence(budget);
        if (sequence)
            QCOMPARE(sequence->front().kind, ChainOpKind::Enable);
    }
    chain.regions = RegionMask{6, false};
    const auto frontier = built(chain, 100)->frontier();
    QCOMPARE(frontier.size(), std::size_t{1});
    QCOMPARE(frontier.front().budget, std::int64_t{21});
}

PLIMSOLL_TEST(RotorTest, QCoreApplication)
#include "rotor_test.moc"
