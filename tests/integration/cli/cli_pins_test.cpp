// SPDX-License-Identifier: Apache-2.0
// plan --pin: what pins match, cost and forbid; check says when a plan does otherwise.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::fileBytes;
using tests::runCli;
using tests::text;

class CliPinsTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void tellsWhatPinsMatchAndCost();
    void checkFindsAViolatedPin();
    void saysWhichPinsLeaveNoPlan();
    void refusesPinsInOneSentence();

private:
    [[nodiscard]] CliRun plan(const QStringList& options) const
    {
        return runCli(QStringList{text("plan"), m_resnet, text("--json")} + options);
    }
};

void CliPinsTest::tellsWhatPinsMatchAndCost()
{
    const QStringList budget{text("--budget"), text("70%")};
    const QJsonObject free = plan(budget).json();
    QCOMPARE(free[text("pins")].toArray(), QJsonArray{});
    const QString file = this->file("plan.json");
    const QJsonObject pinned =
        plan(budget
             + QStringList{text("--pin"), text("keep:layer1*"), text("--pin"),
                           text("recompute:layer2.1.bn1"), text("--export"), file})
            .json();
    QVERIFY(pinned[text("verified")].toBool());
    const QJsonArray pins = pinned[text("pins")].toArray();
    QCOMPARE(pins.size(), 2);
    QCOMPARE(pins[0][text("pin")], text("keep:layer1*"));
    QVERIFY(pins[0][text("matched")].toInt() > 10);
    QCOMPARE(pins[1][text("pin")], text("recompute:layer2.1.bn1"));
    const auto timeOf = [](const QJsonObject& answer) {
        return answer[text("step_time_ns")].toInteger();
    };
    // At 70 % the unpinned plan recomputes something of the first layer.
    QVERIFY(pins[0][text("price_ns")].toInteger() > 0);
    QVERIFY(timeOf(pinned) > timeOf(free));
    const QJsonArray recomputed = pinned[text("recomputed")].toArray();
    for (const auto& row : recomputed)
        QVERIFY(!row[text("module")].toString().startsWith(text("layer1")));

    // Twice the same is one pin with its whole price, and the answer says so.
    const QStringList twice = budget + QStringList{text("--pin"), text("keep:layer1*"),
                                                   text("--pin"), text("recompute:layer2.1.bn1"),
                                                   text("--pin"), text("keep:layer1*")};
    const QJsonArray counted = plan(twice).json()[text("pins")].toArray();
    QCOMPARE(counted.size(), 2);
    QCOMPARE(counted[0][text("given")].toInt(), 2);
    QCOMPARE(counted[1][text("given")].toInt(), 1);
    QCOMPARE(counted[0][text("price_ns")].toInteger(), pins[0][text("price_ns")].toInteger());
    QVERIFY(runCli(QStringList{text("plan"), m_resnet} + twice)
                .out.contains("; given 2 times, it counts once\n"));
    // The price is what the same search finds without the pin.
    const QJsonObject without =
        plan(budget + QStringList{text("--pin"), text("recompute:layer2.1.bn1")}).json();
    QCOMPARE(pins[0][text("price_ns")].toInteger(), timeOf(pinned) - timeOf(without));
    const CliRun checked = runCli({text("check"), file, m_resnet, text("--json")});
    QCOMPARE(checked.exit, 0);
}

void CliPinsTest::checkFindsAViolatedPin()
{
    const QString file = this->file("plan.json");
    QCOMPARE(plan({text("--budget"), text("70%"), text("--export"), file}).exit, 0);
    QJsonObject edited = QJsonDocument::fromJson(fileBytes(file)).object();
    edited[text("pins")] = QJsonArray{text("keep:*")};
    const QString other = fileWith("other.json", QJsonDocument{edited}.toJson());
    const CliRun checked = runCli({text("check"), other, m_resnet, text("--json")});
    QCOMPARE(checked.exit, 5);
    const QJsonArray faults = checked.json()[text("faults")].toArray();
    QCOMPARE(faults.size(), 1);
    QCOMPARE(faults[0][text("kind")], text("pin_violated"));
    QVERIFY(faults[0][text("sentence")].toString().startsWith(
        text("The pin keep:* is violated by what ")));
    QVERIFY(checked.json()[text("peak_bytes")].toInteger() > 0); // it can run all the same
}

void CliPinsTest::saysWhichPinsLeaveNoPlan()
{
    const auto blamed = [this](const char* budget, const char* other) {
        const CliRun run = plan({text("--budget"), text(budget), text("--pin"), text("keep:layer*"),
                                 text("--pin"), text(other)});
        const QJsonArray pins = run.json()[text("pins")].toArray();
        const bool isUnpriced = pins.size() == 2 && pins[0][text("price_ns")].isNull()
                                && pins[1][text("price_ns")].isNull();
        return run.exit == 4 && isUnpriced ? run.error.mid(run.error.indexOf("There is one"))
                                           : QByteArray{};
    };
    QCOMPARE(blamed("72%", "keep:maxpool"),
             QByteArray{"There is one without the pin keep:layer*, or without keep:maxpool.\n"});
    QCOMPARE(blamed("64%", "keep:layer?*"),
             QByteArray{"There is one without the pins keep:layer* and keep:layer?*: removing one "
                        "of them isn't enough.\n"});
}

void CliPinsTest::refusesPinsInOneSentence()
{
    const auto refused = [&](const QStringList& pins) {
        QStringList options{text("--budget"), text("80%")};
        for (const QString& pin : pins)
            options += {text("--pin"), pin};
        const CliRun run = plan(options);
        return run.exit == 2 && run.error.count('\n') == 1 ? run.error : QByteArray{};
    };
    QVERIFY(refused({text("keep:nothing.here")}).contains("matches nothing"));
    QVERIFY(refused({text("conv1")}).contains("write keep:GLOB or recompute:GLOB"));
    QVERIFY(refused({text("keep:layer1.*"), text("recompute:layer1.0.bn1")})
                .contains("The pins keep:layer1.* and recompute:layer1.0.bn1 conflict"));
}

} // namespace

PLIMSOLL_TEST(CliPinsTest, QCoreApplication)
#include "cli_pins_test.moc"
