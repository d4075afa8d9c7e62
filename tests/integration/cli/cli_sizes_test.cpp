// SPDX-License-Identifier: Apache-2.0
// --at: a graph that was traced at several sizes, taken at another.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

class CliSizesTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void inspectTellsAndTakesSizes();
    void plansHoldAtOtherSizes();
    void refusesWithASentence_data();
    void refusesWithASentence();

private:
    QString m_varied = text(PLIMSOLL_SOURCE_DIR "/tests/data/varied.plimsoll.json");
    QString m_other = text(PLIMSOLL_SOURCE_DIR "/tests/data/varied-7x13.plimsoll.json");
};

void CliSizesTest::inspectTellsAndTakesSizes()
{
    const CliRun here = runCli({text("inspect"), m_varied, text("--json")});
    QCOMPARE(here.exit, 0);
    const QJsonArray axes = here.json()[text("summary")][text("axes")].toArray();
    QCOMPARE(axes.size(), 2);
    QCOMPARE(axes[0].toObject(), (QJsonObject{{text("name"), text("batch")},
                                              {text("size"), 4},
                                              {text("recorded"), QJsonArray{2, 4, 5}},
                                              {text("step"), 1}}));
    const CliRun said = runCli({text("inspect"), m_varied});
    QVERIFY(said.out.contains("recorded at        batch 2, 4, 5; sequence 6, 9, 10"));

    const CliRun there = runCli({text("inspect"), m_varied, text("--at"),
                                 text("batch=7,sequence=13"), text("--chain"), text("--json")});
    const CliRun traced = runCli({text("inspect"), m_other, text("--chain"), text("--json")});
    QCOMPARE(there.exit, 0);
    QCOMPARE(traced.exit, 0);
    QCOMPARE(there.json()[text("chain")], traced.json()[text("chain")]);
    QJsonObject mine = there.json()[text("summary")].toObject();
    QJsonObject its = traced.json()[text("summary")].toObject();
    QCOMPARE(mine[text("assumed")].toArray().size(), its[text("assumed")].toArray().size() + 2);
    QVERIFY(its[text("axes")].toArray().isEmpty());
    for (QJsonObject* summary : {&mine, &its})
        for (const char* key : {"assumed", "axes"})
            summary->remove(text(key));
    QCOMPARE(mine, its);
}

void CliSizesTest::plansHoldAtOtherSizes()
{
    const QString plan = file("plan.json");
    const QStringList at{text("--at"), text("sequence=9")};
    const CliRun planned = runCli(QStringList{text("plan"), m_varied, text("--budget"),
                                              text("1MiB"), text("--export"), plan, text("--json")}
                                  + at);
    QCOMPARE(planned.exit, 0);
    const CliRun same = runCli(QStringList{text("check"), plan, m_varied, text("--json")} + at);
    QCOMPARE(same.exit, 0);
    QCOMPARE(same.json()[text("peak_bytes")], planned.json()[text("peak_bytes")]);
    QVERIFY(!same.json().contains(text("made_at")));

    const CliRun more = runCli(
        {text("check"), plan, m_varied, text("--at"), text("batch=50,sequence=9"), text("--json")});
    QCOMPARE(more.exit, 0);
    QCOMPARE(more.json()[text("made_at")], QJsonValue{text("4x9 int64")});
    QVERIFY(more.json()[text("peak_bytes")].toDouble()
            > same.json()[text("peak_bytes")].toDouble());
    // Without --at the file's numbers must be those of the graph.
    const CliRun here = runCli({text("check"), plan, m_varied});
    QCOMPARE(here.exit, 5);
    QVERIFY2(
        here.error.contains("\nhint: the plan was made at 4x9 int64, this graph is at 4x6 int64; "
                            "--at evaluates"),
        here.error.constData());
    // Nor does a plan hold where it leaves its budget.
    const CliRun far = runCli({text("check"), plan, m_varied, text("--at"), text("batch=1000")});
    QCOMPARE(far.exit, 5);
    QVERIFY(far.error.startsWith("over_budget: "));

    const QString csv = file("plan.csv");
    QCOMPARE(runCli(QStringList{text("export"), m_varied, plan, text("-o"), csv} + at).exit, 0);
    QVERIFY(!tests::fileBytes(csv).isEmpty());
}

void CliSizesTest::refusesWithASentence_data()
{
    QTest::addColumn<QString>("at");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* at, const char* says) {
        QTest::newRow(at) << text(at) << text(says);
    };
    row("batch", "--at \"batch\" is not a size: write batch=16");
    row("batch=", "is not a size");
    row("=3", "--at \"=3\" is not a size: write batch=16");
    row("=", "is not a size");
    row("", "--at \"\" is not a size");
    row(",", "--at \"\" is not a size");
    row("batch==3", "is not a size");
    row("batch=3=4", "is not a size");
    row("batch= 3", "is not a size");
    row("batch=nan", "is not a size");
    row("batch=0", "is not a size");
    row("batch=-4", "is not a size");
    row("batch=4.5", "is not a size");
    row("batch=0x10", "is not a size");
    row("batch=99999999999999999999", "is not a size");
    row("batch=4,", "--at \"\" is not a size");
    row("batch=4,batch=5", "--at names batch twice");
    row("height=4", "has no axis \"height\" that varies, only batch and sequence");
    row("batch=1", "batch 1 is below 2");
    row("batch=4611686018427387903", "beyond 2^62");
}

void CliSizesTest::refusesWithASentence()
{
    QFETCH(QString, at);
    QFETCH(QString, says);
    const CliRun run = runCli({text("inspect"), m_varied, text("--at"), at});
    QCOMPARE(run.exit, 2);
    QVERIFY2(run.error.contains(says.toUtf8()), run.error.constData());
    QCOMPARE(run.error.count('\n'), 1);
    const CliRun fixed = runCli({text("inspect"), m_other, text("--at"), text("batch=4")});
    QCOMPARE(fixed.exit, 2);
    QVERIFY(fixed.error.startsWith("This graph was traced at one size only"));
}

} // namespace

PLIMSOLL_TEST(CliSizesTest, QCoreApplication)
#include "cli_sizes_test.moc"
