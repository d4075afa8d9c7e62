// SPDX-License-Identifier: Apache-2.0
// Every proposal of the planners passes its check on random steps; a failing one would make the
// whole search fail. None is below the proven bounds.
#include "core/solve/registry.h"

#include "tests/support/programs/programs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace plimsoll;

class ProposalsPropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void passTheirCheck_data();
    void passTheirCheck();
};

void ProposalsPropertyTest::passTheirCheck_data()
{
    QTest::addColumn<QString>("planner");
    QTest::addColumn<solve::Options>("options");
    const auto row = [](const char* name, const char* planner, solve::Options options) {
        QTest::newRow(name) << QString::fromUtf8(planner) << std::move(options);
    };
    row("rotor, modules", "rotor", {{"slots", 64}});
    row("rotor, ops", "rotor", {{"slots", 64}, {"granularity", 1}});
    row("rotor, saved sets", "rotor", {{"slots", 64}, {"granularity", 1}, {"saved-sets", 1}});
    row("rotor, step", "rotor", {{"slots", 64}, {"granularity", 1}, {"runtime", 1}});
    row("rotor, ways", "rotor", {{"slots", 64}, {"granularity", 1}, {"ways", 1}});
    row("rotor, ways, step", "rotor", {{"slots", 64}, {"ways", 1}, {"runtime", 1}});
    row("chen", "chen", {});
    row("chen, statistics", "chen", {{"freeze-stats", 1}});
    row("trunk", "trunk", {});
    row("capuchin", "capuchin", {});
    row("remat", "remat", {{"points", 8}});
    row("remat, reordered", "remat", {{"points", 8}, {"reorder", 1}});
    row("remat, regions", "remat", {{"points", 16}, {"runtime", 0}});
    row("remat, modules", "remat",
        {{"points", 16}, {"runtime", 0}, {"granularity", 0}, {"freeze-stats", 1}});
    row("every-block", "every-block", {});
    row("sequential-k", "sequential-k", {});
    row("torch-budget", "torch-budget", {});
    row("none, step", "none", {{"runtime", 1}});
}

void ProposalsPropertyTest::passTheirCheck()
{
    QFETCH(QString, planner);
    QFETCH(solve::Options, options);
    const auto found = solve::findPlanner(planner.toStdString());
    QVERIFY(found);
    std::size_t points = 0;
    // Remat runs rotor, too, which has rows of its own.
    const std::uint64_t every = planner == QStringLiteral("remat") ? 4 : 1;
    for (std::uint64_t seed = 0; seed < 45; seed += every * tests::share<std::uint64_t>()) {
        plan::Problem problem = tests::unlimitedProblem(
            seed < 30 ? tests::randomProgram(seed) : tests::randomGatedProgram(seed));
        problem.device.bandwidth = 1e9;
        const auto frontier = (*found)->frontier(problem, options, {});
        QVERIFY2(frontier,
                 frontier ? ""
                          : qPrintable(QStringLiteral("seed %1: %2")
                                           .arg(seed)
                                           .arg(QString::fromStdString(frontier.error().message))));
        points += (*frontier)->points().size();
        // The smallest peak and one in the middle: bounds take longer than the rest otherwise.
        const auto& all = (*frontier)->points();
        for (const plan::VerifiedPlanPtr& point : {all.front(), all[all.size() / 2]}) {
            problem.budget = point->evaluation().peak;
            const solve::Outcome outcome = solve::outcomeAt(problem, *frontier);
            QVERIFY(outcome.best && outcome.timeBound <= outcome.best->evaluation().stepTime);
        }
    }
    qInfo("%zu plans on frontiers", points);
    QVERIFY(points >= 30 / tests::share<std::size_t>());
}

} // namespace

PLIMSOLL_TEST(ProposalsPropertyTest, QCoreApplication)
#include "proposals_property_test.moc"
