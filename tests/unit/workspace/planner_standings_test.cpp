// SPDX-License-Identifier: Apache-2.0
// Where planners stand: by their own results, of now or of before, never by somebody else's.
#include "core/workspace/planner_standings.h"

#include "tests/support/planned_sample.h"

#include <QTest>

#include <algorithm>

namespace {

using namespace plimsoll;
using plan::PartState;
using support::defaultChoices;
using workspace::PlannerStanding;

class PlannerStandingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void anAutoRunTellsOfItsParts();
    void othersAreKnownFromBefore();
    void aRunningJobTellsByItself();
    void nothingIsKnownBeforePlanning();

private:
    [[nodiscard]] workspace::PlannedPtr plannedWith(const workspace::Choices& choices) const
    {
        const auto& program = m_sample.document.graph.program;
        return workspace::planGraph(program, choices, {}).value();
    }

    support::PlannedSample m_sample;
};

const PlannerStanding& of(const std::vector<PlannerStanding>& standings, const char* planner)
{
    const auto found =
        std::find_if(standings.begin(), standings.end(), [planner](const PlannerStanding& row) {
            return row.report.planner == planner;
        });
    if (found == standings.end())
        qFatal("no such planner");
    return *found;
}

void PlannerStandingsTest::initTestCase()
{
    auto sample = support::planSample("resnet18");
    QVERIFY(sample);
    m_sample = *std::move(sample);
}

void PlannerStandingsTest::anAutoRunTellsOfItsParts()
{
    const workspace::Planned& planned = *m_sample.planned;
    const auto standings = workspace::plannerStandings(planned.choices, {}, planned, {});
    QCOMPARE(standings.size(), solve::planners().size());
    for (std::size_t i = 0; i < standings.size(); ++i)
        QCOMPARE(standings[i].report.planner, solve::planners()[i]->descriptor().id);
    const PlannerStanding& chosen = of(standings, "auto");
    QVERIFY(chosen.isChosen && chosen.isBounded);
    QVERIFY(chosen.report.state == PartState::Over);
    QVERIFY(chosen.report.took == planned.took && planned.took.count() > 0);
    QCOMPARE(chosen.report.found.size(), planned.frontier->points().size());
    // Its own plans, not what is left of them beside better ones.
    workspace::Choices alone = planned.choices;
    alone.planner = "chen";
    const PlannerStanding& chen = of(standings, "chen");
    QVERIFY(chen.report.state == PartState::Over && !chen.isChosen && chen.isBounded);
    QVERIFY(chen.report.found == plan::partPoints(*plannedWith(alone)->frontier));
    const PlannerStanding& capuchin = of(standings, "capuchin");
    QVERIFY(capuchin.report.state == PartState::Unfit);
    QCOMPARE(capuchin.report.reason, std::string{"It makes no plans with runtime checkpoint."});
    QVERIFY(of(standings, "none").report.state == PartState::NotRun);
}

void PlannerStandingsTest::othersAreKnownFromBefore()
{
    workspace::Choices choices = m_sample.planned->choices;
    choices.planner = "chen";
    const workspace::PlannedPtr chen = plannedWith(choices);
    const auto standings =
        workspace::plannerStandings(choices, {}, *chen, {chen, m_sample.planned});
    QVERIFY(of(standings, "chen").isChosen);
    QVERIFY(of(standings, "chen").report.found == plan::partPoints(*chen->frontier));
    for (const char* other : {"auto", "rotor"}) {
        const PlannerStanding& row = of(standings, other);
        QVERIFY(row.report.state == PartState::Over && !row.isChosen);
        QVERIFY(!row.isBounded); // proofs are of the answer at hand
        QVERIFY(row.report.found.size() >= 2);
    }
    QVERIFY(of(standings, "capuchin").report.state == PartState::NotRun);
    // Of another GPU, reserve or option nothing is known.
    choices.reserve = base::Bytes{1 << 20};
    const auto others = workspace::plannerStandings(choices, {}, *chen, {chen, m_sample.planned});
    for (const PlannerStanding& row : others)
        QVERIFY(row.report.state == PartState::NotRun && row.report.found.empty());
}

void PlannerStandingsTest::aRunningJobTellsByItself()
{
    const auto parts = std::make_shared<plan::PartReports>(std::vector<plan::PartReport>{
        {.planner = "rotor", .state = PartState::Running, .perMille = 300},
        {.planner = "remat", .state = PartState::Waiting}});
    const auto standings = workspace::plannerStandings(m_sample.planned->choices,
                                                       {true, 470, parts}, *m_sample.planned, {});
    QVERIFY(of(standings, "auto").report.state == PartState::Running);
    QCOMPARE(of(standings, "auto").report.perMille, 470);
    QVERIFY(of(standings, "auto").report.found.empty());
    QCOMPARE(of(standings, "rotor").report.perMille, 300);
    QVERIFY(of(standings, "remat").report.state == PartState::Waiting);
    QVERIFY(of(standings, "chen").report.state == PartState::NotRun);
}

void PlannerStandingsTest::nothingIsKnownBeforePlanning()
{
    for (const PlannerStanding& row :
         workspace::plannerStandings(defaultChoices(), {}, *m_sample.first, {}))
        QVERIFY(row.report.state == PartState::NotRun && row.report.found.empty());
}

} // namespace

QTEST_GUILESS_MAIN(PlannerStandingsTest)
#include "planner_standings_test.moc"
