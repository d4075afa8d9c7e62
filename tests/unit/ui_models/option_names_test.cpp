// SPDX-License-Identifier: Apache-2.0
// What planners and their options are called in tables.
#include "ui/models/option_names.h"

#include "tests/support/test_main.h"

#include <QGuiApplication>
#include <QTest>

using namespace plimsoll;

namespace {

class OptionNamesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesWhatDiffersFromTheDefaults_data();
    void namesWhatDiffersFromTheDefaults();
    void namesAPlannerThatIsNotThere();
};

void OptionNamesTest::namesWhatDiffersFromTheDefaults_data()
{
    QTest::addColumn<std::string>("planner");
    QTest::addColumn<solve::Options>("options");
    QTest::addColumn<QString>("title");
    const std::int64_t on = 1;
    const std::int64_t off = 0;
    QTest::newRow("none") << std::string{"rotor"} << solve::Options{} << QStringLiteral("rotor");
    QTest::newRow("as by default")
        << std::string{"rotor"} << solve::Options{{"ways", off}} << QStringLiteral("rotor");
    QTest::newRow("on") << std::string{"rotor"} << solve::Options{{"ways", on}}
                        << QStringLiteral("rotor, stage variants");
    QTest::newRow("off") << std::string{"auto"} << solve::Options{{"ways", off}}
                         << QStringLiteral("auto, without stage variants");
    QTest::newRow("a number") << std::string{"rotor"} << solve::Options{{"slots", std::int64_t{77}}}
                              << QStringLiteral("rotor, slots 77");
    QTest::newRow("a choice") << std::string{"rotor"} << solve::Options{{"granularity", on}}
                              << QStringLiteral("rotor, regions op");
}

void OptionNamesTest::namesWhatDiffersFromTheDefaults()
{
    QFETCH(std::string, planner);
    QFETCH(solve::Options, options);
    QFETCH(QString, title);
    workspace::Choices choices;
    choices.planner = planner;
    choices.options = options;
    QCOMPARE(ui::plannerTitle(choices), title);
}

void OptionNamesTest::namesAPlannerThatIsNotThere()
{
    workspace::Choices choices;
    choices.planner = "x\n";
    QVERIFY(!ui::plannerTitle(choices).contains(u'\n'));
}

} // namespace

PLIMSOLL_TEST(OptionNamesTest, QGuiApplication)
#include "option_names_test.moc"
