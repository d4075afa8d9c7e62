// SPDX-License-Identifier: Apache-2.0
// The planner remat on shipped samples, held against rotor for the same runtime.
#include "core/solve/remat/remat_planner.h"

#include "core/solve/registry.h"

#include "tests/support/planned_samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

using namespace plimsoll;

namespace {

/// Rotor, with a record of its last answer.
class Witness final : public solve::Planner
{
public:
    explicit Witness(plan::FrontierPtr& answer)
        : Planner{solve::makeRotorPlanner()->descriptor()}, m_answer{answer}
    {
    }

private:
    [[nodiscard]] base::Result<plan::FrontierPtr>
    search(const plan::Problem& problem, const solve::Options& options, const base::JobContext& job,
           const solve::Listener& /*listener*/) const override
    {
        base::Result<plan::FrontierPtr> found = m_rotor->frontier(problem, options, job);
        m_answer = found.value_or(nullptr);
        return found;
    }

    std::unique_ptr<const solve::Planner> m_rotor = solve::makeRotorPlanner();
    plan::FrontierPtr& m_answer;
};

const solve::Planner& remat()
{
    return **solve::findPlanner("remat");
}

const solve::Options kRegions{{"runtime", 0}};

class RematPlannerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itIsNeverWorseThanRotor_data();
    void itIsNeverWorseThanRotor();
    void theRegistrysOneBeginsWithOthers_data();
    void theRegistrysOneBeginsWithOthers();
    void itsRegionsAreNeverWorseThanRotors_data();
    void itsRegionsAreNeverWorseThanRotors();
    void itsRegionsNeedNoChain_data();
    void itsRegionsNeedNoChain();
    void watchersAreToldOfBetterFrontiers_data();
    void watchersAreToldOfBetterFrontiers();
    void theSameStepHasTheSamePlans_data();
    void theSameStepHasTheSamePlans();
    void stopsWhenAsked();
    void itsOptionsAreChecked();
    void aStepWithoutBackwardIsRefused();
};

void RematPlannerTest::itIsNeverWorseThanRotor_data()
{
    QTest::addColumn<double>("smallest"); ///< peak, as share of keeping everything
    QTest::addColumn<double>("mean");     ///< step time at rotor's peaks, as share of rotor's
    QTest::newRow("resnet18") << 0.49 << 0.998;
    if (tests::kSanitized)
        return;
    QTest::newRow("unet") << 0.29 << 0.985;
    QTest::newRow("gpt2") << 0.43 << 0.994;
    if (!tests::isExhaustive())
        return;
    QTest::newRow("bert") << 0.42 << 0.99;
    QTest::newRow("llama") << 0.51 << 0.99;
    QTest::newRow("vit_b_16") << 0.22 << 0.999;
    QTest::newRow("densenet121") << 0.12 << 0.995;
    QTest::newRow("llama_7b") << 0.82 << 0.98;
}

/// Better than the plans that rotor's regions, between modules and between ops, become in the same
/// runtime: at each of their peaks there is a plan that is at least as fast.
void RematPlannerTest::itIsNeverWorseThanRotor()
{
    QFETCH(double, smallest);
    QFETCH(double, mean);
    const plan::Problem problem = tests::problemOf(QString::fromUtf8(QTest::currentDataTag()), 0);
    std::array<plan::FrontierPtr, 2> rotor;
    std::vector<solve::RematStart> starts;
    constexpr std::int64_t kSlots = 64; // the default takes minutes with all samples
    for (const std::int64_t granularity : {0, 1})
        starts.push_back(
            {std::make_unique<const Witness>(rotor.at(static_cast<std::size_t>(granularity))),
             {{"runtime", 1}, {"granularity", granularity}, {"slots", kSlots}}});
    const plan::FrontierPtr found =
        solve::makeRematPlanner(std::move(starts))->frontier(problem, {}, {}).value();
    const auto& points = found->points();
    for (const plan::FrontierPoint& point : points)
        QVERIFY(point->plan().isCompiledStep() && point.provenance->asked.planner == "remat");
    QVERIFY(points.back()->plan().recomputesNothing());
    const double least = static_cast<double>(points.front()->evaluation().peak.count())
                         / static_cast<double>(points.back()->evaluation().peak.count());
    QVERIFY2(least <= smallest, qPrintable(QString::number(least)));
    for (const plan::FrontierPtr& chain : rotor) {
        double sum = 0;
        for (const plan::VerifiedPlanPtr& point : chain->points()) {
            const plan::VerifiedPlanPtr same = found->at(point->evaluation().peak);
            QVERIFY(same && same->evaluation().stepTime <= point->evaluation().stepTime);
            sum += static_cast<double>(same->evaluation().stepTime.count())
                   / static_cast<double>(point->evaluation().stepTime.count());
        }
        const double share = sum / static_cast<double>(chain->points().size());
        qInfo("%zu budgets: on average %.4f of rotor's step time", chain->points().size(), share);
        QVERIFY2(share <= mean, qPrintable(QString::number(share)));
    }
}

void RematPlannerTest::theRegistrysOneBeginsWithOthers_data()
{
    QTest::addColumn<int>("runtime");
    QTest::newRow("step") << 1;
    QTest::newRow("checkpoint") << 0;
}

/// With the runtime's plans of rotor at both granularities, and Capuchin's.
void RematPlannerTest::theRegistrysOneBeginsWithOthers()
{
    QFETCH(int, runtime);
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    const plan::FrontierPtr found =
        remat().frontier(problem, {{"points", 2}, {"runtime", runtime}}, {}).value();
    std::vector<plan::FrontierPtr> others;
    if (runtime == 1)
        others.push_back(solve::findPlanner("capuchin").value()->frontier(problem, {}, {}).value());
    for (const std::int64_t granularity : {0, 1})
        others.push_back(
            solve::makeRotorPlanner()
                ->frontier(problem, {{"runtime", runtime}, {"granularity", granularity}}, {})
                .value());
    for (const plan::FrontierPtr& other : others)
        for (const plan::VerifiedPlanPtr& point : other->points()) {
            const plan::VerifiedPlanPtr same = found->at(point->evaluation().peak);
            QVERIFY(same && same->evaluation().stepTime <= point->evaluation().stepTime);
        }
}

void RematPlannerTest::itsRegionsAreNeverWorseThanRotors_data()
{
    QTest::addColumn<double>("mean"); ///< step time at rotor's peaks, as share of rotor's
    QTest::newRow("resnet18") << 1.0;
    if (tests::kSanitized)
        return;
    QTest::newRow("unet") << 0.9999;
    QTest::newRow("gpt2") << 0.991;
    QTest::newRow("vit_b_16") << 0.998;
}

/// Than its regions between ops that keep single results, nor than no plan at all.
void RematPlannerTest::itsRegionsAreNeverWorseThanRotors()
{
    QFETCH(double, mean);
    const plan::Problem problem = tests::problemOf(QString::fromUtf8(QTest::currentDataTag()), 0);
    plan::FrontierPtr rotor;
    std::vector<solve::RematStart> starts;
    starts.push_back({std::make_unique<const Witness>(rotor),
                      {{"runtime", 0}, {"granularity", 1}, {"saved-sets", 1}, {"slots", 64}}});
    const plan::FrontierPtr found =
        solve::makeRematPlanner(std::move(starts))->frontier(problem, kRegions, {}).value();
    double sum = 0;
    for (const plan::VerifiedPlanPtr& point : rotor->points()) {
        const plan::VerifiedPlanPtr same = found->at(point->evaluation().peak);
        QVERIFY(same && same->evaluation().stepTime <= point->evaluation().stepTime);
        sum += static_cast<double>(same->evaluation().stepTime.count())
               / static_cast<double>(point->evaluation().stepTime.count());
    }
    const double share = sum / static_cast<double>(rotor->points().size());
    qInfo("%zu budgets: on average %.4f of rotor's step time", rotor->points().size(), share);
    QVERIFY2(share <= mean, qPrintable(QString::number(share)));
    const plan::EvaluationPtr none = plan::evaluate(problem, plan::keepEverything());
    const plan::VerifiedPlanPtr kept = found->at(none->peak);
    QVERIFY(kept && kept->evaluation().stepTime <= none->stepTime);
    for (const plan::FrontierPoint& point : found->points())
        QVERIFY(!point->plan().isCompiledStep() && point.provenance->asked.planner == "remat");
}

void RematPlannerTest::itsRegionsNeedNoChain_data()
{
    QTest::addColumn<double>("smallest"); ///< peak, as share of keeping everything
    QTest::newRow("resnet18") << 0.67;
    if (tests::kSanitized)
        return;
    QTest::newRow("gpt2") << 0.44;
    QTest::newRow("unet") << 0.48;
}

/// What the search finds without a starting plan.
void RematPlannerTest::itsRegionsNeedNoChain()
{
    QFETCH(double, smallest);
    const plan::FrontierPtr found =
        solve::makeRematPlanner({})
            ->frontier(tests::problemOf(QString::fromUtf8(QTest::currentDataTag()), 0), kRegions,
                       {})
            .value();
    const double least = static_cast<double>(found->points().front()->evaluation().peak.count())
                         / static_cast<double>(found->points().back()->evaluation().peak.count());
    QVERIFY2(least <= smallest, qPrintable(QString::number(least)));
    QVERIFY(found->points().back()->plan().recomputesNothing());
}

void RematPlannerTest::watchersAreToldOfBetterFrontiers_data()
{
    QTest::addColumn<solve::Options>("options");
    QTest::newRow("step") << solve::Options{{"points", 12}};
    QTest::newRow("regions") << kRegions;
}

/// Every reported frontier is at least as good as the previous one; the last one is the answer.
void RematPlannerTest::watchersAreToldOfBetterFrontiers()
{
    QFETCH(solve::Options, options);
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    std::vector<plan::FrontierPtr> told;
    const plan::FrontierPtr found =
        solve::makeRematPlanner({})
            ->frontier(problem, options, {},
                       [&](const plan::FrontierPtr& better) { told.push_back(better); })
            .value();
    QVERIFY(told.size() >= 5);
    QCOMPARE(told.back()->points(), found->points());
    for (std::size_t next = 1; next < told.size(); ++next) {
        bool isBetter = false;
        for (const plan::VerifiedPlanPtr& point : told[next]->points()) {
            const plan::VerifiedPlanPtr before = told[next - 1]->at(point->evaluation().peak);
            QVERIFY(!before || before->evaluation().stepTime >= point->evaluation().stepTime);
            isBetter =
                isBetter || !before || before->evaluation().stepTime > point->evaluation().stepTime;
        }
        QVERIFY(isBetter);
    }
}

void RematPlannerTest::theSameStepHasTheSamePlans_data()
{
    watchersAreToldOfBetterFrontiers_data();
}

void RematPlannerTest::theSameStepHasTheSamePlans()
{
    QFETCH(solve::Options, options);
    const auto plans = [&] {
        return remat()
            .frontier(tests::problemOf(QStringLiteral("resnet18"), 0), options, {})
            .value();
    };
    const plan::FrontierPtr first = plans();
    const plan::FrontierPtr second = plans();
    QCOMPARE(first->points().size(), second->points().size());
    for (std::size_t point = 0; point < first->points().size(); ++point)
        QVERIFY(first->points()[point]->plan() == second->points()[point]->plan());
}

/// With what doesn't need a search.
void RematPlannerTest::stopsWhenAsked()
{
    std::stop_source stop;
    stop.request_stop();
    const plan::Problem problem = tests::problemOf(QStringLiteral("densenet121"), 0);
    for (const solve::Options& options : {solve::Options{}, kRegions}) {
        const plan::FrontierPtr found =
            remat().frontier(problem, options, {.stop = stop.get_token()}).value();
        QVERIFY(!found->points().empty());
        QVERIFY(found->points().back()->plan().recomputesNothing());
    }
}

void RematPlannerTest::itsOptionsAreChecked()
{
    const auto refused = remat().frontier(tests::problemOf(QStringLiteral("resnet18"), 0),
                                          {{"freeze-stats", 1}}, {});
    QVERIFY(!refused);
    QVERIFY(refused.error().kind == base::ErrorKind::Usage);
}

void RematPlannerTest::aStepWithoutBackwardIsRefused()
{
    const auto refused =
        remat().frontier(tests::problemOf(QStringLiteral("gpt2_prompt"), 0), {}, {});
    QVERIFY(!refused);
    QVERIFY(refused.error().kind == base::ErrorKind::Usage);
    QVERIFY2(refused.error().message.find("backward") != std::string::npos,
             refused.error().message.c_str());
}

} // namespace

PLIMSOLL_TEST(RematPlannerTest, QCoreApplication)
#include "remat_planner_test.moc"
