// SPDX-License-Identifier: Apache-2.0
// Plans between ops: lower() + evaluate() (closed form) against verify() (replay with reference
// counts) on random programs and random legal plans.
#include "core/evaluate/certify.h"
#include "core/solve/chain/rotor_planner.h"
#include "core/solve/regions/region_space.h"
#include "core/verify/legality/legality.h"

#include "tests/support/programs/programs.h"
#include "tests/support/programs/schedules.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <memory>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kPrograms = 2000 / tests::kShare;

/// The first step at which replay and evaluation differ, as text; empty if they are equal.
QString firstDifference(const plan::Evaluation& evaluation, const plan::Verification& replay)
{
    const std::vector<std::int64_t>& totals = evaluation.timeline->totals();
    if (totals.size() != replay.liveBytes.size())
        return QStringLiteral("%1 steps evaluated, %2 replayed")
            .arg(totals.size())
            .arg(replay.liveBytes.size());
    for (std::size_t step = 0; step < totals.size(); ++step)
        if (totals[step] != replay.liveBytes[step].count())
            return QStringLiteral("step %1 of %2 (op %3, region %4): evaluated %5, replayed %6")
                .arg(step)
                .arg(totals.size())
                .arg(evaluation.schedule->steps[step].op.index())
                .arg(evaluation.schedule->steps[step].region)
                .arg(totals[step])
                .arg(replay.liveBytes[step].count());
    return {};
}

/// The replay's first fault, else its first difference from the evaluation; empty if they agree.
QString faultOrDifference(const plan::Problem& problem, const plan::Plan& plan)
{
    const plan::Verification replay = plan::verify(problem, plan);
    if (!replay.faults.empty())
        return QStringLiteral("fault: ") + tests::firstFault(replay);
    return firstDifference(*plan::evaluate(problem, plan), replay);
}

class OpRegionsPropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theReplayAgreesAtEveryStep();
    void theReplayAgreesAboutSavedSets();
    void theReplayAgreesAboutSlicesWrittenInTurn();
    void changedPlansAreRefusedOrReplayedAlike();
    void theFinderKnowsExactlyTheLegalRegions();
    void thePlannerIsAsGoodAsTryingEveryPairOfRegions();
};

std::size_t savesIn(const std::vector<plan::Region>& regions)
{
    std::size_t count = 0;
    for (const plan::Region& region : regions)
        count += region.save.size() + savesIn(region.nested);
    return count;
}

void OpRegionsPropertyTest::theReplayAgreesAboutSavedSets()
{
    std::size_t saves = 0;
    for (std::uint64_t seed = 0; seed < 2 * kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed / 2);
        const plan::Problem problem = tests::unlimitedProblem(program);
        const plan::Plan plan =
            tests::withRandomSaves(*program,
                                   seed % 2 == 0 ? tests::randomOpPlan(*program, seed)
                                                 : tests::randomLegalPlan(*program, seed),
                                   seed);
        saves += savesIn(plan.regions());
        const QString difference = faultOrDifference(problem, plan);
        QVERIFY2(difference.isEmpty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + difference));
    }
    qInfo("%zu saved ops", saves);
    QVERIFY(saves > kPrograms);
}

void OpRegionsPropertyTest::theReplayAgreesAtEveryStep()
{
    std::size_t regions = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem problem = tests::unlimitedProblem(program);
        const plan::Plan plan = tests::randomOpPlan(*program, seed);
        regions += plan.regions().size();
        const QString difference = faultOrDifference(problem, plan);
        QVERIFY2(difference.isEmpty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + difference));
    }
    qInfo("%zu regions", regions);
    QVERIFY(regions > kPrograms);
}

/// Recomputations that stop before a slice is written are refused.
void OpRegionsPropertyTest::theReplayAgreesAboutSlicesWrittenInTurn()
{
    std::size_t refused = 0;
    std::size_t regions = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomGatedProgram(seed);
        const plan::Problem problem = tests::unlimitedProblem(program);
        const plan::Plan plan = seed % 4 == 0 ? tests::randomLegalPlan(*program, seed)
                                              : tests::randomOpPlan(*program, seed);
        const plan::Verification replay = plan::verify(problem, plan);
        if (!replay.faults.empty()) {
            QCOMPARE(replay.faults.front().kind, plan::FaultKind::OverwrittenInput);
            ++refused;
            continue;
        }
        regions += plan.regions().size();
        const QString difference = firstDifference(*plan::evaluate(problem, plan), replay);
        QVERIFY2(difference.isEmpty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + difference));
    }
    qInfo("%zu refused, %zu regions in others", refused, regions);
    QVERIFY(refused > 0 && regions > kPrograms);
}

/// Every region of a tree, parents before children.
void collect(std::vector<plan::Region>& regions, std::vector<plan::Region*>& all)
{
    for (plan::Region& region : regions) {
        all.push_back(&region);
        collect(region.nested, all);
    }
}

/// Moves an end of a region, drops or adds a saved op, doubles a nested region.
void change(plan::Plan& plan, const graph::Program& program, tests::Random& random)
{
    std::vector<plan::Region*> all;
    collect(plan.asRegions().regions, all);
    plan::Region& region = *all[random.below(all.size())];
    switch (random.below(5)) {
    case 0: region.first += random.between(-3, 3); break;
    case 1: region.last += random.between(-3, 3); break;
    case 2: region.save.emplace_back(random.below(program.ops.size())); break;
    case 3:
        if (!region.save.empty())
            region.save.erase(region.save.begin());
        else
            region.save.emplace_back(static_cast<std::size_t>(std::max(region.first, 0)));
        break;
    default: region.nested.push_back(region); break;
    }
}

void OpRegionsPropertyTest::changedPlansAreRefusedOrReplayedAlike()
{
    std::size_t refused = 0;
    std::size_t replayed = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem problem = tests::unlimitedProblem(program);
        plan::Plan plan =
            tests::withRandomSaves(*program, tests::randomOpPlan(*program, seed), seed);
        if (plan.regions().empty())
            continue;
        tests::Random random{seed};
        change(plan, *program, random);
        const plan::Verification replay = plan::verify(problem, plan);
        if (!replay.faults.empty()) {
            ++refused;
            continue;
        }
        ++replayed;
        const QString difference = firstDifference(*plan::evaluate(problem, plan), replay);
        QVERIFY2(difference.isEmpty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + difference));
    }
    qInfo("%zu refused, %zu replayed", refused, replayed);
    QVERIFY(refused > kPrograms / 4 && replayed > kPrograms / 8);
}

void OpRegionsPropertyTest::theFinderKnowsExactlyTheLegalRegions()
{
    std::size_t illegal = 0;
    for (std::uint64_t seed = 0; seed < 66; ++seed) {
        // A backward op needn't read everything that it unpacks; the finder assumes that it does.
        const bool isExact = seed < 60;
        const graph::ProgramPtr program =
            isExact ? tests::randomProgram(seed) : tests::randomGatedProgram(seed);
        const plan::Problem problem = tests::unlimitedProblem(program);
        const auto space = solve::makeRegionSpace(*program, plan::Granularity::Op);
        const auto end = static_cast<graph::OpIndex>(program->forwardCount());
        for (graph::OpIndex first = 0; first < end; ++first) {
            const std::vector<graph::OpIndex> ends = space->endsFrom(first);
            for (graph::OpIndex last = first; last < end; ++last) {
                plan::Plan plan;
                plan.asRegions().granularity = plan::Granularity::Op;
                plan.asRegions().regions = {
                    {.members = {}, .first = first, .last = last, .nested = {}, .save = {}}};
                const bool isLegal =
                    isExact
                        ? plan::verifying::regionFaults(*program, plan.asRegions()).empty()
                              && plan::verifying::triggerFaults(*program, plan.asRegions()).empty()
                        : plan::verify(problem, plan).faults.empty();
                illegal += isLegal ? 0 : 1;
                const bool isFound = std::binary_search(ends.begin(), ends.end(), last);
                QVERIFY2(
                    isFound == isLegal || (!isExact && !isFound),
                    qPrintable(
                        QStringLiteral("seed %1: ops %2 to %3").arg(seed).arg(first).arg(last)));
            }
        }
    }
    QVERIFY(illegal > 1000);
}

/// All plans of one or two flat regions of a small program.
std::vector<plan::Plan> everyPair(const graph::Program& program)
{
    const auto space = solve::makeRegionSpace(program, plan::Granularity::Op);
    std::vector<plan::Region> regions;
    for (graph::OpIndex first = 0; first < static_cast<graph::OpIndex>(program.forwardCount());
         ++first)
        for (const graph::OpIndex last : space->endsFrom(first))
            regions.push_back(
                {.members = {}, .first = first, .last = last, .nested = {}, .save = {}});
    std::vector<plan::Plan> plans;
    for (const plan::Region& one : regions) {
        plan::Plan plan;
        plan.asRegions().granularity = plan::Granularity::Op;
        plan.asRegions().regions = {one};
        plans.push_back(plan);
        for (const plan::Region& other : regions)
            if (other.first > one.last) {
                plan.asRegions().regions = {one, other};
                plans.push_back(plan);
            }
    }
    return plans;
}

void OpRegionsPropertyTest::thePlannerIsAsGoodAsTryingEveryPairOfRegions()
{
    const std::unique_ptr<const solve::Planner> planner = solve::makeRotorPlanner();
    std::size_t tried = 0;
    std::size_t missed = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        if (program->forwardCount() > 24)
            continue;
        plan::Problem problem = tests::unlimitedProblem(program);
        problem.device.bandwidth = 1e9;
        problem.device.launchLatency = base::Nanoseconds{7};
        const auto frontier = planner->frontier(problem, {{"granularity", 1}}, {});
        QVERIFY2(frontier, frontier ? "" : frontier.error().message.c_str());
        for (const plan::Plan& plan : everyPair(*program)) {
            const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan);
            const plan::VerifiedPlanPtr found = (*frontier)->at(evaluation->peak);
            ++tried;
            if (!found || found->evaluation().stepTime > evaluation->stepTime)
                ++missed;
        }
    }
    qInfo("%zu plans tried, the planner has none as good as %zu of them", tried, missed);
    QVERIFY(tried > 10000);
    QVERIFY(missed * 30 < tried); // a chain knows less than the graph
}

} // namespace

PLIMSOLL_TEST(OpRegionsPropertyTest, QCoreApplication)
#include "op_regions_property_test.moc"
