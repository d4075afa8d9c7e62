// SPDX-License-Identifier: Apache-2.0
// A search that is asked to stop ends at once, wherever it is: on the largest sample, for all
// planners that auto runs, and for auto.
#include "core/solve/auto/auto_planner.h"
#include "core/solve/registry.h"

#include "tests/support/planned_samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

using namespace plimsoll;

namespace {

double processorMs()
{
    return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

plan::Problem largest()
{
    plan::Problem problem = tests::problemOf(QStringLiteral("llama_7b"), 0);
    problem.budget = plan::kUnlimited;
    return problem;
}

class TimeLimitTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void whoIsStoppedIsOverAtOnce_data();
    void whoIsStoppedIsOverAtOnce();
    void whoIsStoppedBeforeItBeginsTakesItsLook();

private:
    double m_check = 0; ///< ms of processor time that one plan takes to be checked
};

void TimeLimitTest::initTestCase()
{
    const plan::Problem problem = largest();
    // The median: what is measured against it is slowed down by a busy machine, too.
    std::array<double, 7> checks{};
    for (double& check : checks) {
        const double begin = processorMs();
        QVERIFY(plan::certify(problem, plan::keepEverything()));
        check = processorMs() - begin;
    }
    std::sort(checks.begin(), checks.end());
    m_check = checks[checks.size() / 2];
    qInfo("A plan is checked in %.1f ms.", m_check);
}

void TimeLimitTest::whoIsStoppedIsOverAtOnce_data()
{
    QTest::addColumn<std::size_t>("part"); ///< of auto's; behind them: auto
    QTest::addColumn<int>("runtime");
    const std::vector<solve::AutoPart>& parts = solve::autoParts();
    for (const int runtime : {0, 1}) {
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const solve::Options& own = parts[part].own;
            const solve::PlannerDescriptor& about = parts[part].planner->descriptor();
            const auto record =
                std::find_if(about.options.begin(), about.options.end(),
                             [](const auto& option) { return option.name == "runtime"; });
            const bool isFit = record == about.options.end()
                                   ? runtime == 0
                                   : record->lower <= runtime && runtime <= record->upper;
            const bool isMeasured =
                tests::isExhaustive() || part % 2 == static_cast<std::size_t>(runtime);
            if (isFit && isMeasured
                && (!own.contains("runtime") || own.at("runtime") == solve::OptionValue{runtime}))
                QTest::addRow("%s %zu %s", about.id.c_str(), part,
                              runtime == 0 ? "regions" : "step")
                    << part << runtime;
        }
        QTest::addRow("auto %s", runtime == 0 ? "regions" : "step") << parts.size() << runtime;
    }
}

/// Between two looks at the token lie the checks of a few plans, or a table as long as those take.
void TimeLimitTest::whoIsStoppedIsOverAtOnce()
{
    QFETCH(std::size_t, part);
    QFETCH(int, runtime);
    constexpr double kChecks = tests::kSanitized ? 150 : 80; // tables take longer there than checks
    const std::vector<solve::AutoPart>& parts = solve::autoParts();
    // One thread: processor time is that of all of them.
    const auto alone = solve::makeAutoPlanner(parts, 1);
    const bool isAuto = part == parts.size();
    const solve::Planner& planner = isAuto ? *alone : *parts[part].planner;
    solve::Options options = isAuto ? solve::Options{} : parts[part].own;
    const auto& records = planner.descriptor().options;
    if (std::any_of(records.begin(), records.end(),
                    [](const auto& record) { return record.name == "runtime"; }))
        options["runtime"] = runtime;
    const plan::Problem problem = largest();
    for (const double after : {2, 10, 20, 40, 70, 100, 300, 700}) { // ms of processor time
        std::stop_source stop;
        std::atomic<bool> isOver = false;
        double asked = 0;
        const double begin = processorMs();
        std::thread watcher{[&] {
            while (!isOver && processorMs() - begin < after)
                std::this_thread::sleep_for(std::chrono::microseconds{200});
            stop.request_stop();
            asked = processorMs(); // a pause of this thread in between is no fault of the search
        }};
        const auto found = planner.frontier(problem, options, {.stop = stop.get_token()});
        const double end = processorMs();
        isOver = true;
        watcher.join();
        QVERIFY(found && !(*found)->points().empty());
        QVERIFY2(end - asked < kChecks * m_check,
                 qPrintable(QString::asprintf("stopped at %.0f ms it goes on for %.0f ms", after,
                                              end - asked)));
        if (end - begin < after)
            break;
    }
}

/// If nothing is to be searched, the result of that quick look is reported.
void TimeLimitTest::whoIsStoppedBeforeItBeginsTakesItsLook()
{
    std::stop_source over;
    over.request_stop();
    for (const char* id : {"auto", "rotor", "remat"}) {
        const plan::FrontierPtr found =
            solve::findPlanner(id)
                .value()
                ->frontier(largest(), {{"runtime", 0}}, {.stop = over.get_token(), .progress = {}})
                .value();
        QVERIFY2(found->points().size() >= 4, id);
    }
}

} // namespace

PLIMSOLL_TEST(TimeLimitTest, plimsoll::tests::NoApplication)
#include "time_limit_test.moc"
