// SPDX-License-Identifier: Apache-2.0
// The planner remat on shipped samples, held against rotor for the same runtime.
#include "core/solve/remat/remat_planner.h"

#include "core/solve/registry.h"

#include "tests/unit/solve/planned_samples.h"

#include <QTest>

#include <array>
#include <memory>
#include <utility>
#include <vector>

using namespace plimsoll;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true; // the large samples take minutes there
#else
constexpr bool kSanitized = false;
#endif

/// Rotor, and what it answered last.
class Witness final : public solve::Planner
{
public:
    explicit Witness(plan::FrontierPtr& answer) : m_answer{answer} {}

    [[nodiscard]] const solve::PlannerDescriptor& descriptor() const override
    {
        return m_rotor->descriptor();
    }
    [[nodiscard]] base::Result<plan::FrontierPtr>
    frontier(const plan::Problem& problem, const solve::Options& options,
             const base::JobContext& job) const override
    {
        base::Result<plan::FrontierPtr> found = m_rotor->frontier(problem, options, job);
        m_answer = found.value_or(nullptr);
        return found;
    }

private:
    std::unique_ptr<const solve::Planner> m_rotor = solve::makeRotorPlanner();
    plan::FrontierPtr& m_answer;
};

const solve::Planner& remat()
{
    return **solve::findPlanner("remat");
}

class RematPlannerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itIsNeverWorseThanRotor_data();
    void itIsNeverWorseThanRotor();
    void theRegistrysOneBeginsWithRotor();
    void theSameStepHasTheSamePlans();
    void itsOptionsAreChecked();
    void aStepWithoutBackwardIsRefused();
};

void RematPlannerTest::itIsNeverWorseThanRotor_data()
{
    QTest::addColumn<double>("smallest"); ///< peak, as share of keeping everything
    QTest::addColumn<double>("mean");     ///< step time at rotor's peaks, as share of rotor's
    QTest::newRow("resnet18") << 0.49 << 0.998;
    QTest::newRow("unet") << 0.29 << 0.985;
    if (kSanitized)
        return;
    QTest::newRow("bert") << 0.42 << 0.99;
    QTest::newRow("densenet121") << 0.12 << 0.995;
    QTest::newRow("gpt2") << 0.43 << 0.994;
    QTest::newRow("llama") << 0.51 << 0.99;
    QTest::newRow("llama_7b") << 0.82 << 0.98;
    QTest::newRow("vit_b_16") << 0.22 << 0.999;
}

/// Than what rotor's regions, between modules and between ops, become at the same runtime: at every
/// peak of theirs there is a plan that is as fast or faster.
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
    for (const plan::VerifiedPlanPtr& point : points)
        QVERIFY(point->plan().runtime == plan::Runtime::Step && point->plan().planner == "remat");
    QVERIFY(points.back()->plan().repeatsNothing());
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

void RematPlannerTest::theRegistrysOneBeginsWithRotor()
{
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    const plan::FrontierPtr found = remat().frontier(problem, {{"points", 2}}, {}).value();
    for (const std::int64_t granularity : {0, 1}) {
        const plan::FrontierPtr rotor =
            solve::makeRotorPlanner()
                ->frontier(problem, {{"runtime", 1}, {"granularity", granularity}}, {})
                .value();
        for (const plan::VerifiedPlanPtr& point : rotor->points()) {
            const plan::VerifiedPlanPtr same = found->at(point->evaluation().peak);
            QVERIFY(same && same->evaluation().stepTime <= point->evaluation().stepTime);
        }
    }
}

void RematPlannerTest::theSameStepHasTheSamePlans()
{
    const auto plans = [] {
        return remat()
            .frontier(tests::problemOf(QStringLiteral("resnet18"), 0), {{"points", 12}}, {})
            .value();
    };
    const plan::FrontierPtr first = plans();
    const plan::FrontierPtr second = plans();
    QCOMPARE(first->points().size(), second->points().size());
    for (std::size_t point = 0; point < first->points().size(); ++point)
        QVERIFY(first->points()[point]->plan() == second->points()[point]->plan());
}

void RematPlannerTest::itsOptionsAreChecked()
{
    const auto refused =
        remat().frontier(tests::problemOf(QStringLiteral("resnet18"), 0), {{"runtime", 0}}, {});
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

QTEST_GUILESS_MAIN(RematPlannerTest)
#include "remat_planner_test.moc"
