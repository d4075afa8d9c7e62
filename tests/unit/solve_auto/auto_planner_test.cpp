// SPDX-License-Identifier: Apache-2.0
// The planner auto: every plan names its planner; planners that refuse are reported.
#include "core/solve/auto/auto_planner.h"

#include "core/plan/pins.h"
#include "core/plan_file/plan_json.h"

#include "tests/support/planned_samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_auto/auto_parts.h"

#include <QTest>

#include <algorithm>

using namespace plimsoll;

namespace {

using Found = base::Result<plan::FrontierPtr>;
using tests::allParts;
using tests::autoOf;
using tests::Part;
using tests::Parts;
using tests::planner;

class AutoPlannerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalPlansAreThoseOfTheFirstPlanner();
    void aPlanNamesItsMakerAndCanBeMadeAgain();
    void itRunsWhoCanDoWhatIsAsked_data();
    void itRunsWhoCanDoWhatIsAsked();
    void partsAreNamedAsTheyCanBeRunAgain_data();
    void partsAreNamedAsTheyCanBeRunAgain();
    void whoRefusesIsNamed();
    void everyPartReportsWhatItFoundItself();
    void aFrontierWithoutPlansKeepsItsRuntime();
    void ifAllRefuseThereIsOneSentence();
};

void AutoPlannerTest::equalPlansAreThoseOfTheFirstPlanner()
{
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    Parts parts;
    parts.push_back(std::make_unique<const Part>(planner("chen")));
    parts.push_back(std::make_unique<const Part>(planner("every-block")));
    const plan::FrontierPtr chenFirst = autoOf(parts)->frontier(problem, {}, {}).value();
    std::swap(parts[0], parts[1]);
    const plan::FrontierPtr blocksFirst = autoOf(parts)->frontier(problem, {}, {}).value();
    QCOMPARE(chenFirst->points().size(), blocksFirst->points().size());
    // Keeping everything is what both begin with.
    QCOMPARE(chenFirst->points().back().provenance->madeBy().planner, std::string{"chen"});
    QCOMPARE(blocksFirst->points().back().provenance->madeBy().planner, std::string{"every-block"});
}

namespace {

solve::OptionValue valueOf(const solve::OptionRecord& record, const std::string& text)
{
    switch (record.kind()) {
    case solve::OptionKind::Text: return text;
    case solve::OptionKind::Choice: return solve::choiceValue(record, text).value();
    case solve::OptionKind::Number: break;
    }
    return std::int64_t{std::stoll(text)};
}

} // namespace

void AutoPlannerTest::aPlanNamesItsMakerAndCanBeMadeAgain()
{
    const plan::Problem problem = tests::problemOf(QStringLiteral("unet"), 0);
    const plan::FrontierPtr found = planner("auto").frontier(problem, {{"runtime", 1}}, {}).value();
    std::map<std::string, plan::FrontierPtr> again;
    for (const plan::FrontierPoint& point : found->points()) {
        const plan::Plan& plan = point->plan();
        const auto& [asked, made] = *point.provenance;
        QCOMPARE(asked.planner, std::string{"auto"});
        const auto runtime = std::find(asked.options.begin(), asked.options.end(),
                                       std::pair<std::string, std::string>{"runtime", "step"});
        QVERIFY(runtime != asked.options.end());
        QVERIFY(made);
        const solve::Planner& maker = planner(made->planner.c_str());
        solve::Options options;
        for (const auto& [name, text] : made->options)
            for (const solve::OptionRecord& record : maker.descriptor().options)
                if (record.name == name)
                    options[name] = valueOf(record, text);
        plan::FrontierPtr& theirs = again[solve::makerCall(*point.provenance)];
        if (!theirs)
            theirs = maker.frontier(problem, options, {}).value();
        const plan::FrontierPoint same = theirs->at(point->evaluation().peak);
        QVERIFY(same.provenance->asked == *made);
        QVERIFY(same->plan() == plan);
        // The file says all of it.
        const base::Result<plan::PlanFile> file =
            plan::readPlan(plan::writePlan(point), *problem.step());
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QVERIFY(file->provenance == *point.provenance);
        QVERIFY(file->plan.recomputeSteps() == plan.recomputeSteps());
    }
    QVERIFY(again.size() >= 2); // more than one of them has a part in it
}

void AutoPlannerTest::itRunsWhoCanDoWhatIsAsked_data()
{
    using Ids = QStringList;
    QTest::addColumn<Ids>("asked"); ///< options that are on
    QTest::addColumn<Ids>("makers");
    QTest::newRow("nothing") << Ids{}
                             << Ids{"rotor", "chen", "trunk", "every-block", "sequential-k"};
    QTest::newRow("step between ops")
        << Ids{"runtime", "granularity"} << Ids{"rotor", "remat", "capuchin", "torch-budget"};
    if (tests::kSanitized)
        return;
    QTest::newRow("step") << Ids{"runtime"} << Ids{"rotor", "remat", "capuchin", "torch-budget"};
    QTest::newRow("between ops") << Ids{"granularity"}
                                 << Ids{"rotor", "remat", "chen", "trunk", "every-block"};
    QTest::newRow("frozen") << Ids{"freeze-stats"} << Ids{"rotor", "chen", "trunk"};
}

void AutoPlannerTest::itRunsWhoCanDoWhatIsAsked()
{
    QFETCH(QStringList, asked);
    QFETCH(QStringList, makers);
    solve::Options options;
    for (const QString& name : asked)
        options[name.toStdString()] = 1;
    const auto parts = allParts();
    const plan::FrontierPtr found =
        autoOf(parts)
            ->frontier(tests::problemOf(QStringLiteral("resnet18"), 0), options, {})
            .value();
    QStringList ran;
    for (const auto& part : parts)
        if (part->found())
            ran << QString::fromStdString(part->descriptor().id);
    for (const QString& maker : makers)
        QVERIFY2(ran.contains(maker), qPrintable(maker));
    for (const plan::FrontierPoint& point : found->points()) {
        QCOMPARE(point->plan().freezeStats(), options.contains("freeze-stats"));
        QCOMPARE(point->plan().isCompiledStep(), options.contains("runtime"));
    }
    if (asked == QStringList{"granularity"})
        QVERIFY(found->points().front()->plan().granularity() == plan::Granularity::Op);
}

void AutoPlannerTest::partsAreNamedAsTheyCanBeRunAgain_data()
{
    QTest::addColumn<solve::Options>("asked");
    QTest::addColumn<QStringList>("calls"); ///< in the order in which they begin
    const QStringList regions{"rotor",       "remat --granularity module --runtime checkpoint",
                              "chen",        "trunk --freeze-stats off",
                              "every-block", "sequential-k"};
    QTest::newRow("nothing") << solve::Options{} << regions + QStringList{"rotor --ways on"};
    if (tests::kSanitized)
        return;
    QTest::newRow("one way of a stage") << solve::Options{{"ways", 0}} << regions;
    QTest::newRow("between ops") << solve::Options{{"granularity", 1}}
                                 << regions
                                        + QStringList{"rotor --ways on",
                                                      "rotor --granularity op --ways on",
                                                      "remat --runtime checkpoint"};
    QTest::newRow("between ops, one way of a stage")
        << solve::Options{{"granularity", 1}, {"ways", 0}}
        << regions + QStringList{"rotor --granularity op", "remat --runtime checkpoint"};
    const QStringList steps{"rotor --runtime step", "remat --granularity module", "capuchin",
                            "torch-budget"};
    QTest::newRow("step") << solve::Options{
        {"runtime", 1}} << steps + QStringList{"rotor --nonpersistent on --runtime step --ways on"};
    QTest::newRow("step, one way of a stage")
        << solve::Options{{"runtime", 1}, {"ways", 0}}
        << steps + QStringList{"rotor --nonpersistent on --runtime step"};
    QTest::newRow("frozen") << solve::Options{{"freeze-stats", 1}}
                            << QStringList{"rotor --freeze-stats on",
                                           "remat --freeze-stats on --granularity module --runtime "
                                           "checkpoint",
                                           "chen --freeze-stats on", "trunk",
                                           "rotor --freeze-stats on --ways on"};
}

/// The summary of a part gives the command that reproduces its plans.
void AutoPlannerTest::partsAreNamedAsTheyCanBeRunAgain()
{
    QFETCH(solve::Options, asked);
    QFETCH(QStringList, calls);
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    const plan::FrontierPtr found = planner("auto").frontier(problem, asked, {}).value();
    QStringList ran;
    for (const plan::PlannerProgress& report : found->parts()->read()) {
        QCOMPARE(report.call.empty(), report.state == plan::PlannerState::Unfit);
        if (report.call.empty())
            continue;
        ran << QString::fromStdString(report.call);
        const QStringList words = ran.back().split(QLatin1Char{' '});
        QCOMPARE(words.front().toStdString(), report.planner);
        const solve::Planner& same = planner(report.planner.c_str());
        solve::Options options;
        for (qsizetype word = 1; word + 1 < words.size(); word += 2)
            for (const solve::OptionRecord& record : same.descriptor().options)
                if ("--" + record.name == words[word].toStdString())
                    options[record.name] = valueOf(record, words[word + 1].toStdString());
        QCOMPARE(static_cast<qsizetype>(options.size()), words.size() / 2);
        QVERIFY2(plan::progressPoints(*same.frontier(problem, options, {}).value()) == report.found,
                 report.call.c_str());
    }
    QCOMPARE(ran, calls);
}

void AutoPlannerTest::whoRefusesIsNamed()
{
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    Parts parts;
    parts.push_back(std::make_unique<const Part>(planner("rotor"),
                                                 base::Error{base::ErrorKind::Usage, "It rains."}));
    parts.push_back(std::make_unique<const Part>(planner("chen")));
    const plan::FrontierPtr found = autoOf(parts)->frontier(problem, {}, {}).value();
    QCOMPARE(found->leftOut(), std::vector<std::string>{"rotor was not run: It rains."});
    QCOMPARE(found->points().size(), parts[1]->found()->points().size());
}

void AutoPlannerTest::everyPartReportsWhatItFoundItself()
{
    const plan::Problem problem = tests::problemOf(QStringLiteral("resnet18"), 0);
    Parts parts;
    parts.push_back(std::make_unique<const Part>(planner("rotor")));
    parts.push_back(std::make_unique<const Part>(planner("capuchin")));
    parts.push_back(std::make_unique<const Part>(planner("chen"),
                                                 base::Error{base::ErrorKind::Usage, "It rains."}));
    parts.push_back(std::make_unique<const Part>(planner("every-block")));
    const plan::FrontierPtr found = autoOf(parts)->frontier(problem, {}, {}).value();
    QVERIFY(found->parts());
    const std::vector<plan::PlannerProgress> reports = found->parts()->read();
    QCOMPARE(reports.size(), parts.size());
    for (const std::size_t part : {std::size_t{0}, std::size_t{3}}) {
        QCOMPARE(reports[part].planner, parts[part]->descriptor().id);
        QVERIFY(reports[part].state == plan::PlannerState::Over);
        QVERIFY(reports[part].took.count() > 0);
        const std::vector<plan::FrontierPoint>& own = parts[part]->found()->points();
        QCOMPARE(reports[part].found.size(), own.size());
        for (std::size_t i = 0; i < own.size(); ++i) {
            const plan::ProgressPoint& point = reports[part].found[i];
            QVERIFY(point.peak == own[i]->evaluation().peak);
            QVERIFY(point.stepTime == own[i]->evaluation().stepTime);
            QVERIFY(found->at(point.peak)->evaluation().stepTime <= point.stepTime);
        }
    }
    // Not only what nobody beats: blocks are all dominated by rotor's plans.
    QVERIFY(reports[3].found.size() >= 2);
    QVERIFY(reports[1].state == plan::PlannerState::Unfit && reports[1].found.empty());
    QCOMPARE(reports[1].reason, std::string{"It makes no plans with runtime checkpoint."});
    QVERIFY(reports[2].state == plan::PlannerState::Refused && reports[2].found.empty());
    QCOMPARE(reports[2].reason, std::string{"It rains."});
    QVERIFY(!parts[0]->found()->parts()); // one planner alone has no parts
}

/// Proofs must be for the requested runtime, even if pins leave no plan.
void AutoPlannerTest::aFrontierWithoutPlansKeepsItsRuntime()
{
    plan::Problem problem = tests::problemOf(QStringLiteral("gpt2"), 0);
    const plan::PeakBound checkpoint =
        plan::peakLowerBound(problem, plan::Runtime::CheckpointedModule);
    problem.pins = plan::resolvePins({"recompute:transformer.h.3"}, *problem.step()).value();
    problem.budget = base::Bytes{checkpoint.bytes.count() - 1};
    for (const int runtime : {0, 1}) {
        const auto asked =
            runtime == 1 ? plan::Runtime::CompiledStep : plan::Runtime::CheckpointedModule;
        const plan::FrontierPtr none =
            planner("none").frontier(problem, {{"runtime", runtime}}, {}).value();
        QVERIFY(none->points().empty()); // keeping everything is against the pin
        QVERIFY(none->runtime() == asked);
        const solve::Outcome outcome = solve::outcomeAt(problem, none);
        QVERIFY(outcome.peakBound.bytes == plan::peakLowerBound(problem, asked).bytes);
        QVERIFY(!outcome.best);
        QVERIFY(outcome.status
                == (runtime == 1 ? solve::Status::NotFound : solve::Status::Infeasible));
    }
}

void AutoPlannerTest::ifAllRefuseThereIsOneSentence()
{
    const plan::Problem problem = tests::problemOf(QStringLiteral("gpt2_prompt"), 0);
    const Found step = planner("auto").frontier(problem, {{"runtime", 1}}, {});
    QVERIFY(!step);
    QCOMPARE(step.error().message,
             std::string{"The graph has no backward, but runtime \"step\" executes training steps "
                         "only."});
    Parts parts;
    parts.push_back(std::make_unique<const Part>(planner("rotor"),
                                                 base::Error{base::ErrorKind::Usage, "It rains."}));
    parts.push_back(std::make_unique<const Part>(
        planner("chen"), base::Error{base::ErrorKind::NotFound, "It snows."}));
    const Found both = autoOf(parts)->frontier(problem, {}, {});
    QVERIFY(!both && both.error().kind == base::ErrorKind::Usage);
    QCOMPARE(both.error().message,
             std::string{"None of rotor, chen can plan this step; rotor says: It rains."});
    const Found nobody = autoOf(parts)->frontier(problem, {{"runtime", 1}, {"saved-sets", 1}}, {});
    QVERIFY(!nobody);
    const Found unknown = planner("auto").frontier(problem, {{"speed", 30}}, {});
    QVERIFY(!unknown && unknown.error().kind == base::ErrorKind::Usage);
    QVERIFY(unknown.error().message.starts_with("The planner auto has no option \"speed\""));
}

} // namespace

PLIMSOLL_TEST(AutoPlannerTest, plimsoll::tests::NoApplication)
#include "auto_planner_test.moc"
