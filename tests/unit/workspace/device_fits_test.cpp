// SPDX-License-Identifier: Apache-2.0
// Where a step fits: every row against all plans of the planner, replayed one by one.
#include "core/workspace/device_fits.h"

#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <stop_token>

namespace {

using namespace plimsoll;
using base::Bytes;
using run::RunStatus;
using workspace::Choices;
using workspace::DeviceFit;
using workspace::FitStatus;

constexpr Bytes gib(std::int64_t count)
{
    return Bytes{count * 1024 * base::kMiB};
}

class DeviceFitsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsAgreeWithAllPlans_data();
    void rowsAgreeWithAllPlans();
    void fragmentationIsTold();
    void cacheFlushesAreTold();
    void pinsForbidTheStepWithoutAPlan();
    void expandableSegmentsAreReplayed();
    void aStepForTheCpuNeedsItsPeakOnly();
    void rowsComeAsTheyAreKnown();
    void aStopKeepsWhatIsKnown();
    void aWrongPinIsRefused();

private:
    /// On a device with that memory, planned by rotor.
    [[nodiscard]] Choices choicesFor(Bytes memory, const char* device = "a100-80gb") const
    {
        Choices choices;
        choices.device = *plan::findDevice(device);
        choices.device.memory = memory;
        choices.planner = "rotor";
        choices.reserve = workspace::reservedWorkspaces(*m_resnet, choices.device).all();
        return choices;
    }
    [[nodiscard]] DeviceFit fit(const Choices& choices,
                                const allocator::AllocatorSettings& settings = {}) const
    {
        return workspace::deviceFits(m_resnet, {choices}, settings, {}).value().front();
    }

    graph::ProgramPtr m_resnet = tests::programOf(tests::samplePath("resnet18"));
};

RunStatus replayed(const plan::VerifiedPlan& plan, Bytes budget,
                   const allocator::AllocatorSettings& settings = {})
{
    return run::runStatus(plan, settings, budget, {}).value();
}

/// Whether a plan of the frontier runs without cache flushes.
bool anyRuns(const workspace::Planned& planned, Bytes budget)
{
    return std::ranges::any_of(planned.frontier->points(), [budget](const auto& point) {
        return point->evaluation().peak <= budget && replayed(*point, budget) == RunStatus::Runs;
    });
}

void DeviceFitsTest::rowsAgreeWithAllPlans_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<qint64>("mebibytes");
    QTest::addColumn<int>("status");
    const auto row = [](const char* name, qint64 mebibytes, FitStatus status) {
        QTest::addRow("%s, %lld MiB", name, mebibytes)
            << QString::fromUtf8(name) << mebibytes << static_cast<int>(status);
    };
    row("a100-80gb", 8192, FitStatus::Unplanned);
    row("a100-80gb", 3072, FitStatus::Planned); // without a plan it needs cache flushes
    row("t4", 3136, FitStatus::Planned);
    row("a100-80gb", 1024, FitStatus::NoPlan);
}

void DeviceFitsTest::rowsAgreeWithAllPlans()
{
    QFETCH(QString, device);
    QFETCH(qint64, mebibytes);
    QFETCH(int, status);
    const Bytes memory{mebibytes * base::kMiB};
    const Choices choices = choicesFor(memory, device.toUtf8().constData());
    const DeviceFit found = fit(choices);
    QVERIFY(found.isOver);
    QCOMPARE(static_cast<int>(*found.status), status);

    const workspace::PlannedPtr planned = workspace::planGraph(m_resnet, choices, {}).value();
    const plan::Evaluation& unplanned = planned->unplanned->evaluation();
    QCOMPARE(found.unplanned->evaluation().stepTime, unplanned.stepTime);
    const bool runsUnplanned =
        unplanned.peak <= memory && replayed(*planned->unplanned, memory) == RunStatus::Runs;
    QCOMPARE(found.status == FitStatus::Unplanned, runsUnplanned);
    const auto& points = planned->frontier->points();
    const auto fastest = std::find_if(points.rbegin(), points.rend(), [&](const auto& point) {
        return point->evaluation().peak <= memory && replayed(*point, memory) == RunStatus::Runs;
    });
    QCOMPARE(found.plan != nullptr, fastest != points.rend());
    if (found.plan) {
        QCOMPARE(found.plan->evaluation().stepTime, (*fastest)->evaluation().stepTime);
        QCOMPARE(found.plan->problem().budget, memory);
        QVERIFY(found.run == RunStatus::Runs);
    }
    QVERIFY(anyRuns(*planned, *found.leastBudget));
    QVERIFY(!anyRuns(*planned, *found.leastBudget - Bytes{1}));
}

void DeviceFitsTest::fragmentationIsTold()
{
    Choices choices = choicesFor({});
    choices.planner = "none";
    choices.device.memory =
        workspace::unplannedStep(m_resnet, choices, {})->unplanned->evaluation().peak;
    const DeviceFit found = fit(choices);
    QVERIFY(found.status == FitStatus::Fails);
    QVERIFY(found.run == RunStatus::Fails);
    QCOMPARE(found.plan->evaluation().peak, choices.device.memory);
    QVERIFY(*found.leastBudget > choices.device.memory);
}

void DeviceFitsTest::cacheFlushesAreTold()
{
    Choices choices = choicesFor(gib(3));
    choices.planner = "none";
    const DeviceFit found = fit(choices);
    QVERIFY(found.status == FitStatus::Unplanned);
    QVERIFY(found.run == RunStatus::RunsWithFlushes);
    QVERIFY(*found.leastBudget > choices.device.memory);
}

void DeviceFitsTest::pinsForbidTheStepWithoutAPlan()
{
    Choices choices = choicesFor(gib(8));
    choices.pins = {"recompute:layer1.0"};
    const DeviceFit found = fit(choices);
    QVERIFY(found.status == FitStatus::Planned);
    QVERIFY(found.plan->evaluation().recomputeTime.count() > 0);
    QVERIFY(found.plan->evaluation().stepTime > found.unplanned->evaluation().stepTime);
}

void DeviceFitsTest::expandableSegmentsAreReplayed()
{
    const allocator::AllocatorSettings settings{.expandableSegments = true};
    const Choices choices = choicesFor(gib(3));
    const DeviceFit found = fit(choices, settings);
    QVERIFY(found.run == RunStatus::Runs);
    const auto planned = workspace::planGraph(m_resnet, choices, {}).value();
    QVERIFY(std::ranges::any_of(planned->frontier->points(), [&](const auto& point) {
        return replayed(*point, *found.leastBudget, settings) == RunStatus::Runs;
    }));
    QVERIFY(*found.leastBudget < *fit(choices).leastBudget);
}

void DeviceFitsTest::aStepForTheCpuNeedsItsPeakOnly()
{
    const graph::ProgramPtr varied =
        tests::programOf(tests::repositoryPath("tests/data/varied.plimsoll.json"));
    Choices choices = tests::defaultChoices();
    choices.planner = "rotor";
    const auto planned = workspace::planGraph(varied, choices, {}).value();
    choices.device.memory = planned->smallestPeak;
    const auto found = workspace::deviceFits(varied, {choices}, {}, {}).value();
    QVERIFY(found[0].plan != nullptr && !found[0].run);
    QCOMPARE(*found[0].leastBudget, planned->smallestPeak);
    choices.device.memory = planned->smallestPeak - Bytes{1};
    QVERIFY(workspace::deviceFits(varied, {choices}, {}, {}).value()[0].status
            == FitStatus::NoPlan);
}

void DeviceFitsTest::rowsComeAsTheyAreKnown()
{
    const std::vector<Choices> all{choicesFor(gib(8)), choicesFor(base::Bytes{qint64{2200} << 20}),
                                   choicesFor(gib(1))};
    std::vector<std::pair<std::size_t, bool>> told;
    std::vector<std::optional<FitStatus>> atFirst;
    std::vector<DeviceFit> last(all.size());
    base::Progress progress;
    const auto found = workspace::deviceFits(m_resnet, all, {}, {.stop = {}, .progress = &progress},
                                             [&](std::size_t row, const DeviceFit& fit) {
                                                 told.emplace_back(row, fit.isOver);
                                                 if (atFirst.size() < all.size())
                                                     atFirst.push_back(fit.status);
                                                 last[row] = fit;
                                             })
                           .value();
    // Without a plan first; then the row without an answer before the others.
    QCOMPARE(told, (std::vector<std::pair<std::size_t, bool>>{
                       {0, false}, {1, false}, {2, false}, {1, true}, {0, true}, {2, true}}));
    // Below the proven bound no search is needed to know that no plan fits.
    QVERIFY((atFirst
             == std::vector<std::optional<FitStatus>>{FitStatus::Unplanned, std::nullopt,
                                                      FitStatus::NoPlan}));
    QVERIFY(found[2].status == FitStatus::NoPlan && found[2].leastBudget == found[1].leastBudget);
    for (std::size_t row = 0; row < all.size(); ++row) {
        QVERIFY(last[row].status == found[row].status);
        QVERIFY(last[row].leastBudget == found[row].leastBudget);
        QCOMPARE(found[row].device.memory, all[row].device.memory);
    }
    QVERIFY(progress.perMille() > 500);
}

void DeviceFitsTest::aStopKeepsWhatIsKnown()
{
    const std::vector<Choices> all(3, choicesFor(gib(8)));
    std::stop_source stop;
    const auto found = workspace::deviceFits(m_resnet, all, {}, {.stop = stop.get_token()},
                                             [&stop](std::size_t /*row*/, const DeviceFit& fit) {
                                                 if (fit.isOver)
                                                     stop.request_stop();
                                             })
                           .value();
    QVERIFY(found[0].isOver && found[0].leastBudget);
    for (const DeviceFit& fit : found)
        QVERIFY(fit.status == FitStatus::Unplanned && fit.unplanned);
    QVERIFY(!found[1].isOver && !found[2].isOver && !found[1].leastBudget);

    const auto nothing =
        workspace::deviceFits(m_resnet, all, {}, {.stop = stop.get_token()}).value();
    QCOMPARE(nothing.size(), all.size());
    QVERIFY(!nothing[0].status && !nothing[0].unplanned);
}

void DeviceFitsTest::aWrongPinIsRefused()
{
    Choices choices = choicesFor(gib(8));
    choices.pins = {"keep:nothing"};
    const auto found = workspace::deviceFits(m_resnet, {choices}, {}, {});
    QVERIFY(!found);
    QVERIFY(found.error().kind == base::ErrorKind::Usage);
}

} // namespace

PLIMSOLL_TEST(DeviceFitsTest, QCoreApplication)
#include "device_fits_test.moc"
