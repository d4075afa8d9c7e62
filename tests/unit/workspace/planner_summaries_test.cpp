// SPDX-License-Identifier: Apache-2.0
// Planner summaries: each from the planner's own results, current or earlier, never from another's.
#include "core/workspace/planner_summaries.h"

#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

namespace {

using namespace plimsoll;
using plan::PlannerState;
using tests::defaultChoices;
using workspace::PlannerSummary;

class PlannerSummariesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void anAutoRunTellsOfItsParts();
    void othersAreKnownFromBefore();
    void aRunningJobTellsByItself();
    void aRefusalIsTold();
    void eachBudgetHasItsPlan();
    void nothingIsKnownBeforePlanning();

private:
    [[nodiscard]] workspace::PlannedPtr plannedWith(const workspace::Choices& choices) const
    {
        const auto& program = m_sample.document.graph.program;
        return workspace::planGraph(program, choices, {}).value();
    }

    /// The sample with another reserve.
    [[nodiscard]] workspace::PlannedPtr plannedUnder(base::Bytes reserve) const
    {
        workspace::Choices choices = m_sample.planned->choices;
        choices.reserve = reserve;
        choices.planner = "chen"; // soon over
        return plannedWith(choices);
    }

    tests::PlannedSample m_sample;
};

const PlannerSummary& of(const std::vector<PlannerSummary>& standings, const char* planner)
{
    const auto found =
        std::find_if(standings.begin(), standings.end(), [planner](const PlannerSummary& row) {
            return row.report.planner == planner;
        });
    if (found == standings.end())
        qFatal("no such planner");
    return *found;
}

void PlannerSummariesTest::initTestCase()
{
    auto sample = tests::planSample("resnet18");
    QVERIFY(sample);
    m_sample = *std::move(sample);
}

void PlannerSummariesTest::anAutoRunTellsOfItsParts()
{
    const workspace::Planned& planned = *m_sample.planned;
    const auto standings = workspace::plannerSummaries(planned.choices, {}, planned, {});
    QCOMPARE(standings.size(), solve::planners().size());
    for (std::size_t i = 0; i < standings.size(); ++i)
        QCOMPARE(standings[i].report.planner, solve::planners()[i]->descriptor().id);
    const PlannerSummary& chosen = of(standings, "auto");
    QVERIFY(chosen.isChosen && chosen.isBounded);
    QVERIFY(chosen.report.state == PlannerState::Over);
    QVERIFY(chosen.report.took == planned.took && planned.took.count() > 0);
    QCOMPARE(chosen.report.found.size(), planned.frontier->points().size());
    // Its own plans, not what is left of them beside better ones.
    workspace::Choices alone = planned.choices;
    alone.planner = "chen";
    const PlannerSummary& chen = of(standings, "chen");
    QVERIFY(chen.report.state == PlannerState::Over && !chen.isChosen && chen.isBounded);
    QVERIFY(chen.report.found == plan::progressPoints(*plannedWith(alone)->frontier));
    const PlannerSummary& capuchin = of(standings, "capuchin");
    QVERIFY(capuchin.report.state == PlannerState::Unfit);
    QCOMPARE(capuchin.report.reason, std::string{"It makes no plans with runtime checkpoint."});
    QVERIFY(of(standings, "none").report.state == PlannerState::NotRun);
}

void PlannerSummariesTest::othersAreKnownFromBefore()
{
    workspace::Choices choices = m_sample.planned->choices;
    choices.planner = "chen";
    const workspace::PlannedPtr chen = plannedWith(choices);
    const auto standings =
        workspace::plannerSummaries(choices, {}, *chen, {chen, m_sample.planned});
    QVERIFY(of(standings, "chen").isChosen);
    QVERIFY(of(standings, "chen").report.found == plan::progressPoints(*chen->frontier));
    for (const char* other : {"auto", "rotor"}) {
        const PlannerSummary& row = of(standings, other);
        QVERIFY(row.report.state == PlannerState::Over && !row.isChosen);
        QVERIFY(!row.isBounded); // proofs are of the answer at hand
        QVERIFY(row.report.found.size() >= 2);
    }
    QVERIFY(of(standings, "capuchin").report.state == PlannerState::NotRun);
    // Of another GPU, reserve or option nothing is known.
    choices.reserve = base::Bytes{1 << 20};
    const auto others = workspace::plannerSummaries(choices, {}, *chen, {chen, m_sample.planned});
    for (const PlannerSummary& row : others)
        QVERIFY(row.report.state == PlannerState::NotRun && row.report.found.empty());
}

void PlannerSummariesTest::aRunningJobTellsByItself()
{
    const auto parts =
        std::make_shared<plan::PlannerProgressList>(std::vector<plan::PlannerProgress>{
            {.planner = "rotor", .state = PlannerState::Running, .perMille = 300},
            {.planner = "remat", .state = PlannerState::Waiting}});
    plan::Frontier frontier = *m_sample.planned->frontier;
    frontier.setParts(parts);
    auto soFar = std::make_shared<workspace::Planned>(*m_sample.planned);
    soFar->took = {};
    soFar->setFrontier(std::make_shared<const plan::Frontier>(std::move(frontier)));
    const workspace::PlanningJob job{true, 470, soFar};
    const auto standings = workspace::plannerSummaries(soFar->choices, job, *soFar, {});
    QVERIFY(of(standings, "auto").report.state == PlannerState::Running);
    QCOMPARE(of(standings, "auto").report.perMille, 470);
    // What it has by now is shown, so it is told, too.
    QVERIFY(of(standings, "auto").report.found == plan::progressPoints(*soFar->frontier));
    QCOMPARE(of(standings, "rotor").report.perMille, 300);
    QVERIFY(of(standings, "remat").report.state == PlannerState::Waiting);
    QVERIFY(of(standings, "chen").report.state == PlannerState::NotRun);
    // While plans for other choices are shown, nothing of them is told.
    const auto outdated =
        workspace::plannerSummaries(soFar->choices, job, *plannedUnder(base::Bytes{1 << 20}), {});
    QVERIFY(of(outdated, "auto").report.state == PlannerState::Running);
    QVERIFY(of(outdated, "auto").report.found.empty());
    QCOMPARE(of(outdated, "rotor").report.perMille, 300);
}

/// A job that failed is reported in its planner's summary.
void PlannerSummariesTest::aRefusalIsTold()
{
    workspace::Choices choices = m_sample.planned->choices;
    choices.reserve = base::Bytes{1 << 20};
    const auto standings = workspace::plannerSummaries(choices, {.refusal = "It can't."},
                                                       *m_sample.planned, {m_sample.planned});
    QVERIFY(of(standings, "auto").isChosen);
    QVERIFY(of(standings, "auto").report.state == PlannerState::Refused);
    QCOMPARE(of(standings, "auto").report.reason, std::string{"It can't."});
    QVERIFY(of(standings, "rotor").report.state == PlannerState::NotRun);
}

/// The fastest that fits; what is proved of the answer, where it may be said of the planner.
void PlannerSummariesTest::eachBudgetHasItsPlan()
{
    const workspace::Planned& planned = *m_sample.planned;
    const auto standings = workspace::plannerSummaries(planned.choices, {}, planned, {});
    int optimal = 0;
    for (const PlannerSummary& row : standings) {
        const std::vector<plan::ProgressPoint>& found = row.report.found;
        if (found.empty()) {
            QVERIFY(!workspace::summaryAt(row, plan::kUnlimited, {}).best);
            continue;
        }
        QVERIFY(row.unplanned == planned.unplanned->evaluation().stepTime);
        for (std::size_t i = 0; i < found.size(); ++i) {
            const base::Bytes budget = found[i].peak;
            plan::Problem problem = planned.problem;
            problem.budget = budget;
            const solve::Outcome answer = solve::outcomeAt(problem, planned.frontier);
            const workspace::ProvenBounds bounds{answer.peakBound.bytes, answer.timeBound};
            const auto at = workspace::summaryAt(row, budget, bounds);
            QVERIFY(at.best == found[i]);
            QVERIFY(answer.best && answer.best->evaluation().stepTime <= at.best->stepTime);
            QCOMPARE(at.status == solve::Status::Optimal, at.best->stepTime <= answer.timeBound);
            optimal += at.status == solve::Status::Optimal ? 1 : 0;
            const auto below = workspace::summaryAt(row, budget - base::Bytes{1}, bounds);
            QCOMPARE(below.best.has_value(), i > 0);
            if (i > 0)
                QVERIFY(*below.best == found[i - 1]);
        }
        const base::Bytes less{planned.peakBound.bytes.count() - 1};
        const workspace::ProvenBounds bounds{planned.peakBound.bytes, {}};
        QVERIFY(workspace::summaryAt(row, less, bounds).status == solve::Status::Infeasible);
        QVERIFY(workspace::summaryAt(row, less, {}).status == solve::Status::NotFound);
        PlannerSummary former = row;
        former.isBounded = false;
        QVERIFY(workspace::summaryAt(former, less, bounds).status == solve::Status::NotFound);
    }
    QVERIFY(optimal > 0);
}

void PlannerSummariesTest::nothingIsKnownBeforePlanning()
{
    for (const PlannerSummary& row :
         workspace::plannerSummaries(defaultChoices(), {}, *m_sample.first, {}))
        QVERIFY(row.report.state == PlannerState::NotRun && row.report.found.empty());
}

} // namespace

PLIMSOLL_TEST(PlannerSummariesTest, QCoreApplication)
#include "planner_summaries_test.moc"
