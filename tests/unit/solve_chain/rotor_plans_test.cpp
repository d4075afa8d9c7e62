// SPDX-License-Identifier: Apache-2.0
// How good the planner's plans are: against plans made by hand, against solving again for each
// budget, against itself with fewer slots.
#include "core/solve/chain/rotor/annotation.h"
#include "core/solve/chain/rotor/chain_table.h"
#include "core/solve/regions/linearize.h"
#include "core/solve/regions/region_space.h"

#include "tests/support/planned_samples.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using tests::frontierOf;
using tests::problemOf;

namespace {

/// A region of stages as one of ops.
plan::Region planRegion(const solve::LinearizedStep& step, const solve::RegionSpace& space,
                        const solve::Region& region)
{
    plan::Region planned;
    planned.first = step.stages[static_cast<std::size_t>(region.first)].first;
    planned.last = step.stages[static_cast<std::size_t>(region.last)].last;
    planned.members = space.members(planned.first, planned.last);
    for (const solve::Region& nested : region.nested)
        if (nested.first != region.first || nested.last != region.last)
            planned.nested.push_back(planRegion(step, space, nested));
        else
            planned.nested = planRegion(step, space, nested).nested;
    return planned;
}

class RotorPlansTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void plansMadeByHandAreNoFaster_data();
    void plansMadeByHandAreNoFaster();
    void solvingAgainIsNoFaster_data();
    void solvingAgainIsNoFaster();
    void moreSlotsAreNeverWorse_data();
    void moreSlotsAreNeverWorse();
};

/// The regions that somebody with `torch.utils.checkpoint` in hand would write into GPT-2: per
/// block one letter: a the activation, m the norm and the MLP, b the whole block, - none.
void RotorPlansTest::plansMadeByHandAreNoFaster_data()
{
    QTest::addColumn<QString>("blocks");
    for (const char* blocks :
         {"aaaaaaaa mmmm", "aaaaaaa mmmmm", "mmmmmmmm bbbb", "aaaaaa mmmmmm", "aaaaa mmmmmmm",
          "aaaa mmmmmmmm", "aaa mmmmmmmmm", "aa mmmmmmmmmm", "aaaaaaaaaaaa",  "mmmmmmmmmmmm",
          "bbbbbbbbbbbb",  "a-----------",  "mmmmmm------",  "bbbbbb------",  "------bbbbbb",
          "aaaabbbbbbbb",  "mmbbbbbbbbbb",  "aaaammmmbbbb",  "-b-b-b-b-b-b",  "-m-m-m-m-m-m"})
        QTest::newRow(blocks) << QString{blocks}.remove(QLatin1Char{' '});
}

plan::Region regionOf(const graph::Program& program, const QStringList& paths)
{
    plan::Region region;
    for (const QString& path : paths)
        for (std::size_t index = 0; index < program.calls.size(); ++index)
            if (program.module(program.calls[index].module).path == path.toStdString())
                region.members.emplace_back(index);
    if (region.members.size() != static_cast<std::size_t>(paths.size()))
        qFatal("%s: %zu calls", qPrintable(paths.join(QLatin1Char{' '})), region.members.size());
    region.first = program.call(region.members.front()).first;
    region.last = program.call(region.members.back()).last;
    return region;
}

void RotorPlansTest::plansMadeByHandAreNoFaster()
{
    QFETCH(QString, blocks);
    const plan::Problem problem = problemOf("gpt2", plan::kUnlimited.count());
    plan::Plan plan = plan::keepEverything();
    for (int block = 0; block < blocks.size(); ++block) {
        const QString path = QStringLiteral("transformer.h.%1").arg(block);
        const std::map<QChar, QStringList> choices{
            {'a', {path + ".mlp.act"}}, {'m', {path + ".ln_2", path + ".mlp"}}, {'b', {path}}};
        if (const auto choice = choices.find(blocks[block]); choice != choices.end())
            plan.asRegions().regions.push_back(regionOf(*problem.step(), choice->second));
    }
    const plan::VerifiedPlanPtr byHand = plan::certify(problem, plan).value();
    const base::Bytes peak = byHand->evaluation().peak;
    const plan::VerifiedPlanPtr planned = frontierOf("gpt2")->at(peak);
    QVERIFY(planned);
    qInfo("%lld B: by hand %.3f ms, planned %.3f ms", static_cast<long long>(peak.count()),
          static_cast<double>(byHand->evaluation().stepTime.count()) / 1e6,
          static_cast<double>(planned->evaluation().stepTime.count()) / 1e6);
    QVERIFY(planned->evaluation().stepTime <= byHand->evaluation().stepTime);
}

void RotorPlansTest::solvingAgainIsNoFaster_data()
{
    QTest::addColumn<QString>("sample");
    QTest::newRow("ResNet-18") << "resnet18";
    QTest::newRow("DenseNet-121") << "densenet121";
    QTest::newRow("GPT-2") << "gpt2";
}

/// For many budgets: solve the chain, evaluate the plan on the full graph, take off what is over
/// the budget (or give back what is left of it) and solve again. The frontier holds what that
/// finds, or better.
void RotorPlansTest::solvingAgainIsNoFaster()
{
    QFETCH(QString, sample);
    plan::Problem problem = problemOf(sample, plan::kUnlimited.count());
    const auto space = solve::makeRegionSpace(*problem.step(), plan::Granularity::Module);
    const std::int64_t least = frontierOf(sample)->points().front()->evaluation().peak.count();
    const std::int64_t most = frontierOf(sample)->points().back()->evaluation().peak.count();
    int met = 0;
    int over = 0;
    for (const solve::Residuals residuals :
         {solve::Residuals::EachCut, solve::Residuals::FirstCut}) {
        const solve::LinearizedStep step = solve::linearize(problem, *space, residuals).value();
        const std::int64_t whole =
            solve::simulate(step.chain, solve::keepEverything(step.chain))->peak;
        solve::RotorOptions options;
        options.slots = 500;
        const auto table = solve::buildRotorTable(step.chain, whole, options, {});
        for (int part = 0; part <= 20; ++part) {
            const std::int64_t budget = least + (most - least) / 20 * part;
            std::int64_t given = budget - step.fixed.count();
            for (int attempt = 0; attempt < 8; ++attempt) {
                const auto sequence = (*table)->sequence(given);
                if (!sequence)
                    break;
                plan::Plan plan = plan::keepEverything();
                for (const solve::Region& region :
                     solve::regionTree(solve::annotate(*sequence, step.stages.size())))
                    plan.asRegions().regions.push_back(planRegion(step, *space, region));
                const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan);
                const std::int64_t excess = evaluation->peak.count() - budget;
                given -= excess;
                if (excess > 0) {
                    ++over;
                    continue;
                }
                ++met;
                const plan::VerifiedPlanPtr planned = frontierOf(sample)->at(base::Bytes{budget});
                QVERIFY(planned);
                QVERIFY(planned->evaluation().stepTime <= evaluation->stepTime);
            }
        }
    }
    qInfo("%d plans within their budget, %d over it", met, over);
    QVERIFY(met >= 40);
    QVERIFY(over >= 10);
}

void RotorPlansTest::moreSlotsAreNeverWorse_data()
{
    QTest::addColumn<QString>("sample");
    QTest::newRow("ResNet-18") << "resnet18";
    QTest::newRow("GPT-2") << "gpt2";
}

void RotorPlansTest::moreSlotsAreNeverWorse()
{
    QFETCH(QString, sample);
    plan::FrontierPtr coarser;
    for (const int slots : {32, 64, 128, 256}) {
        const plan::FrontierPtr finer = solve::makeRotorPlanner()
                                            ->frontier(problemOf(sample, 0), {{"slots", slots}}, {})
                                            .value();
        for (const plan::VerifiedPlanPtr& plan :
             coarser ? coarser->points() : std::vector<plan::FrontierPoint>{}) {
            const plan::VerifiedPlanPtr found = finer->at(plan->evaluation().peak);
            QVERIFY(found);
            QVERIFY(found->evaluation().stepTime <= plan->evaluation().stepTime);
        }
        coarser = finer;
    }
}

} // namespace

PLIMSOLL_TEST(RotorPlansTest, QCoreApplication)
#include "rotor_plans_test.moc"
