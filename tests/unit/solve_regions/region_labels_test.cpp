// SPDX-License-Identifier: Apache-2.0
// Labels of whole plans on the shipped samples: what a reader of labels finds in them is the plan's
// region tree, and an op runs at most once more for each label that it has.
#include "core/plan_file/plan_json.h"
#include "core/plan_file/plan_json_parts.h"
#include "core/solve/chain/rotor/annotation.h"
#include "core/solve/registry.h"

#include "tests/support/planned_samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace plimsoll;
using nlohmann::ordered_json;
using tests::problemOf;

namespace {

solve::StageLabel stageLabel(const ordered_json& label)
{
    if (label.is_null())
        return {};
    if (label.is_number_integer())
        return {label.get<int>()};
    solve::StageLabel levels;
    for (const ordered_json& level : label)
        levels.push_back(level.is_null() ? std::nullopt : std::optional{level.get<int>()});
    return levels;
}

solve::Labels labelsOf(const plan::VerifiedPlan& plan)
{
    solve::Labels labels;
    for (const ordered_json& label : plan::labelsJson(*plan.problem().step(), plan.plan()))
        labels.push_back(stageLabel(label));
    return labels;
}

std::vector<solve::Region> treeOf(const std::vector<plan::Region>& regions)
{
    std::vector<solve::Region> tree;
    tree.reserve(regions.size());
    for (const plan::Region& region : regions)
        tree.push_back({region.label, region.first, region.last, treeOf(region.nested)});
    return tree;
}

std::size_t depthOf(const solve::StageLabel& label)
{
    return static_cast<std::size_t>(
        std::count_if(label.begin(), label.end(), [](const auto& level) { return level; }));
}

/// How often each op of forward and loss runs.
std::vector<std::size_t> runsOf(const plan::VerifiedPlan& plan)
{
    std::vector<std::size_t> runs(plan.problem().step()->forwardCount());
    for (const plan::Step& step : plan.evaluation().schedule->steps)
        if (step.op.index() < runs.size())
            ++runs[step.op.index()];
    return runs;
}

class RegionLabelsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void labelsHoldTheRegionTree_data();
    void labelsHoldTheRegionTree();
    void schedulesOfOpsHaveNoRegions_data();
    void schedulesOfOpsHaveNoRegions();
};

void RegionLabelsTest::labelsHoldTheRegionTree_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<solve::Options>("options");
    QTest::addColumn<int>("deepest");
    QTest::newRow("ResNet-18") << "resnet18" << solve::Options{{"slots", 100}} << 1;
    QTest::newRow("GPT-2, saved sets")
        << "gpt2" << solve::Options{{"saved-sets", 1}, {"slots", 100}} << 2;
    if (tests::kSanitized)
        return;
    QTest::newRow("DenseNet-121") << "densenet121" << solve::Options{{"slots", 100}} << 3;
    QTest::newRow("GPT-2") << "gpt2" << solve::Options{{"slots", 100}} << 2;
    QTest::newRow("GPT-2, ops") << "gpt2" << solve::Options{{"granularity", 1}, {"slots", 100}}
                                << 2;
}

void RegionLabelsTest::labelsHoldTheRegionTree()
{
    QFETCH(QString, sample);
    QFETCH(solve::Options, options);
    QFETCH(int, deepest);
    const plan::FrontierPtr frontier =
        solve::makeRotorPlanner()->frontier(problemOf(sample, 0), options, {}).value();
    std::size_t depth = 0;
    int repeated = 0;
    int keeping = 0;
    for (const plan::VerifiedPlanPtr& plan : frontier->points()) {
        const solve::Labels labels = labelsOf(*plan);
        QCOMPARE(labels.empty(), plan->plan().regions().empty());
        QVERIFY(solve::regionTree(labels) == treeOf(plan->plan().regions()));
        keeping += plan::expressedAs(plan->plan()) == std::string_view{"saved_sets"} ? 1 : 0;
        const std::vector<std::size_t> runs = runsOf(*plan);
        for (std::size_t op = 0; op < labels.size(); ++op) {
            depth = std::max(depth, depthOf(labels[op]));
            repeated += runs[op] > 1 ? 1 : 0;
            QVERIFY(runs[op] >= 1 && runs[op] <= depthOf(labels[op]) + 1);
        }
    }
    qInfo("%zu plans, labels up to %zu deep", frontier->points().size(), depth);
    QVERIFY(repeated > 0);
    QCOMPARE(keeping > 0, options.contains("saved-sets"));
    QVERIFY(depth >= static_cast<std::size_t>(deepest));
}

void RegionLabelsTest::schedulesOfOpsHaveNoRegions_data()
{
    QTest::addColumn<int>("planner");
    for (std::size_t i = 0; i < solve::planners().size(); ++i)
        QTest::newRow(solve::planners()[i]->descriptor().id.c_str()) << static_cast<int>(i);
}

/// Whoever plans says of each plan what expresses it: regions, saved sets or a step's schedule.
void RegionLabelsTest::schedulesOfOpsHaveNoRegions()
{
    QFETCH(int, planner);
    const solve::Planner& asked = *solve::planners()[static_cast<std::size_t>(planner)];
    const auto frontier = asked.frontier(problemOf("resnet18", 0), {}, {});
    QVERIFY(frontier.has_value());
    for (const plan::VerifiedPlanPtr& verified : (*frontier)->points()) {
        const plan::Plan& plan = verified->plan();
        const std::string form = plan::expressedAs(plan);
        const ordered_json file = plan::toJson(verified);
        QCOMPARE(form == "step", plan.isCompiledStep());
        QCOMPARE(file.contains("schedule"), form == "step");
        if (form == "step")
            QVERIFY(file["labels"].empty() && file["regions"].empty());
        else
            QVERIFY(plan.recomputeSteps().empty()
                    && file["labels"].empty() == plan.regions().empty());
        QCOMPARE(file["regions"].dump().find("\"save\"") != std::string::npos,
                 form == "saved_sets");
    }
}

} // namespace

PLIMSOLL_TEST(RegionLabelsTest, QCoreApplication)
#include "region_labels_test.moc"
