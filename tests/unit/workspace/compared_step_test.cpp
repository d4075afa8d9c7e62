// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/waterfall/compared_step.h"

#include "core/io/byte_source.h"
#include "core/readers/registry.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;

namespace {

constexpr const char* kGraph = PLIMSOLL_SOURCE_DIR "/tests/data/encoder.plimsoll.json.gz";
constexpr const char* kRecorded =
    PLIMSOLL_SOURCE_DIR "/resources/samples/encoder_training.stand-in.pickle.gz";

class ComparedStepTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aPlanThatWasNotUsedTellsNothing();
};

/// The recording was made without a plan, which knows as much of it.
void ComparedStepTest::aPlanThatWasNotUsedTellsNothing()
{
    base::Result<workspace::ComparedStep> step = workspace::readComparedStep(kGraph, {});
    const auto profile = readers::readProfile(io::Source{kRecorded});
    QVERIFY(step.has_value());
    QVERIFY(profile.has_value());
    plan::Plan plan;
    plan.asRegions().regions = {tests::regionOf(*step->problem.program, {2})};
    plan::Problem problem = step->problem;
    problem.budget = plan::kUnlimited;
    const auto verified = plan::certify(problem, plan);
    QVERIFY2(verified.has_value(), verified ? "" : verified.error().message.c_str());
    step->plan = plan::FrontierPoint{*verified, std::make_shared<const plan::Provenance>()};
    const auto isPlanned = [&] {
        const auto names = workspace::namesFrom(*step, *profile->trace, 0, {});
        return names ? std::optional{!(*names)->predicted.plan.regions().empty()} : std::nullopt;
    };
    QCOMPARE(isPlanned(), std::optional{false});
    step->isPlanNamed = true; // then it is the plan that is refused
    const auto names = workspace::namesFrom(*step, *profile->trace, 0, {});
    QVERIFY(!names);
    QVERIFY2(names.error().message.find("so it ran another plan, or none") != std::string::npos,
             names.error().message.c_str());
}

} // namespace

PLIMSOLL_TEST(ComparedStepTest, QCoreApplication)
#include "compared_step_test.moc"
