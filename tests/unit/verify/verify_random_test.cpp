// SPDX-License-Identifier: Apache-2.0
// The replay on random programs and plans: what holds whatever the plan is.
#include "core/verify/verify.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <string>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kPrograms = 500;

std::size_t depthOf(const std::vector<plan::Region>& regions)
{
    std::size_t depth = 0;
    for (const plan::Region& region : regions)
        depth = std::max(depth, 1 + depthOf(region.nested));
    return depth;
}

std::size_t fusedIn(const std::vector<plan::Region>& regions)
{
    std::size_t fused = 0;
    for (const plan::Region& region : regions)
        fused += (region.members.size() > 1 ? 1U : 0U) + fusedIn(region.nested);
    return fused;
}

/// The first thing in a program that FORMAT.md doesn't allow, "" without.
QString brokenInvariant(const graph::Program& program)
{
    for (std::size_t i = 0; i < program.storages.size(); ++i) {
        const graph::Storage& storage = program.storages[i];
        if (storage.lastUse > storage.free)
            return QStringLiteral("storage %1 is used after its free").arg(i);
        if (storage.pythonFree > storage.free || storage.pythonFree < storage.alloc)
            return QStringLiteral("storage %1: python_free").arg(i);
    }
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        if (i > 0 && program.ops[i].phase < program.ops[i - 1].phase)
            return QStringLiteral("op %1: phases").arg(i);
        for (const auto* tensors : {&program.ops[i].reads, &program.ops[i].writes})
            for (const graph::TensorId tensor : *tensors)
                if (program.storageOf(tensor).alloc >= static_cast<graph::OpIndex>(i))
                    return QStringLiteral("op %1 reads what is not there").arg(i);
    }
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
        const graph::Call& call = program.calls[i];
        if (!call.parent)
            continue;
        const graph::Call& parent = program.call(*call.parent);
        if (call.parent->index() >= i || call.first < parent.first || call.last > parent.last)
            return QStringLiteral("call %1 isn't inside its parent").arg(i);
    }
    for (std::size_t i = 0; i < program.saved.size(); ++i) {
        const graph::Saved& row = program.saved[i];
        if (row.unpack && (*row.unpack > row.dropped + 1 || row.dropped > row.released))
            return QStringLiteral("row %1: unpack, dropped, released").arg(i);
        if (row.released > program.storageOf(row.tensor).free)
            return QStringLiteral("row %1 is released after its storage's free").arg(i);
        if (i > 0 && row.op < program.saved[i - 1].op)
            return QStringLiteral("row %1: order of packing").arg(i);
    }
    return {};
}

class VerifyRandomTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void randomProgramsKeepTheFormatsInvariants();
    void withoutRegionsTheCurveIsTheRecording();
    void legalPlansReplayWithoutAFault();
    void sameSeedsGiveTheSamePrograms();
    void budgetsBelowThePeakAreRefused();
    void aLongStepIsReplayedFast();
};

void VerifyRandomTest::randomProgramsKeepTheFormatsInvariants()
{
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const QString broken = brokenInvariant(*program);
        QVERIFY2(broken.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(broken)));
        QCOMPARE(program->checks, graph::recount(*program));
    }
}

void VerifyRandomTest::withoutRegionsTheCurveIsTheRecording()
{
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Verification seen = plan::verify(tests::unlimitedProblem(program), {});
        QVERIFY2(seen.faults.empty(), tests::firstFault(seen));
        QCOMPARE(seen.liveBytes.size(), program->ops.size());
        QCOMPARE(seen.peak.count(), program->checks.peakBytes.count());
        QCOMPARE(static_cast<graph::OpIndex>(seen.peakStep), program->checks.peakOp);
    }
}

void VerifyRandomTest::legalPlansReplayWithoutAFault()
{
    std::size_t recomputing = 0;
    std::size_t fused = 0;
    std::size_t deep = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Plan plan = tests::randomLegalPlan(*program, seed);
        const plan::Verification seen = plan::verify(tests::unlimitedProblem(program), plan);
        QVERIFY2(seen.faults.empty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + tests::firstFault(seen)));
        recomputing += seen.liveBytes.size() > program->ops.size() ? 1U : 0U;
        fused += fusedIn(plan.regions());
        deep += depthOf(plan.regions()) >= 3 ? 1U : 0U;
    }
    qInfo("%zu of %llu plans recompute, %zu fused regions, %zu plans nested three deep",
          recomputing, static_cast<unsigned long long>(kPrograms), fused, deep);
    QVERIFY(recomputing > kPrograms / 3);
    QVERIFY(fused > kPrograms / 5);
    QVERIFY(deep > 10);
}

void VerifyRandomTest::sameSeedsGiveTheSamePrograms()
{
    const graph::ProgramPtr one = tests::randomProgram(7);
    const graph::ProgramPtr two = tests::randomProgram(7);
    QCOMPARE(one->checks, two->checks);
    QCOMPARE(tests::randomLegalPlan(*one, 3), tests::randomLegalPlan(*two, 3));
}

void VerifyRandomTest::budgetsBelowThePeakAreRefused()
{
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Plan plan = tests::randomLegalPlan(*program, seed);
        plan::Problem problem = tests::unlimitedProblem(program);
        problem.budget = plan::verify(problem, plan).peak;
        QVERIFY(plan::verify(problem, plan).faults.empty());
        problem.budget -= base::Bytes{1};
        const plan::Verification seen = plan::verify(problem, plan);
        QCOMPARE(seen.faults.size(), std::size_t{1});
        QCOMPARE(seen.faults[0].kind, plan::FaultKind::OverBudget);
    }
}

void VerifyRandomTest::aLongStepIsReplayedFast()
{
    constexpr std::size_t kCalls = 1000;
    const graph::ProgramPtr program = tests::longChain(kCalls);
    plan::Plan plan;
    for (std::size_t i = 0; i < kCalls; i += 20) {
        std::vector<std::size_t> outer;
        std::vector<plan::Region> nested;
        for (std::size_t k = i; k < i + 20; ++k) {
            outer.push_back(k);
            if (k % 5 == 0)
                nested.push_back(tests::regionOf(*program, {k, k + 1, k + 2, k + 3, k + 4}));
        }
        plan.asRegions().regions.push_back(tests::regionOf(*program, outer, nested));
    }
    QElapsedTimer timer;
    timer.start();
    const plan::Verification seen = plan::verify(tests::unlimitedProblem(program), plan);
    const double milliseconds = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
    QVERIFY2(seen.faults.empty(), tests::firstFault(seen));
    qInfo("%zu ops, %zu steps: %.2f ms", program->ops.size(), seen.liveBytes.size(), milliseconds);
    QVERIFY(milliseconds < 1000); // generous: a sanitizer's build, a busy machine
}

} // namespace

PLIMSOLL_TEST(VerifyRandomTest, QCoreApplication)
#include "verify_random_test.moc"
