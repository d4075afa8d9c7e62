// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

/// Node 0 (10) is read by 1 (20) and, after 2 (5), by 3 (1).
QByteArray smallGraph()
{
    return R"({"nodes":[{"name":"a","time":1,"size":10},{"name":"b","time":2,"size":20},)"
           R"({"name":"c","time":4,"size":5},{"name":"d","time":8,"size":1}],)"
           R"("edges":[[0,1],[1,2],[0,3],[2,3]]})";
}

class CliSolveRematTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void aSmallGraphIsSolved_data();
    void aSmallGraphIsSolved();
    void columnsInAnotherOrderAreTheSame();
    void belowAWorkingSetTheNodeIsNamed();
    void wrongUsageExitsWith2_data();
    void wrongUsageExitsWith2();
    void badGraphsExitWith3AndOneSentence_data();
    void badGraphsExitWith3AndOneSentence();

private:
    [[nodiscard]] CliRun solve(const QByteArray& content, const QStringList& more)
    {
        return runCli(QStringList{text("solve"), text("remat"), fileWith("g.json", content)} + more
                      + QStringList{text("--json")});
    }
};

void CliSolveRematTest::aSmallGraphIsSolved_data()
{
    QTest::addColumn<QStringList>("budget");
    QTest::addColumn<QString>("status");
    QTest::addColumn<double>("time");
    QTest::addColumn<int>("peak");
    QTest::addColumn<QJsonArray>("sequence");
    // Plain: 10, 30, 35 (a waits for d), 16. With a made anew before d: 10, 30, 25, 15, 16.
    QTest::newRow("everything") << QStringList{text("--budget"), text("35")} << text("optimal")
                                << 15.0 << 35 << QJsonArray{0, 1, 2, 3};
    QTest::newRow("30") << QStringList{text("--budget"), text("30")} << text("optimal") << 16.0
                        << 30 << QJsonArray{0, 1, 2, 0, 3};
    QTest::newRow("ratio") << QStringList{text("--budget-ratio"), text("0.99")} << text("optimal")
                           << 16.0 << 30 << QJsonArray{0, 1, 2, 0, 3};
}

void CliSolveRematTest::aSmallGraphIsSolved()
{
    QFETCH(QStringList, budget);
    const CliRun run = solve(smallGraph(), budget);
    QVERIFY2(run.exit == 0, run.error.constData());
    const QJsonObject json = run.json();
    QTEST(json[text("status")].toString(), "status");
    QTEST(json[text("time")].toDouble(), "time");
    QTEST(json[text("peak")].toInt(), "peak");
    QTEST(json[text("sequence")].toArray(), "sequence");
    QCOMPARE(json[text("base_time")].toDouble(), 15.0);
    QCOMPARE(json[text("base_peak")].toInt(), 35);
    QVERIFY(json[text("time_bound")].toDouble() <= json[text("time")].toDouble());
    QVERIFY(json[text("increase_percent_bound")].toDouble()
            <= json[text("increase_percent")].toDouble());
    QVERIFY(json[text("seconds")].toDouble() >= 0);
}

void CliSolveRematTest::columnsInAnotherOrderAreTheSame()
{
    // The same graph, numbered the other way round.
    const CliRun run = solve(R"({"time":[8,4,2,1],"size":[1,5,20,10],)"
                             R"("edges":[[3,2],[2,1],[3,0],[1,0],[1,0]],"order":[3,2,1,0]})",
                             {text("--budget"), text("30")});
    QVERIFY2(run.exit == 0, run.error.constData());
    QCOMPARE(run.json()[text("sequence")].toArray(), (QJsonArray{3, 2, 1, 3, 0}));
}

void CliSolveRematTest::belowAWorkingSetTheNodeIsNamed()
{
    const CliRun run = solve(smallGraph(), {text("--budget"), text("29")});
    QCOMPARE(run.exit, 4);
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    QVERIFY2(run.error.contains("node 1 (b) alone needs 30, 1 more"), run.error.constData());
    QCOMPARE(run.json()[text("status")].toString(), text("infeasible"));
    QCOMPARE(run.json()[text("smallest_known_budget")].toInt(), 30);
    QVERIFY(run.error.endsWith("; the smallest budget with a plan is 30 (1 more).\n"));
    QVERIFY(run.json()[text("time")].isNull());
    QVERIFY(run.json()[text("sequence")].toArray().isEmpty());
}

void CliSolveRematTest::wrongUsageExitsWith2_data()
{
    QTest::addColumn<QString>("options");
    QTest::newRow("no budget") << QString{};
    QTest::newRow("both") << text("--budget 3 --budget-ratio 0.5");
    QTest::newRow("negative budget") << text("--budget -1");
    QTest::newRow("no share") << text("--budget-ratio 0");
    QTest::newRow("nan") << text("--budget-ratio nan");
}

void CliSolveRematTest::wrongUsageExitsWith2()
{
    QFETCH(QString, options);
    const CliRun run = solve(smallGraph(), options.split(u' ', Qt::SkipEmptyParts));
    QCOMPARE(run.exit, 2);
    QVERIFY2(run.hasOneSentence(), run.error.constData());
}

void CliSolveRematTest::badGraphsExitWith3AndOneSentence_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* name, const char* content, const char* named) {
        QTest::newRow(name) << QByteArray{content} << QByteArray{named};
    };
    row("0 bytes", "", "");
    row("an array", "[1]", "object");
    row("nothing", "{}", "\"time\"");
    row("no nodes", R"({"nodes":[],"edges":[]})", "no nodes");
    row("a node is a number", R"({"nodes":[1],"edges":[]})", "Node 0");
    row("no size", R"({"nodes":[{"time":1}],"edges":[]})", "size of node 0");
    row("no edges", R"({"time":[1],"size":[1]})", "\"edges\"");
    row("lengths differ", R"({"time":[1,2],"size":[1],"edges":[]})", "2 entries");
    row("negative size", R"({"time":[1],"size":[-1],"edges":[]})", "size of node 0");
    row("fractional size", R"({"time":[1],"size":[1.5],"edges":[]})", "size of node 0");
    row("huge sizes", R"({"time":[1,1],"size":[1e18,1e18],"edges":[]})", "2^60");
    row("negative time", R"({"time":[-1],"size":[1],"edges":[]})", "time of node 0");
    row("huge time", R"({"time":[1e300],"size":[1],"edges":[]})", "time of node 0");
    row("text", R"({"time":["1"],"size":[1],"edges":[]})", "time of node 0");
    row("no pair", R"({"time":[1],"size":[1],"edges":[[0]]})", "edges[0]");
    row("unknown node", R"({"time":[1],"size":[1],"edges":[[0,7]]})", "edges[0][1]");
    row("negative node", R"({"time":[1],"size":[1],"edges":[[-1,0]]})", "edges[0][0]");
    row("itself", R"({"time":[1],"size":[1],"edges":[[0,0]]})", "cycle");
    row("cycle", R"({"time":[1,1,1],"size":[1,1,1],"edges":[[0,1],[1,2],[2,1]]})", "cycle: node 1");
    row("backwards", R"({"time":[1,1],"size":[1,1],"edges":[[1,0]]})", "Node 0 reads node 1");
    row("short order", R"({"time":[1,1],"size":[1,1],"edges":[],"order":[0]})", "\"order\"");
    row("twice", R"({"time":[1,1],"size":[1,1],"edges":[],"order":[0,0]})", "node 0 twice");
    row("unknown in order", R"({"time":[1],"size":[1],"edges":[],"order":[3]})", "order[0]");
    row("wrong order", R"({"time":[1,1],"size":[1,1],"edges":[[0,1]],"order":[1,0]})",
        "Node 1 reads node 0");
}

void CliSolveRematTest::badGraphsExitWith3AndOneSentence()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, named);
    const CliRun run = solve(content, {text("--budget"), text("9")});
    QVERIFY2(run.exit == 3, run.error.constData());
    QCOMPARE(run.out, QByteArray{});
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    QVERIFY(run.error.contains("g.json"));
    QVERIFY2(run.error.contains(named), run.error.constData());
}

} // namespace

PLIMSOLL_TEST(CliSolveRematTest, QCoreApplication)
#include "cli_solve_remat_test.moc"
