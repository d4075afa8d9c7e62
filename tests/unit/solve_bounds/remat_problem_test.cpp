// SPDX-License-Identifier: Apache-2.0
#include "core/solve/bounds/remat_problem.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <functional>

using namespace plimsoll;
using namespace plimsoll::solve;

class RematProblemTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void plansHaveTheseFigures_data();
    void plansHaveTheseFigures();
    void badOnesAreNamed_data();
    void badOnesAreNamed();
};

namespace {

/// a(10) → b(20) → c(5), and d(1) reads a and c; e overwrites c after d has read it and is kept.
RematProblem small()
{
    RematProblem problem;
    problem.values = {{.size = 10}, {.size = 20}, {.size = 5, .isKept = true}, {.size = 1}};
    problem.ops = {{.time = 1, .makes = {0}},
                   {.time = 2, .reads = {0}, .makes = {1}},
                   {.time = 4, .reads = {1}, .makes = {2}},
                   {.time = 8, .reads = {0, 2}, .makes = {3}},
                   {.time = 16, .overwrites = {2}}};
    return problem;
}

using Spoil = std::function<void(RematProblem&, RematPlan&)>;

} // namespace

void RematProblemTest::plansHaveTheseFigures_data()
{
    QTest::addColumn<RematPlan>("plan");
    QTest::addColumn<double>("time");
    QTest::addColumn<qint64>("peak");
    QTest::addColumn<quint32>("peakOp");
    // Steps hold 10, 30, 35 (a for d, b, c), 16 (a, c, d), 5.
    QTest::newRow("nothing again") << RematPlan{} << 31.0 << qint64{35} << 2U;
    // a comes back before d: 10, 30, 25 (b, c), 15 (c, a), 16, 5.
    QTest::newRow("a before d") << RematPlan{{{3, {0}}}} << 32.0 << qint64{30} << 1U;
    // Too early: a is there during c again.
    QTest::newRow("a before c") << RematPlan{{{2, {0}}}} << 32.0 << qint64{35} << 2U;
    // All again before e: c's own instance dies after d, b reads the new a.
    QTest::newRow("chain again") << RematPlan{{{4, {0, 1, 2}}}} << 38.0 << qint64{35} << 2U;
    QTest::newRow("twice") << RematPlan{{{3, {0}}, {4, {0}}}} << 33.0 << qint64{30} << 1U;
}

void RematProblemTest::plansHaveTheseFigures()
{
    QFETCH(RematPlan, plan);
    const base::Result<RematFigures> seen = simulate(small(), plan);
    QVERIFY2(seen, seen ? "" : seen.error().message.c_str());
    QTEST(seen->time, "time");
    QTEST(qint64{seen->peak}, "peak");
    QTEST(quint32{seen->peakOp}, "peakOp");
    RematProblem raised = small();
    raised.floor = {100, 100, 100, 100, 100};
    QCOMPARE(simulate(raised, plan)->peak, seen->peak + 100);
}

void RematProblemTest::badOnesAreNamed_data()
{
    QTest::addColumn<Spoil>("spoil");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const Spoil& spoil, const char* sentence) {
        QTest::newRow(name) << spoil << QString{sentence};
    };
    row(
        "before itself",
        [](auto&, RematPlan& plan) {
            plan.recomputeSteps = {{2, {2}}};
        },
        "Op 2 can't be recomputed before op 2.");
    row(
        "may not",
        [](RematProblem& problem, RematPlan& plan) {
            problem.ops[0].mayRepeat = false;
            plan.recomputeSteps = {{3, {0}}};
        },
        "Op 0 can't be recomputed before op 3.");
    row(
        "rows fall",
        [](auto&, RematPlan& plan) {
            plan.recomputeSteps = {{3, {0}}, {2, {0}}};
        },
        "The row of recomputations before op 2 is out of place.");
    row(
        "row past the end",
        [](auto&, RematPlan& plan) {
            plan.recomputeSteps = {{5, {0}}};
        },
        "The row of recomputations before op 5 is out of place.");
    row(
        "overwritten too often",
        [](RematProblem& problem, RematPlan& plan) {
            problem.ops.push_back({.time = 1, .reads = {2}});
            plan.recomputeSteps = {{5, {4}}};
        },
        "Op 4, run at op 5, finds value 2 overwritten 1 times instead of 0.");
    row(
        "ends as another version",
        [](RematProblem& problem, RematPlan& plan) {
            problem.ops.push_back({.time = 1});
            plan.recomputeSteps = {{5, {2}}};
        },
        "Value 2 ends overwritten 0 times instead of 1.");
    row(
        "used before made", [](RematProblem& problem, auto&) { problem.ops[0].reads = {3}; },
        "Op 0 uses value 3 before any op makes it.");
    row(
        "made twice", [](RematProblem& problem, auto&) { problem.ops[4].makes = {0}; },
        "Value 0 is made twice, by op 4, too.");
    row(
        "never made", [](RematProblem& problem, auto&) { problem.values.push_back({.size = 1}); },
        "No op makes value 4.");
    row(
        "no such value", [](RematProblem& problem, auto&) { problem.ops[1].reads = {9}; },
        "Op 1 refers to value 9, of 4.");
    row(
        "floors", [](RematProblem& problem, auto&) { problem.floor = {1}; },
        "There are 5 ops and floors for 1.");
}

void RematProblemTest::badOnesAreNamed()
{
    QFETCH(Spoil, spoil);
    QFETCH(QString, sentence);
    RematProblem problem = small();
    RematPlan plan;
    spoil(problem, plan);
    const base::Result<RematFigures> seen = simulate(problem, plan);
    QVERIFY(!seen);
    QCOMPARE(seen.error().kind, base::ErrorKind::CheckFailed);
    QCOMPARE(QString::fromStdString(seen.error().message), sentence);
}

PLIMSOLL_TEST(RematProblemTest, QCoreApplication)
#include "remat_problem_test.moc"
