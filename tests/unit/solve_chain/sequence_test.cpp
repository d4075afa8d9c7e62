// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/sequence.h"

#include "tests/support/chain_sequence.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_chain/chain_examples.h"

#include <QTest>

using namespace plimsoll;
using namespace plimsoll::solve;

class SequenceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void textReadsBack();
    void keepingEverythingRunsEachStageOnce();
    void peaksAreThoseWorkedOutByHand();
    void droppedSetsNoLongerCount();
    void aSequenceThatLacksAnInputIsRefused_data();
    void aSequenceThatLacksAnInputIsRefused();
};

void SequenceTest::textReadsBack()
{
    const std::string text = "CF_0 Fn_1 Fe_2 L B_2 CF_0 Fe_1 B_1 Fe_0 B_0";
    const auto sequence = tests::parseSequence("  CF_0 Fn_1  Fe_2 L B_2 CF_0 Fe_1 B_1 Fe_0 B_0 ");
    QVERIFY(sequence.has_value());
    QCOMPARE(sequenceText(*sequence), text);
    QCOMPARE(sequence->size(), std::size_t{10});
}

void SequenceTest::keepingEverythingRunsEachStageOnce()
{
    QCOMPARE(sequenceText(keepEverything(tests::e2())),
             std::string{"Fe_0 Fe_1 Fe_2 L B_2 B_1 B_0"});
    const auto run = simulate(tests::e1(), keepEverything(tests::e1()));
    QVERIFY(run.has_value());
    QCOMPARE(run->makespan, 18.0);
    QCOMPARE(run->peak, std::int64_t{21});
}

void SequenceTest::peaksAreThoseWorkedOutByHand()
{
    const auto sequence = tests::parseSequence("CF_0 Fn_1 Fe_2 L B_2 Fe_0 Fe_1 B_1 B_0");
    const auto run = simulate(tests::e2(), *sequence);
    QVERIFY(run.has_value());
    QCOMPARE(run->peak, std::int64_t{16});
    QCOMPARE(run->peakOp, std::size_t{5}); // the gradient is alive when stage 0 runs again
    QCOMPARE(run->makespan, 87.0);
}

void SequenceTest::droppedSetsNoLongerCount()
{
    const std::string text = "Fe_0 Fe_1 dropbar_1 Fe_2 L B_2 Fe_0 B_1 B_0";
    const auto sequence = tests::parseSequence(text);
    QVERIFY(sequence.has_value());
    QCOMPARE(sequenceText(*sequence), text);
    QVERIFY(dropsAnything(*sequence));
    QVERIFY(!dropsAnything(keepEverything(tests::e2())));
    const auto run = simulate(tests::e6(), *sequence);
    QVERIFY(run.has_value());
    QCOMPARE(run->makespan, 56.0);
    QCOMPARE(run->peak, std::int64_t{23});
    QCOMPARE(run->peaks, (std::vector<std::int64_t>{9, 13, 9, 16, 20, 23, 17, 17, 14}));
    // The same with the value alone kept in between.
    const auto same =
        simulate(tests::e6(), *tests::parseSequence("CF_0 Fe_1 drop_1 Fe_2 L B_2 Fe_0 B_1 B_0"));
    QCOMPARE(same->makespan, 56.0);
    QCOMPARE(same->peak, std::int64_t{23});
}

void SequenceTest::aSequenceThatLacksAnInputIsRefused_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"", "L", "Fe_1", "Fe_0 Fe_1 L B_1", "Fe_0 Fe_1 L B_0", "Fe_0 B_0", "CF_0 Fe_1 L B_1 B_0",
          "Fe_0 Fe_1 L B_1 B_0 B_0", "Fe_0 Fe_1 L L", "Fn_0 Fe_1 L B_1 Fe_0 B_0", "Fe_0 Fn_1 L",
          "Fe_0 Fe_7", "Fe_0 Fe_2", "drop_0", "drop_1", "CF_0 drop_1 Fe_1", "Fe_0 dropbar_1 Fe_1",
          "Fe_0 drop_1", "drop_9"})
        QTest::newRow(text) << QString::fromLatin1(text);
}

void SequenceTest::aSequenceThatLacksAnInputIsRefused()
{
    QFETCH(QString, text);
    const auto sequence = tests::parseSequence(text.toStdString());
    QVERIFY(sequence.has_value());
    const auto run = simulate(tests::e4(), *sequence);
    QVERIFY(!run.has_value());
    QCOMPARE(run.error().kind, base::ErrorKind::CheckFailed);
}

PLIMSOLL_TEST(SequenceTest, QCoreApplication)
#include "sequence_test.moc"
