// SPDX-License-Identifier: Apache-2.0
// Schedules that let go of a value while later stages keep theirs, as plans for the runtime Step.
#include "core/solve/chain/nonpersistent_plans.h"

#include "core/solve/regions/region_space.h"

#include "tests/support/chain_sequence.h"
#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

using namespace plimsoll;
using graph::OpId;
using graph::OpIndex;

namespace {

class NonPersistentPlansTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsOfSchedules_data();
    void rowsOfSchedules();
    void whatAPinKeepsIsNotRepeated();
    void neverWorseThanPersistentOnes_data();
    void neverWorseThanPersistentOnes();
    void regionsAreRefused();
};

/// Rows as "before:op,op ...", ops counted from 0.
std::string textOf(const std::optional<std::vector<plan::RecomputeStep>>& rows)
{
    if (!rows)
        return "none";
    std::string text;
    for (const plan::RecomputeStep& row : *rows) {
        text += (text.empty() ? "" : " ") + std::to_string(row.before) + ":";
        for (const OpId op : row.ops)
            text += (op == row.ops.front() ? "" : ",") + std::to_string(op.index());
    }
    return text;
}

/// Four calls of two ops; the second op of each saves what the first one made, so that backward of
/// call c begins to use something of it with op 14 - 2 c.
plan::Problem fourCalls()
{
    plan::Problem problem;
    problem.program = tests::longChain(4);
    problem.budget = plan::kUnlimited;
    return problem;
}

solve::LinearizedStep chainOf(const plan::Problem& problem)
{
    const auto space = solve::makeRegionSpace(problem, plan::Granularity::Module);
    return solve::linearize(problem, *space, solve::Residuals::EachCut).value();
}

void NonPersistentPlansTest::rowsOfSchedules_data()
{
    QTest::addColumn<QString>("sequence");
    QTest::addColumn<QString>("rows");
    QTest::newRow("nothing twice") << "Fe_0 Fe_1 Fe_2 Fe_3 L B_3 B_2 B_1 B_0"
                                   << "";
    QTest::newRow("a checkpoint") << "Fe_0 CF_1 Fe_2 Fe_3 L B_3 B_2 Fe_1 B_1 B_0"
                                  << "12:2";
    QTest::newRow("a region of two") << "CF_0 Fn_1 Fe_2 Fe_3 L B_3 B_2 Fe_0 Fe_1 B_1 B_0"
                                     << "12:0,1,2";
    QTest::newRow("nested") << "CF_0 Fn_1 Fn_2 Fe_3 L B_3 CF_0 Fn_1 Fe_2 B_2 Fe_0 Fe_1 B_1 B_0"
                            << "10:0,1,2,3,4 12:0,1,2";
    // x_2 goes, stage 2 keeps what it saved, and stage 1 runs again before stage 2's backward.
    QTest::newRow("a value let go of") << "Fe_0 CF_1 Fe_2 drop_2 Fe_3 L B_3 Fe_1 B_2 B_1 B_0"
                                       << "10:2";
    QTest::newRow("let go of and made by two") << "CF_0 Fn_1 Fe_2 drop_2 Fe_3 L B_3 CF_0 Fe_1 B_2 "
                                                  "B_1 Fe_0 B_0"
                                               << "10:0,1,2 14:0";
    QTest::newRow("a saved set let go of") << "Fe_0 Fe_1 Fe_2 dropbar_2 Fe_3 L B_3 Fe_1 B_2 B_1 B_0"
                                           << "10:2";
}

void NonPersistentPlansTest::rowsOfSchedules()
{
    QFETCH(QString, sequence);
    const plan::Problem problem = fourCalls();
    const solve::LinearizedStep step = chainOf(problem);
    QCOMPARE(step.stages.size(), std::size_t{4});
    const solve::RecomputeClosure closure{*problem.step()};
    const solve::SequenceRows rows = solve::sequenceRows(*problem.step(), closure, step, {});
    const auto parsed = tests::parseSequence(sequence.toStdString());
    QVERIFY(parsed);
    const auto found = rows(*parsed);
    QTEST(QString::fromStdString(textOf(found)), "rows");
    plan::Plan plan = plan::keepEverything();
    plan.decisions = plan::RecomputeSchedule{*found};
    const auto certified = plan::certify(problem, plan);
    QVERIFY2(certified, certified ? "" : certified.error().message.c_str());
}

void NonPersistentPlansTest::whatAPinKeepsIsNotRepeated()
{
    const plan::Problem problem = fourCalls();
    const solve::LinearizedStep step = chainOf(problem);
    const solve::RecomputeClosure closure{*problem.step()};
    const solve::Sequence sequence =
        tests::parseSequence("CF_0 Fn_1 Fe_2 Fe_3 L B_3 B_2 Fe_0 Fe_1 B_1 B_0").value();
    std::set<graph::StorageId> kept;
    for (std::size_t i = 0; i < problem.step()->storages.size(); ++i)
        if (problem.step()->storages[i].alloc == 2)
            kept.insert(graph::StorageId{i});
    QCOMPARE(kept.size(), std::size_t{1});
    const solve::SequenceRows rows = solve::sequenceRows(*problem.step(), closure, step, kept);
    QCOMPARE(textOf(rows(sequence)), std::string{"12:0"});
}

void NonPersistentPlansTest::neverWorseThanPersistentOnes_data()
{
    QTest::addColumn<QString>("sample");
    QTest::newRow("ResNet-18") << "resnet18";
    QTest::newRow("GPT-2") << "gpt2";
}

void NonPersistentPlansTest::neverWorseThanPersistentOnes()
{
    QFETCH(QString, sample);
    const plan::Problem problem = tests::problemOf(sample, 0);
    const auto found = [&problem](std::int64_t drops) {
        return solve::makeRotorPlanner()
            ->frontier(problem, {{"runtime", 1}, {"slots", 64}, {"nonpersistent", drops}}, {})
            .value();
    };
    const plan::FrontierPtr persistent = found(0);
    const plan::FrontierPtr dropping = found(1);
    std::size_t faster = 0;
    for (const plan::VerifiedPlanPtr& point : persistent->points()) {
        const plan::VerifiedPlanPtr other = dropping->at(point->evaluation().peak);
        QVERIFY(other);
        QVERIFY(other->evaluation().stepTime <= point->evaluation().stepTime);
        faster += other->evaluation().stepTime < point->evaluation().stepTime ? 1U : 0U;
    }
    qInfo("faster at %zu of %zu peaks; least peak %lld, persistent %lld", faster,
          persistent->points().size(),
          static_cast<long long>(dropping->points().front()->evaluation().peak.count()),
          static_cast<long long>(persistent->points().front()->evaluation().peak.count()));
    QVERIFY(faster > 0);
}

void NonPersistentPlansTest::regionsAreRefused()
{
    const auto refused = solve::makeRotorPlanner()->frontier(
        tests::problemOf(QStringLiteral("resnet18"), 0), {{"nonpersistent", 1}}, {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, base::ErrorKind::Usage);
    QCOMPARE(refused.error().message,
             std::string{"Checkpoint regions can't drop a value while later ones keep theirs: "
                         "nonpersistent is for the runtime step."});
}

} // namespace

PLIMSOLL_TEST(NonPersistentPlansTest, QCoreApplication)
#include "nonpersistent_plans_test.moc"
