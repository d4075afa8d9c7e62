// SPDX-License-Identifier: Apache-2.0
// plan without --planner: auto names the planner of each plan, and the decisions for the next
// bytes.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>
#include <QTest>

#include <algorithm>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::fileBytes;
using tests::runCli;
using tests::text;

class CliAutoTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void thePlanCanBeMadeAgainByItsMaker_data();
    void thePlanCanBeMadeAgainByItsMaker();
    void theFrontierNamesPlannersAndPrices();
    void theNextSavingRuns();
    void flipsAreListedWhereAsked();
    void whoTakesNoPartIsNamed();
    void eachPlannersOwnPlanIsListed();
    void whoIsStoppedSaysSo();
    void regionsAreNotReordered();

private:
    [[nodiscard]] CliRun plan(const QStringList& options) const
    {
        return runCli(QStringList{text("plan"), m_resnet} + options);
    }
};

void CliAutoTest::thePlanCanBeMadeAgainByItsMaker_data()
{
    QTest::addColumn<QString>("runtime");
    QTest::newRow("checkpoint") << text("checkpoint");
    QTest::newRow("step") << text("step");
}

void CliAutoTest::thePlanCanBeMadeAgainByItsMaker()
{
    QFETCH(QString, runtime);
    const QString file = this->file("plan.json");
    const QStringList asked{text("--budget"), text("75%"), text("--json"), text("--export")};
    const CliRun run = plan(asked + QStringList{file, text("--runtime"), runtime});
    QCOMPARE(run.exit, 0);
    QCOMPARE(run.json()[text("planner")].toString(), text("auto"));
    const QJsonObject written = QJsonDocument::fromJson(fileBytes(file)).object();
    QCOMPARE(written[text("planner")].toString(), text("auto"));
    QCOMPARE(written[text("options")][text("runtime")].toString(), runtime);
    const QJsonObject maker = written[text("made_by")].toObject();
    QCOMPARE(run.json()[text("made_by")].toObject(), maker);
    const CliRun checked = runCli({text("check"), file, m_resnet});
    QCOMPARE(checked.exit, 0);

    const QString again = this->file("again.json");
    QStringList options{again, text("--planner"), maker[text("planner")].toString()};
    const QJsonObject chosen = maker[text("options")].toObject();
    QVERIFY(!chosen.isEmpty());
    for (auto option = chosen.begin(); option != chosen.end(); ++option)
        options << text("--") + option.key() << option.value().toString();
    QCOMPARE(plan(asked + options).exit, 0);
    const QJsonObject same = QJsonDocument::fromJson(fileBytes(again)).object();
    QCOMPARE(same[text("planner")], maker[text("planner")]);
    QCOMPARE(same[text("options")].toObject(), chosen);
    for (const char* key : {"regions", "schedule", "labels", "evaluation", "granularity"})
        QCOMPARE(same[text(key)], written[text(key)]);
}

void CliAutoTest::theFrontierNamesPlannersAndPrices()
{
    const QStringList options{text("--budget"), text("80%"),      text("--frontier"),
                              text("60"),       text("--prefer"), text("fastest")};
    const QJsonObject answer = plan(options + QStringList{text("--json")}).json();
    const QJsonArray rows = answer[text("frontier")].toArray();
    QCOMPARE(rows.size(), 60);
    QSet<QString> planners;
    QSet<QString> calls;
    for (int i = 0; i < rows.size(); ++i) {
        planners << rows[i][text("planner")].toString();
        calls << rows[i][text("call")].toString();
        QCOMPARE(rows[i][text("call")].toString().section(QLatin1Char{' '}, 0, 0),
                 rows[i][text("planner")].toString());
        QVERIFY(!rows[i].toObject().contains(text("flips")));
        const QJsonValue saved = rows[i][text("saved_bytes")];
        if (saved.isNull()) // the last plan, or the same as the next one
            QVERIFY(i == rows.size() - 1
                    || rows[i][text("peak_bytes")] == rows[i + 1][text("peak_bytes")]);
        else
            QCOMPARE(saved.toInteger(), rows[i + 1][text("peak_bytes")].toInteger()
                                            - rows[i][text("peak_bytes")].toInteger());
    }
    QVERIFY(!planners.contains(text("auto")) && !planners.contains(QString{}));
    const QJsonObject next = answer[text("cheapest_next")].toObject();
    const qint64 peak = answer[text("peak_bytes")].toInteger();
    QVERIFY(next[text("saved_bytes")].toInteger() >= peak / 10);
    QCOMPARE(next[text("peak_bytes")].toInteger(), peak - next[text("saved_bytes")].toInteger());
    QCOMPARE(next[text("step_time_ns")].toInteger(),
             answer[text("step_time_ns")].toInteger() + next[text("extra_time_ns")].toInteger());
    const QByteArray words = plan(options).out;
    QVERIFY(words.startsWith("feasible plan by auto ("));
    QVERIFY(words.contains(QString::asprintf("%.1f %% of the unplanned step may be left to gain",
                                             answer[text("gap_percent")].toDouble())
                               .toUtf8()));
    for (const QString& call : calls)
        QVERIFY(words.contains(" by " + call.toUtf8() + "\n"));
}

/// The next saving is what `plan` answers for its budget.
void CliAutoTest::theNextSavingRuns()
{
    const QJsonObject answer = plan({text("--budget"), text("4GiB"), text("--json")}).json();
    const QJsonObject next = answer[text("cheapest_next")].toObject();
    const qint64 budget = next[text("budget_bytes")].toInteger();
    QVERIFY(budget > 0 && budget < answer[text("budget_bytes")].toInteger());
    QVERIFY(next[text("saved_bytes")].toInteger() > 0);
    const QJsonObject at = plan({text("--budget"), QString::number(budget), text("--json")}).json();
    QCOMPARE(at[text("step_time_ns")], next[text("step_time_ns")]);
    QCOMPARE(at[text("peak_bytes")], next[text("peak_bytes")]);
    QCOMPARE(at[text("run")][text("status")].toString(), text("runs"));
    // Where no smaller plan runs without cache flushes, there is no next one.
    const QJsonObject least = plan({text("--budget"), text("1536MiB"), text("--json")}).json();
    const qint64 from = least[text("runs_from_bytes")].toInteger();
    const QJsonObject last = plan({text("--budget"), QString::number(from), text("--json")}).json();
    QCOMPARE(last[text("run")][text("status")].toString(), text("runs"));
    QVERIFY(last[text("cheapest_next")].isNull());
}

void CliAutoTest::flipsAreListedWhereAsked()
{
    const QStringList options{text("--budget"), text("80%"), text("--flips"), text("--prefer"),
                              text("fastest")};
    const QJsonObject answer =
        plan(options + QStringList{text("--json"), text("--frontier"), text("5")}).json();
    const QJsonObject next = answer[text("cheapest_next")].toObject();
    qint64 more = 0;
    const QJsonArray flips = next[text("flips")].toArray();
    QVERIFY(!flips.isEmpty());
    for (const auto& flip : flips)
        more += flip[text("time_ns")].toInteger();
    // The cost is that of the flipped values; other ops aren't listed.
    const qint64 extra = next[text("extra_time_ns")].toInteger();
    QVERIFY(extra > 0 && std::abs(more - extra) <= extra / 10);
    QVERIFY(!answer[text("frontier")][0][text("flips")].toArray().isEmpty());
    QCOMPARE(answer[text("frontier")][4][text("flips")].toArray(), QJsonArray{});
    const QByteArray words = plan(options).out;
    QVERIFY(words.contains("\n  next        "));
    QVERIFY(words.contains(" a GiB), by "));
    QVERIFY(words.contains("\n      recompute "));
}

void CliAutoTest::whoTakesNoPartIsNamed()
{
    const QStringList options{text("--budget"), text("80%"),          text("--runtime"),
                              text("step"),     text("--saved-sets"), text("on")};
    const QJsonArray named =
        plan(options + QStringList{text("--json")}).json()[text("left_out")].toArray();
    QCOMPARE(named.size(), 1);
    QVERIFY(
        named[0].toString().startsWith(text("rotor was not run: Saved sets are for checkpoint")));
    QVERIFY(plan(options).out.contains("  rotor was not run: "));
}

/// Each row equals a call of that planner with the same options; one of them gives the answer.
void CliAutoTest::eachPlannersOwnPlanIsListed()
{
    const QStringList options{text("--budget"), text("80%")};
    const QJsonObject answer = plan(options + QStringList{text("--json")}).json();
    const QString maker = answer[text("made_by")].toObject()[text("planner")].toString();
    int compared = 0;
    bool hasMaker = false;
    bool hasUnfit = false;
    const QJsonArray rows = answer[text("planners")].toArray();
    for (const auto& row : rows) {
        const QString planner = row[text("planner")].toString();
        if (row[text("state")].toString() == text("unfit")) {
            hasUnfit = true;
            QVERIFY(row[text("reason")].toString().startsWith(text("It makes no plans with ")));
            QVERIFY(row[text("status")].isNull() && row[text("peak_bytes")].isNull());
            continue;
        }
        QCOMPARE(row[text("state")].toString(), text("over"));
        // No planner beats the best of all planners.
        if (!row[text("step_time_ns")].isNull())
            QVERIFY(row[text("step_time_ns")].toInteger()
                    >= answer[text("step_time_ns")].toInteger());
        hasMaker =
            hasMaker
            || (planner == maker && row[text("step_time_ns")] == answer[text("step_time_ns")]);
        if (row[text("call")].toString() != planner) // with options of its own
            continue;
        ++compared;
        const QJsonObject alone =
            plan(options + QStringList{text("--json"), text("--planner"), planner}).json();
        QCOMPARE(row[text("peak_bytes")], alone[text("peak_bytes")]);
        QCOMPARE(row[text("step_time_ns")], alone[text("step_time_ns")]);
        QCOMPARE(alone[text("planners")].toArray(), QJsonArray{});
    }
    QVERIFY(compared >= 3 && hasMaker && hasUnfit);
    QVERIFY(plan(options).out.contains("\n  " + maker.toUtf8()));
}

/// All planners share one time limit; at its end only what is known is reported. Keeping
/// everything, which is always known, fits here.
void CliAutoTest::whoIsStoppedSaysSo()
{
    const QStringList asked{text("--budget"),     text("100%"),  text("--pin"),
                            text("keep:layer1*"), text("--pin"), text("keep:layer2.0*"),
                            text("--time-limit"), text("1e-6")};
    const QJsonObject answer = plan(asked + QStringList{text("--json")}).json();
    QVERIFY(answer[text("stopped")].toBool());
    QVERIFY(answer[text("verified")].toBool());
    const double packed = answer[text("packed_height_bytes")].toDouble();
    QVERIFY(packed <= 1.05 * answer[text("peak_bytes")].toDouble());
    for (const auto& pin : answer[text("pins")].toArray())
        QVERIFY(pin[text("price_ns")].isNull());
    const QByteArray told = plan(asked).out;
    const QByteArray first = told.first(told.indexOf('\n'));
    QVERIFY(first.contains(" plan by ") && first.endsWith(", stopped early"));
    QCOMPARE(told.count(": its cost is unknown, as no time was left to compute it\n"), 2);
    const auto stoppedPlans = told.count(", stopped early\n"); // of the answer, of planners
    QVERIFY(stoppedPlans + told.count(" stopped before it had a plan within the budget\n") > 1);
}

/// Without remat, which reorders, the answer would be worse than unasked.
void CliAutoTest::regionsAreNotReordered()
{
    const CliRun run = plan({text("--budget"), text("80%"), text("--reorder"), text("on")});
    QCOMPARE(run.exit, 2);
    QCOMPARE(run.error, QByteArray{"Ops are reordered for the runtime step only: leave reorder "
                                   "off.\n"});
}

} // namespace

PLIMSOLL_TEST(CliAutoTest, plimsoll::tests::NoApplication)
#include "cli_auto_test.moc"
