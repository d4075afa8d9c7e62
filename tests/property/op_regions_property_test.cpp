// SPDX-License-Identifier: Apache-2.0
// Plans between ops: lower() + evaluate() (closed form) against verify() (replay with reference
// counts) on random programs and random legal plans.
#include "core/plan/certify.h"

#include "tests/support/programs.h"
#include "tests/support/schedules.h"

#include <QTest>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kPrograms = 2000;

/// The first step at which replay and evaluation differ, in words; empty: they are equal.
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

class OpRegionsPropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theReplayAgreesAtEveryStep();
    void theReplayAgreesAboutSavedSets();
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
        saves += savesIn(plan.regions);
        const plan::Verification replay = plan::verify(problem, plan);
        QVERIFY2(replay.faults.empty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + tests::firstFault(replay)));
        const QString difference = firstDifference(*plan::evaluate(problem, plan), replay);
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
        regions += plan.regions.size();
        const plan::Verification replay = plan::verify(problem, plan);
        QVERIFY2(replay.faults.empty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + tests::firstFault(replay)));
        const QString difference = firstDifference(*plan::evaluate(problem, plan), replay);
        QVERIFY2(difference.isEmpty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + difference));
    }
    qInfo("%zu regions", regions);
    QVERIFY(regions > kPrograms);
}

} // namespace

QTEST_GUILESS_MAIN(OpRegionsPropertyTest)
#include "op_regions_property_test.moc"
