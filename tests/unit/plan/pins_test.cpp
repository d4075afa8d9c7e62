// SPDX-License-Identifier: Apache-2.0
// Pins: what a glob means, which pins conflict, and that two opinions agree about violated ones.
#include "core/plan/pins.h"

#include "core/device/op_times.h"
#include "core/evaluate/certify.h"
#include "core/plan_file/plan_json.h"
#include "core/solve/registry.h"

#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

namespace {

using namespace plimsoll;
using plan::PinKind;

plan::Problem pinned(const QString& sample, const std::vector<std::string>& texts)
{
    plan::Problem problem = tests::problemOf(sample, 0);
    problem.budget = plan::kUnlimited;
    auto pins = plan::resolvePins(texts, *problem.step());
    if (!pins)
        qFatal("%s", pins.error().message.c_str());
    problem.pins = *std::move(pins);
    return problem;
}

std::size_t matched(const QString& sample, const std::string& text)
{
    return pinned(sample, {text}).pins.front().storages.size();
}

std::string refusal(const std::vector<std::string>& texts)
{
    const auto pins = plan::resolvePins(texts, *tests::problemOf("gpt2", 0).program);
    return pins || pins.error().kind != base::ErrorKind::Usage ? std::string{}
                                                               : pins.error().message;
}

bool isViolated(const plan::Verification& seen)
{
    return std::ranges::any_of(seen.faults, [](const plan::Fault& fault) {
        return fault.kind == plan::FaultKind::PinViolated;
    });
}

class PinsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void globsMeanModulesOpsAndBoth();
    void whatMatchesNothingIsRefused();
    void equalOnesCountOnce();
    void conflictsNameBothPins();
    void bothOpinionsAgree();
    void everyPlannerHonoursThem_data();
    void everyPlannerHonoursThem();
    void aPinCostsWhatItRepeats_data();
    void aPinCostsWhatItRepeats();
    void moreCutsCostNoMore();
    void whatIsKeptLeavesOtherPlans_data();
    void whatIsKeptLeavesOtherPlans();
    void planFilesCarryThem();
};

void PinsTest::globsMeanModulesOpsAndBoth()
{
    const std::size_t block = matched("gpt2", "keep:transformer.h.3");
    QVERIFY(block > 5);
    QCOMPARE(matched("gpt2", "keep:transformer.h.?"), 10 * block); // h.10 and h.11 aside
    QCOMPARE(matched("gpt2", "keep:transformer.h.*"), 12 * block);
    // What the block returns is kept by a region around it.
    const std::size_t inside = matched("gpt2", "recompute:transformer.h.3");
    QVERIFY(inside < block && inside + 2 >= block);
    QCOMPARE(matched("gpt2", "keep:transformer.h.3.mlp.c_fc:aten.addmm.default"), std::size_t{1});
    QCOMPARE(matched("gpt2", "keep:*.mlp.c_fc:aten.addmm.*"), std::size_t{12});
    // A star behind a module takes what is below it, not the op that makes the module's result.
    QCOMPARE(matched("gpt2", "recompute:transformer.h.3*"), inside);
    QCOMPARE(matched("gpt2", "keep:aten.native_layer_norm.default") % 3, std::size_t{0});
    // Plans and lists name ops without their overloads.
    QCOMPARE(matched("gpt2", "keep:*.mlp.c_fc:aten.addmm"), std::size_t{12});
    QCOMPARE(matched("resnet18", "recompute:aten.convolution"), std::size_t{20});
    QCOMPARE(matched("resnet18", "recompute:conv1:aten.convolution"), std::size_t{1});
}

void PinsTest::whatMatchesNothingIsRefused()
{
    QCOMPARE(refusal({"keep:transformer.h.99"}),
             std::string{"The pin keep:transformer.h.99 matches nothing that the step keeps for "
                         "backward: give a module's path, an op's target such as aten.mm, or both "
                         "as PATH:TARGET."});
    QCOMPARE(
        refusal({"recompute:transformer.h.3.mlp.c_fc"}),
        std::string{
            "The pin recompute:transformer.h.3.mlp.c_fc names modules whose values are all used "
            "after them, and checkpointing a module keeps what leaves it: name a module around "
            "them, or use recompute:transformer.h.3.mlp.c_fc:* for what their own ops compute."});
    for (const char* text : {"transformer.h.1", "keep:", "hold:x", ""})
        QVERIFY(refusal({text}).ends_with("write keep:GLOB or recompute:GLOB, such as "
                                          "keep:*.attn."));
    QCOMPARE(refusal(std::vector<std::string>(65, "keep:transformer.h.1")),
             std::string{"65 pins are too many: give at most 64, with wider globs."});
}

void PinsTest::equalOnesCountOnce()
{
    const auto pins = plan::resolvePins({"keep:layer1.0", "recompute:layer2.1.bn1", "keep:layer1.0",
                                         "keep:layer1.*", "recompute:layer2.1.bn1"},
                                        *tests::problemOf("resnet18", 0).program);
    QVERIFY(pins);
    std::vector<std::string> texts;
    for (const plan::Pin& pin : *pins)
        texts.push_back(plan::pinText(pin));
    QCOMPARE(texts, (std::vector<std::string>{"keep:layer1.0", "recompute:layer2.1.bn1",
                                              "keep:layer1.*"}));
}

void PinsTest::conflictsNameBothPins()
{
    const std::string said =
        refusal({"keep:transformer.h.3.mlp", "recompute:transformer.h.1", "recompute:*.h.3"});
    QVERIFY(said.starts_with("The pins keep:transformer.h.3.mlp and recompute:*.h.3 conflict over "
                             "what transformer.h.3.mlp"));
    QVERIFY(refusal({"keep:transformer.h.3", "recompute:transformer.h.4"}).empty());
}

/// Random plans, random pins on single values: the schedule and the replay must agree on each.
void PinsTest::bothOpinionsAgree()
{
    int violated = 0;
    int honoured = 0;
    for (std::uint64_t seed = 1; seed <= (tests::kSanitized ? 20 : 60); ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const auto all = plan::resolvePin("keep:*", *program);
        if (!all)
            continue; // nothing is kept for backward
        for (const plan::Plan& plan :
             {tests::randomLegalPlan(*program, seed),
              tests::withRandomSaves(*program, tests::randomLegalPlan(*program, seed), seed),
              tests::randomStepPlan(*program, seed)}) {
            plan::Problem problem = tests::unlimitedProblem(program);
            if (!plan::isLegal(plan::verify(problem, plan)))
                continue;
            const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan);
            for (const graph::StorageId storage : all->storages)
                for (const PinKind kind : {PinKind::Keep, PinKind::Recompute}) {
                    problem.pins = {{kind, "*", {storage}}};
                    const plan::Verification seen = plan::verify(problem, plan);
                    QVERIFY(plan::isLegal(seen));
                    QCOMPARE(isViolated(seen), !plan::honoursPins(problem, *evaluation->schedule));
                    (isViolated(seen) ? violated : honoured) += 1;
                }
        }
    }
    QVERIFY(violated > 100 && honoured > 100);
}

void PinsTest::everyPlannerHonoursThem_data()
{
    QTest::addColumn<QString>("planner");
    for (const auto& planner : solve::planners())
        QTest::newRow(planner->descriptor().id.c_str())
            << QString::fromStdString(planner->descriptor().id);
}

void PinsTest::everyPlannerHonoursThem()
{
    QFETCH(const QString, planner);
    const plan::Problem problem = pinned("resnet18", {"keep:layer1.0", "recompute:layer2.1.bn1"});
    const auto found = (*solve::findPlanner(planner.toStdString()))->frontier(problem, {}, {});
    QVERIFY2(found, found ? "" : found.error().message.c_str());
    for (const plan::VerifiedPlanPtr& point : (*found)->points()) {
        QCOMPARE(point->problem().pins, problem.pins);
        QVERIFY(plan::honoursPins(problem, *point->evaluation().schedule));
    }
    if (planner == "rotor")
        QVERIFY((*found)->points().size() > 3);
    if (planner == "torch-budget") // that has few different answers for convolutions
        QVERIFY((*found)->points().size() > 1);
    if (planner == "none") // the pins ask for something else
        QVERIFY((*found)->points().empty());
    if (planner == "every-block") // all blocks but the one that is kept
        QCOMPARE((*found)->points().size(), std::size_t{1});
}

void PinsTest::aPinCostsWhatItRepeats_data()
{
    QTest::addColumn<QString>("planner");
    for (const char* planner : {"rotor", "capuchin", "torch-budget", "remat"})
        if (!tests::kSanitized || planner == std::string_view{"capuchin"})
            QTest::newRow(planner) << QString::fromLatin1(planner);
}

/// A planner that only dropped the plans that break a pin would have the first one that happens to
/// recompute the block, with most others.
void PinsTest::aPinCostsWhatItRepeats()
{
    QFETCH(const QString, planner);
    const plan::Problem problem = pinned("vit_b_16", {"recompute:encoder.layers.encoder_layer_3"});
    const auto found = (*solve::findPlanner(planner.toStdString()))->frontier(problem, {}, {});
    QVERIFY2(found, found ? "" : found.error().message.c_str());
    const plan::Evaluation& fastest = (*found)->points().back()->evaluation();
    const std::vector<base::Nanoseconds> times = plan::opTimes(*problem.step(), problem.device);
    std::int64_t block = 0;
    for (std::size_t op = 0; op < problem.step()->forwardCount(); ++op)
        if (problem.step()
                ->modulePath(problem.step()->ops[op])
                .starts_with("encoder.layers.encoder_layer_3"))
            block += times[op].count();
    QVERIFY(block > 0);
    QVERIFY(fastest.recomputeTime.count() > 0);
    QVERIFY(fastest.recomputeTime.count() <= block);
}

/// Between ops regions often end inside of what is pinned: what lies beside it is recomputed all
/// the same.
void PinsTest::moreCutsCostNoMore()
{
    const plan::Problem problem = pinned("resnet18", {"recompute:layer1"});
    const solve::Planner& rotor = **solve::findPlanner("rotor");
    const plan::FrontierPtr between = rotor.frontier(problem, {{"granularity", 1}}, {}).value();
    const plan::FrontierPtr modules = rotor.frontier(problem, {}, {}).value();
    QVERIFY(modules->points().size() >= 3 && between->points().size() >= 3);
    for (const plan::VerifiedPlanPtr& point : modules->points()) {
        const plan::VerifiedPlanPtr same = between->at(point->evaluation().peak);
        QVERIFY(!same
                || same->evaluation().stepTime.count() * 100
                       <= point->evaluation().stepTime.count() * 101);
    }
}

void PinsTest::whatIsKeptLeavesOtherPlans_data()
{
    aPinCostsWhatItRepeats_data();
}

/// Keeping one block of twelve forbids little.
void PinsTest::whatIsKeptLeavesOtherPlans()
{
    QFETCH(const QString, planner);
    const auto leastPeak = [&](const std::vector<std::string>& pins) {
        const auto found =
            (*solve::findPlanner(planner.toStdString()))->frontier(pinned("gpt2", pins), {}, {});
        return found ? (*found)->points().front()->evaluation().peak.count() : 0;
    };
    const std::int64_t free = leastPeak({});
    const std::int64_t kept = leastPeak({"keep:transformer.h.3"});
    QVERIFY(free > 0);
    QVERIFY(kept >= free && kept <= free * 5 / 4);
}

void PinsTest::planFilesCarryThem()
{
    const plan::Problem problem = pinned("resnet18", {"keep:layer1.0", "keep:layer3*"});
    const auto verified = plan::certify(problem, plan::keepEverything());
    QVERIFY(verified);
    const std::string text = plan::writePlan(*verified);
    QVERIFY(text.find("\"pins\": [\"keep:layer1.0\",\"keep:layer3*\"]") != std::string::npos);
    const auto file = plan::readPlan(text, *problem.step());
    QVERIFY(file);
    const auto again = plan::problemOf(*file, problem.step());
    QVERIFY(again);
    QCOMPARE(again->pins, problem.pins);

    std::string edited = text;
    edited.replace(edited.find("layer3*"), 7, "layer9*");
    const auto other = plan::readPlan(edited, *problem.step());
    QVERIFY(other);
    QVERIFY(!plan::problemOf(*other, problem.step())); // says which pin matches nothing
    edited.replace(edited.find("\"keep:layer1.0\""), 15, "7");
    const auto broken = plan::readPlan(edited, *problem.step());
    QVERIFY(!broken);
    QCOMPARE(broken.error().message,
             std::string{"pins[0] must be a string: export the plan again."});
}

} // namespace

PLIMSOLL_TEST(PinsTest, QCoreApplication)
#include "pins_test.moc"
