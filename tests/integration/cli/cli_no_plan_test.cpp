// SPDX-License-Identifier: Apache-2.0
// Budgets that can't be met: by how much, why, and with the same keys as those that can.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QLocale>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::samplePath;
using tests::text;

/// "1,024" as texts show it.
QByteArray grouped(qint64 bytes)
{
    return QLocale{QLocale::English, QLocale::UnitedStates}.toString(bytes).toUtf8();
}

class CliNoPlanTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void hasTheKeysOfAPlan_data();
    void hasTheKeysOfAPlan();
    void saysByHowMuchAndWhy();
    void isNotSearchedForBelowTheBound();
    void isSearchedForWhereTheTradeOffIsAskedFor();
    void granularityIsThatOfThePlan();
};

void CliNoPlanTest::hasTheKeysOfAPlan_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("regions") << QStringList{};
    QTest::newRow("regions between ops") << QStringList{text("--granularity"), text("op")};
    QTest::newRow("frozen") << QStringList{text("--freeze-stats"), text("on")};
    QTest::newRow("step") << QStringList{text("--runtime"), text("step")};
    QTest::newRow("none") << QStringList{text("--planner"), text("none")};
}

void CliNoPlanTest::hasTheKeysOfAPlan()
{
    QFETCH(QStringList, options);
    const auto answer = [&](const char* budget) {
        return runCli(QStringList{text("plan"), m_resnet, text("--json"), text("--budget"),
                                  text(budget)}
                      + options)
            .json();
    };
    const QJsonObject met = answer("100%");
    QVERIFY(met[text("verified")].toBool());
    for (const char* budget : {"30%", "48%"}) { // below the bound and above it
        const QJsonObject missed = answer(budget);
        QVERIFY(!missed[text("verified")].toBool());
        QCOMPARE(missed.keys(), met.keys());
        QVERIFY(missed[text("peak_bytes")].isNull());
        for (const char* key : {"options", "runtime", "freeze_stats", "base_peak_bytes",
                                "base_step_time_ns", "lower_bound_op"})
            QCOMPARE(missed[text(key)], met[text(key)]);
    }
}

void CliNoPlanTest::saysByHowMuchAndWhy()
{
    const QStringList arguments{text("plan"), m_resnet, text("--budget")};
    const auto more = [](const QJsonObject& json, const char* key) {
        return grouped(json[text(key)].toInteger()) + " B ("
               + grouped(json[text(key)].toInteger() - json[text("budget_bytes")].toInteger())
               + " B more)";
    };
    const CliRun infeasible = runCli(arguments + QStringList{text("30%")});
    const QJsonObject below = runCli(arguments + QStringList{text("30%"), text("--json")}).json();
    QCOMPARE(below[text("status")].toString(), text("infeasible"));
    QCOMPARE(infeasible.exit, 4);
    QVERIFY2(infeasible.hasOneSentence(), infeasible.error.constData());
    for (const QByteArray& words :
         {"op " + QByteArray::number(below[text("lower_bound_op")].toInteger()) + ", bn1 · aten.",
          "needs " + more(below, "lower_bound_peak_bytes") + " whatever is recomputed",
          "a plan is " + more(below, "smallest_known_budget_bytes")})
        QVERIFY2(infeasible.error.contains(words), infeasible.error.constData());

    const CliRun missed = runCli(arguments + QStringList{text("55%")});
    const QJsonObject above = runCli(arguments + QStringList{text("55%"), text("--json")}).json();
    QCOMPARE(above[text("status")].toString(), text("not_found"));
    QVERIFY2(missed.hasOneSentence(), missed.error.constData());
    QVERIFY2(missed.error.contains("a plan is " + more(above, "smallest_known_budget_bytes")),
             missed.error.constData());
}

/// Skips the search if no plan can exist: for a large model between ops it would take many seconds.
void CliNoPlanTest::isNotSearchedForBelowTheBound()
{
    const QStringList arguments{text("plan"),   samplePath(text("gpt2")), text("--planner"),
                                text("rotor"),  text("--granularity"),    text("op"),
                                text("--json"), text("--budget")};
    const QJsonObject json = runCli(arguments + QStringList{text("10%")}).json();
    QCOMPARE(json[text("status")].toString(), text("infeasible"));
    QCOMPARE(json[text("searched")], QJsonValue{false});
    QCOMPARE(json[text("stopped")], QJsonValue{false});
    const qint64 known = json[text("smallest_known_budget_bytes")].toInteger();
    QVERIFY(known < json[text("base_peak_bytes")].toInteger());
    const QJsonObject met =
        runCli(arguments + QStringList{QString::number(known), text("--slots"), text("16")}).json();
    QVERIFY(met[text("verified")].toBool());
    QCOMPARE(met[text("searched")], QJsonValue{true});
}

void CliNoPlanTest::isSearchedForWhereTheTradeOffIsAskedFor()
{
    const QStringList arguments{text("plan"),     m_resnet,    text("--runtime"), text("step"),
                                text("--budget"), text("30%"), text("--json")};
    const QJsonObject quick = runCli(arguments).json();
    const QJsonObject json = runCli(arguments + QStringList{text("--frontier"), text("3")}).json();
    QCOMPARE(json[text("status")].toString(), text("infeasible"));
    QCOMPARE(json[text("searched")], QJsonValue{true});
    QCOMPARE(json[text("frontier")].toArray().size(), 3);
    QVERIFY(json[text("smallest_known_budget_bytes")].toInteger()
            < quick[text("smallest_known_budget_bytes")].toInteger());
}

/// The request is listed under options; a step that keeps everything needs no code between ops.
void CliNoPlanTest::granularityIsThatOfThePlan()
{
    const auto answer = [&](const QStringList& options) {
        return runCli(QStringList{text("plan"), m_resnet, text("--granularity"), text("op"),
                                  text("--json"), text("--export"), file("plan.json")}
                      + options)
            .json();
    };
    for (const auto& [options, expected] :
         {std::pair{QStringList{text("--budget"), text("80%")}, "op"},
          std::pair{QStringList{text("--budget"), text("200%")}, "module"},
          std::pair{QStringList{text("--budget"), text("80%"), text("--runtime"), text("step")},
                    "module"}}) {
        const QJsonObject json = answer(options);
        QCOMPARE(json[text("options")].toObject()[text("granularity")].toString(), text("op"));
        QCOMPARE(json[text("granularity")].toString(), text(expected));
        QVERIFY(tests::fileBytes(file("plan.json"))
                    .contains(QByteArray{"\"granularity\": \""} + expected + '"'));
        QCOMPARE(runCli({text("check"), file("plan.json"), m_resnet, text("--json")})
                     .json()[text("granularity")]
                     .toString(),
                 text(expected));
    }
}

} // namespace

PLIMSOLL_TEST(CliNoPlanTest, QCoreApplication)
#include "cli_no_plan_test.moc"
