// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/chain.h"

#include "tests/support/test_main.h"
#include "tests/unit/solve_chain/chain_examples.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <limits>

using namespace plimsoll;
using namespace plimsoll::solve;

class ChainTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aBadChainIsNamed_data();
    void aBadChainIsNamed();
    void aGoodChainIsAccepted();
    void savedSetsHoldTheirOutput();
    void aBackwardTakesWhatItLeavesBehind();
    void theLowerBoundIsTheLargestStep();
};

using Spoil = std::function<void(Chain&)>;

void ChainTest::aBadChainIsNamed_data()
{
    QTest::addColumn<Spoil>("spoil");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* name, const Spoil& spoil, const char* word) {
        QTest::newRow(name) << spoil << QString::fromLatin1(word);
    };
    row(
        "empty", [](Chain& chain) { chain = {}; }, "no stages");
    row(
        "btime too short", [](Chain& chain) { chain.btime.pop_back(); }, "btime");
    row(
        "x too short", [](Chain& chain) { chain.x.pop_back(); }, "\"x\" has 6 entries, not 7");
    row(
        "xbar too long", [](Chain& chain) { chain.xbar.push_back(1); }, "xbar");
    row(
        "ftmp too long", [](Chain& chain) { chain.ftmp.push_back(1); }, "ftmp");
    row(
        "btmp too short", [](Chain& chain) { chain.btmp.pop_back(); }, "btmp");
    row(
        "negative size", [](Chain& chain) { chain.ftmp[2] = -1; }, "'ftmp' entry 2 is -1");
    row(
        "negative time", [](Chain& chain) { chain.btime[1] = -0.5; }, "'btime' entry 1");
    row(
        "infinite time",
        [](Chain& chain) { chain.ftime[0] = std::numeric_limits<double>::infinity(); }, "inf");
    row(
        "no number", [](Chain& chain) { chain.ftime[0] = std::nan(""); }, "nan");
    row(
        "endless sum of times",
        [](Chain& chain) { chain.ftime.assign(6, std::numeric_limits<double>::max()); }, "sum");
    row(
        "one huge size", [](Chain& chain) { chain.x[3] = std::int64_t{1} << 62; }, "larger unit");
    row(
        "largest size",
        [](Chain& chain) { chain.btmp[3] = std::numeric_limits<std::int64_t>::max(); },
        "larger unit");
    row(
        "sum of sizes", [](Chain& chain) { chain.x.assign(7, std::int64_t{1} << 59); },
        "larger unit");
    row(
        "mask of another chain",
        [](Chain& chain) {
            chain.regions = RegionMask{5, true};
        },
        "5 stages");
}

void ChainTest::aBadChainIsNamed()
{
    QFETCH(Spoil, spoil);
    QFETCH(QString, word);
    Chain chain = tests::e1();
    spoil(chain);
    const auto valid = validate(chain);
    QVERIFY(!valid.has_value());
    QVERIFY2(QString::fromStdString(valid.error().message).contains(word),
             valid.error().message.c_str());
}

void ChainTest::aGoodChainIsAccepted()
{
    Chain chain = tests::e1();
    QVERIFY(validate(chain).has_value());
    QCOMPARE(baseTime(chain), 18.0);
    chain.regions = RegionMask{6, false};
    QVERIFY(validate(chain).has_value());
    QVERIFY(!chain.regions.mayCheckpoint(0, 5));
    chain.regions.set(2, 4, true);
    QVERIFY(chain.regions.mayCheckpoint(2, 4));
    QVERIFY(!chain.regions.mayCheckpoint(2, 3));
    QVERIFY(RegionMask{}.mayCheckpoint(3, 900));
}

void ChainTest::savedSetsHoldTheirOutput()
{
    Chain chain = tests::e1();
    chain.xbar = {0, 0, 5, 0, 0, 0, 0};
    QCOMPARE(normalised(chain).xbar, (std::vector<std::int64_t>{1, 1, 5, 1, 1, 1, 1}));
}

void ChainTest::aBackwardTakesWhatItLeavesBehind()
{
    // The gradient of the input, 5, less what goes with it: 1 that was kept and a gradient of 1.
    Chain chain;
    chain.ftime = {3};
    chain.btime = {10, 0};
    chain.x = {5, 1};
    chain.xbar = {5, 1};
    chain.ftmp = {2};
    chain.btmp = {2, 0};
    QCOMPARE(withLeftGradients(chain).btmp, (std::vector<std::int64_t>{3, 0}));
    QCOMPARE(peakLowerBound(withLeftGradients(chain)), std::int64_t{10});
    chain.btmp[0] = 4;
    QCOMPARE(withLeftGradients(chain).btmp, chain.btmp);
}

void ChainTest::theLowerBoundIsTheLargestStep()
{
    QCOMPARE(peakLowerBound(tests::e1()), std::int64_t{7});
    QCOMPARE(peakLowerBound(tests::e2()), std::int64_t{15});
    QCOMPARE(peakLowerBound(tests::e7()), std::int64_t{8});
}

PLIMSOLL_TEST(ChainTest, QCoreApplication)
#include "chain_test.moc"
